//! Time, chance and the log: recorded, so that a Run that is executed again sees the same.

use sandbox::{Arguments, Stream, Value};
use serde_json::{Value as Json, json};

use super::{Given, Refusal, Reply};
use crate::engine::host::{Happened, Inner};

/// Seconds since 1970, as `time.time()` has them.
pub(super) fn now(host: &Inner) -> Json {
    json!(host.ctx.clock.now().as_microsecond() as f64 / 1e6)
}

/// Between 0 and 1, as `random.random()` has it.
pub(super) fn random(host: &Inner) -> Reply {
    let bytes: [u8; 8] =
        host.ctx.ids.random_bytes().map_err(|error| Refusal::Failed(format!("no chance: {error}")))?;
    // As many bits as the fraction of a double has.
    Ok(json!((u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64))
}

pub(super) fn log(host: &Inner, arguments: Arguments) -> Reply {
    let mut given = Given::new("log", &["message"], arguments)?;
    let message = match given.values.remove("message") {
        Some(Value::Str(text)) => text,
        Some(other) => other.to_json().to_string(),
        None => return Err(Refusal::Refused("`log` needs `message`".to_owned())),
    };
    host.tell(Happened::Output(Stream::Stderr, format!("{}\n", host.redaction.text(&message))));
    Ok(Json::Null)
}
