//! Whatever is said, and however it is cut: no panic, no more kept than allowed, and an ending or the wish for more.

use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::call::CallRecord;
use crate::environment::Environment;
use crate::host::{Arguments, BoxFuture, HostError};
use crate::job::{Closure, Function, JobLimits};
use crate::value::Value;

const LIMITS: FrameLimits = FrameLimits { bytes: 2048, depth: 40, items: 200 };

/// Remembers what it was told, and believes nothing that does not follow from what it was told before.
#[derive(Default)]
struct RefusingHost {
    open: Mutex<Vec<bool>>,
}

impl Host for RefusingHost {
    fn verb(&self, _lane: &str, verb: &str, _arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        assert!(["echo", "never"].contains(&verb), "`{verb}` was not granted");
        if verb == "never" {
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(Ok(Value::from("echo"))))
    }

    fn calls(&self, calls: Vec<CallRecord>) {
        let mut open = self.open.lock().unwrap();
        for call in calls {
            match call {
                CallRecord::Begun { position, parent, function, at_us, .. } => {
                    assert_eq!(position as usize, open.len() + 1);
                    assert!(parent.is_none_or(|parent| parent < position));
                    assert!(function < 2 && at_us <= 1 << 44, "function {function} after {at_us} µs");
                    open.push(true);
                }
                CallRecord::Finished { position, .. } => {
                    assert!(std::mem::take(&mut open[position as usize - 1]), "call {position} is not open");
                }
            }
        }
    }
}

fn job() -> Job {
    let environment = Environment {
        id: "none".to_owned(),
        python: "none".into(),
        shown: Vec::new(),
        site_packages: Vec::new(),
        preload: Vec::new(),
    };
    let functions = vec![Function::new("f", "1", ""), Function::new("g", "1", "")];
    let closure = Closure { functions, entry: 0 };
    let limits = JobLimits { yielded_bytes: 4096, ..JobLimits::default() };
    let mut job = Job::new(environment.into(), closure.into(), Value::empty_map(), limits);
    job.verbs = vec!["echo".to_owned(), "never".to_owned()];
    job
}

fn converse_in_pieces(bytes: &[u8], piece: usize, taken: usize) -> Conversation {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let host: Arc<dyn Host> = Arc::new(RefusingHost::default());
    runtime.block_on(converse(&job(), host, LIMITS, bytes.chunks(piece), taken))
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_be_bytes(), body].concat()
}

/// Numbers that mean something, that almost do, and that do not fit.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0u64..6).prop_map(|n| n.to_string()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => Just("18446744073709551616".to_owned()),
        1 => Just("1e999".to_owned()),
        1 => any::<f64>().prop_map(|n| format!("{n:?}")),
    ]
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        number(),
        Just("null".to_owned()),
        "\"[a-z\\\\\"]{0,6}\"",
        Just(r#""\ud800""#.to_owned()),
        r#"\{"\$(bytes|int|float|dict|tuple|date|described|none)":("[0-9a-fx]{0,6}"|\[\]|\[1\]|\[\[1,2\]\])\}"#,
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(("[ab]", inner), 0..3).prop_map(|pairs| {
                let pairs: Vec<String> =
                    pairs.iter().map(|(key, value)| format!(r#""{key}":{value}"#)).collect();
                format!("{{{}}}", pairs.join(","))
            }),
        ]
    })
}

/// Arguments of a call: a list, or an object if some are named.
fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(value(), 0..3).prop_map(|items| format!("[{}]", items.join(","))),
        value().prop_map(|one| format!(r#"{{"positional":[],"named":{{"$k":{one}}}}}"#)),
        value(),
    ]
}

