//! Promotion: a script that worked becomes a function. Its input becomes the parameters, what it returned the first test, and what it
//! was answered by what is not pure the mocks of that test.

use std::collections::BTreeSet;

use serde_json::Value;
use thiserror::Error;

use crate::changeset::document::python_file;
use crate::function::FunctionContent;
use crate::function::test_case::{Expect, Mock, TestCase};
use crate::name::EntryName;
use crate::python::{Script, SourceError};
use crate::run::call::Call;
use crate::run::draft::Code;
use crate::run::host_verb::{HostVerb, InTrial};
use crate::run::step::Step;
use crate::run::{Run, RunState};

/// Beside the source, nobody would read more of what was recorded.
const MOST_RECORDED: usize = 64 << 10;

/// What a script did while it ran, and what of that gives the same every time.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    pub run: &'a Run,
    pub code: &'a Code,
    pub calls: &'a [Call],
    pub steps: &'a [Step],
    /// The stored functions that are pure, with all that they call.
    pub pure: &'a BTreeSet<String>,
    /// The host verbs that are asked for by what the script called and is not pure, by the first part of their names.
    pub verbs_of_others: &'a BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PromotionError {
    #[error("run {run} is {}, and only a script that succeeded can become a function", .state.as_str())]
    NotSucceeded { run: String, state: RunState },
    #[error("{what} of run {run} was cut or redacted in its record, so it cannot be in a test")]
    NotWhole { run: String, what: String },
    #[error("`{called}` failed while run {run} went on, which the mock of a test cannot repeat")]
    Failed { run: String, called: String },
    #[error(
        "both the script and a function that it calls ask for `{verb}`, so a test cannot tell which asks"
    )]
    Ambiguous { verb: String },
    #[error("what run {run} recorded takes {bytes} bytes, too much for a test")]
    TooLarge { run: String, bytes: usize },
    #[error("the script: {0}")]
    Source(SourceError),
}

impl PromotionError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            PromotionError::NotSucceeded { .. } => "correct the script and run it again",
            PromotionError::NotWhole { .. } | PromotionError::TooLarge { .. } => {
                "run the script again with smaller values, or write the function with `source`"
            }
            PromotionError::Failed { .. } => {
                "run the script again with an input for which nothing fails, or write the function with `source`"
            }
            PromotionError::Ambiguous { .. } | PromotionError::Source(_) => {
                "write the function with `source`"
            }
        }
    }
}

/// The file of the function.
pub fn promote(recorded: Recorded<'_>, name: &EntryName) -> Result<String, PromotionError> {
    let Recorded { run, code, .. } = recorded;
    let id = run.run_id.to_string();
    if run.state != RunState::Succeeded {
        return Err(PromotionError::NotSucceeded { run: id, state: run.state });
    }
    let not_whole = |what: &str| PromotionError::NotWhole { run: id.clone(), what: what.to_owned() };
    let input =
        run.input.as_object().filter(|_| is_whole(&run.input)).ok_or_else(|| not_whole("the input"))?;
    let output =
        run.output.as_ref().filter(|output| is_whole(output)).ok_or_else(|| not_whole("the output"))?;
    if run.usage.is_some_and(|usage| usage.calls_dropped > 0) {
        return Err(not_whole("the list of calls"));
    }
    let script = Script::read(&code.script, name.last(), input).map_err(PromotionError::Source)?;
    let mocks = mocks(recorded, &script.analysis.verbs)?;
    let test = TestCase {
        name: Some(format!("as in run {id}")),
        input: input.clone(),
        expect: Expect::Output(output.clone()),
        mocks,
    };
    let bytes = serde_json::to_string(&test).map_or(0, |text| text.len());
    if bytes > MOST_RECORDED {
        return Err(PromotionError::TooLarge { run: id, bytes });
    }
    Ok(python_file(&FunctionContent {
        source: script.analysis.source,
        tests: vec![test],
        ..(*code.function).clone()
    }))
}

