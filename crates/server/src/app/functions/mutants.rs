//! Runs the tests of Functions on mutants of them, bounded in number and time.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::changeset::gates::mutants::{MutantFate, TriedMutant};
use model::function::test_case::{Expect, TestCase};
use model::name::EntryName;
use model::python::{Mutant, mutants};
use model::run::RunError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::JoinSet;

use super::run_tests::callable_names;
use super::trials::{self, Attempt, Overlay};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::Prepared;

/// Mutants of one Function.
const MOST_MUTANTS: usize = 10;

/// Tests that are run on each of them, until one fails.
const MOST_TESTS: usize = 20;

/// The time that one test of a mutant has: a missing statement may well keep a loop from ending.
const ONE_TEST: Duration = Duration::from_secs(5);

/// After that, no further test is begun.
const ALL_TESTS: Duration = Duration::from_secs(60);

/// What became of the mutants of a Function.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct MutantReport {
    pub function: EntryName,
    /// How many tests it has.
    pub tests: usize,
    pub mutants: Vec<TriedMutant>,
}

/// The tests of these Functions as they are live, on mutants of them; of all that have tests, if none is named.
pub async fn run(ctx: &Ctx, access: &Access, names: &[EntryName]) -> Result<Vec<MutantReport>, Error> {
    access.may(Verb::RunTests)?;
    let all = names.is_empty();
    let mut reports = Vec::new();
    for name in callable_names(ctx, access, names).await? {
        let Some(trials) = MutantTrials::of(ctx, &Overlay::new(), &name).await? else { continue };
        let tests = trials.tests.len();
        if tests == 0 && all {
            continue;
        }
        reports.push(MutantReport { function: name, tests, mutants: trials.run(ctx).await? });
    }
    Ok(reports)
}

/// The mutants of one Function, with the tests to be run on them.
pub(crate) struct MutantTrials {
    pub(crate) prepared: Arc<Prepared>,
    tests: Vec<TestCase>,
    mutants: Vec<Mutant>,
}

impl MutantTrials {
    /// None if it is no Function.
    async fn of(ctx: &Ctx, overlay: &Overlay, name: &EntryName) -> Result<Option<MutantTrials>, Error> {
        let (prepared, _) = trials::prepare_overlaid(ctx, overlay, name).await?;
        Ok(MutantTrials::new(Arc::new(prepared)))
    }

    pub(crate) fn new(prepared: Arc<Prepared>) -> Option<MutantTrials> {
        let content = &prepared.function()?.content;
        let tests: Vec<TestCase> = content.tests.iter().take(MOST_TESTS).cloned().collect();
        // Nothing is to be seen on a source that cannot be read, or without tests.
        let mutants = match tests.is_empty() {
            true => Vec::new(),
            false => mutants(&content.source, MOST_MUTANTS).unwrap_or_default(),
        };
        Some(MutantTrials { prepared, tests, mutants })
    }

    pub(crate) async fn run(self, ctx: &Ctx) -> Result<Vec<TriedMutant>, Error> {
        let until = ctx.clock.now() + ALL_TESTS;
        let tests = Arc::new(self.tests);
        let mut running = JoinSet::new();
        for (place, mutant) in self.mutants.into_iter().enumerate() {
            let (ctx, prepared, tests) = (ctx.clone(), Arc::clone(&self.prepared), Arc::clone(&tests));
            running.spawn(async move { (place, tried(&ctx, &prepared, &tests, mutant, until).await) });
        }
        let mut all = Vec::new();
        while let Some(done) = running.join_next().await {
            let (place, tried) = crate::blocking::joined(done);
            all.push((place, tried?));
        }
        all.sort_by_key(|(place, _)| *place);
        Ok(all.into_iter().map(|(_, tried)| tried).collect())
    }
}

async fn tried(
    ctx: &Ctx,
    prepared: &Prepared,
    tests: &[TestCase],
    mutant: Mutant,
    until: Timestamp,
) -> Result<TriedMutant, Error> {
    let mut told = TriedMutant {
        mutation: mutant.mutation,
        line: mutant.line,
        before: mutant.before,
        after: mutant.after,
        fate: MutantFate::Survived,
        test: None,
    };
    for (index, test) in tests.iter().enumerate() {
        if ctx.clock.now() > until {
            return Ok(TriedMutant { fate: MutantFate::NotTried, ..told });
        }
        let attempt = Attempt {
            mocks: &test.mocks,
            source: Some(&mutant.source),
            at_most: Some(ONE_TEST),
            ..Attempt::of(test.input.clone())
        };
        let outcome = trials::execute(ctx, prepared, attempt).await?;
        if let Some(fate) = fate(&test.expect, outcome) {
            (told.fate, told.test) = (fate, Some(index + 1));
            return Ok(told);
        }
    }
    Ok(told)
}

/// None if the test passes.
fn fate(expect: &Expect, outcome: Result<Value, RunError>) -> Option<MutantFate> {
    let is_crash = outcome.is_err() && !matches!(expect, Expect::Error { .. });
    expect.judge(outcome).err().map(|_| if is_crash { MutantFate::Crashed } else { MutantFate::Caught })
}
