//! The one transaction in which a Changeset is applied: what changes, its Events, and who did it.

use std::sync::Arc;

use jiff::Timestamp;
use model::access::{Access, Authority};
use model::changeset::application::{Fate, Move, plan};
use model::changeset::check::{Check, Finding, Severity, Verdict};
use model::changeset::{Changeset, ChangesetState, Happening};
use model::entry::EntryKey;
use model::event::{EventKind, NewEvent};
use model::pack::{Pack, Widened};
use model::revision::Revision;
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Application;
use tracing::info;

use super::drafts::Drafted;
use crate::ctx::Ctx;
use crate::error::Error;

/// Larger metadata are left out of Events; they can be read from the Version.
const METADATA_BYTES: usize = 4 << 10;

/// What was done.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Applied {
    /// Absent if there was nothing to change.
    pub changeset: Option<u64>,
    pub revision: Revision,
    pub moves: Vec<Moved>,
    pub warnings: Vec<Finding>,
    pub widened: Vec<Widened>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Moved {
    #[serde(flatten)]
    pub key: EntryKey,
    pub fate: Fate,
    pub from: Option<VersionNumber>,
    pub to: Option<VersionNumber>,
}

pub(super) fn moves(ctx: &Ctx, drafted: &Drafted) -> Result<Vec<Move>, Error> {
    Ok(plan(&drafted.changes, &drafted.snapshot.entries, || ctx.ids.entry(), || ctx.ids.version())?)
}

/// The one transaction in which everything happens.
pub(super) async fn finish(
    ctx: &Ctx,
    access: &Access,
    mut changeset: Changeset,
    drafted: Drafted,
    pack: Option<&Pack>,
    recorded: Option<ChangesetState>,
) -> Result<Applied, Error> {
    let moves = moves(ctx, &drafted)?;
    let warnings = warnings(&changeset.checks);
    if moves.is_empty() && recorded.is_none() {
        let revision = drafted.snapshot.revision;
        return Ok(Applied {
            changeset: None,
            revision,
            moves: Vec::new(),
            warnings,
            widened: drafted.widened,
        });
    }
    let number = changeset.number;
    changeset.state =
        changeset.state.after(Happening::Apply).map_err(|source| Error::Transition { number, source })?;
    let revision = drafted.snapshot.revision.next();
    changeset.applied = Some(revision);
    changeset.decided_by = Some(access.actor.clone());
    // What a narrow author proposed does not gain the authority of whoever applies it.
    let (decider, author) = ((*access.authority).clone(), (*changeset.authority).clone());
    changeset.decided_authority.get_or_insert_with(|| Arc::new(Authority::of_applied(decider, Some(author))));
    changeset.decided_at = Some(ctx.clock.now());
    changeset.changes = drafted.changes;
    let events = events(&changeset, &moves, ctx.clock.now());
    let verb = if changeset.reverts.is_some() { "changeset.revert" } else { "changeset.apply" };
    let details = json!({ "revision": revision, "title": changeset.title, "moves": moves.len() });
    let audit = ctx.audit(&access.actor, verb, &changeset.id.to_string(), details);
    let application =
        Application { changeset: &changeset, recorded, moves: &moves, pack, events: &events, audit: &audit };
    ctx.store.apply(&application).await?;
    let number = match recorded {
        Some(_) => number,
        None => ctx.store.changeset_number(changeset.id).await?,
    };
    info!(
        changeset.number = number,
        brain.revision = revision.0,
        "changeset {number} applied: the brain is at revision {revision}, {} entries changed",
        moves.len()
    );
    Ok(Applied {
        changeset: Some(number),
        revision,
        moves: moves.iter().map(moved).collect(),
        warnings,
        widened: drafted.widened,
    })
}

fn warnings(checks: &[Check]) -> Vec<Finding> {
    let is_reported = |check: &Check, finding: &Finding| {
        check.verdict == Verdict::Forced || finding.severity == Severity::Warning
    };
    let findings = checks.iter().flat_map(|check| check.findings.iter().map(move |finding| (check, finding)));
    let told = findings.filter(|(check, finding)| is_reported(check, finding));
    told.map(|(_, finding)| Finding { severity: Severity::Warning, ..finding.clone() }).collect()
}

fn moved(moved: &Move) -> Moved {
    Moved {
        key: moved.key.clone(),
        fate: moved.fate(),
        from: moved.from,
        to: moved.to.map(|(number, _)| number),
    }
}

/// What the author of a function's new Version stated about it, for the conditions of triggers.
fn metadata(moved: &Move) -> Option<Value> {
    let content = moved.writes.last()?.snapshot.content.as_function()?;
    let metadata = serde_json::to_value(&content.metadata).ok()?;
    let is_reported = !content.metadata.is_empty() && metadata.to_string().len() <= METADATA_BYTES;
    is_reported.then_some(metadata)
}

fn events(changeset: &Changeset, moves: &[Move], at: Timestamp) -> Vec<NewEvent> {
    let event = |kind, source: &str, data| NewEvent {
        kind,
        source: source.to_owned(),
        data,
        actor: changeset.decided_by.clone().unwrap_or_else(|| changeset.actor.clone()),
        at,
    };
    let mut events: Vec<NewEvent> = moves
        .iter()
        .filter_map(|moved| {
            let kind = match moved.fate() {
                Fate::Added => EventKind::Added(moved.key.kind),
                Fate::Updated => EventKind::Updated(moved.key.kind),
                Fate::Deleted => EventKind::Deleted(moved.key.kind),
                Fate::Recorded => return None,
            };
            let mut data = json!({
                "name": moved.key.name, "from": moved.from, "to": moved.to.map(|(number, _)| number),
                "revision": changeset.applied, "changeset_id": changeset.id,
            });
            if let Some(metadata) = metadata(moved) {
                data["metadata"] = metadata;
            }
            Some(event(kind, moved.key.name.as_str(), data))
        })
        .collect();
    let data = json!({ "changeset_id": changeset.id, "revision": changeset.applied, "moves": moves.len() });
    events.push(event(EventKind::ChangesetApplied, &changeset.title, data));
    events
}
