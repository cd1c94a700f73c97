//! Executions that leave no record: stand-ins for what a function calls, and a host that answers from them.

use std::collections::HashMap;
use std::sync::Arc;

use model::run::{RunError, RunState};
use model::test_case::Mock;
use sandbox::{Arguments, BoxFuture, Closure, Function, Host, HostError, Value};
use serde_json::{Map, Value as Json, json};

use super::executor::{Executed, Work};
use super::handed::Handed;
use super::outcome;
use super::prepared::Prepared;
use crate::app::error::Error;
use crate::ctx::Ctx;

/// The hidden verb by which stand-ins ask for their answer.
const MOCK: &str = "mock";

/// Answers from mocks; time, chance and the log are real, sleep takes no time, everything else is refused.
pub(crate) struct TrialHost {
    ctx: Ctx,
    answers: HashMap<String, Json>,
}

impl TrialHost {
    pub(crate) fn new(ctx: Ctx, mocks: &[Mock]) -> TrialHost {
        let answers = mocks.iter().map(|mock| (mock.function.clone(), mock.output.clone())).collect();
        TrialHost { ctx, answers }
    }

    /// What the function may ask, and what stand-ins do.
    pub(crate) fn verbs(&self, prepared: &Prepared) -> Vec<String> {
        let mut verbs = prepared.verbs.clone();
        verbs.push(MOCK.to_owned());
        verbs
    }

    fn answer(&self, verb: &str, arguments: &Arguments) -> Result<Json, HostError> {
        if let (MOCK, Some(Value::Str(name))) = (verb, arguments.positional.first()) {
            return Ok(self.answers.get(name).cloned().unwrap_or_default());
        }
        if let Some(answer) = self.answers.get(verb) {
            return Ok(answer.clone());
        }
        match verb {
            "now" => Ok(json!(self.ctx.clock.now().as_microsecond() as f64 / 1e6)),
            "random" => Ok(json!(self.ctx.ids.chance())),
            "sleep" | "log" | "emit" => Ok(Json::Null),
            verb => Err(HostError::Refused(format!(
                "a trial does not carry out `{verb}`; give the test a mock: {{\"function\": \"{verb}\", \"output\": …}}"
            ))),
        }
    }
}

impl Host for TrialHost {
    fn verb(&self, verb: &str, arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        let answer = self.answer(verb, &arguments).and_then(|json| {
            Value::from_json(&json)
                .map_err(|error| HostError::Failed(format!("the mock of `{verb}`: {error}")))
        });
        Box::pin(std::future::ready(answer))
    }
}

/// The closure with stand-ins for what is mocked. The root itself is what is tried.
pub(crate) fn with_mocks(closure: &Arc<Closure>, mocks: &[Mock]) -> Arc<Closure> {
    if mocks.is_empty() {
        return Arc::clone(closure);
    }
    let functions = closure.functions.iter().enumerate().map(|(place, function)| {
        match mocks.iter().find(|mock| is_meant(closure, &mock.function, place)) {
            Some(mock) if place != closure.entry => stand_in(function, mock),
            _ => function.clone(),
        }
    });
    Arc::new(Closure { functions: functions.collect(), entry: closure.entry })
}

/// Whether a mock of this name stands for that function: the one of the name, or, where there is none, the one that is called
/// so, because the pack was loaded under a prefix or a dependency renamed.
fn is_meant(closure: &Closure, name: &str, place: usize) -> bool {
    if closure.functions.iter().any(|function| stored_name(function) == name) {
        return stored_name(&closure.functions[place]) == name;
    }
    closure.functions.iter().any(|function| function.dependencies.get(name) == Some(&place))
}

fn stored_name(function: &Function) -> &str {
    function.file.rsplit_once('@').map_or(function.file.as_str(), |(name, _)| name)
}

fn stand_in(function: &Function, mock: &Mock) -> Function {
    let kind = if function.source.trim_start().starts_with("async ") { "async def" } else { "def" };
    let asked = Json::String(mock.function.clone());
    let source = format!(
        "{kind} {}(*args, **kwargs):\n    import selfmade\n    return selfmade.{MOCK}({asked})\n",
        function.name
    );
    Function { source, dependencies: std::collections::BTreeMap::new(), ..function.clone() }
}

/// The job of a trial: the function's own limits, and for each secret it is granted a stand-in that tells the name.
pub(crate) fn trial_work(ctx: &Ctx, prepared: &Prepared, input: Map<String, Json>) -> Result<Work, Error> {
    let run = crate::app::runs::pretended(ctx, prepared, input);
    super::execution::work(ctx, &run, prepared, Handed::stand_ins(prepared))
}

pub(crate) fn trial_end(executed: Executed) -> Result<Json, RunError> {
    let end = outcome::end(executed);
    match (end.state, end.error) {
        (RunState::Succeeded, _) => Ok(end.output.unwrap_or_default()),
        (_, Some(error)) => Err(error),
        (_, None) => Err(RunError {
            type_name: "Failed".to_owned(),
            message: "it ended without an answer".to_owned(),
            traceback: None,
        }),
    }
}
