//! What one run leaves behind must not reach the next one in the same cell. Each way is a small Python file in `tests/leftovers`
//! with two functions, `plant` and `probe`, and a first line that says what becomes of the cell:
//!
//! ```text
//! # cell: kept       everything was put back
//! # cell: ended      something could not be
//! # cell: either     a thread was ended, which the kernel may still count for a moment
//! ```
//!
//! Either way `probe` must end, answer, print and record the same after `plant` as in a fresh cell.

use std::fs;
use std::sync::Arc;

use selfmade_sandbox::{CancellationToken, Ending, Host, Isolation, Value};
use serde_json::json;

use crate::support::{Ear, World};

const LEFTOVERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/leftovers");
const ENTRY: &str = "\n\n_runs = 0\ndef f(step):\n    global _runs\n    _runs += 1\n    \
                     return [plant() if step == 'plant' else probe(), _runs]";

/// What one run shows to the outside.
#[derive(Debug, PartialEq)]
struct Seen {
    ending: Result<serde_json::Value, String>,
    stdout: String,
    stderr: String,
    calls: usize,
}

#[tokio::test]
async fn nothing_that_a_run_leaves_behind_reaches_the_next() {
    let world = World::new().await;
    let mut wrong = Vec::new();
    for entry in fs::read_dir(LEFTOVERS).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if let Err(why) = leave_and_probe(&world, &name, &fs::read_to_string(&path).unwrap()).await {
            wrong.push(format!("{name}: {why}"));
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn leave_and_probe(world: &World, name: &str, source: &str) -> Result<(), String> {
    let warm = Isolation::Warm { key: name.to_owned() };
    let (alone, _) = run(world, source, "probe", &Isolation::Fresh).await;
    let must = source
        .lines()
        .find_map(|line| line.strip_prefix("# cell: "))
        .expect("it says what becomes of the cell");
    // Twice: by the first run of a cell, and by one after what was put back.
    for _ in 0..2 {
        let (planted, plant) = run(world, source, "plant", &warm).await;
        planted.ending.map_err(|why| format!("it planted nothing: {why}"))?;
        let (after, probe) = run(world, source, "probe", &warm).await;
        if after != alone {
            return Err(format!("must be {alone:?}, was {after:?}"));
        }
        let cell = if probe > plant { "kept" } else { "ended" };
        if cell != must && must != "either" {
            return Err(format!("the cell was {cell}"));
        }
    }
    Ok(())
}

/// Beside it stands which run of its cell it was.
async fn run(world: &World, source: &str, step: &str, isolation: &Isolation) -> (Seen, u64) {
    let mut job = world.job(&format!("{source}{ENTRY}"), json!({ "step": step }));
    job.isolation = isolation.clone();
    let ear = Arc::new(Ear::default());
    let host = Arc::clone(&ear) as Arc<dyn Host>;
    let outcome = world.sandbox.run(&job, host, &CancellationToken::new()).await.unwrap();
    let (ending, runs) = match outcome.ending {
        Ending::Returned(Value::List(both)) => (Ok(both[0].to_json()), both[1].to_json().as_u64().unwrap()),
        other => (Err(format!("{other:?}")), 0),
    };
    let calls = ear.calls.lock().unwrap().len();
    (Seen { ending, stdout: ear.stdout(), stderr: ear.stderr(), calls }, runs)
}
