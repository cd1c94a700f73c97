//! The pool mends itself, and keeps nothing that nobody uses.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

use selfmade_sandbox::{CancellationToken, Config, Environment, Error, NoHost};
use serde_json::json;

use crate::support::{
    World, config, environment, environment_of, family_is_gone, is_there, kill, returned, until,
};

const HELLO: &str = "def f():\n    return 'hello'";

/// Waits until a killed process has ended.
async fn gone(processes: &[i32]) {
    while processes.iter().any(|pid| is_there(*pid)) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_dead_zygote_is_replaced() {
    let world = World::new().await;
    for _ in 0..3 {
        world.sandbox.prepare(&world.environment).await.unwrap();
        let (zygotes, cells) = world.sandbox.processes();
        kill(i32::try_from(zygotes[0]).unwrap());
        gone(&cells).await;
        assert_eq!(world.returned(HELLO).await, json!("hello"));
    }
}

#[tokio::test]
async fn a_ready_cell_that_died_is_not_handed_out() {
    let world = World::with(Config { ready_cells: 2, ..config() }, environment()).await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let (_, cells) = world.sandbox.processes();
    assert_eq!(cells.len(), 2);
    cells.iter().for_each(|pid| kill(*pid));
    gone(&cells).await;
    assert_eq!(world.returned(HELLO).await, json!("hello"));
}

#[tokio::test]
async fn a_ready_cell_that_died_is_replaced_before_anybody_asks() {
    let world = World::with(Config { ready_cells: 2, ..config() }, environment()).await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let (_, first) = world.sandbox.processes();
    first.iter().for_each(|pid| kill(*pid));
    until(|| {
        let (_, now) = world.sandbox.processes();
        now.len() == 2 && now.iter().all(|pid| !first.contains(pid))
    })
    .await;
}

#[tokio::test]
async fn the_next_cell_is_made_when_the_caller_lets_it() {
    let world = World::with(Config { ready_cells: 2, ..config() }, environment()).await;
    let never = CancellationToken::new();
    for n in 0.. {
        // Another source each time: what is run again is compiled, and that takes a cell, too.
        let job = world.job(&format!("def f():\n    return {n}"), json!({}));
        world.sandbox.prepare(&world.environment).await.unwrap();
        let born = world.sandbox.census().born;
        let (outcome, refill) =
            world.sandbox.run_before_refill(&job, Arc::new(NoHost), &never).await.unwrap();
        // For one that takes longer the next is made while it runs.
        if outcome.usage.wall_us < 1_500 {
            start_interpreters().await;
            assert_eq!(world.sandbox.census().born, born);
            drop(refill);
            return until(|| world.sandbox.census().born == born + 1).await;
        }
    }
}

/// Takes longer than to make a cell.
async fn start_interpreters() {
    let start = || (0..3).for_each(|_| drop(environment_of("python3")));
    tokio::task::spawn_blocking(start).await.unwrap();
}

#[tokio::test]
async fn cells_are_made_again_when_what_was_broken_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python");
    symlink(&environment().python, &python).unwrap();
    let mut mended = (*environment()).clone();
    mended.shown.push(python.clone());
    mended.python = python.clone();
    let world = World::with(config(), Arc::new(mended)).await;
    world.sandbox.prepare(&world.environment).await.unwrap();

    std::fs::remove_file(&python).unwrap();
    kill(i32::try_from(world.sandbox.processes().0[0]).unwrap());
    until(|| world.sandbox.processes().1.is_empty()).await;
    let error = world.sandbox.prepare(&world.environment).await.unwrap_err();
    assert!(matches!(error, Error::Zygote { .. }), "{error}");

    symlink(&environment().python, &python).unwrap();
    until(|| !world.sandbox.processes().1.is_empty()).await;
    assert_eq!(world.returned(HELLO).await, json!("hello"));
}

#[tokio::test]
async fn all_who_wait_hear_that_an_environment_cannot_start() {
    let world = World::new().await;
    let mut job = world.job(HELLO, json!({}));
    job.environment = Arc::new(Environment { python: "/no/such/python".into(), ..(*environment()).clone() });
    let token = CancellationToken::new();
    let running: Vec<_> =
        (0..5).map(|_| Box::pin(world.sandbox.run(&job, Arc::new(NoHost), &token))).collect();
    for one in running {
        let error = one.await.unwrap_err();
        assert!(matches!(error, Error::Zygote { .. }), "{error}");
    }
}

