//! Host verbs: what a Function may ask of the server while it runs. Each is carried out through `app` with the Run as the
//! Actor, and journaled as a Step before the Function hears the answer.

mod ask;
mod babyagi;
mod brain;
mod call;
mod emit;
mod files;
mod models;
mod plain;
mod run;
mod sleep;
mod stop;

use std::collections::BTreeMap;

use model::run::{RunError, Waiting};
use model::step::Step;
use model::verb::Verb;
use sandbox::{Arguments, HostError, Value};
use serde_json::Value as Json;

use super::host::Inner;
use super::prepared::CALL;
use crate::app::error::Error;

/// The type of an error by which the host says no.
pub(crate) const REFUSED: &str = "selfmade.Refused";
pub(crate) const FAILED: &str = "selfmade.Failed";

/// What became of a verb.
pub(crate) enum Answer {
    /// Journaled, with its result or error.
    Finished(Box<Step>),
    /// The Run waits; the Step is journaled as begun.
    Suspended(Waiting),
    /// The database could not be used. Nothing is journaled, or only that it has begun.
    Unavailable(String),
    /// The end of the Run was asked for, or another node has it.
    Ending,
}

/// What a verb answers: a value, or why there is none.
pub(crate) type Reply = Result<Json, Refusal>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Refused(String),
    Failed(String),
    /// The database could not be used, which is nothing that the code should hear.
    Unavailable(String),
}

impl Refusal {
    /// As the code of the function should read it.
    fn of(error: &Error) -> Refusal {
        // Which token to use instead is nothing that code in a cell can choose.
        if let Error::Denied(denied) = error {
            return Refusal::Refused(denied.to_string());
        }
        if error.is_passing() {
            return Refusal::Unavailable(error.to_string());
        }
        let text = match error.hint() {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        };
        Refusal::Failed(text)
    }

    fn into_error(self) -> RunError {
        let (type_name, message) = match self {
            Refusal::Refused(message) => (REFUSED, message),
            Refusal::Failed(message) | Refusal::Unavailable(message) => (FAILED, message),
        };
        RunError { type_name: type_name.to_owned(), message, traceback: None }
    }
}

/// Carries out a Step that is new, or was begun and not finished. An error means that it could not be journaled.
pub(crate) async fn carry_out(host: &Inner, step: Step, arguments: Arguments) -> Result<Answer, Error> {
    if let Some(verb) = needed(&step.verb)
        && let Err(denied) = host.access().may(verb)
    {
        return finish(host, step, Err(Refusal::Refused(denied.to_string()))).await;
    }
    match step.verb.as_str() {
        "run" => run::carry_out(host, step, arguments).await,
        "babyagi.run" => babyagi::run(host, step, arguments).await,
        CALL => call::carry_out(host, step, arguments).await,
        "sleep" => sleep::carry_out(host, step, &arguments).await,
        "ask" => ask::carry_out(host, step, &arguments).await,
        "emit" => emit::carry_out(host, step, arguments).await,
        _ => {
            let reply = at_once(host, &step, arguments).await;
            finish(host, step, reply).await
        }
    }
}

/// What the starter of a Run has to be allowed, of verbs that `app` does not judge itself.
fn needed(verb: &str) -> Option<Verb> {
    match verb {
        "emit" => Some(Verb::EmitEvent),
        "ask" => Some(Verb::StartRun),
        verb if verb.starts_with("model.") || verb.starts_with("files.") => Some(Verb::StartRun),
        _ => None,
    }
}

/// Verbs that are done when they are journaled.
async fn at_once(host: &Inner, step: &Step, arguments: Arguments) -> Reply {
    match step.verb.as_str() {
        "now" => Ok(plain::now(host)),
        "random" => plain::random(host),
        "log" => plain::log(host, arguments),
        verb if verb.starts_with("babyagi.") => babyagi::carry_out(host, step, arguments).await,
        verb if verb.starts_with("model.") => models::carry_out(host, step, arguments).await,
        verb if verb.starts_with("brain.") => brain::carry_out(host, step, arguments).await,
        verb if verb.starts_with("files.") => files::carry_out(host, verb, arguments).await,
        verb => Err(Refusal::Refused(format!("there is no verb `{verb}`"))),
    }
}

/// What a Step that was answered before still has to do in this process.
pub(crate) async fn again(host: &Inner, step: &Step, arguments: &Arguments) -> Result<(), HostError> {
    if step.verb == "brain.draft" && step.error.is_none() {
        brain::redraft(host, arguments)?;
    }
    Ok(())
}

