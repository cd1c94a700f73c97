//! Tests made from recorded Runs: what went in has to lead to what came out, with mocks for what the Run asked for.

use std::collections::HashMap;

use serde_json::Value;
use thiserror::Error;

use super::test_case::{Expect, Mock, TestCase, TestKind};
use crate::changeset::gates::answers::{Incomplete, incomplete, short};
use crate::ids::RunId;
use crate::run::host_verb::{HostVerb, InTrial};
use crate::run::lane::Lane;
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
    #[error(
        "several of its threads asked for `{0}` and got different answers, which have no order in a test"
    )]
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
    let mut answers: Vec<Answers<'_>> = Vec::new();
    for step in steps.iter().filter(|step| needs_a_mock(&step.verb)) {
        let called = step.child.and_then(|child| callees.get(&child));
        let is_call = step.verb == HostVerb::Call.name();
        let function = called.filter(|_| is_call).cloned().unwrap_or_else(|| step.verb.clone());
        if step.error.is_some() {
            return Err(NoTest::FailedStep(function));
        }
        let output = step.result.clone().ok_or(NoTest::NotRecorded("journal"))?;
        whole(&output, "journal")?;
        match answers.iter_mut().find(|answers| answers.function == function) {
            Some(before) if before.lane == &step.lane || before.all_are(&output) => {
                before.outputs.push(output);
            }
            Some(_) => return Err(NoTest::ManyAnswers(function)),
            None => answers.push(Answers { function, lane: &step.lane, outputs: vec![output] }),
        }
    }
    Ok(answers.into_iter().map(|answers| Mock::of(answers.function, answers.outputs)).collect())
}

/// What one function or verb answered. Lanes overtake each other, so only answers in one lane have an order.
struct Answers<'a> {
    function: String,
    lane: &'a Lane,
    outputs: Vec<Value>,
}

impl Answers<'_> {
    fn all_are(&self, output: &Value) -> bool {
        self.outputs.iter().all(|other| other == output)
    }
}

/// A trial answers nothing to some verbs, as the Run was answered.
fn needs_a_mock(verb: &str) -> bool {
    HostVerb::named(verb).is_none_or(|verb| verb.row().in_trial != InTrial::Nothing)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::access::Authority;
    use crate::access::actor::Actor;
    use crate::entry::EntryKey;
    use crate::revision::Revision;
    use crate::run::RunError;
    use crate::run::chain::Chain;

    fn run(input: Value, output: Value) -> Run {
        let run_id = RunId(uuid::Uuid::from_u128(1));
        Run {
            run_id,
            key: EntryKey::function("f".parse().unwrap()),
            version_id: None,
            revision: Revision(1),
            state: RunState::Succeeded,
            ending: Some(Ending::Returned),
            input,
            output: Some(output),
            error: None,
            actor: Actor::CommandLine,
            authority: Arc::new(Authority::of_command_line()),
            parent: None,
            created_at: Timestamp::UNIX_EPOCH,
            started_at: None,
            finished_at: None,
            attempt: 1,
            how: crate::run::How::default(),
            closure: None,
            event_seq: None,
            chain: Chain::default(),
            waiting: None,
            usage: None,
            cancelled: None,
            lease: None,
        }
    }

    fn step(verb: &str, result: Value) -> Step {
        Step {
            run_id: RunId(uuid::Uuid::from_u128(1)),
            lane: Lane::main(),
            number: 1,
            position: 1,
            verb: verb.to_owned(),
            request: Value::Null,
            result: Some(result),
            error: None,
            child: None,
            answered_by: None,
            started_at: Timestamp::UNIX_EPOCH,
            finished_at: None,
        }
    }

    fn made(run: &Run, steps: &[Step]) -> Result<Value, String> {
        let test = test_of(run, steps, &HashMap::new(), None).map_err(|why| why.to_string())?;
        Ok(serde_json::to_value(test).unwrap())
    }

    #[test]
    fn a_run_is_a_test_with_mocks_for_what_it_asked_for() {
        let asked = [
            step("now", json!(7)),
            step("log", json!(null)),
            step("brain.list", json!([])),
            step("now", json!(7)),
        ];
        let mocks = json!([{ "function": "now", "output": 7 }, { "function": "brain.list", "output": [] }]);
        let test =
            json!({ "kind": "regression", "input": { "n": 1 }, "expect": { "output": 2 }, "mocks": mocks });
        assert_eq!(made(&run(json!({ "n": 1 }), json!(2)), &asked), Ok(test));
    }

    #[test]
    fn different_answers_are_given_in_their_order() {
        let asked = [step("random", json!(0.1)), step("random", json!(0.2)), step("random", json!(0.1))];
        let mocks = json!([{ "function": "random", "output": 0.1, "then": [0.2, 0.1] }]);
        assert_eq!(made(&run(json!({}), json!(1)), &asked).unwrap()["mocks"], mocks);
    }

    #[test]
    fn a_run_that_raised_is_a_test_that_expects_it() {
        let error = Some(RunError::of("ValueError", "no such thing\n0x7f"));
        let failed = Run {
            state: RunState::Failed,
            ending: Some(Ending::Raised),
            error,
            ..run(json!({}), json!(null))
        };
        let expect = json!({ "error": { "type": "ValueError", "message": "no such thing" } });
        assert_eq!(made(&failed, &[]), Ok(json!({ "kind": "regression", "input": {}, "expect": expect })));
    }

    #[test]
    fn what_was_not_recorded_whole_is_no_test() {
        let refused = |input, output, steps: &[Step]| made(&run(input, output), steps).unwrap_err();
        assert_eq!(refused(json!(null), json!(1), &[]), "its input was not recorded");
        assert_eq!(
            refused(json!({ "k": "[secret KEY]" }), json!(1), &[]),
            "a secret was redacted in its input"
        );
        let cut = json!({ "$described": { "type": "cut", "text": "…" } });
        assert_eq!(refused(json!({}), cut, &[]), "a part of its output was cut or could not be recorded");
        let other_lane = Step { lane: Lane::new("main/1").unwrap(), ..step("random", json!(0.2)) };
        let twice = [step("random", json!(0.1)), other_lane];
        assert!(
            refused(json!({}), json!(1), &twice).starts_with("several of its threads asked for `random`")
        );
        let failed = [Step { error: Some(RunError::of("E", "")), result: None, ..step("run", json!(1)) }];
        assert_eq!(refused(json!({}), json!(1), &failed), "`run` failed in it, and a mock cannot fail");
    }

    #[test]
    fn what_did_not_end_by_itself_is_no_test() {
        let killed =
            Run { state: RunState::Failed, ending: Some(Ending::TimedOut), ..run(json!({}), json!(1)) };
        assert_eq!(
            made(&killed, &[]).unwrap_err(),
            "it ended as failed, which says nothing about its function"
        );
        let waits = Run { state: RunState::Waiting, ..run(json!({}), json!(1)) };
        assert_eq!(made(&waits, &[]).unwrap_err(), "it has not ended");
    }
}
