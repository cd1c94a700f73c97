//! Calls of one Run as the text of a row: what many of them share is stored once, because there can be very many.

use std::collections::HashMap;

use jiff::Timestamp;
use model::ids::{RunId, VersionId};
use model::run::RunError;
use model::run::call::Call;
use serde::de::Error as _;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use crate::db::Value;
use crate::error::Error;

type Function<'a> = (&'a str, Option<VersionId>);

#[derive(Serialize)]
struct Written<'a> {
    since_us: i64,
    functions: Vec<Function<'a>>,
    calls: Vec<WrittenCall<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<(u32, &'a RunError)>,
}

/// A list: position, parent, function, microseconds since the chunk's, duration, input; and the output, if there is one.
struct WrittenCall<'a> {
    call: &'a Call,
    function: usize,
    since_us: i64,
}

impl Serialize for WrittenCall<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Call { position, parent, input, output, started_at, duration_us, .. } = self.call;
        let mut list = out.serialize_seq(None)?;
        list.serialize_element(position)?;
        list.serialize_element(parent)?;
        list.serialize_element(&self.function)?;
        list.serialize_element(&(started_at.as_microsecond() - self.since_us))?;
        list.serialize_element(duration_us)?;
        list.serialize_element(input)?;
        if let Some(output) = output {
            list.serialize_element(output)?;
        }
        list.end()
    }
}

pub(crate) fn write(calls: &[Call]) -> Result<Value, Error> {
    let since_us = calls.first().map_or(0, |call| call.started_at.as_microsecond());
    let (mut functions, mut places) = (Vec::new(), HashMap::new());
    let mut written = Vec::with_capacity(calls.len());
    for call in calls {
        let function: Function<'_> = (&call.function, call.version_id);
        let function = *places.entry(function).or_insert_with(|| {
            functions.push(function);
            functions.len() - 1
        });
        written.push(WrittenCall { call, function, since_us });
    }
    let errors = calls.iter().filter_map(|call| Some((call.position, call.error.as_ref()?)));
    Value::json(&Written { since_us, functions, calls: written, errors: errors.collect() })
}

pub(crate) fn read(run_id: RunId, text: &str) -> Result<Vec<Call>, serde_json::Error> {
    if text.starts_with('[') {
        let calls: Vec<ReadAlone> = serde_json::from_str(text)?;
        return calls.into_iter().map(|call| call.into_call(run_id)).collect();
    }
    let chunk: ReadChunk = serde_json::from_str(text)?;
    let mut errors: HashMap<u32, RunError> = chunk.errors.into_iter().collect();
    let call = |ReadCall(position, parent, function, at_us, duration_us, input, output)| {
        let unnamed = || serde_json::Error::custom(format_args!("function {function} is not named"));
        let (function, version_id) = chunk.functions.get(function).cloned().ok_or_else(unnamed)?;
        let (started_at, error) = (time(chunk.since_us.saturating_add(at_us))?, errors.remove(&position));
        Ok(Call {
            run_id,
            position,
            parent,
            function,
            version_id,
            input,
            output,
            error,
            started_at,
            duration_us,
        })
    };
    chunk.calls.into_iter().map(call).collect()
}

#[derive(Deserialize)]
struct ReadChunk {
    since_us: i64,
    functions: Vec<(String, Option<VersionId>)>,
    calls: Vec<ReadCall>,
    #[serde(default)]
    errors: Vec<(u32, RunError)>,
}

#[derive(Deserialize)]
struct ReadCall(
    u32,
    Option<u32>,
    usize,
    i64,
    Option<u64>,
    Json,
    #[serde(default, deserialize_with = "present")] Option<Json>,
);

/// A Call as rows had it before they shared anything.
#[derive(Deserialize)]
struct ReadAlone {
    position: u32,
    parent: Option<u32>,
    function: String,
    version_id: Option<VersionId>,
    input: Json,
    #[serde(default, deserialize_with = "present")]
    output: Option<Json>,
    error: Option<RunError>,
    started_us: i64,
    duration_us: Option<u64>,
}

impl ReadAlone {
    fn into_call(self, run_id: RunId) -> Result<Call, serde_json::Error> {
        Ok(Call {
            run_id,
            position: self.position,
            parent: self.parent,
            function: self.function,
            version_id: self.version_id,
            input: self.input,
            output: self.output,
            error: self.error,
            started_at: time(self.started_us)?,
            duration_us: self.duration_us,
        })
    }
}

/// A `null` that is there is not the absence of a value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

fn time(us: i64) -> Result<Timestamp, serde_json::Error> {
    Timestamp::from_microsecond(us).map_err(serde_json::Error::custom)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    const RUN: RunId = RunId(Uuid::nil());

    fn call(position: u32, started_us: i64) -> Call {
        Call {
            run_id: RUN,
            position,
            parent: position.checked_sub(1).filter(|parent| *parent > 0),
            function: "größe.b".to_owned(),
            version_id: None,
            input: json!({ "n": position }),
            output: Some(Json::Null),
            error: None,
            started_at: time(started_us).unwrap(),
            duration_us: Some(5),
        }
    }

    fn written(calls: &[Call]) -> String {
        let Value::Text(text) = write(calls).unwrap() else { panic!("not a text") };
        text
    }

    #[test]
    fn calls_that_share_a_row_keep_what_is_their_own() {
        let error = RunError::of("E", "no");
        let version_id = Some(VersionId(Uuid::from_u128(7)));
        let calls = [
            call(1, 1_000_000),
            Call { version_id, output: Some(json!([1])), ..call(2, 999_999) },
            Call { version_id, output: None, error: Some(error), ..call(3, 1_000_007) },
            Call { output: None, duration_us: None, function: "other".to_owned(), ..call(4, -5) },
        ];
        assert_eq!(read(RUN, &written(&calls)).unwrap(), calls);
    }

    #[test]
    fn a_call_takes_few_bytes() {
        let calls: Vec<Call> = (1..=1_000).map(|n| call(n, 1_700_000_000_000_000 + i64::from(n))).collect();
        let each = written(&calls).len() / calls.len();
        assert!(each < 40, "{each} bytes");
    }

    #[test]
    fn rows_from_before_calls_shared_anything_are_read() {
        let text = r#"[{"position":1,"function":"größe.b","input":{"n":1},"output":null,"started_us":9,"duration_us":5},
            {"position":2,"parent":1,"function":"größe.b","input":{"n":2},"started_us":10}]"#;
        let second = Call { output: None, duration_us: None, ..call(2, 10) };
        assert_eq!(read(RUN, text).unwrap(), [call(1, 9), second]);
    }

    #[test]
    fn what_no_call_can_be_is_reported() {
        let told = |text: &str| read(RUN, text).unwrap_err().to_string();
        let of = |since: i64, function: usize| {
            format!(
                r#"{{"since_us":{since},"functions":[["f",null]],"calls":[[1,null,{function},0,1,{{}}]]}}"#
            )
        };
        assert_eq!(told(&of(0, 1)), "function 1 is not named");
        assert!(told(&of(i64::MAX, 0)).contains("not in the required range"), "{}", told(&of(i64::MAX, 0)));
    }
}
