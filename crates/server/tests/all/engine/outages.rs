//! The database fails for a moment and the server lives on: for n in 0.. the n-th call fails, before it happens or so that its answer
//! is lost, and the invariants hold: every Run ends, once, and as it would have without the fault; no finished Step is done
//! again; whoever waits hears of it.

use std::time::Duration;

use model::content::Content;
use model::event::Event;
use model::ids::RunId;
use model::run::{Run, RunState};
use model::trigger::TriggerContent;
use sandbox::Value;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::operations::outage::outage;
use server::app::{changesets, runs};
use server::{Error, triggers};
use store::on_both;
use store::testing::{Fault, TestDatabase};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::script::{Asking, Stage, empty, function, request};
use crate::world::{ME, name};

/// Draws, tells what it drew, and calls another, which sleeps for longer than a cell is held.
async fn work(host: Asking) -> Value {
    let drawn = host.verb("random", vec![]).await.unwrap();
    host.verb("emit", vec!["told".into(), drawn.clone()]).await.unwrap();
    host.verb("run", vec!["inner".into()]).await.unwrap();
    drawn
}

/// A database with the functions, to be copied for each call that fails.
async fn template(database: &TestDatabase) -> TestDatabase {
    let template = database.another().await;
    let stage = Stage::open(&template).await;
    stage.register("@selfmade.function(brain=\"read\")\ndef work():\n    return None\n").await;
    // Its effects may be other than Steps, so it is never executed twice.
    stage
        .register(
            "@selfmade.function(brain=\"read\", network=[\"example.com\"])\ndef once():\n    return None\n",
        )
        .await;
    stage.add(&[&function("inner", ""), &function("after", "")]).await;
    stage.close().await;
    template
}

async fn staged(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    for function in ["work", "once"] {
        stage.script.part(function, |_, host| async move { Ok(work(host).await) });
    }
    stage.script.part("inner", |_, host| async move {
        // Longer than a cell is held, and no longer: while it sleeps every look at the queue is one more call to try.
        host.verb("sleep", vec![Value::Int(5)]).await.unwrap();
        Ok(Value::Int(1))
    });
    stage.script.part("after", |_, _| async { Ok(Value::None) });
    stage
}

/// Lets time pass, but not while a call to the database is under way: on a slow machine leases would run out.
async fn pass(stage: &Stage, time: Duration) {
    // Whoever has an answer goes on to its next call.
    for _ in 0..TURNS {
        stage.ctx.store.quiet().await;
        tokio::task::yield_now().await;
    }
    stage.ctx.clock.advance(time);
}

/// Lets time pass until all Runs have ended.
async fn all_ended(stage: &Stage) -> Vec<Run> {
    for _ in 0..10_000 {
        let all = stage.ctx.store.runs(&Default::default(), 1000).await;
        if let Ok(all) = all
            && !all.is_empty()
            && all.iter().all(|run| run.state.is_final())
        {
            return all;
        }
        pass(stage, Duration::from_millis(500)).await;
    }
    let all = stage.ctx.store.runs(&Default::default(), 1000).await.unwrap();
    let mut left = Vec::new();
    for run in all.iter().filter(|run| !run.state.is_final()) {
        let steps = stage.ctx.store.steps(run.run_id).await.unwrap();
        let steps: Vec<_> =
            steps.iter().map(|step| (step.verb.clone(), step.finished_at.is_some())).collect();
        left.push(format!("`{}` is {:?} with {steps:?}", run.key.name, run.state));
    }
    panic!("runs are left behind, {} in hand: {left:#?}", server::engine::under_way(&stage.ctx));
}

async fn check(stage: &Stage, all: &[Run], expected: &[(&str, usize)]) {
    let events = stage.ctx.store.events_after(0, 1000).await.unwrap();
    let of = |run: RunId, kind: &str| -> Vec<&Event> {
        let about = |event: &&Event| event.fact.data["run_id"] == run.to_string();
        events.iter().filter(about).filter(|event| event.fact.kind.to_string().starts_with(kind)).collect()
    };
    for run in all {
        assert_eq!(run.state, RunState::Succeeded, "`{}`: {:?}", run.key.name, run.error);
        assert_eq!(of(run.run_id, "run.").len(), 1, "`{}` has not one ending", run.key.name);
        if run.key.name.as_str() == "work" || run.key.name.as_str() == "once" {
            let told = of(run.run_id, "custom.told");
            assert_eq!(told.len(), 1, "a step of `{}` was done again", run.key.name);
            assert_eq!(Some(&told[0].fact.data["output"]), run.output.as_ref());
        }
    }
    for (function, count) in expected {
        let found = all.iter().filter(|run| run.key.name.as_str() == *function).count();
        assert_eq!(found, *count, "runs of `{function}`");
    }
}

