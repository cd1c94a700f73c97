//! Power is lost: of what was committed without a flush only the beginning is there. Tried with every beginning that SQLite's log
//! has, each in a database of its own, where another server takes over.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use model::content::Content;
use model::run::{Run, RunState};
use model::trigger::TriggerContent;
use sandbox::Value;
use serde_json::json;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::{changesets, runs};
use server::triggers;
use store::testing::TestDatabase;

use super::graphs::{graph, put};
use super::script::{Stage, empty, function};
use crate::world::{ME, name};

const CHAIN: [&str; 3] = ["first", "second", "third"];

/// Functions that each start the next.
async fn chain(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&CHAIN.map(|name| function(name, "x=0")).each_ref().map(String::as_str)).await;
    for (function, output) in CHAIN.into_iter().zip(1..) {
        stage.script.part(function, move |_, _| async move { Ok(Value::Int(output)) });
    }
    for pair in CHAIN.windows(2) {
        let trigger = Content::Trigger(TriggerContent::after(pair[0], name(pair[1])));
        let proposal = Proposal::of("", vec![Intent::Put(name(&format!("{}_next", pair[0])), trigger)]);
        changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
    }
    stage
}

fn log_of(database: &TestDatabase) -> PathBuf {
    let mut path = database.path().into_os_string();
    path.push("-wal");
    path.into()
}

/// Where each commit ends in SQLite's log: a frame that has the size of the database in its head is the last of one.
fn commits(log: &[u8]) -> Vec<usize> {
    const HEAD: usize = 32;
    let word = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap());
    let frame = 24 + word(8) as usize;
    let frames = (HEAD..).step_by(frame).take_while(|at| at + frame <= log.len());
    frames.filter(|at| word(at + 4) > 0).map(|at| at + frame).collect()
}

/// Lets everything that can end come to its end.
async fn complete(stage: &Stage) -> Vec<Run> {
    // The leases of the server that was there before have run out.
    stage.ctx.clock.advance(Duration::from_secs(3600));
    stage.work();
    loop {
        let all = runs::list(&stage.ctx, &ME, Default::default(), 1000).await.unwrap();
        let triggered = triggers::drain(&stage.ctx).await.unwrap();
        if triggered == 0 && all.iter().all(|run| run.state.is_final()) {
            return all;
        }
        stage.ctx.clock.advance(Duration::from_secs(1));
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_chain_of_triggers_is_completed_wherever_power_was_lost() {
    let database = TestDatabase::sqlite();
    let stage = chain(&database).await;
    stage.queue(CHAIN[0], empty()).await;
    let (file, acknowledged) = (fs::read(database.path()).unwrap(), fs::read(log_of(&database)).unwrap());
    assert_eq!(triggers::drain(&stage.ctx).await.unwrap(), CHAIN.len() - 1);
    let log = fs::read(log_of(&database)).unwrap();
    assert!(
        log.starts_with(&acknowledged) && fs::read(database.path()).unwrap() == file,
        "nothing is folded"
    );
    let ends: Vec<usize> = commits(&log).into_iter().filter(|end| *end >= acknowledged.len()).collect();
    assert!(ends.len() > 2 * CHAIN.len(), "hardly anything was tried");
    for end in ends {
        let left = TestDatabase::sqlite();
        fs::write(left.path(), &file).unwrap();
        fs::write(log_of(&left), &log[..end]).unwrap();
        let next = stage.another(&left).await;
        let ended = complete(&next).await;
        assert!(
            ended.iter().all(|run| run.state == RunState::Succeeded),
            "{end} of {}: {ended:?}",
            log.len()
        );
        let mut names: Vec<&str> = ended.iter().map(|run| run.key.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, CHAIN, "{end} of {}", log.len());
        next.close().await;
    }
    stage.close().await;
}

/// The ends of nodes are not flushed by themselves.
#[tokio::test]
async fn a_graph_is_completed_wherever_power_was_lost() {
    let database = TestDatabase::sqlite();
    let stage = Stage::open(&database).await;
    stage.add(&CHAIN.map(|name| function(name, "x=0")).each_ref().map(String::as_str)).await;
    for (function, output) in CHAIN.into_iter().zip(1..) {
        stage.script.part(function, move |_, _| async move { Ok(Value::Int(output)) });
    }
    let nodes = CHAIN.map(|name| (name, name, json!({})));
    let content = graph(
        &[nodes.as_slice(), &[("out", "@output", json!({"name": "out"}))]].concat(),
        &["first.output -> second.x", "second.output -> third.x", "third.output -> out.value"],
    );
    put(&stage, "graph", content).await;
    stage.queue("graph", empty()).await;
    let (file, acknowledged) = (fs::read(database.path()).unwrap(), fs::read(log_of(&database)).unwrap());
    complete(&stage).await;
    let log = fs::read(log_of(&database)).unwrap();
    assert!(
        log.starts_with(&acknowledged) && fs::read(database.path()).unwrap() == file,
        "nothing is folded"
    );
    let ends: Vec<usize> = commits(&log).into_iter().filter(|end| *end >= acknowledged.len()).collect();
    assert!(ends.len() > 2 * CHAIN.len(), "hardly anything was tried");
    for end in ends {
        let left = TestDatabase::sqlite();
        fs::write(left.path(), &file).unwrap();
        fs::write(log_of(&left), &log[..end]).unwrap();
        let next = stage.another(&left).await;
        let ended = complete(&next).await;
        let of_graph = ended.iter().find(|run| run.key.name.as_str() == "graph").unwrap();
        assert_eq!(of_graph.output, Some(json!({"out": 3})), "{end} of {}: {ended:?}", log.len());
        let mut names: Vec<&str> = ended.iter().map(|run| run.key.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["first", "graph", "second", "third"], "{end} of {}", log.len());
        assert!(ended.iter().all(|run| run.state == RunState::Succeeded), "{end} of {}", log.len());
        next.close().await;
    }
    stage.close().await;
}
