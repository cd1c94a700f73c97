//! Looks for slips in the condition of a Trigger: what it names that no Event has. Nothing is refused for it, because an Event may yet have what
//! none had so far.

use std::collections::HashMap;

use model::access::Access;
use model::changeset::check::Finding;
use model::entry::EntryKey;
use model::event::Event;
use model::function::signature::Signature;
use model::name::EntryName;
use model::trigger::TriggerContent;
use model::trigger::fields::Field;
use model::trigger::on::On;

use crate::app::triggers::expression::{lacking, looked_at};
use crate::ctx::Ctx;
use crate::error::Error;

/// How far back Events are looked for.
const READ: u32 = 200;
/// So many that match are enough to tell what they have.
const COMPARED: usize = 20;

/// The function whose output the condition sees, as far as its author may see it.
pub(super) fn watched(access: &Access, trigger: &TriggerContent) -> Option<EntryName> {
    trigger.condition.as_ref()?;
    let name: EntryName = trigger.watched()?.parse().ok()?;
    access.covers(name.as_str()).then_some(name)
}

pub(super) async fn findings(
    ctx: &Ctx,
    access: &Access,
    key: &EntryKey,
    trigger: &TriggerContent,
    signatures: &HashMap<EntryName, Signature>,
) -> Result<Vec<Finding>, Error> {
    let Some(condition) = trigger.condition.as_deref() else { return Ok(Vec::new()) };
    let signature = watched(access, trigger).and_then(|name| signatures.get(&name));
    let output = signature.map(|signature| &signature.output);
    let (mut findings, mut uncertain) = (Vec::new(), Vec::new());
    for path in looked_at(condition) {
        match trigger.on.field(&path, output) {
            Field::Never(why) => findings.push(warning(key, &path, &why)),
            Field::Possible { is_declared: false } => uncertain.push(path),
            Field::Possible { is_declared: true } => {}
        }
    }
    if !uncertain.is_empty() {
        let events = recent(ctx, access, trigger).await?;
        findings.extend(uncertain.iter().filter_map(|path| in_none(key, path, &events)));
    }
    Ok(findings)
}

fn warning(key: &EntryKey, path: &str, why: &str) -> Finding {
    Finding::warning(key.clone(), format!("its condition looks at `{path}`, but {why}"))
        .hint(format!("`selfmade trigger test {}` shows what it would have fired on", key.name))
}

/// The newest that it would have listened to, of those that have all their values.
async fn recent(ctx: &Ctx, access: &Access, trigger: &TriggerContent) -> Result<Vec<Event>, Error> {
    let kind = match &trigger.on {
        On::Kind(kind) => Some(kind),
        On::Pattern(_) => None,
    };
    let mut events = ctx.store.events_before(i64::MAX as u64, kind, READ, access.only()).await?;
    events.retain(|event| trigger.listens_to(event) && event.left_in().is_none());
    events.truncate(COMPARED);
    Ok(events)
}

/// What no Event has, as the newest shows it.
fn in_none(key: &EntryKey, path: &str, events: &[Event]) -> Option<Finding> {
    let newest = events.first()?;
    if events.iter().any(|event| lacking(path, event).is_none()) {
        return None;
    }
    let count = events.len();
    let of_them = if count == 1 {
        "the last event".to_owned()
    } else {
        format!("none of the last {count} events has it")
    };
    let why = lacking(path, newest)?;
    let why =
        if count == 1 { format!("in {of_them} {why}") } else { format!("{of_them}: in the newest {why}") };
    Some(warning(key, path, &why))
}
