//! `emit`: an Event of the Function's own, appended together with its Step, so that it happens once.

use model::access::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use sandbox::Arguments;
use serde_json::{Value as Json, json};

use super::{Host, Refusal, StepReply, VerbArguments, finish, finished};
use crate::error::Error;

const LONGEST_NAME: usize = 200;

pub(super) async fn execute(host: &Host<'_>, step: Step, arguments: Arguments) -> Result<StepReply, Error> {
    let admitted = host.journal.admit_event(&step.request).map_err(|over| Refusal::Refused(over.to_string()));
    let event = match admitted.and_then(|()| event(host, arguments)) {
        Ok(event) => event,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let step = finished(host, step, Ok(Json::Null));
    let (lease, events) = (host.lease()?, [event]);
    host.journal(&step, || host.ctx.store.record_step_with(&step, lease, &events)).await?;
    Ok(StepReply::Finished(Box::new(step)))
}

fn event(host: &Host<'_>, arguments: Arguments) -> Result<NewEvent, Refusal> {
    let mut given = VerbArguments::new(HostVerb::Emit, arguments)?;
    let name = given.open_text("name", host)?;
    let is_name = |c: char| c.is_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_name) {
        // A refusal does not quote what is compared with secrets.
        let text = format!(
            "`name` of `emit` is not the name of an event; use up to {LONGEST_NAME} letters, digits, `.`, `_` and `-`"
        );
        return Err(Refusal::Refused(text));
    }
    let data = host.redaction.json(given.value("data").unwrap_or(Json::Null));
    let run = &host.run;
    Ok(NewEvent {
        kind: EventKind::Custom(name),
        source: run.key.name.to_string(),
        data: json!({ "run_id": run.run_id, "output": data, "chain": run.chain }),
        actor: Actor::Run(run.run_id),
        at: host.ctx.clock.now(),
    })
}
