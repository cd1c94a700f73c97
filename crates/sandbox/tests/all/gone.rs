//! When a job that was cancelled or ran out of time has ended, nothing of it is left, at that moment and not a little later.

use std::sync::Arc;
use std::time::Duration;

use selfmade_sandbox::{CancellationToken, Ending, Host, Killer, Limit};
use serde_json::json;

use crate::support::{Ear, World, children, is_there};

/// Children, daemons that were forked twice into sessions of their own, threads; deaf to signals, one of them busy.
const CROWD: &str = "def f():
    import os, signal, threading
    for number in range(1, 32):
        try: signal.signal(number, signal.SIG_IGN)
        except OSError: pass
    for n in range(4):
        if os.fork() == 0:
            os.setsid()
            if n % 2 and os.fork(): os._exit(0)
            threading.Thread(target=signal.pause, daemon=True).start()
            print('up', flush=True)
            while n == 0: pass
            signal.pause()
    signal.pause()";

/// All that was started by the cell that is given the next job.
async fn crowd(world: &World, ear: &Ear, cell: i32) -> Vec<i32> {
    while ear.stdout().lines().count() < 4 {
        ear.heard.notified().await;
    }
    let mut crowd = vec![cell];
    let mut next = 0;
    while let Some(pid) = crowd.get(next).copied() {
        crowd.extend(children(pid));
        next += 1;
    }
    assert!(crowd.len() >= 5 && world.sandbox.processes().1.iter().all(|ready| !crowd.contains(ready)));
    crowd
}

async fn next_cell(world: &World) -> i32 {
    world.sandbox.prepare(&world.environment).await.unwrap();
    world.sandbox.processes().1[0]
}

fn all_are_gone(crowd: &[i32]) {
    let left: Vec<&i32> = crowd.iter().filter(|pid| is_there(**pid)).collect();
    assert!(left.is_empty(), "of {crowd:?}, {left:?} are left");
}

#[tokio::test]
async fn cancel_leaves_no_process_behind() {
    let world = World::new().await;
    for _ in 0..20 {
        let cell = next_cell(&world).await;
        let (ear, cancel) = (Arc::new(Ear::default()), CancellationToken::new());
        let job = world.job(CROWD, json!({}));
        let running = world.sandbox.run(&job, Arc::clone(&ear) as Arc<dyn Host>, &cancel);
        let cancelling = async {
            let crowd = crowd(&world, &ear, cell).await;
            cancel.cancel();
            crowd
        };
        let (outcome, crowd) = tokio::join!(running, cancelling);
        all_are_gone(&crowd);
        assert_eq!(outcome.unwrap().ending, Ending::Killed { by: Killer::Cancel });
    }
}

#[tokio::test]
async fn a_time_out_leaves_no_process_behind() {
    let world = World::new().await;
    for limit in [Limit::Wall, Limit::Cpu] {
        let cell = next_cell(&world).await;
        let ear = Arc::new(Ear::default());
        let mut job = world.job(CROWD, json!({}));
        match limit {
            Limit::Wall => job.limits.wall = Duration::from_secs(2),
            Limit::Cpu => job.limits.cpu = Duration::from_secs(1),
        }
        let cancel = CancellationToken::new();
        let running = world.sandbox.run(&job, Arc::clone(&ear) as Arc<dyn Host>, &cancel);
        let (outcome, crowd) = tokio::join!(running, crowd(&world, &ear, cell));
        all_are_gone(&crowd);
        assert_eq!(outcome.unwrap().ending, Ending::TimedOut { limit, stood_at: None });
    }
}
