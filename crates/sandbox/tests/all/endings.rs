//! Every ending from its own cause.

use std::time::Duration;

use selfmade_sandbox::{Crash, Ending, Killer, Limit};
use serde_json::json;

use crate::support::{World, returned};

#[tokio::test]
async fn a_function_returns() {
    let world = World::new().await;
    let job = world.job("def f(x, y=2):\n    return {'sum': x + y}", json!({ "x": 40 }));
    let outcome = world.run(&job).await;
    assert_eq!(returned(outcome.ending), json!({ "sum": 42 }));
    assert!(outcome.usage.wall_us > 0 && outcome.usage.cpu_us > 0);
    assert!(outcome.usage.peak_memory_bytes > 1 << 20);
}
