//! Tests made from recorded Runs: what went in has to lead to what came out, with mocks for what the Run asked for.

use std::collections::HashMap;

use serde_json::Value;
use thiserror::Error;

use super::test_case::{Expect, Mock, TestCase, TestKind};
use crate::changeset::gates::answers::{Incomplete, incomplete, short};
use crate::ids::RunId;
use crate::run::host_verb::{HostVerb, InTrial};
use crate::run::step::Step;
use crate::run::{Ending, Run, RunState};

/// Why a Run is no test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoTest {
    #[error("it has not ended")]
    NotEnded,
    #[error("it ended as {0}, which says nothing about its function")]
    NotByItself(&'static str),
    #[error("its {0} was not recorded")]
    NotRecorded(&'static str),
    #[error("a part of its {0} was cut or could not be recorded")]
    Cut(&'static str),
    #[error("a secret was redacted in its {0}")]
    Redacted(&'static str),
    #[error("it asked for `{0}` more than once and got different answers, and a mock has one")]
    ManyAnswers(String),
    #[error("`{0}` failed in it, and a mock cannot fail")]
    FailedStep(String),
}

/// The test that a Run is. `callees` are the names of functions that it called in other cells, by their Runs.
pub fn test_of(
    run: &Run,
    steps: &[Step],
    callees: &HashMap<RunId, String>,
    name: Option<String>,
) -> Result<TestCase, NoTest> {
    let expect = expected(run)?;
    let input = match &run.input {
        Value::Object(input) => input.clone(),
        _ => return Err(NoTest::NotRecorded("input")),
    };
    whole(&run.input, "input")?;
    Ok(TestCase { name, kind: TestKind::Regression, input, expect, mocks: mocks(steps, callees)? })
}

fn expected(run: &Run) -> Result<Expect, NoTest> {
    match (run.state, run.ending) {
        (RunState::Succeeded, _) => {
            let output = run.output.as_ref().ok_or(NoTest::NotRecorded("output"))?;
            whole(output, "output")?;
            Ok(Expect::Output(output.clone()))
        }
        (RunState::Failed, Some(Ending::Raised)) => {
            let error = run.error.as_ref().ok_or(NoTest::NotRecorded("error"))?;
            // What follows the first line is often different each time.
            let line = error.message.lines().next().unwrap_or_default();
            let is_whole = !line.is_empty() && short(line) == line && !line.contains("[secret ");
            Ok(Expect::Error {
                type_name: Some(error.type_name.clone()),
                message: is_whole.then(|| line.to_owned()),
            })
        }
        (state, _) if !state.is_final() => Err(NoTest::NotEnded),
        (state, _) => Err(NoTest::NotByItself(state.as_str())),
    }
}

fn whole(value: &Value, part: &'static str) -> Result<(), NoTest> {
    match incomplete(value) {
        None => Ok(()),
        Some(Incomplete::Cut) => Err(NoTest::Cut(part)),
        Some(Incomplete::Redacted) => Err(NoTest::Redacted(part)),
    }
}

fn mocks(steps: &[Step], callees: &HashMap<RunId, String>) -> Result<Vec<Mock>, NoTest> {
    let mut mocks: Vec<Mock> = Vec::new();
    for step in steps.iter().filter(|step| needs_a_mock(&step.verb)) {
        let called = step.child.and_then(|child| callees.get(&child));
        let is_call = step.verb == HostVerb::Call.name();
        let function = called.filter(|_| is_call).cloned().unwrap_or_else(|| step.verb.clone());
        if step.error.is_some() {
            return Err(NoTest::FailedStep(function));
        }
        let output = step.result.clone().ok_or(NoTest::NotRecorded("journal"))?;
        whole(&output, "journal")?;
        match mocks.iter().find(|mock| mock.function == function) {
            Some(mock) if mock.output == output => {}
            Some(_) => return Err(NoTest::ManyAnswers(function)),
            None => mocks.push(Mock { function, output }),
        }
    }
    Ok(mocks)
}

/// A trial answers nothing to some verbs, as the Run was answered.
fn needs_a_mock(verb: &str) -> bool {
    HostVerb::named(verb).is_none_or(|verb| verb.row().in_trial != InTrial::Nothing)
}