/// What was answered by stored functions that are not pure, and by the server, in the order in which it was.
fn mocks(recorded: Recorded<'_>, verbs: &[String]) -> Result<Vec<Mock>, PromotionError> {
    let id = recorded.run.run_id.to_string();
    let mut answers = Answers::default();
    // What these call themselves they do not call in a test.
    let direct = recorded.calls.iter().filter(|call| call.parent.is_none());
    for call in direct.filter(|call| !recorded.pure.contains(&call.function)) {
        let answer = answered(&id, &call.function, call.error.is_some(), call.output.as_ref())?;
        answers.add(&call.function, answer);
    }
    for step in recorded.steps {
        let is_answered = HostVerb::named(&step.verb)
            .is_none_or(|verb| verb == HostVerb::Call || verb.row().in_trial == InTrial::Nothing);
        let group = step.verb.split('.').next().unwrap_or(&step.verb);
        if is_answered || !verbs.iter().any(|verb| verb == group) {
            continue;
        }
        if recorded.verbs_of_others.contains(group) {
            return Err(PromotionError::Ambiguous { verb: step.verb.clone() });
        }
        let answer = answered(&id, &step.verb, step.error.is_some(), step.result.as_ref())?;
        answers.add(&step.verb, answer);
    }
    Ok(answers.0.into_iter().map(|(function, outputs)| Mock::of(function, outputs)).collect())
}

/// What each was answered, by the order in which they were asked first.
#[derive(Default)]
struct Answers(Vec<(String, Vec<Value>)>);

impl Answers {
    fn add(&mut self, called: &str, answer: Value) {
        match self.0.iter_mut().find(|(name, _)| name == called) {
            Some((_, answers)) => answers.push(answer),
            None => self.0.push((called.to_owned(), vec![answer])),
        }
    }
}

fn answered(
    run: &str,
    called: &str,
    has_failed: bool,
    answer: Option<&Value>,
) -> Result<Value, PromotionError> {
    if has_failed {
        return Err(PromotionError::Failed { run: run.to_owned(), called: called.to_owned() });
    }
    let not_whole =
        || PromotionError::NotWhole { run: run.to_owned(), what: format!("what `{called}` answered") };
    answer.filter(|answer| is_whole(answer)).cloned().ok_or_else(not_whole)
}

