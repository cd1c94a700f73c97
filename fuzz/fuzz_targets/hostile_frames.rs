//! Feeds the supervisor what a hostile cell could send: any bytes, in pieces of any size.
//!
//! Half of the inputs are the raw stream; in the other half each line is the body of a frame whose length is right, because a
//! fuzzer that has to guess lengths says little else. Whatever comes, nothing panics, memory stays within what the limits
//! allow, and the conversation ends in an ending or goes on.

#![no_main]

use std::cell::OnceCell;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use selfmade_sandbox::protocol::FrameLimits;
use selfmade_sandbox::{
    Arguments, BoxFuture, Closure, Ending, Environment, Function, Conversation, Host, HostError, Job, JobLimits,
    Value, converse,
};
use tokio::runtime::{Builder, Runtime};

/// Small, so that inputs of the fuzzer's size reach them.
const LIMITS: FrameLimits = FrameLimits { bytes: 4096, depth: 40, items: 400 };
const YIELDED: u64 = 8192;

thread_local! {
    static RUNTIME: OnceCell<Runtime> = const { OnceCell::new() };
}

static JOB: LazyLock<Job> = LazyLock::new(job);

fuzz_target!(|input: &[u8]| {
    let [mode, piece, taken, bytes @ ..] = input else { return };
    let stream = if mode % 2 == 0 {
        bytes.to_vec()
    } else {
        bytes.split(|byte| *byte == b'\n').flat_map(framed).collect()
    };
    let piece = usize::from(*piece) * 8 + 1;
    let conversation = RUNTIME.with(|runtime| {
        let runtime = runtime.get_or_init(|| Builder::new_current_thread().build().expect("a runtime"));
        runtime.block_on(converse(&JOB, Arc::new(Answers), LIMITS, stream.chunks(piece), usize::from(*taken)))
    });
    check(&conversation, piece);
});

fn check(conversation: &Conversation, piece: usize) {
    if let Some(Ending::BrokeProtocol { why }) = &conversation.ending {
        assert!(!why.is_empty() && why.len() < 2000, "{why}");
    }
    // Twice a frame and a piece unread, what may be yielded and one frame more, and 64 questions and answers.
    let frame = LIMITS.bytes as u64;
    let most = 2 * (frame + 4 + piece as u64) + YIELDED + frame + 64 * (frame + 100);
    assert!(conversation.most_held <= most, "{} bytes were held", conversation.most_held);
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).expect("inputs are small").to_be_bytes(), body].concat()
}

struct Answers;

impl Host for Answers {
    fn verb(&self, _lane: &str, verb: &str, _arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        match verb {
            "echo" => Box::pin(std::future::ready(Ok(Value::from("echo")))),
            "never" => Box::pin(std::future::pending()),
            other => panic!("`{other}` was not granted"),
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
    let closure =
        Closure { functions: vec![Function::new("f", "1", ""), Function::new("g", "1", "")], entry: 0 };
    let limits = JobLimits { yielded_bytes: YIELDED, ..JobLimits::default() };
    let mut job = Job::new(environment.into(), closure.into(), Value::empty_map(), limits);
    job.verbs = vec!["echo".to_owned(), "never".to_owned()];
    job
}