/// Journals a Step with what came of it.
async fn finish(host: &Inner, step: Step, reply: Reply) -> Result<Answer, Error> {
    if let Err(Refusal::Unavailable(why)) = reply {
        return Ok(Answer::Unavailable(why));
    }
    let step = finished(host, step, reply);
    let lease = host.lease()?;
    host.journal(&step, || host.ctx.store.record_step(&step, lease)).await?;
    Ok(Answer::Finished(Box::new(step)))
}

/// Journals that a Step has begun, before its effect.
async fn begin(host: &Inner, step: &Step) -> Result<(), Error> {
    let lease = host.lease()?;
    host.journal(step, || host.ctx.store.begin_step(step, lease)).await
}

/// Journals the end of one that is journaled as begun.
async fn finish_begun(host: &Inner, step: Step, reply: Reply) -> Result<Answer, Error> {
    if let Err(Refusal::Unavailable(why)) = reply {
        return Ok(Answer::Unavailable(why));
    }
    let step = finished(host, step, reply);
    let lease = host.lease()?;
    host.journal(&step, || host.ctx.store.finish_step(&step, lease)).await?;
    Ok(Answer::Finished(Box::new(step)))
}

/// Without secrets, and so the code hears it: were it handed more than is journaled, it would not be handed the same when
/// it is executed again.
fn finished(host: &Inner, mut step: Step, reply: Reply) -> Step {
    let reply = reply.map(|result| host.redaction.json(result)).and_then(|result| {
        let room = host.journal.admit_answer(&result);
        room.map(|()| result).map_err(|over| Refusal::Failed(over.to_string()))
    });
    match reply {
        Ok(result) => step.result = Some(result),
        Err(refusal) => {
            let error = host.redaction.error(refusal.into_error());
            host.journal.count_error(&error);
            step.error = Some(error);
        }
    }
    step.finished_at = Some(host.ctx.clock.now());
    step
}

/// The arguments of a verb, by name.
pub(crate) struct Given {
    verb: String,
    values: BTreeMap<String, Value>,
}

impl Given {
    /// Positional arguments take the names in order.
    fn new(verb: &str, names: &[&str], arguments: Arguments) -> Result<Given, Refusal> {
        let mut values = arguments.named;
        if arguments.positional.len() > names.len() {
            let most = names.len();
            let text = format!("`{verb}` takes {most} arguments, not {}", arguments.positional.len());
            return Err(Refusal::Refused(text));
        }
        for (name, value) in names.iter().zip(arguments.positional) {
            if values.insert((*name).to_owned(), value).is_some() {
                return Err(Refusal::Refused(format!("`{verb}` got `{name}` twice")));
            }
        }
        if let Some(unknown) = values.keys().find(|name| !names.contains(&name.as_str())) {
            let known = names.join("`, `");
            let text = format!("`{verb}` has no argument `{unknown}`; it takes `{known}`");
            return Err(Refusal::Refused(text));
        }
        values.retain(|_, value| *value != Value::None);
        Ok(Given { verb: verb.to_owned(), values })
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::Str(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::Refused(format!("`{name}` of `{}` must be text", self.verb))),
        }
    }

    fn required_text(&mut self, name: &str) -> Result<String, Refusal> {
        let absent = Refusal::Refused(format!("`{}` needs `{name}`", self.verb));
        self.text(name)?.ok_or(absent)
    }

    /// A text that is kept as it is, so no secret may be in it.
    fn open_text(&mut self, name: &str, host: &Inner) -> Result<String, Refusal> {
        let text = self.required_text(name)?;
        if host.redaction.is_in(&text) {
            let text =
                format!("`{name}` of `{}` holds the value of a secret, and it would be stored", self.verb);
            return Err(Refusal::Refused(text));
        }
        Ok(text)
    }

    fn number(&mut self, name: &str) -> Result<Option<f64>, Refusal> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::Int(number)) => Ok(Some(number as f64)),
            Some(Value::Float(number)) => Ok(Some(number)),
            Some(_) => Err(Refusal::Refused(format!("`{name}` of `{}` must be a number", self.verb))),
        }
    }

    fn value(&mut self, name: &str) -> Option<Json> {
        self.values.remove(name).map(|value| value.to_json())
    }
}
