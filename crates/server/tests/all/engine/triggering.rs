//! Triggers and schedules: every event and every tick once.

use std::sync::Arc;
use std::time::Duration;

use model::access::actor::Actor;
use model::content::Content;
use model::run::RunState;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use sandbox::{CancellationToken, Value};
use serde_json::json;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::{changesets, runs};
use server::{engine, scheduler, triggers};
use store::on_both;
use store::testing::{Fault, TestDatabase};
use tokio::sync::Notify;

use super::script::{Stage, empty, function};
use crate::world::{ME, name};

async fn put(stage: &Stage, entry: &str, content: Content) {
    let proposal = Proposal::of("", vec![Intent::Put(name(entry), content)]);
    changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
}

async fn after(stage: &Stage, entry: &str, upstream: &str, target: &str) {
    put(stage, entry, Content::Trigger(TriggerContent::after(upstream, name(target)))).await;
}

async fn count(stage: &Stage, function: &str) -> usize {
    let all = runs::list(&stage.ctx, &ME, Default::default(), 1000).await.unwrap();
    all.iter().filter(|run| run.key.name.as_str() == function).count()
}

/// Two functions that pass on what they get.
async fn pair(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&[&function("first", ""), &function("second", "x")]).await;
    stage.script.part("first", |_, _| async { Ok(Value::Int(7)) });
    stage.script.part("second", |work, _| async move { Ok(work.input.get("x").cloned().unwrap()) });
    stage
}

