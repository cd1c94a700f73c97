//! Servers whose clocks differ agree on what came first.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use sandbox::Value;
use serde_json::Map;
use server::app::schedules::agenda::Agenda;
use server::app::triggers::webhooks;
use server::app::{runs, schedules, triggers};
use server::clock::Clock;
use store::on_both;
use store::testing::{Gate, Passage, TestDatabase};

use super::script::{Stage, empty, function};
use crate::world::{ME, NOON, name};

const HOUR: Duration = Duration::from_secs(3600);

async fn open(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&[&function("first", ""), &function("second", "x"), &function("third", "")]).await;
    for played in ["first", "second", "third"] {
        stage.script.part(played, |_, _| async { Ok(Value::Int(7)) });
    }
    stage
}

fn clock(at: impl FnOnce(Timestamp) -> Timestamp) -> Clock {
    Clock::still(at(NOON.parse().unwrap()))
}

async fn put_trigger(stage: &Stage) {
    let trigger = TriggerContent::after("first", name("second"));
    triggers::put(&stage.ctx, &ME, name("t"), trigger).await.unwrap();
}

async fn put_schedule(stage: &Stage) {
    let schedule = ScheduleContent {
        description: String::new(),
        times: Times::Cron("@hourly".to_owned()),
        zone: "UTC".to_owned(),
        target: name("third"),
        input: Map::new(),
        missed: Missed::All,
        overlap: Overlap::Allow,
        paused: false,
    };
    schedules::put(&stage.ctx, &ME, name("s"), schedule).await.unwrap();
}

async fn count(stage: &Stage, function: &str) -> usize {
    let all = runs::list(&stage.ctx, &ME, Default::default(), 1000).await.unwrap();
    all.iter().filter(|run| run.key.name.as_str() == function).count()
}

on_both! {
    async fn a_trigger_hears_what_comes_after_it_though_its_server_was_ahead(database: &TestDatabase) {
        let stage = open(database).await;
        let ahead = stage.another_at(database, clock(|noon| noon + HOUR)).await;
        put_trigger(&ahead).await;
        stage.start("first", empty()).await.unwrap();
        server::triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "second").await, 1);
    }

    async fn a_trigger_is_deaf_to_what_came_before_it_though_its_server_was_behind(database: &TestDatabase) {
        let stage = open(database).await;
        let behind = stage.another_at(database, clock(|noon| noon - HOUR)).await;
        stage.start("first", empty()).await.unwrap();
        put_trigger(&behind).await;
        server::triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "second").await, 0);
    }

    async fn a_schedule_ticks_from_when_it_was_put_though_that_server_was_ahead(database: &TestDatabase) {
        let stage = open(database).await;
        let ahead = stage.another_at(database, clock(|noon| noon + 5 * HOUR)).await;
        let mut agenda = Agenda::default();
        put_schedule(&ahead).await;
        agenda.round(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "third").await, 0);
        for ticks in 1..3 {
            stage.ctx.clock.advance(HOUR);
            agenda.round(&stage.ctx).await.unwrap();
            assert_eq!(count(&stage, "third").await, ticks);
        }
    }

    async fn a_schedule_makes_up_for_nothing_from_before_it_was_put_though_that_server_was_behind(database: &TestDatabase) {
        let stage = open(database).await;
        let behind = stage.another_at(database, clock(|noon| noon - 5 * HOUR)).await;
        let mut agenda = Agenda::default();
        agenda.round(&stage.ctx).await.unwrap();
        put_schedule(&behind).await;
        agenda.round(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "third").await, 0);
        stage.ctx.clock.advance(HOUR);
        agenda.round(&stage.ctx).await.unwrap();
        assert_eq!(count(&stage, "third").await, 1);
    }

    async fn a_trigger_from_before_numbers_were_kept_hears_what_came_after_it(database: &TestDatabase) {
        let stage = open(database).await;
        let minute = Duration::from_secs(60);
        stage.start("first", empty()).await.unwrap();
        stage.ctx.clock.advance(minute);
        put_trigger(&stage).await;
        for _ in 0..2 {
            stage.ctx.clock.advance(minute);
            stage.start("first", empty()).await.unwrap();
        }
        let older = database.as_of("0012_bounds").await;
        let again = stage.another(&older).await;
        server::triggers::drain(&again.ctx).await.unwrap();
        assert_eq!(count(&again, "second").await, 2);
        again.close().await;
    }

    async fn whoever_reads_slowly_does_not_bring_an_older_list_of_triggers_back(database: &TestDatabase) {
        let stage = open(database).await;
        let elsewhere = stage.another(database).await;
        let gate = Gate::default();
        stage.ctx.store.pass_through(&gate, 1);
        let ctx = stage.ctx.clone();
        let slow = tokio::spawn(async move { webhooks::find(&ctx, "nobody").await.map(drop) });
        // It has asked for the revision, and then for all of them, and does not hear the answer yet.
        let answer = held_answer(&gate, 1).await;
        put_trigger(&elsewhere).await;
        let gate = Arc::new(gate);
        let passing = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move {
                loop {
                    for call in gate.waiting().iter().filter(|call| !call.is_answer) {
                        gate.let_through(call.number, Passage::Pass);
                    }
                    tokio::task::yield_now().await;
                }
            }
        });
        server::triggers::catch_up(&stage.ctx).await.unwrap();
        gate.let_through(answer, Passage::Pass);
        slow.await.unwrap().unwrap_err();
        stage.start("first", empty()).await.unwrap();
        assert_eq!(server::triggers::catch_up(&stage.ctx).await.unwrap(), 1, "the trigger is known");
        passing.abort();
    }
}

/// Lets so many calls pass, and the next without its answer. Answers where that waits.
async fn held_answer(gate: &Gate, mut passing: usize) -> u64 {
    loop {
        if let Some(call) = gate.waiting().first().cloned() {
            if call.is_answer {
                return call.number;
            }
            let passage = if passing > 0 { Passage::Pass } else { Passage::HoldAnswer };
            passing = passing.saturating_sub(1);
            gate.let_through(call.number, passage);
        }
        tokio::task::yield_now().await;
    }
}
