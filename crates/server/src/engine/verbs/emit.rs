//! `emit`: an Event of the Function's own, appended together with its Step, so that it happens once.

use model::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::step::Step;
use sandbox::Arguments;
use serde_json::{Value as Json, json};

use super::{Answer, Given, Refusal, finish, finished};
use crate::app::error::Error;
use crate::engine::host::Inner;

const LONGEST_NAME: usize = 200;

pub(super) async fn carry_out(host: &Inner, step: Step, arguments: Arguments) -> Result<Answer, Error> {
    let admitted = host.journal.admit_event(&step.request).map_err(|over| Refusal::Refused(over.to_string()));
    let event = match admitted.and_then(|()| event(host, arguments)) {
        Ok(event) => event,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let step = finished(host, step, Ok(Json::Null));
    let (lease, events) = (host.lease()?, [event]);
    host.journal(&step, || host.ctx.store.record_step_with(&step, lease, &events)).await?;
    host.ctx.engine.ring_events();
    Ok(Answer::Finished(Box::new(step)))
}

fn event(host: &Inner, arguments: Arguments) -> Result<NewEvent, Refusal> {
    let mut given = Given::new("emit", &["name", "data"], arguments)?;
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