on_both! {
    async fn a_trigger_hands_the_output_on_as_the_first_parameter(database: &TestDatabase) {
        let stage = pair(database).await;
        after(&stage, "second_after_first", "first", "second").await;
        stage.start("first", empty()).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        let all = runs::list(&stage.ctx, &ME, Default::default(), 10).await.unwrap();
        let triggered = all.iter().find(|run| run.key.name.as_str() == "second").unwrap();
        assert_eq!((triggered.state, triggered.output.clone()), (RunState::Succeeded, Some(json!(7))));
        assert!(matches!(triggered.actor, Actor::Trigger(_)));
        assert_eq!(triggers::catch_up(&stage.ctx).await.unwrap(), 0);
        assert_eq!(count(&stage, "second").await, 1);
    }

    async fn what_is_triggered_begins_without_being_queued(database: &TestDatabase) {
        let stage = pair(database).await;
        after(&stage, "t", "first", "second").await;
        stage.start("first", empty()).await.unwrap();
        assert_eq!(triggers::handle_events(&stage.ctx, &CancellationToken::new()).await.unwrap(), 1);
        let all = runs::list(&stage.ctx, &ME, Default::default(), 10).await.unwrap();
        let triggered = all.iter().find(|run| run.key.name.as_str() == "second").unwrap();
        // Nobody works on the queue here.
        stage.until(triggered.run_id, RunState::Succeeded).await;
    }

    async fn nothing_begins_here_once_the_server_stops(database: &TestDatabase) {
        let stage = pair(database).await;
        after(&stage, "t", "first", "second").await;
        stage.start("first", empty()).await.unwrap();
        let stop = CancellationToken::new();
        stop.cancel();
        triggers::handle_events(&stage.ctx, &stop).await.unwrap();
        let all = runs::list(&stage.ctx, &ME, Default::default(), 10).await.unwrap();
        let triggered = all.iter().find(|run| run.key.name.as_str() == "second").unwrap();
        assert_eq!(triggered.state, RunState::Queued);
    }

    async fn what_is_triggered_does_not_overtake_what_is_queued(database: &TestDatabase) {
        let stage = Stage::narrow(database).await;
        stage.add(&[&function("first", ""), &function("second", "x")]).await;
        stage.script.part("first", |_, _| async { Ok(Value::Int(7)) });
        stage.script.part("second", |_, _| async { Ok(Value::Int(8)) });
        after(&stage, "t", "first", "second").await;
        let (one, two) = (stage.queue("first", empty()).await, stage.queue("first", empty()).await);
        assert_eq!(engine::round(&stage.ctx).await.unwrap(), 1);
        stage.until(one.run_id, RunState::Succeeded).await;
        stage.settle().await;
        triggers::handle_events(&stage.ctx, &CancellationToken::new()).await.unwrap();
        let all = runs::list(&stage.ctx, &ME, Default::default(), 10).await.unwrap();
        let waiting = all.iter().filter(|run| run.state == RunState::Queued).count();
        assert_eq!(waiting, 2, "`{}` was there first", two.run_id);
    }

    async fn the_end_of_what_was_queued_is_flushed_with_its_event(database: &TestDatabase) {
        let stage = pair(database).await;
        stage.start("first", empty()).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(stage.ctx.store.cursor("flushed").await.unwrap(), 0, "somebody waited for that one");
        stage.queue("first", empty()).await;
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(stage.ctx.store.cursor("flushed").await.unwrap(), 1);
    }

    async fn one_flush_makes_a_chain_last(database: &TestDatabase) {
        let stage = pair(database).await;
        stage.add(&[&function("third", "x")]).await;
        stage.script.part("third", |_, _| async { Ok(Value::Int(9)) });
        after(&stage, "t", "first", "second").await;
        after(&stage, "u", "second", "third").await;
        stage.start("first", empty()).await.unwrap();
        assert_eq!(triggers::drain(&stage.ctx).await.unwrap(), 2);
        assert_eq!(stage.ctx.store.cursor("flushed").await.unwrap(), 1);
    }

    async fn what_was_triggered_is_flushed_though_it_goes_on(database: &TestDatabase) {
        let stage = pair(database).await;
        let goes_on = Arc::new(Notify::new());
        let waits = Arc::clone(&goes_on);
        stage.script.part("second", move |_, _| {
            let waits = Arc::clone(&waits);
            async move {
                waits.notified().await;
                Ok(Value::Int(8))
            }
        });
        after(&stage, "t", "first", "second").await;
        stage.start("first", empty()).await.unwrap();
        let draining = tokio::spawn({
            let ctx = stage.ctx.clone();
            async move { triggers::drain(&ctx).await }
        });
        while stage.ctx.store.cursor("flushed").await.unwrap() == 0 {
            stage.ctx.clock.advance(Duration::from_millis(10));
            tokio::task::yield_now().await;
        }
        assert!(engine::is_busy(&stage.ctx));
        goes_on.notify_one();
        assert_eq!(draining.await.unwrap().unwrap(), 1);
    }

    async fn whatever_fails_the_end_of_what_was_queued_is_flushed_next_time(database: &TestDatabase) {
        let stage = pair(database).await;
        let (store, never) = (&stage.ctx.store, CancellationToken::new());
        for n in 0.. {
            stage.queue("first", empty()).await;
            assert_eq!(engine::round(&stage.ctx).await.unwrap(), 1);
            stage.settle().await;
            let before = store.cursor("flushed").await.unwrap();
            store.fail_at(Fault::Before(n));
            let failed = triggers::handle_events(&stage.ctx, &never).await.is_err();
            let was_reached = store.fault_was_reached();
            assert_eq!(failed, was_reached, "call {n}");
            store.fail_at(None);
            triggers::handle_events(&stage.ctx, &never).await.unwrap();
            assert!(store.cursor("flushed").await.unwrap() > before, "after the failure of call {n}");
            if !was_reached {
                break;
            }
        }
    }

    async fn the_cursor_follows_at_leisure_what_nothing_comes_of(database: &TestDatabase) {
        let stage = pair(database).await;
        triggers::catch_up(&stage.ctx).await.unwrap();
        let settled = stage.ctx.store.cursor("triggers").await.unwrap();
        assert_eq!(settled, stage.last_event().await);
        stage.start("first", empty()).await.unwrap();
        triggers::handle_events(&stage.ctx, &CancellationToken::new()).await.unwrap();
        assert_eq!(stage.ctx.store.cursor("triggers").await.unwrap(), settled, "nothing came of it");
        triggers::catch_up(&stage.ctx).await.unwrap();
        assert_eq!(stage.ctx.store.cursor("triggers").await.unwrap(), stage.last_event().await);
    }

    async fn what_was_looked_at_before_a_crash_fires_nothing_after_it(database: &TestDatabase) {
        let stage = pair(database).await;
        stage.start("first", empty()).await.unwrap();
        triggers::handle_events(&stage.ctx, &CancellationToken::new()).await.unwrap();
        stage.ctx.clock.advance(Duration::from_secs(1));
        after(&stage, "t", "first", "second").await;
        let next = stage.another(database).await;
        triggers::drain(&next.ctx).await.unwrap();
        assert_eq!(count(&next, "second").await, 0, "it was not there yet");
        next.start("first", empty()).await.unwrap();
        triggers::drain(&next.ctx).await.unwrap();
        assert_eq!(count(&next, "second").await, 1);
    }

    async fn a_server_that_was_overtaken_goes_on_from_there(database: &TestDatabase) {
        let stage = pair(database).await;
        after(&stage, "t", "first", "second").await;
        let other = stage.another(database).await;
        for each in [&stage, &other] {
            triggers::handle_events(&each.ctx, &CancellationToken::new()).await.unwrap();
        }
        stage.start("first", empty()).await.unwrap();
        assert_eq!(triggers::catch_up(&other.ctx).await.unwrap(), 1);
        assert_eq!(triggers::catch_up(&stage.ctx).await.unwrap(), 0, "the other did that");
        stage.start("first", empty()).await.unwrap();
        assert_eq!(triggers::catch_up(&other.ctx).await.unwrap(), 1);
        stage.start("first", empty()).await.unwrap();
        assert_eq!(triggers::catch_up(&stage.ctx).await.unwrap(), 1, "and not that");
        assert_eq!(count(&stage, "second").await, 3);
    }

    async fn a_server_that_was_overtaken_knows_what_was_added_meanwhile(database: &TestDatabase) {
        let stage = pair(database).await;
        after(&stage, "t", "first", "second").await;
        triggers::catch_up(&stage.ctx).await.unwrap();
        let other = stage.another(database).await;
        for _ in 0..30 {
            other.start("first", empty()).await.unwrap();
        }
        stage.ctx.clock.advance(Duration::from_secs(1));
        after(&other, "u", "first", "second").await;
        assert_eq!(triggers::catch_up(&other.ctx).await.unwrap(), 30);
        // More than it looks at in one go, so it never sees that `u` was added.
        stage.start("first", empty()).await.unwrap();
        assert_eq!(triggers::catch_up(&stage.ctx).await.unwrap(), 2);
    }

    async fn two_triggers_that_start_each_other_end(database: &TestDatabase) {
        let stage = pair(database).await;
        stage.add(&["def first(x=None):\n    return 1\n"]).await;
        after(&stage, "a", "first", "second").await;
        after(&stage, "b", "second", "first").await;
        stage.start("first", empty()).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!((count(&stage, "first").await, count(&stage, "second").await), (2, 1));
    }

    async fn a_condition_decides(database: &TestDatabase) {
        let stage = pair(database).await;
        let mut trigger = TriggerContent::after("first", name("second"));
        trigger.condition = Some("event.output > 7".to_owned());
        put(&stage, "big", Content::Trigger(trigger.clone())).await;
        stage.start("first", empty()).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "second").await, 0);
        trigger.condition = Some("event.output >= 7".to_owned());
        put(&stage, "big", Content::Trigger(trigger)).await;
        stage.ctx.clock.advance(Duration::from_secs(1));
        stage.start("first", empty()).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "second").await, 1);
    }

    async fn two_servers_fire_a_trigger_once(database: &TestDatabase) {
        let stage = pair(database).await;
        after(&stage, "t", "first", "second").await;
        let other = stage.another(database).await;
        for _ in 0..5 {
            stage.start("first", empty()).await.unwrap();
        }
        let (one, two) = tokio::join!(triggers::catch_up(&stage.ctx), triggers::catch_up(&other.ctx));
        assert_eq!(one.unwrap() + two.unwrap(), 5);
        assert_eq!(count(&stage, "second").await, 5);
    }

    async fn a_schedule_ticks_once_with_any_number_of_servers(database: &TestDatabase) {
        let stage = pair(database).await;
        let schedule = ScheduleContent {
            description: String::new(),
            times: Times::EverySeconds(60),
            zone: "UTC".to_owned(),
            target: name("first"),
            input: serde_json::Map::new(),
            missed: Missed::Once,
            overlap: Overlap::Allow,
            paused: false,
        };
        put(&stage, "minutely", Content::Schedule(schedule)).await;
        let other = stage.another(database).await;
        scheduler::round(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "first").await, 0);
        for minutes in 1..4 {
            stage.ctx.clock.advance(Duration::from_secs(60));
            let (one, two) = tokio::join!(scheduler::round(&stage.ctx), scheduler::round(&other.ctx));
            one.unwrap();
            two.unwrap();
            assert_eq!(count(&stage, "first").await, minutes);
        }
        // An hour without a server is made up for once.
        stage.ctx.clock.advance(Duration::from_secs(3600));
        scheduler::round(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "first").await, 4);
    }
}
