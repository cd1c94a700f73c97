//! Time, chance and the log: recorded, so that a Run that is executed again sees the same.

use sandbox::{Stream, Value};
use serde_json::{Value as Json, json};

use super::{Host, Refusal, Reply, VerbArguments};
use crate::engine::RunProgress;

/// Seconds since 1970, as `time.time()` has them.
pub(super) fn now(host: &Host<'_>) -> Json {
    json!(host.ctx.clock.now().as_microsecond() as f64 / 1e6)
}

/// Between 0 and 1, as `random.random()` has it.
pub(super) fn random(host: &Host<'_>) -> Reply {
    let bytes: [u8; 8] = host
        .ctx
        .ids
        .random_bytes()
        .map_err(|error| Refusal::Failed(format!("cannot get random bytes: {error}")))?;
    // As many bits as the fraction of a double has.
    Ok(json!((u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64))
}

pub(super) fn log(host: &Host<'_>, mut given: VerbArguments) -> Reply {
    let message = match given.take("message") {
        Some(Value::Str(text)) => text,
        other => other.map_or(Json::Null, |other| other.to_json()).to_string(),
    };
    host.tell(RunProgress::Output(Stream::Stderr, format!("{}\n", host.redaction.text(&message))));
    Ok(Json::Null)
}