/// One request while one call fails. Says whether there were so many calls.
async fn one(template: &TestDatabase, function: &str, waited: bool, fault: Fault) -> bool {
    let database = template.another_copied().await;
    let stage = staged(&database).await;
    stage.work();
    stage.ctx.store.fail_at(fault);
    let started = {
        let (ctx, request) = (stage.ctx.clone(), request(function, empty()));
        tokio::spawn(async move {
            if waited { runs::start(&ctx, &ME, request).await } else { runs::queue(&ctx, &ME, request).await }
        })
    };
    while !started.is_finished() {
        pass(&stage, Duration::from_millis(500)).await;
    }
    let reached = stage.ctx.store.fault_was_reached();
    if waited {
        stage.ctx.store.fail_at(None);
    }
    match started.await.unwrap() {
        // Nothing was recorded, or the error says which Run it was, and that ends, too.
        Err(error) if error.code() == "database" => {
            let recorded = stage.ctx.store.runs(&Default::default(), 9).await.unwrap();
            for run in recorded.iter().filter(|run| run.parent.is_none()) {
                assert!(error.to_string().contains(&run.run_id.to_string()), "{error}");
            }
            if !recorded.is_empty() {
                all_ended(&stage).await;
            }
        }
        Err(error) => panic!("{error:?}"),
        Ok(run) => {
            assert!(!waited || run.state == RunState::Succeeded, "{:?} {:?}", run.state, run.error);
            let all = all_ended(&stage).await;
            if !waited {
                until_fault(&stage).await;
            }
            check(&stage, &all, &[(function, 1), ("inner", 1)]).await;
        }
    }
    stage.close().await;
    reached
}

/// A task may have to wake another, and that one a third, before one of them makes its next call.
const TURNS: usize = 8;

/// Until then `check` could be what fails. How many calls there are before a Run has ended depends on how often it is looked at
/// meanwhile; the queue is looked at after that, too, so there is no last call.
async fn until_fault(stage: &Stage) {
    while !stage.ctx.store.fault_was_reached() {
        pass(stage, Duration::from_millis(500)).await;
    }
}

/// By this one the Run has ended.
const CALLS: u64 = 40;

async fn any_call_of_a_queued_run(database: &TestDatabase, fault: fn(u64) -> Fault) {
    let template = template(database).await;
    for n in 0..CALLS {
        one(&template, "work", false, fault(n)).await;
    }
}

async fn until_no_call_is_left(
    database: &TestDatabase,
    function: &str,
    waited: bool,
    fault: fn(u64) -> Fault,
) {
    let template = template(database).await;
    for n in 0.. {
        if !one(&template, function, waited, fault(n)).await {
            assert!(n > 3, "hardly anything was tried");
            break;
        }
    }
}

async fn triggered(template: &TestDatabase, fault: Fault) {
    let database = template.another_copied().await;
    let stage = staged(&database).await;
    let trigger = Content::Trigger(TriggerContent::after("after", name("work")));
    let proposal = Proposal::of("", vec![Intent::Put(name("work_after"), trigger)]);
    changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
    stage.start("after", empty()).await.unwrap();
    stage.work();
    stage.ctx.store.fail_at(fault);
    let stop = sandbox::CancellationToken::new();
    let watching = tokio::spawn(triggers::watch(stage.ctx.clone(), stop.clone()));
    let mut all = all_ended(&stage).await;
    while all.len() < 3 {
        pass(&stage, Duration::from_millis(500)).await;
        all = all_ended(&stage).await;
    }
    until_fault(&stage).await;
    check(&stage, &all, &[("after", 1), ("work", 1), ("inner", 1)]).await;
    stop.cancel();
    watching.await.unwrap();
    stage.close().await;
}

async fn any_call_of_triggers(database: &TestDatabase, fault: fn(u64) -> Fault) {
    let template = template(database).await;
    for n in 0..CALLS {
        triggered(&template, fault(n)).await;
    }
}