/// Bodies that have the shape of messages, each with something to get wrong.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let begun = (number(), number(), number(), number(), arguments(), prop::option::of(value())).prop_map(
        |(a, b, c, d, e, output)| {
            let end = output.map_or_else(String::new, |output| format!(",{a},{output}"));
            format!(r#"{{"calls":{{"begun":[[{a},{b},{c},{d},{e}{end}]],"finished":[],"parameters":[]}}}}"#)
        },
    );
    let finished = (number(), number(), value()).prop_map(|(a, b, c)| {
        format!(r#"{{"calls":{{"begun":[],"finished":[[{a},{b},{c}]],"parameters":[]}}}}"#)
    });
    let introduced = number().prop_map(|function| {
        format!(r#"{{"calls":{{"begun":[],"finished":[],"parameters":[[{function},["a"]]]}}}}"#)
    });
    let verb = (number(), "main|main/1|", "echo|never|other", value()).prop_map(|(n, lane, verb, one)| {
        format!(
            r#"{{"verb":{{"number":{n},"lane":"{lane}","verb":"{verb}","positional":[{one}],"named":{{}}}}}}"#
        )
    });
    let end = ("returned|raised|yielded", value(), number()).prop_map(|(how, one, n)| {
        format!(
            r#"{{"end":{{"{how}":{one},"dropped_calls":{n},"reusable":true,"peak_bytes":{n},"children_cpu_us":0}}}}"#
        )
    });
    prop_oneof![
        4 => begun.prop_map(String::into_bytes),
        4 => finished.prop_map(String::into_bytes),
        2 => introduced.prop_map(String::into_bytes),
        1 => value().prop_map(|one| format!(r#"{{"compiled":{one}}}"#).into_bytes()),
        4 => verb.prop_map(String::into_bytes),
        2 => value().prop_map(|one| format!(r#"{{"yield":{one}}}"#).into_bytes()),
        1 => value().prop_map(|one| format!(r#"{{"where":{one}}}"#).into_bytes()),
        1 => Just(br#"{"ready":[]}"#.to_vec()),
        1 => end.prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

/// Frames, some with a length that is not theirs.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let frame = (body(), prop::option::weighted(0.05, any::<u32>())).prop_map(|(body, length)| {
        let mut bytes = framed(&body);
        if let Some(length) = length {
            bytes[..4].copy_from_slice(&(length >> (length % 32)).to_be_bytes());
        }
        bytes
    });
    prop::collection::vec(frame, 0..40).prop_map(|frames| frames.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn anything_said_is_an_ending_or_a_wish_for_more(
        bytes in stream(), piece in 1usize..300, taken in prop_oneof![Just(0), 1usize..200],
    ) {
        let conversation = converse_in_pieces(&bytes, piece, taken);
        if let Some(Ending::BrokeProtocol { why }) = &conversation.ending {
            prop_assert!(!why.is_empty() && why.len() < 2000, "{why}");
        }
        // Twice a frame and a piece unread, what a generator may yield and one frame more, and 64 questions and answers.
        let most = 2 * (LIMITS.bytes + 4 + piece) + 4096 + LIMITS.bytes + 64 * (LIMITS.bytes + 100);
        prop_assert!(conversation.most_held <= most as u64, "{} bytes were held", conversation.most_held);
    }

    #[test]
    fn where_it_is_cut_changes_nothing(bytes in stream(), piece in 1usize..300) {
        let (cut, whole) = (converse_in_pieces(&bytes, piece, usize::MAX), converse_in_pieces(&bytes, 1 << 20, usize::MAX));
        // A cell that asks too much at once may get answers in between, if it is read in pieces.
        let asked = format!("{:?}", whole.ending).contains("at once");
        prop_assert!(asked || cut.ending == whole.ending, "{:?}\n{:?}", cut.ending, whole.ending);
    }
}

#[test]
fn frames_that_never_end_where_a_read_does_are_not_kept() {
    let one = framed(br#"{"calls":{"begun":[],"finished":[],"parameters":[]}}"#);
    let bytes = one.repeat(20_000);
    let conversation = converse_in_pieces(&bytes, 4099, 0);
    assert!(conversation.ending.is_none());
    assert!(conversation.most_held <= 3 * 4099, "{} bytes were held", conversation.most_held);
}

#[test]
fn answers_that_nobody_takes_end_the_conversation() {
    let one = framed(br#"{"verb":{"number":1,"lane":"main","verb":"other","positional":[],"named":{}}}"#);
    let conversation = converse_in_pieces(&one.repeat(1000), one.len(), 0);
    let why = "it asked for more than 64 verbs at once".to_owned();
    assert_eq!(conversation.ending, Some(Ending::BrokeProtocol { why }));
}

#[test]
fn one_who_takes_the_answers_may_ask_for_ever() {
    let one = framed(br#"{"verb":{"number":1,"lane":"main","verb":"echo","positional":[],"named":{}}}"#);
    assert!(converse_in_pieces(&one.repeat(1000), one.len(), usize::MAX).ending.is_none());
}

#[test]
fn the_reason_does_not_quote_all_that_was_said() {
    let long = format!(r#"{{"{}":null}}"#, "x".repeat(1500));
    let Some(Ending::BrokeProtocol { why }) = converse_in_pieces(&framed(long.as_bytes()), 4096, 0).ending
    else {
        panic!("it is no message")
    };
    assert!(why.starts_with("a frame is not valid: unknown variant `xxx") && why.len() < 400, "{why}");
}
