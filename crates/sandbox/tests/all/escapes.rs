//! Attacks. Each is a small Python file in `tests/escape` that defines `f(outside)` and begins with what must come of it:
//!
//! ```text
//! # must: returned "contained"        what it returns, as JSON
//! # must: raised PermissionError      the type of what it raises
//! # must: out_of_memory               or timed_out, killed, crashed, broke_protocol
//! # limits: wall_ms=500 memory_mb=64 processes=16
//! ```
//!
//! `outside` tells the attack what it must not reach: `file`, a file of the supervisor that everybody may read; `port`,
//! where the supervisor listens on its loopback; `pid`, the supervisor's process.

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use selfmade_sandbox::{Crash, Ending, Function, Job};
use serde_json::json;

use crate::support::World;

/// The files are part of the program, so that a copy of it needs no sources.
const ATTACKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/escape");

#[tokio::test]
async fn every_attack_ends_as_it_must() {
    let world = World::new().await;
    let secret = tempfile::NamedTempFile::new().unwrap();
    fs::write(secret.path(), "the server's own").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let outside = json!({ "outside": {
        "file": secret.path(),
        "port": listener.local_addr().unwrap().port(),
        "pid": std::process::id(),
    } });
    let mut wrong = Vec::new();
    let mut files: Vec<_> = fs::read_dir(ATTACKS).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|kind| kind == "py")) {
        let name = path.file_stem().unwrap().to_string_lossy();
        let source = fs::read_to_string(path).unwrap();
        let must =
            header(&source, "must").unwrap_or_else(|| panic!("{name} does not say what must come of it"));
        let mut job = world.job("", outside.clone());
        let mut function = Function::new("f", "1", &source);
        function.file = name.to_string();
        job.closure = selfmade_sandbox::Closure { functions: vec![function], entry: 0 }.into();
        limit(&mut job, header(&source, "limits").unwrap_or_default());
        let seen = told(world.run(&job).await.ending);
        if !is_as(&seen, must) {
            wrong.push(format!("{name}: must be `{must}`, was `{seen}`"));
        }
    }
    assert!(!files.is_empty());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first words must be the same; a returned value must be equal.
fn is_as(seen: &str, must: &str) -> bool {
    let value = |text: &str| -> Option<serde_json::Value> {
        serde_json::from_str(text.strip_prefix("returned ")?).ok()
    };
    match value(must) {
        Some(expected) => value(seen) == Some(expected),
        None => seen == must || seen.starts_with(&format!("{must} ")),
    }
}

fn header<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let start = format!("# {name}: ");
    source.lines().find_map(|line| line.strip_prefix(start.as_str())).map(str::trim)
}

fn limit(job: &mut Job, text: &str) {
    job.limits.wall = Duration::from_secs(20);
    job.limits.memory_bytes = 128 << 20;
    for (name, value) in text.split_whitespace().filter_map(|pair| pair.split_once('=')) {
        let number: u64 = value.parse().unwrap();
        match name {
            "wall_ms" => job.limits.wall = Duration::from_millis(number),
            "cpu_ms" => job.limits.cpu = Duration::from_millis(number),
            "memory_mb" => job.limits.memory_bytes = number << 20,
            "processes" => job.limits.processes = u32::try_from(number).unwrap(),
            "output_bytes" => job.limits.output_bytes = number,
            other => panic!("there is no limit `{other}`"),
        }
    }
}

fn told(ending: Ending) -> String {
    match ending {
        Ending::Returned(value) => format!("returned {}", value.to_json()),
        Ending::Raised(error) => format!("raised {} {}", error.type_name, error.message),
        Ending::TimedOut { limit, .. } => format!("timed_out {limit:?}"),
        Ending::OutOfMemory => "out_of_memory".to_owned(),
        Ending::Killed { by } => format!("killed {by:?}"),
        Ending::Crashed { how: Crash::Signal(number) } => format!("crashed signal {number}"),
        Ending::Crashed { how: Crash::Exit(status) } => format!("crashed exit {status}"),
        Ending::BrokeProtocol { why } => format!("broke_protocol {why}"),
    }
}