/// Whether a recorded value is what there was: nothing of it is cut, described or redacted.
pub fn is_whole(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains("[secret "),
        Value::Array(items) => items.iter().all(is_whole),
        Value::Object(fields) => {
            !fields.contains_key("$described")
                && fields.iter().all(|(key, value)| !key.contains("[secret ") && is_whole(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::access::grants::Grants;
    use crate::function::FunctionDraft;
    use crate::run::RunError;
    use crate::run::tests::run;

    struct Record {
        run: Run,
        code: Code,
        calls: Vec<Call>,
        steps: Vec<Step>,
    }

    fn record(script: &str, input: Value, output: Value) -> Record {
        let read = Script::read(script, "run_code", input.as_object().unwrap()).unwrap();
        let draft = FunctionDraft::of_source(read.analysis.source);
        let mut function = draft.assemble(None, &|name| Some(name.to_owned())).unwrap().content;
        function.grants = Grants { model: true, ..Grants::default() };
        let code = Code { script: script.to_owned(), function: Box::new(function) };
        let run = Run { input, output: Some(output), state: RunState::Succeeded, ..run() };
        Record { run, code, calls: Vec::new(), steps: Vec::new() }
    }

    impl Record {
        fn called(mut self, function: &str, parent: Option<u32>, output: Value) -> Record {
            let (run_id, started_at) = (self.run.run_id, Timestamp::UNIX_EPOCH);
            let position = self.calls.len() as u32 + 1;
            self.calls.push(Call {
                run_id,
                position,
                parent,
                function: function.to_owned(),
                version_id: None,
                input: json!({}),
                output: Some(output),
                error: None,
                started_at,
                duration_us: Some(1),
            });
            self
        }

        fn asked(mut self, verb: &str, result: Value) -> Record {
            let (run_id, started_at) = (self.run.run_id, Timestamp::UNIX_EPOCH);
            let position = self.steps.len() as u32 + 1;
            self.steps.push(Step {
                run_id,
                lane: "main".parse().unwrap(),
                number: position,
                position,
                verb: verb.to_owned(),
                request: json!({}),
                result: Some(result),
                error: None,
                child: None,
                answered_by: None,
                started_at,
                finished_at: Some(started_at),
            });
            self
        }

        fn promoted(&self, verbs_of_others: &[&str]) -> Result<String, PromotionError> {
            let pure = BTreeSet::from(["count".to_owned()]);
            let verbs_of_others = &verbs_of_others.iter().map(ToString::to_string).collect();
            let Record { run, code, calls, steps } = self;
            let recorded = Recorded { run, code, calls, steps, pure: &pure, verbs_of_others };
            promote(recorded, &EntryName::new("web.sizes").unwrap())
        }

        fn refusal(&self) -> String {
            let error = self.promoted(&[]).unwrap_err();
            format!("{error}; {}", error.hint())
        }
    }

    #[test]
    fn a_script_becomes_a_function_with_its_input_as_parameters_and_its_run_as_a_test() {
        let record = record(
            "'''Sizes of pages.'''\nimport selfmade\nat = selfmade.now()\n[count(fetch(url)) for url in urls]",
            json!({"urls": ["a", "b"]}),
            json!([3, 4]),
        );
        let record = record.called("fetch", None, json!("one")).called("count", None, json!(3));
        let record = record.called("fetch", None, json!("four")).called("count", None, json!(4));
        let record =
            record.called("inner", Some(1), json!(0)).asked("now", json!(5.0)).asked("log", json!(null));
        insta::assert_snapshot!(record.promoted(&[]).unwrap(), @r#"
        import selfmade


        @selfmade.function(
            model=True,
            tests=[
                {
                    "name": "as in run 00000000-0000-0000-0000-000000000001",
                    "input": {"urls": ["a", "b"]},
                    "expect": {"output": [3, 4]},
                    "mocks": [
                        {"function": "fetch", "output": "one", "then": ["four"]},
                        {"function": "now", "output": 5.0},
                    ],
                },
            ],
        )
        def sizes(urls: list[str]):
            '''Sizes of pages.'''
            import selfmade
            at = selfmade.now()
            return [count(fetch(url)) for url in urls]
        "#);
        let error = record.promoted(&["now"]).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"both the script and a function that it calls ask for `now`, so a test cannot tell which asks");
    }

    #[test]
    fn what_cannot_be_repeated_is_refused() {
        let cut = json!({"$described": {"type": "cut", "text": "[1… (9 bytes)"}});
        insta::assert_snapshot!(record("1", json!({}), cut).refusal(), @"the output of run 00000000-0000-0000-0000-000000000001 was cut or redacted in its record, so it cannot be in a test; run the script again with smaller values, or write the function with `source`");
        let secret = record("fetch()", json!({}), json!(1)).called("fetch", None, json!(["[secret KEY]"]));
        insta::assert_snapshot!(secret.refusal(), @"what `fetch` answered of run 00000000-0000-0000-0000-000000000001 was cut or redacted in its record, so it cannot be in a test; run the script again with smaller values, or write the function with `source`");
        let mut failed = record("fetch()", json!({}), json!(1)).called("fetch", None, json!(1));
        failed.calls[0].error = Some(RunError::of("ValueError", "no"));
        insta::assert_snapshot!(failed.refusal(), @"`fetch` failed while run 00000000-0000-0000-0000-000000000001 went on, which the mock of a test cannot repeat; run the script again with an input for which nothing fails, or write the function with `source`");
        let mut failed = record("1", json!({}), json!(1));
        failed.run.state = RunState::Failed;
        insta::assert_snapshot!(failed.refusal(), @"run 00000000-0000-0000-0000-000000000001 is failed, and only a script that succeeded can become a function; correct the script and run it again");
    }
}
