//! The gates of what a Run writes: `mutants`, `twins` and `evidence`. What a person writes goes without: they execute much, and a
//! person can ask for them.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::access::Access;
use model::access::actor::Actor;
use model::changeset::check::{Check, Gate, Outcome, Verdict};
use model::changeset::gates;
use model::content::Content;

use super::drafts::Drafted;
use crate::app::functions::evidence::Evidence;
use crate::app::functions::mutants::MutantTrials;
use crate::app::functions::probes::{Probe, ProbeKey, ProbeWork};
use crate::app::functions::test_results::TestResults;
use crate::app::functions::trials::{self, overlay};
use crate::app::functions::twins::Twins;
use crate::ctx::Ctx;
use crate::error::Error;

const GATES: [Gate; 3] = [Gate::Mutants, Gate::Twins, Gate::Evidence];

/// Who is judged, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct Parties<'a> {
    pub(crate) author: &'a Access,
    /// Whoever applies or reads it now.
    pub(crate) reader: &'a Access,
}

/// None for what people write. `written` is what is new of it; `before` are the checks that have to pass first.
pub(super) async fn run(
    ctx: &Ctx,
    parties: Parties<'_>,
    drafted: &Drafted,
    written: &[Outcome<'_>],
    before: &[&Check],
    results: &mut TestResults,
) -> Result<Vec<Check>, Error> {
    let is_run = |access: &Access| matches!(access.actor, Actor::Run(_));
    if !is_run(parties.author) {
        return Ok(Vec::new());
    }
    let not_run = |why: &str| GATES.map(|gate| Check::not_run(gate, why)).to_vec();
    if !results.is_complete() {
        return Ok(not_run("what comes before has to be run first"));
    }
    if before.iter().any(|check| check.verdict == Verdict::Failed) {
        return Ok(not_run("another check failed before"));
    }
    let probes = probes(ctx, parties, drafted, written).await?;
    let gates: Vec<Gate> = probes.iter().map(|probe| probe.key.gate).collect();
    let Some(judgements) = results.judged(ctx, probes).await? else {
        return Ok(not_run("they have to be run first"));
    };
    let judged: Vec<_> = gates.into_iter().zip(judgements).collect();
    let check = |gate| {
        let own = judged.iter().filter(|(of, _)| *of == gate).map(|(_, judgement)| judgement.clone());
        gates::check(gate, own.collect(), is_run(parties.reader))
    };
    Ok(GATES.map(check).to_vec())
}

async fn probes(
    ctx: &Ctx,
    parties: Parties<'_>,
    drafted: &Drafted,
    written: &[Outcome<'_>],
) -> Result<Vec<Probe>, Error> {
    let overlay = overlay(&drafted.changes);
    let changed: BTreeSet<_> = drafted.changes.iter().map(|change| change.key.name.clone()).collect();
    let mut probes = Vec::new();
    for outcome in written.iter().filter(|outcome| outcome.after.and_then(Content::as_function).is_some()) {
        let name = &outcome.key.name;
        let (prepared, closure) = trials::prepare_overlaid(ctx, &overlay, name).await?;
        let prepared = Arc::new(prepared);
        let mut add = |gate, work| {
            let key = ProbeKey { gate, function: name.clone(), closure: closure.clone() };
            probes.push(Probe { key, work });
        };
        let mutants = MutantTrials::new(Arc::clone(&prepared));
        mutants.into_iter().for_each(|trials| add(Gate::Mutants, ProbeWork::Mutants(trials)));
        let author = parties.author.clone();
        match ctx.store.live_version(outcome.key).await? {
            Some(live) => {
                let replaced = live.head.version_id;
                add(Gate::Evidence, ProbeWork::Evidence(Evidence { prepared, author, replaced }));
            }
            None => {
                let (reader, changed) = (parties.reader.clone(), changed.clone());
                add(Gate::Twins, ProbeWork::Twins(Twins { prepared, author, reader, changed }));
            }
        }
    }
    Ok(probes)
}
