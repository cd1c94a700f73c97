//! The server dies at any call to its database: for n in 0.. the n-th call and all after it fail, another server takes
//! over, and the invariants hold: no acknowledged Run is lost, no finished Step is done again, every Run has one ending.

use std::time::Duration;

use model::content::Content;
use model::event::Event;
use model::ids::RunId;
use model::run::{Run, RunState};
use model::trigger::TriggerContent;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::{changesets, runs};
use server::triggers;
use store::on_both;
use store::testing::{Fault, TestDatabase};

use super::script::{Stage, empty, function, request};
use crate::world::{ME, name};

async fn staged(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&[&function("work", "")]).await;
    stage.script.part("work", |_, host| async move {
        let drawn = host.verb("random", vec![]).await.unwrap();
        host.verb("emit", vec!["told".into(), drawn.clone()]).await.unwrap();
        Ok(drawn)
    });
    stage
}

/// Lets everything that can end come to its end on a fresh server.
async fn drain(stage: &Stage, database: &TestDatabase) -> Stage {
    let next = stage.another(database).await;
    // The dead server's leases have run out.
    next.ctx.clock.advance(Duration::from_secs(3600));
    next.work();
    loop {
        let open = runs::list(&next.ctx, &ME, Default::default(), 1000).await.unwrap();
        if open.iter().all(|run| run.state.is_final()) {
            return next;
        }
        next.ctx.clock.advance(Duration::from_secs(1));
        tokio::task::yield_now().await;
    }
}

/// Holds for all Runs since `seq`.
async fn check(stage: &Stage, acknowledged: Option<RunId>, seq: u64) {
    let all = runs::list(&stage.ctx, &ME, Default::default(), 1000).await.unwrap();
    if let Some(id) = acknowledged {
        assert!(all.iter().any(|run| run.run_id == id), "an acknowledged run is lost");
    }
    let events = stage.ctx.store.events_after(seq, 1000).await.unwrap();
    let of = |run: &Run, kind: &str| -> Vec<&Event> {
        let about = |event: &&Event| event.fact.data["run_id"] == run.run_id.to_string();
        events.iter().filter(about).filter(|event| event.fact.kind.to_string().starts_with(kind)).collect()
    };
    let mine = all.iter().filter(|run| run.key.name.as_str() == "work");
    for run in mine.filter(|run| !of(run, "").is_empty() || Some(run.run_id) == acknowledged) {
        assert_eq!(of(run, "run.").len(), 1, "a run has not one ending: {run:?}");
        let told = of(run, "custom.told");
        assert!(told.len() <= 1, "a finished step was done again");
        let steps = stage.ctx.store.steps(run.run_id).await.unwrap();
        assert!(run.state != RunState::Succeeded || steps.len() == 2);
        if run.state == RunState::Succeeded {
            // What was drawn first is what was told and what came out, however often it was executed.
            assert_eq!(steps[0].result, run.output);
            assert_eq!(Some(&told[0].fact.data["output"]), run.output.as_ref());
        }
    }
}

async fn one(database: &TestDatabase, fault: Fault, waited: bool) -> bool {
    let stage = staged(database).await;
    let seq = stage.last_event().await;
    stage.ctx.store.die_at(fault);
    // A dead process stores nothing more.
    server::engine::give_up(&stage.ctx);
    let request = request("work", empty());
    let acknowledged = if waited {
        runs::start(&stage.ctx, &ME, request).await.ok().map(|run| run.run_id)
    } else {
        let queued = runs::queue(&stage.ctx, &ME, request).await.ok().map(|run| run.run_id);
        server::engine::round(&stage.ctx).await.ok();
        stage.settle().await;
        queued
    };
    let reached = stage.ctx.store.fault_was_reached();
    let next = drain(&stage, database).await;
    check(&next, acknowledged, seq).await;
    stage.close().await;
    next.close().await;
    reached
}

/// The Run is started by a Trigger, and the server dies while it handles the Event.
async fn triggered(database: &TestDatabase, fault: Fault) -> bool {
    let stage = staged(database).await;
    stage.add(&[&function("upstream", "")]).await;
    stage.script.part("upstream", |_, _| async { Ok(sandbox::Value::Int(1)) });
    let trigger = Content::Trigger(TriggerContent::after("upstream", name("work")));
    let proposal = Proposal::of("", vec![Intent::Put(name("work_after_upstream"), trigger)]);
    changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
    let seq = stage.last_event().await;
    let upstream = stage.start("upstream", empty()).await.unwrap().run_id;
    stage.ctx.store.die_at(fault);
    server::engine::give_up(&stage.ctx);
    triggers::drain(&stage.ctx).await.ok();
    stage.settle().await;
    let reached = stage.ctx.store.fault_was_reached();
    let next = stage.another(database).await;
    triggers::catch_up(&next.ctx).await.unwrap();
    next.close().await;
    let next = drain(&stage, database).await;
    check(&next, Some(upstream), seq).await;
    let all = runs::list(&next.ctx, &ME, Default::default(), 1000).await.unwrap();
    let fired = all.iter().filter(|run| run.chain.root == Some(upstream)).count();
    assert_eq!(fired, 1, "the trigger fired {fired} times");
    stage.close().await;
    next.close().await;
    reached
}

async fn until_no_call_of_triggers_is_left(database: &TestDatabase, fault: fn(u64) -> Fault) {
    for n in 0.. {
        if !triggered(database, fault(n)).await {
            assert!(n > 5, "hardly anything was tried");
            break;
        }
    }
}

async fn until_no_call_is_left(database: &TestDatabase, waited: bool, fault: fn(u64) -> Fault) {
    for n in 0.. {
        if !one(database, fault(n), waited).await {
            assert!(n > 3, "hardly anything was tried");
            break;
        }
    }
}

on_both! {
    async fn a_server_that_is_waited_for_may_die_before_any_call(database: &TestDatabase) {
        until_no_call_is_left(database, true, Fault::Before).await;
    }

    async fn a_server_that_is_waited_for_may_die_after_any_call(database: &TestDatabase) {
        until_no_call_is_left(database, true, Fault::After).await;
    }

    async fn a_server_with_triggers_may_die_before_any_call(database: &TestDatabase) {
        until_no_call_of_triggers_is_left(database, Fault::Before).await;
    }

    async fn a_server_with_triggers_may_die_after_any_call(database: &TestDatabase) {
        until_no_call_of_triggers_is_left(database, Fault::After).await;
    }

    async fn a_server_with_a_queue_may_die_before_any_call(database: &TestDatabase) {
        until_no_call_is_left(database, false, Fault::Before).await;
    }

    async fn a_server_with_a_queue_may_die_after_any_call(database: &TestDatabase) {
        until_no_call_is_left(database, false, Fault::After).await;
    }
}
