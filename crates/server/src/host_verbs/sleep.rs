//! `sleep`: for a short time the cell waits; for a longer one the Run gives it back and is executed again when it is time.

use std::time::Duration;

use model::run::Waiting;
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use sandbox::Arguments;
use serde_json::{Value as Json, json};

use super::{Host, Refusal, StepReply, VerbArguments, begin, finish, finish_begun};
use crate::error::Error;

/// A year bounds what can be meant.
const LONGEST_SECONDS: f64 = 366.0 * 86_400.0;

pub(super) async fn execute(
    host: &Host<'_>,
    mut step: Step,
    arguments: Arguments,
) -> Result<StepReply, Error> {
    let seconds = match seconds(arguments) {
        Ok(seconds) => seconds,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let until = step.started_at + Duration::from_secs_f64(seconds);
    let is_long = seconds > host.ctx.engine.config.hold.as_secs_f64();
    if !is_long {
        host.ctx.clock.wait_until(until).await;
        return finish(host, step, Ok(Json::Null)).await;
    }
    if step.result.is_none() {
        // Marks the Step as begun; a result in a Step that is not finished says until when.
        step.result = Some(json!({ "until": until }));
        begin(host, &step).await?;
    }
    if host.ctx.clock.now() < until {
        if host.may_suspend {
            return Ok(StepReply::Suspended(Waiting::Time { step: step.position, until }));
        }
        host.ctx.clock.wait_until(until).await;
    }
    finish_begun(host, step, Ok(Json::Null)).await
}

fn seconds(arguments: Arguments) -> Result<f64, Refusal> {
    let seconds = VerbArguments::new(HostVerb::Sleep, arguments)?.number("seconds").unwrap_or_default();
    if (0.0..=LONGEST_SECONDS).contains(&seconds) {
        return Ok(seconds);
    }
    Err(Refusal::Refused(format!("`sleep` takes at most a year of seconds, not {seconds}")))
}
