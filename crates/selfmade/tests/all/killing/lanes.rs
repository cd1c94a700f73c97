//! A function whose threads, pools and tasks ask for steps side by side, on servers that are killed meanwhile.

use std::collections::BTreeMap;

use model::run::RunState;
use serde_json::json;
use server::app::runs::watch::{Follower, What};
use store::testing::TestDatabase;

use super::processes;
use crate::world::{ME, World};

/// Eighteen flows of control, three kinds of them, each with four turns of two steps and a rest in the middle, so that it can be
/// seen and killed there.
const BUSY: &str = r#"
def busy():
    import asyncio
    from concurrent.futures import ThreadPoolExecutor
    from threading import Thread
    from selfmade import emit, random, sleep

    drawn = {}

    def work(name):
        drawn[name] = []
        for turn in range(4):
            if turn == 2:
                sleep(0.3)
            drawn[name].append(random())
            emit("did", f"{name} {turn}")

    threads = [Thread(target=work, args=(f"thread {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, [f"task {n}" for n in range(6)]))

    async def side_by_side():
        await asyncio.gather(*(asyncio.to_thread(work, f"async {n}") for n in range(4)))

    asyncio.run(side_by_side())
    return drawn
"#;
const STEPS: usize = 18 * 9;

/// Follows a run until so many of its steps were told, or until its end.
async fn follow(follower: &mut Follower, told: &mut Vec<u32>, most: usize) -> Option<RunState> {
    let mut state = None;
    while told.len() < most {
        let news = follower.next().await.unwrap();
        if news.is_empty() {
            return state;
        }
        for one in news {
            match one.what {
                What::Step(step) => told.push(step.position),
                What::State(run) => {
                    assert!(run.state != RunState::Failed, "{:?}", run.error);
                    state = Some(run.state);
                }
                What::Node(_) | What::Output(_) | What::Call(_) | What::Printed(_) | What::Written(_) => {}
            }
        }
    }
    state
}

async fn survives(database: &TestDatabase) {
    let world = World::open(database).await;
    world.add(&[BUSY.trim_start()]).await;
    let run = world.queue("busy", json!({})).await;
    let (mut follower, mut followed) = (Follower::new(&world.ctx, &ME, run), Vec::new());
    // In the threads, in the pool, among the tasks of asyncio.
    for most in [20, 90, 135] {
        let server = world.serve();
        let state = follow(&mut follower, &mut followed, most).await;
        processes::kill(server).vanish();
        database.settle().await;
        assert_ne!(state, Some(RunState::Succeeded), "it was over before it was killed");
    }
    let server = world.serve();
    follow(&mut follower, &mut followed, usize::MAX).await;
    assert_eq!(followed, (1..=STEPS as u32).collect::<Vec<_>>(), "whoever follows is told each step once");
    let ended = world.ctx.store.run(run).await.unwrap().unwrap();
    assert_eq!(ended.state, RunState::Succeeded, "{:?}", ended.error);
    let mut told = BTreeMap::new();
    for event in world.events().await {
        if event.fact.kind.to_string() == "custom.did" {
            *told.entry(event.fact.data["output"].to_string()).or_insert(0) += 1;
        }
    }
    assert_eq!((told.len(), told.values().copied().max()), (18 * 4, Some(1)), "{told:?}");
    let replayed = world.place.json(&["runs", "replay", &run.to_string()]);
    assert_eq!(replayed["same"], true, "{replayed}");
    processes::kill(server).vanish();
}

store::on_both! {
    async fn threads_and_tasks_go_on_where_each_of_them_was(database: &TestDatabase) {
        survives(database).await;
    }
}
