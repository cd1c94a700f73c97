//! Looks for stored functions that do what a new one does, among those that its author may see.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use model::access::Access;
use model::changeset::gates::Judgement;
use model::changeset::gates::answers::{Answer, incomplete, is_same};
use model::changeset::gates::twins::{are_twins, is_same_shape, judge, renamed};
use model::entry::EntryKind;
use model::function::FunctionContent;
use model::name::EntryName;
use model::run::RunState;
use serde_json::{Map, Value};
use store::RunFilter;

use super::search::search;
use super::trials::{self, Attempt, Overlay};
use crate::app::runs;
use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::Prepared;

/// How many of the best hits are looked at.
const HITS: usize = 20;

/// With so many of them it is compared.
const MOST_CANDIDATES: usize = 3;

/// On so many inputs at most.
const MOST_INPUTS: usize = 12;

/// Of so many recorded runs inputs are taken.
const MOST_RUNS: u32 = 20;

const ONE_RUN: Duration = Duration::from_secs(5);

/// A Function that is new.
pub(crate) struct Twins {
    pub(crate) prepared: Arc<Prepared>,
    /// Who wrote it: what they may not see is neither named nor executed.
    pub(crate) author: Access,
    /// Who looks now. What they may not see is not named either.
    pub(crate) reader: Access,
    /// Names that the same Changeset changes.
    pub(crate) changed: BTreeSet<EntryName>,
}

struct Candidate {
    name: EntryName,
    prepared: Prepared,
}

impl Twins {
    pub(super) async fn run(self, ctx: &Ctx) -> Result<Judgement, Error> {
        let Some(function) = self.prepared.function() else { return Ok(Judgement::default()) };
        let name = &self.prepared.key.name;
        if !function.reaches_nothing() {
            return Ok(Judgement::none(format!("`{name}` has grants, so it was not executed")));
        }
        let candidates = self.candidates(ctx, &function.content).await?;
        let mut twins = Vec::new();
        for candidate in &candidates {
            if let Some(inputs) = self.equal_inputs(ctx, &function.content, candidate).await? {
                twins.push((candidate.name.clone(), inputs));
            }
        }
        Ok(judge(&self.prepared.key, candidates.len(), &twins))
    }

    fn sees(&self, name: &str) -> bool {
        self.author.covers(name) && self.reader.covers(name)
    }

    /// Stored functions that are about the same, take the same and reach nothing.
    async fn candidates(&self, ctx: &Ctx, content: &FunctionContent) -> Result<Vec<Candidate>, Error> {
        let name = self.prepared.key.name.as_str();
        let query = format!("{} {}", name.replace(['_', '.'], " "), content.description);
        let mut found = Vec::new();
        for hit in search(ctx, &self.author, &query, HITS).await? {
            let Ok(name) = hit.name.parse::<EntryName>() else { continue };
            let is_other = hit.kind == EntryKind::Function && !self.changed.contains(&name);
            if found.len() == MOST_CANDIDATES || !is_other || !self.sees(name.as_str()) {
                continue;
            }
            // It may have been deleted since it was found.
            let Ok((prepared, _)) = trials::prepare_overlaid(ctx, &Overlay::new(), &name).await else {
                continue;
            };
            let is_comparable = prepared.function().is_some_and(|other| {
                other.reaches_nothing() && is_same_shape(&content.signature, &other.content.signature)
            });
            if is_comparable {
                found.push(Candidate { name, prepared });
            }
        }
        Ok(found)
    }

    /// On how many inputs both gave the same, if they are the same function.
    async fn equal_inputs(
        &self,
        ctx: &Ctx,
        content: &FunctionContent,
        candidate: &Candidate,
    ) -> Result<Option<usize>, Error> {
        let Some(other) = candidate.prepared.function() else { return Ok(None) };
        let mut pairs = Vec::new();
        for input in self.inputs(ctx, content, candidate, &other.content).await? {
            let Some(theirs) = renamed(&input, &content.signature, &other.content.signature) else {
                continue;
            };
            let ours = answer(ctx, &self.prepared, input).await?;
            let theirs = answer(ctx, &candidate.prepared, theirs).await?;
            if !is_same(&ours, &theirs) {
                return Ok(None);
            }
            pairs.push((ours, theirs));
        }
        Ok(are_twins(&pairs))
    }

    /// Different inputs from the tests of both and from recorded runs of the stored one, under our names of the parameters.
    async fn inputs(
        &self,
        ctx: &Ctx,
        content: &FunctionContent,
        candidate: &Candidate,
        other: &FunctionContent,
    ) -> Result<Vec<Map<String, Value>>, Error> {
        let own = content.tests.iter().filter(|test| test.mocks.is_empty()).map(|test| test.input.clone());
        let ours = |input: &Map<String, Value>| renamed(input, &other.signature, &content.signature);
        let tests = other.tests.iter().filter(|test| test.mocks.is_empty());
        let theirs = tests.filter_map(|test| ours(&test.input));
        let mut inputs: Vec<Map<String, Value>> = own.chain(theirs).collect();
        let filter = RunFilter {
            name: Some(candidate.name.to_string()),
            states: vec![RunState::Succeeded],
            ..RunFilter::default()
        };
        for run in runs::list(ctx, &self.author, filter, MOST_RUNS).await? {
            let whole = incomplete(&run.input).is_none();
            inputs.extend(run.input.as_object().filter(|_| whole).and_then(ours));
        }
        let mut seen = BTreeSet::new();
        inputs.retain(|input| {
            self.prepared.schema.check(input).is_ok() && seen.insert(Value::from(input.clone()).to_string())
        });
        inputs.truncate(MOST_INPUTS);
        Ok(inputs)
    }
}

async fn answer(ctx: &Ctx, prepared: &Prepared, input: Map<String, Value>) -> Result<Answer, Error> {
    trials::execute(ctx, prepared, Attempt { at_most: Some(ONE_RUN), ..Attempt::of(input) }).await
}
