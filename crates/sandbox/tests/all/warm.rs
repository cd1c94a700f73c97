//! Warm jobs: one cell, one key, used again.

use selfmade_sandbox::{Isolation, Job};
use serde_json::json;

use crate::support::{World, returned};

const COUNT: &str = "n = 0\ndef f():\n    global n\n    n += 1\n    return n";

fn warm(world: &World, source: &str, key: &str) -> Job {
    let mut job = world.job(source, json!({}));
    job.isolation = Isolation::Warm { key: key.to_owned() };
    job
}

#[tokio::test]
async fn a_warm_cell_is_used_again_by_the_same_key_only() {
    let world = World::new().await;
    for expected in [1, 2, 3] {
        assert_eq!(returned(world.run(&warm(&world, COUNT, "a")).await.ending), json!(expected));
    }
    assert_eq!(returned(world.run(&warm(&world, COUNT, "b")).await.ending), json!(1));
    assert_eq!(returned(world.run(&world.job(COUNT, json!({}))).await.ending), json!(1));
}

#[tokio::test]
async fn a_raised_error_leaves_a_warm_cell_usable() {
    let world = World::new().await;
    let source = "n = 0\ndef f():\n    global n\n    n += 1\n    if n == 1: raise ValueError\n    return n";
    world.run(&warm(&world, source, "a")).await;
    assert_eq!(returned(world.run(&warm(&world, source, "a")).await.ending), json!(2));
}

#[tokio::test]
async fn a_cell_with_a_thread_left_in_it_is_not_used_again() {
    let world = World::new().await;
    let source = "n = 0\ndef f():\n    import threading, time\n    global n\n    n += 1\n    \
                  threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n    return n";
    for _ in 0..2 {
        assert_eq!(returned(world.run(&warm(&world, source, "a")).await.ending), json!(1));
    }
}

#[tokio::test]
async fn secrets_of_a_warm_cell_are_those_of_the_job() {
    let world = World::new().await;
    let source = "def f():\n    from selfmade import secrets\n    return secrets.K";
    for value in ["one", "two"] {
        let mut job = warm(&world, source, "a");
        job.secrets = [("K".to_owned(), value.to_owned())].into();
        assert_eq!(returned(world.run(&job).await.ending), json!(value));
    }
}
