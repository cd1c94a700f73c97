//! Probes: what a gate executes to judge one Function of a Changeset. They run outside of the Changeset's turn, and what they
//! said is kept while it is tried again.

use std::sync::Arc;

use model::changeset::check::{Finding, Gate};
use model::changeset::gates::{Judgement, mutants};
use model::entry::EntryKey;
use model::name::EntryName;
use model::version::ContentHash;

use super::evidence::Evidence;
use super::mutants::MutantTrials;
use super::twins::Twins;
use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::Prepared;

/// What a gate looks at, by all that it executes of the Changeset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProbeKey {
    pub(crate) gate: Gate,
    pub(crate) function: EntryName,
    pub(crate) closure: Vec<(EntryName, ContentHash)>,
}

pub(crate) struct Probe {
    pub(crate) key: ProbeKey,
    pub(crate) work: ProbeWork,
}

pub(crate) enum ProbeWork {
    Mutants(MutantTrials),
    Twins(Twins),
    Evidence(Evidence),
}

impl ProbeWork {
    /// What could not be executed is for a person to judge.
    pub(super) async fn run(self, ctx: &Ctx) -> Result<Judgement, Error> {
        let prepared = Arc::clone(match &self {
            ProbeWork::Mutants(trials) => &trials.prepared,
            ProbeWork::Twins(twins) => &twins.prepared,
            ProbeWork::Evidence(evidence) => &evidence.prepared,
        });
        let judged = match self {
            ProbeWork::Mutants(trials) => {
                trials.run(ctx).await.map(|tried| judged_mutants(&prepared, &tried))
            }
            ProbeWork::Twins(twins) => twins.run(ctx).await,
            ProbeWork::Evidence(evidence) => evidence.run(ctx).await,
        };
        match judged {
            Err(Error::Execution(error)) => {
                let text = format!("could not be executed: {error}");
                Ok(Judgement::asking(Finding::warning(prepared.key.clone(), text)))
            }
            judged => judged,
        }
    }
}

fn judged_mutants(prepared: &Prepared, tried: &[mutants::TriedMutant]) -> Judgement {
    let key: &EntryKey = &prepared.key;
    match prepared.function() {
        Some(function) => mutants::judge(key, &function.content, tried),
        None => Judgement::default(),
    }
}
