//! Two servers on one PostgreSQL share the queue, and one takes over what the other leaves behind.

use std::collections::{HashMap, HashSet};

use model::ids::{NodeId, RunId};
use model::run::RunState;
use serde_json::json;
use store::testing::TestDatabase;

use super::invariants::{self, Record};
use super::processes;
use crate::world::World;

const WORK: &str = r#"def work(n: int):
    from selfmade import emit, sleep
    emit("began", {"n": n})
    sleep(0.3)
    emit("ended", {"n": n})
    return n
"#;

/// Long enough to be under way when its server is killed.
const LONG: &str = r#"def long(n: int):
    from selfmade import emit, sleep
    emit("began", {"n": n})
    sleep(1.9)
    emit("ended", {"n": n})
    return n
"#;

/// Who executes what at this moment.
async fn nodes(world: &World) -> HashMap<RunId, NodeId> {
    let runs = world.runs().await.into_iter();
    runs.filter_map(|run| Some((run.run_id, run.lease?.node))).collect()
}

async fn drain(world: &World) {
    while world.runs().await.iter().any(|run| !run.state.is_final()) {
        tokio::task::yield_now().await;
    }
}

/// Every run began once and ended once.
async fn each_once(world: &World, queued: &[RunId]) {
    let record = Record::read(world).await;
    invariants::one_ending_each(&record, queued);
    let events = world.events().await;
    for run in record.runs.values() {
        for kind in ["custom.began", "custom.ended"] {
            let about = events.iter().filter(|event| {
                event.fact.kind.to_string() == kind && event.fact.data["run_id"] == json!(run.run_id)
            });
            assert_eq!(about.count(), 1, "{kind} of run {}", run.run_id);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_share_a_queue_and_every_run_is_executed_once() {
    let database = TestDatabase::postgres().await;
    let world = World::open(&database).await;
    world.add(&[WORK]).await;
    let (first, second) = (world.serve(), world.serve());
    let (mut queued, mut takers) = (Vec::new(), HashSet::new());
    // Until both have taken some: which server is quicker is chance.
    while takers.len() < 2 {
        for n in 0..20 {
            queued.push(world.queue("work", json!({"n": n})).await);
        }
        while world.runs().await.iter().any(|run| !run.state.is_final()) {
            takers.extend(nodes(&world).await.into_values());
        }
    }
    each_once(&world, &queued).await;
    drop((first, second));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_takes_over_what_another_was_doing_when_it_was_killed() {
    let database = TestDatabase::postgres().await;
    let world = World::open(&database).await;
    world.add(&[LONG]).await;
    let first = world.serve();
    let mut queued = Vec::new();
    for n in 0..6 {
        queued.push(world.queue("long", json!({"n": n})).await);
    }
    while nodes(&world).await.len() < 6 {
        tokio::task::yield_now().await;
    }
    let second = world.serve();
    processes::kill(first).vanish();
    let left = world.runs().await.iter().filter(|run| run.state == RunState::Running).count();
    assert!(left > 0, "the first server left nothing behind");
    // The first is dead, so whatever ends now ends by the second.
    drain(&world).await;
    each_once(&world, &queued).await;
    drop(second);
}
