//! Cells are counted by what they do.

use std::sync::Arc;

use selfmade_sandbox::{CancellationToken, Census, Config, Isolation, NoHost};
use serde_json::json;

use crate::support::{World, config, environment, until};

#[tokio::test]
async fn cells_are_counted_by_what_they_do() {
    let world = World::with(Config { ready_cells: 2, ..config() }, environment()).await;
    assert_eq!(world.sandbox.census(), Census::default());
    world.sandbox.prepare(&world.environment).await.unwrap();
    let prepared = world.sandbox.census();
    assert_eq!((prepared.zygotes, prepared.ready, prepared.busy, prepared.born), (1, 2, 0, 2));
    let mut job = world.job("def f():\n    return 1", json!({}));
    job.isolation = Isolation::Warm { key: "a".to_owned() };
    world.run(&job).await;
    assert_eq!(world.sandbox.census().warm, 1);
    let endless = world.job("def f():\n    while True: pass", json!({}));
    let cancel = CancellationToken::new();
    let (outcome, ()) = tokio::join!(world.sandbox.run(&endless, Arc::new(NoHost), &cancel), async {
        until(|| world.sandbox.census().busy == 1).await;
        cancel.cancel();
    });
    outcome.unwrap();
    let after = world.sandbox.census();
    assert_eq!((after.busy, after.failed), (0, 0));
    assert!(after.born >= 2, "{after:?}");
}
