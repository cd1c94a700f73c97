//! Attacks. Each is a small Python file in `tests/escape` that defines `f(outside)` and begins with what must come of it:
//!
//! ```text
//! # must: returned "contained"        what it returns, as JSON
//! # must: raised PermissionError      the type of what it raises
//! # must: out_of_memory               or timed_out, killed, crashed, broke_protocol; several lines mean any of them
//! # limits: wall_ms=500 memory_mb=64 processes=16
//! ```
//!
//! `outside` tells the attack what it must not reach; what is in it is in `outside.rs`. It may call `helper`, a function
//! that returns what it is given, and is granted the verbs `echo` and `never`. While it runs, another cell runs beside it.
//!
//! Besides the ending, after every attack: nobody has reached the supervisor's files and sockets, the cell beside was not
//! touched, no process is left, no more output than allowed was kept, and the supervisor's own memory stayed small.

mod neighbour;
mod outside;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use selfmade_sandbox::{CancellationToken, Closure, Crash, Ending, Function, Host, Job};

use self::neighbour::Neighbour;
use self::outside::Outside;
use crate::support::{Ear, World, family_is_gone, memory};

const ATTACKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/escape");
const HELPER: &str = "def helper(*values, **named):\n    return values";
/// More than any frame and all that may be kept of a job take in memory.
const SUPERVISOR_MAY_GROW: u64 = 256 << 20;

#[tokio::test]
async fn every_attack_from_a_to_e_ends_as_it_must() {
    all_that_begin_with('a'..='e').await;
}

#[tokio::test]
async fn every_attack_from_f_to_l_ends_as_it_must() {
    all_that_begin_with('f'..='l').await;
}

#[tokio::test]
async fn every_attack_from_m_to_q_ends_as_it_must() {
    all_that_begin_with('m'..='q').await;
}

#[tokio::test]
async fn every_attack_from_r_to_z_ends_as_it_must() {
    all_that_begin_with('r'..='z').await;
}

async fn all_that_begin_with(letters: std::ops::RangeInclusive<char>) {
    let world = World::new().await;
    let outside = Outside::new();
    let mut wrong = Vec::new();
    let files: Vec<_> = attacks().into_iter().filter(|path| letters.contains(&initial(path))).collect();
    assert!(!files.is_empty());
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy();
        if let Err(why) = attack(&world, &outside, &name, &fs::read_to_string(&path).unwrap()).await {
            wrong.push(format!("{name}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn attacks() -> Vec<PathBuf> {
    let files = fs::read_dir(ATTACKS).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|kind| kind == "py")).collect();
    files.sort();
    files
}

fn initial(path: &Path) -> char {
    path.file_name().unwrap().to_string_lossy().chars().next().unwrap()
}

async fn attack(world: &World, outside: &Outside, name: &str, source: &str) -> Result<(), String> {
    let musts: Vec<&str> = headers(source, "must").collect();
    assert!(!musts.is_empty(), "{name} does not say what must come of it");
    let ear = Arc::new(Ear::default());
    let before = memory::since_now();
    let (neighbour, ending) = Neighbour::beside(world, async |neighbour| {
        let job = job(world, name, source, outside.told(neighbour));
        let host = Arc::clone(&ear) as Arc<dyn Host>;
        let ending = world.sandbox.run(&job, host, &CancellationToken::new()).await.unwrap().ending;
        let heard = ear.stdout().len() + ear.stderr().len();
        assert!(heard as u64 <= job.limits.output_bytes, "{name}: {heard} bytes of output were kept");
        ending
    })
    .await;
    let seen = told(ending);
    if !musts.iter().any(|must| is_as(&seen, must)) {
        return Err(format!("must be `{}`, was `{seen}`", musts.join("` or `")));
    }
    neighbour?;
    outside.is_untouched()?;
    let grown = memory::peak().saturating_sub(before);
    if grown > SUPERVISOR_MAY_GROW {
        return Err(format!("the supervisor grew by {} MB", grown >> 20));
    }
    if !family_is_gone(world).await {
        return Err("a process is left".to_owned());
    }
    Ok(())
}

fn job(world: &World, name: &str, source: &str, input: serde_json::Value) -> Job {
    let mut job = world.job("", input);
    let mut entry = Function::new("f", "1", source);
    entry.file = name.to_owned();
    entry.dependencies = [("helper".to_owned(), 1)].into();
    job.closure = Closure { functions: vec![entry, Function::new("helper", "1", HELPER)], entry: 0 }.into();
    job.verbs = vec!["echo".to_owned(), "never".to_owned()];
    job.limits.wall = Duration::from_secs(20);
    job.limits.memory_bytes = 128 << 20;
    headers(source, "limits").for_each(|text| limit(&mut job, text));
    job
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

fn headers<'a>(source: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!("# {name}: ");
    source.lines().filter_map(move |line| line.strip_prefix(start.as_str())).map(str::trim)
}

fn limit(job: &mut Job, text: &str) {
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
