//! Executions that leave no record: mocks for what a function calls, and a host that answers with them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use model::function::test_case::Mock;
use model::run::host_verb::{HostVerb, InTrial};
use model::run::step::Step;
use model::run::{Run, RunError, RunState};
use sandbox::{Arguments, BoxFuture, Closure, Function, Host, HostError, Value};
use serde_json::{Value as Json, json};

use super::host::{answered, request};
use super::injected_secrets::InjectedSecrets;
use super::outcome;
use crate::ctx::Ctx;
use crate::engine::cells::executor::{Executed, Work};
use crate::error::Error;
use crate::prepare::PreparedFunction;

/// How a trial refuses what a recorded Run did not ask for.
pub(crate) const NOT_RECORDED: &str = "the recorded run did not ask for";

type Lanes = HashMap<String, VecDeque<Step>>;

/// Answers from what a recorded Run got, or from mocks. What has neither is answered as the table of verbs says.
pub(crate) struct TrialHost {
    ctx: Ctx,
    mocks: Mutex<HashMap<String, Answering>>,
    /// By lane, in their order.
    recorded: Option<Mutex<Lanes>>,
}

/// A mock, and how often it was called.
struct Answering {
    mock: Mock,
    calls: usize,
}

impl TrialHost {
    pub(crate) fn new(ctx: Ctx, mocks: &[Mock], recorded: Option<&[Step]>) -> TrialHost {
        let answering = |mock: &Mock| (mock.function.clone(), Answering { mock: mock.clone(), calls: 0 });
        TrialHost {
            ctx,
            mocks: Mutex::new(mocks.iter().map(answering).collect()),
            recorded: recorded.map(|steps| Mutex::new(by_lane(steps))),
        }
    }

    /// What the recorded Run got when it asked for this.
    fn replay(
        lanes: &Mutex<Lanes>,
        lane: &str,
        verb: &str,
        arguments: &Arguments,
    ) -> Result<Value, HostError> {
        let mut lanes = lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let step = lanes.get_mut(lane).and_then(VecDeque::pop_front);
        match step.filter(|step| step.answers(verb, &request(arguments)).is_ok()) {
            Some(step) => answered(step),
            None => Err(HostError::Refused(format!("{NOT_RECORDED} `{verb}` with this"))),
        }
    }

    /// What the function may ask, and what stand-ins do.
    pub(crate) fn verbs(&self, function: &PreparedFunction) -> Vec<String> {
        let mut verbs = function.verbs.clone();
        verbs.push(HostVerb::Mock.name().to_owned());
        verbs
    }

    /// Nothing if the test has no mock of that name.
    fn mocked(&self, name: &str) -> Option<Result<Json, HostError>> {
        // Nothing that holds the lock can panic half-way through a change.
        let mut mocks = self.mocks.lock().unwrap_or_else(PoisonError::into_inner);
        let Answering { mock, calls } = mocks.get_mut(name)?;
        let answer = mock.answer(*calls).cloned();
        *calls += 1;
        Some(answer.ok_or_else(|| {
            let known = *calls - 1;
            HostError::Failed(format!(
                "the test has a mock for {known} calls of `{name}`, and this is one more"
            ))
        }))
    }

    fn answer(&self, name: &str, arguments: &Arguments) -> Result<Json, HostError> {
        let verb = HostVerb::named(name);
        if let (Some(HostVerb::Mock), Some(Value::Str(name))) = (verb, arguments.positional.first()) {
            return self.mocked(name).unwrap_or(Ok(Json::Null));
        }
        if let Some(answer) = self.mocked(name) {
            return answer;
        }
        match verb.map_or(InTrial::Refused, |verb| verb.row().in_trial) {
            InTrial::Time => Ok(json!(self.ctx.clock.now().as_microsecond() as f64 / 1e6)),
            InTrial::Chance => Ok(json!(self.ctx.ids.chance())),
            InTrial::Nothing => Ok(Json::Null),
            InTrial::Refused => Err(HostError::Refused(format!(
                "a trial does not execute `{name}`; give the test a mock: {{\"function\": \"{name}\", \"output\": …}}"
            ))),
        }
    }
}

impl Host for TrialHost {
    fn verb(&self, lane: &str, verb: &str, arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        if let Some(recorded) = &self.recorded {
            return Box::pin(std::future::ready(TrialHost::replay(recorded, lane, verb, &arguments)));
        }
        let answer = self.answer(verb, &arguments).and_then(|json| {
            Value::from_json(&json)
                .map_err(|error| HostError::Failed(format!("the mock of `{verb}`: {error}")))
        });
        Box::pin(std::future::ready(answer))
    }
}

fn by_lane(steps: &[Step]) -> Lanes {
    let mut lanes = Lanes::new();
    for step in steps {
        lanes.entry(step.lane.to_string()).or_default().push_back(step.clone());
    }
    lanes
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
    let (asked, mock) = (Json::String(mock.function.clone()), HostVerb::Mock.name());
    let source = format!(
        "{kind} {}(*args, **kwargs):\n    import selfmade\n    return selfmade.{mock}({asked})\n",
        function.name
    );
    Function { source, dependencies: std::collections::BTreeMap::new(), ..function.clone() }
}

/// The job of a trial: the function's own limits, and for each secret it is granted a stand-in that tells the name.
pub(crate) fn trial_work(ctx: &Ctx, run: &Run, function: &PreparedFunction) -> Result<Work, Error> {
    super::work(ctx, run, function, InjectedSecrets::stand_ins(function))
}

pub(crate) fn trial_end(function: &PreparedFunction, executed: Executed) -> Result<Json, RunError> {
    let mut end = outcome::end(executed);
    super::returned::check_trial(function, &mut end);
    match (end.state, end.error) {
        (RunState::Succeeded, _) => Ok(end.output.unwrap_or_default()),
        (_, Some(error)) => Err(error),
        (_, None) => Err(RunError::of("Failed", "it ended without a result")),
    }
}