#[tokio::test]
async fn an_environment_that_nobody_uses_is_retired_and_comes_back() {
    let idle = Config { environment_idle: Duration::from_millis(40), ..config() };
    let world = World::with(idle, environment()).await;
    let all = loop {
        world.sandbox.prepare(&world.environment).await.unwrap();
        let (zygotes, cells) = world.sandbox.processes();
        // On a busy machine it may be retired before it is looked at.
        if !cells.is_empty() {
            break zygotes.iter().map(|pid| i32::try_from(*pid).unwrap()).chain(cells).collect::<Vec<i32>>();
        }
    };
    until(|| world.sandbox.processes().0.is_empty() && !all.iter().any(|pid| is_there(*pid))).await;
    assert_eq!(world.returned(HELLO).await, json!("hello"));
}

#[tokio::test]
async fn every_job_gets_a_cell_nobody_used() {
    let world = World::new().await;
    let source = "def f():\n    import os, sys\n    seen = os.listdir('.') + os.listdir('/tmp') + [hasattr(sys, 'mark')]\n    \
                  open('mine', 'w').close(); open('/tmp/mine', 'w').close(); sys.mark = 1\n    return seen";
    for _ in 0..5 {
        assert_eq!(world.returned(source).await, json!([false]));
    }
}

#[tokio::test]
async fn many_jobs_at_once_all_get_their_own_answer() {
    let world = World::new().await;
    let source = "def f(n):\n    import os\n    return [n, os.getpid()]";
    let jobs: Vec<_> = (0..40).map(|n| world.job(source, json!({ "n": n }))).collect();
    let token = CancellationToken::new();
    let mut running = Vec::new();
    for job in &jobs {
        running.push(Box::pin(world.sandbox.run(job, Arc::new(NoHost), &token)));
    }
    for (n, one) in running.into_iter().enumerate() {
        assert_eq!(returned(one.await.unwrap().ending), json!([n, 1]));
    }
}

#[tokio::test]
async fn environments_used_longest_ago_are_retired() {
    let world = World::with(Config { environments: 2, ..config() }, environment()).await;
    for id in ["a", "b", "c"] {
        let environment = Arc::new(Environment { id: id.to_owned(), ..(*environment()).clone() });
        world.sandbox.prepare(&environment).await.unwrap();
    }
    assert_eq!(world.sandbox.processes().0.len(), 2);
}

#[tokio::test]
async fn environments_that_differ_in_what_they_preload_have_zygotes_of_their_own() {
    let world = World::new().await;
    let source = "def f():\n    import sys\n    return ['colorsys' in sys.modules, 'wave' in sys.modules]";
    for (preload, expected) in
        [("colorsys", [true, false]), ("wave", [false, true]), ("colorsys", [true, false])]
    {
        let mut job = world.job(source, json!({}));
        job.environment =
            Arc::new(Environment { preload: vec![preload.to_owned()], ..(*environment()).clone() });
        assert_eq!(returned(world.run(&job).await.ending), json!(expected));
    }
    assert_eq!(world.sandbox.processes().0.len(), 2);
}

#[tokio::test]
async fn an_environment_that_cannot_start_says_why() {
    let world = World::new().await;
    let mut job = world.job(HELLO, json!({}));
    job.environment = Arc::new(Environment {
        id: "broken".to_owned(),
        python: "/no/such/python".into(),
        ..(*environment()).clone()
    });
    let error = world.sandbox.run(&job, Arc::new(NoHost), &CancellationToken::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot start the environment `broken`: cannot start `/no/such/python`: No such file or directory (os error 2)"
    );
}

#[tokio::test]
async fn hundreds_of_cells_leave_no_descriptor_and_no_process_behind() {
    let world = World::new().await;
    world.returned(HELLO).await;
    let before = descriptors("self");
    for _ in 0..300 {
        world.returned(HELLO).await;
    }
    assert!(family_is_gone(&world).await);
    // One cell is ready and one may be on its way, each with four descriptors.
    assert!(descriptors("self") <= before + 8, "{before} before, {} after", descriptors("self"));
}

fn descriptors(process: &str) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().count()
}