/// Starts Runs that are waited for and queued ones, each at its second Step.
async fn under_way(stage: &Stage, count: usize) -> Vec<JoinHandle<Result<Run, Error>>> {
    let (begun, mut beginnings) = mpsc::unbounded_channel();
    stage.script.part("after", move |_, host| {
        let begun = begun.clone();
        async move {
            let drawn = host.verb("random", vec![]).await.unwrap();
            // It may be executed again when nobody listens any more.
            begun.send(()).ok();
            host.verb("sleep", vec![Value::Int(1)]).await.unwrap();
            host.verb("emit", vec!["told".into(), drawn.clone()]).await.unwrap();
            Ok(drawn)
        }
    });
    let mut waiters = Vec::new();
    for _ in 0..count {
        let ctx = stage.ctx.clone();
        waiters.push(tokio::spawn(async move { runs::start(&ctx, &ME, request("after", empty())).await }));
        stage.queue("after", empty()).await;
    }
    for _ in 0..2 * count {
        beginnings.recv().await.unwrap();
    }
    waiters
}

on_both! {
    on one thread;

    async fn runs_that_end_on_a_full_disk_end_when_there_is_room(database: &TestDatabase) {
        let database = template(database).await;
        let stage = staged(&database).await;
        stage.work();
        let waiters = under_way(&stage, 3).await;
        stage.ctx.store.fill_disk(true);
        stage.ctx.clock.advance(Duration::from_secs(2));
        while stage.ctx.store.outage().is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(outage(&stage.ctx, &ME).unwrap(), "no space is left for database `the test`, so nothing was written; free some and try again");
        // What is there can be read, and what cannot be written is refused with the reason.
        assert_eq!(runs::list(&stage.ctx, &ME, Default::default(), 9).await.unwrap().len(), 6);
        let refused = tokio::spawn({
            let ctx = stage.ctx.clone();
            async move { runs::queue(&ctx, &ME, request("inner", empty())).await }
        });
        while !refused.is_finished() {
            pass(&stage, Duration::from_millis(100)).await;
        }
        assert!(refused.await.unwrap().unwrap_err().to_string().starts_with("no space is left"));
        stage.ctx.store.fill_disk(false);
        let all = all_ended(&stage).await;
        check(&stage, &all, &[("after", 6), ("inner", 0)]).await;
        for waiter in waiters {
            assert_eq!(waiter.await.unwrap().unwrap().state, RunState::Succeeded);
        }
        assert_eq!(outage(&stage.ctx, &ME), None);
    }

    async fn a_run_that_is_waited_for_outlives_a_call_that_fails(database: &TestDatabase) {
        until_no_call_is_left(database, "work", true, Fault::Before).await;
    }

    async fn a_run_that_is_waited_for_outlives_an_answer_that_is_lost(database: &TestDatabase) {
        until_no_call_is_left(database, "work", true, Fault::After).await;
    }

    async fn a_queued_run_outlives_a_call_that_fails(database: &TestDatabase) {
        any_call_of_a_queued_run(database, Fault::Before).await;
    }

    async fn a_queued_run_outlives_an_answer_that_is_lost(database: &TestDatabase) {
        any_call_of_a_queued_run(database, Fault::After).await;
    }

    async fn a_run_that_cannot_be_executed_again_outlives_a_call_that_fails(database: &TestDatabase) {
        until_no_call_is_left(database, "once", true, Fault::Before).await;
    }

    async fn a_run_that_cannot_be_executed_again_outlives_an_answer_that_is_lost(database: &TestDatabase) {
        until_no_call_is_left(database, "once", true, Fault::After).await;
    }

    async fn a_triggered_run_outlives_a_call_that_fails(database: &TestDatabase) {
        any_call_of_triggers(database, Fault::Before).await;
    }

    async fn a_triggered_run_outlives_an_answer_that_is_lost(database: &TestDatabase) {
        any_call_of_triggers(database, Fault::After).await;
    }
}

/// Every connection is lost, again and again, as by a server that is restarted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_outlive_lost_connections() {
    let database = template(&TestDatabase::postgres().await).await;
    let stage = staged(&database).await;
    stage.work();
    let waiters = under_way(&stage, 3).await;
    for _ in 0..5 {
        database
            .execute(
                "select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid()",
            )
            .await;
        stage.ctx.clock.advance(Duration::from_millis(300));
        tokio::task::yield_now().await;
    }
    let all = all_ended(&stage).await;
    check(&stage, &all, &[("after", 6)]).await;
    for waiter in waiters {
        assert_eq!(waiter.await.unwrap().unwrap().state, RunState::Succeeded);
    }
    stage.close().await;
}
