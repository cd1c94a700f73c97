//! Schedules as people use them: when they tick, what became of it, and what is refused when it is saved.

use std::time::Duration;

use model::event::EventKind;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use serde_json::{Map, Value as Json, json};
use server::app::changesets::drafts::Proposal;
use server::app::schedules::agenda::Agenda;
use server::app::{changesets, schedules};
use server::triggers;
use store::on_both;
use store::testing::{Fault, TestDatabase};

use crate::engine::script::Stage;
use crate::triggers::{after_first, inputs, pair, put};
use crate::world::{ME, delete, findings, name};

const HOUR: Duration = Duration::from_secs(3600);

fn hourly(target: &str) -> ScheduleContent {
    ScheduleContent {
        description: String::new(),
        times: Times::Cron("@hourly".to_owned()),
        zone: "UTC".to_owned(),
        target: name(target),
        input: Map::new(),
        missed: Missed::Once,
        overlap: Overlap::Allow,
        paused: false,
    }
}

async fn add(stage: &Stage, schedule: &str, content: ScheduleContent) {
    schedules::put(&stage.ctx, &ME, name(schedule), content).await.unwrap();
}

async fn refused(stage: &Stage, content: ScheduleContent) -> String {
    let error = schedules::put(&stage.ctx, &ME, name("s"), content).await.unwrap_err();
    let found = findings(&error);
    if found.is_empty() { format!("{error} ({})", error.hint().unwrap()) } else { found.join("\n") }
}

async fn hour_passes(stage: &Stage, agenda: &mut Agenda) {
    stage.ctx.clock.advance(HOUR);
    agenda.round(&stage.ctx).await.unwrap();
}

on_both! {
    async fn a_schedule_is_put_listed_paused_resumed_and_removed(database: &TestDatabase) {
        let stage = pair(database).await;
        let mut agenda = Agenda::default();
        add(&stage, "s", hourly("first")).await;
        hour_passes(&stage, &mut agenda).await;
        let view = schedules::show(&stage.ctx, &ME, &name("s"), 2).await.unwrap();
        assert_eq!((view.line.started, view.line.skipped, view.ticks.len()), (1, 0, 1));
        let next: Vec<String> = view.next_times.iter().map(ToString::to_string).collect();
        assert_eq!(next, ["2026-03-01T14:00:00Z", "2026-03-01T15:00:00Z"]);
        assert_eq!(view.line.next.map(|at| at.to_string()).as_deref(), Some("2026-03-01T14:00:00Z"));

        schedules::switch(&stage.ctx, &ME, name("s"), true).await.unwrap();
        hour_passes(&stage, &mut agenda).await;
        hour_passes(&stage, &mut agenda).await;
        let page = schedules::list(&stage.ctx, &ME, None, 10).await.unwrap();
        assert_eq!((page.schedules[0].started, page.schedules[0].next), (1, None));
        // What is live then is the first version again, and yet the pause is not made up for.
        schedules::switch(&stage.ctx, &ME, name("s"), false).await.unwrap();
        agenda.round(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "first").await.len(), 1);
        hour_passes(&stage, &mut agenda).await;
        assert_eq!(inputs(&stage, "first").await.len(), 2);

        schedules::remove(&stage.ctx, &ME, name("s")).await.unwrap();
        hour_passes(&stage, &mut agenda).await;
        assert_eq!(inputs(&stage, "first").await.len(), 2);
        assert_eq!(schedules::show(&stage.ctx, &ME, &name("s"), 1).await.unwrap_err().code(), "not_found");
    }

    async fn a_schedule_dies_with_its_target_in_one_transaction(database: &TestDatabase) {
        let stage = pair(database).await;
        let mut agenda = Agenda::default();
        add(&stage, "s", hourly("first")).await;
        let before = stage.ctx.store.revision().await.unwrap();
        let proposal = Proposal::of("", vec![delete("first")]);
        let applied = changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
        assert_eq!((applied.revision, applied.moves.len()), (before.next(), 2));
        hour_passes(&stage, &mut agenda).await;
        assert!(schedules::list(&stage.ctx, &ME, None, 10).await.unwrap().schedules.is_empty());
        assert!(inputs(&stage, "first").await.is_empty());
        assert_eq!(database.count("ticks").await, 0);
        // One of the same name is another function, until somebody says otherwise.
        stage.add(&["def first():\n    return 2\n"]).await;
        hour_passes(&stage, &mut agenda).await;
        assert!(inputs(&stage, "first").await.is_empty());
    }

    async fn nothing_is_read_about_what_is_not_due(database: &TestDatabase) {
        let stage = pair(database).await;
        let mut agenda = Agenda::default();
        for schedule in ["s", "t", "u"] {
            add(&stage, schedule, hourly("first")).await;
        }
        let next = agenda.round(&stage.ctx).await.unwrap();
        // The revision alone is asked for.
        stage.ctx.store.fail_at(Fault::Before(1));
        assert_eq!(agenda.round(&stage.ctx).await.unwrap(), next);
        assert!(!stage.ctx.store.fault_was_reached());
        stage.ctx.store.fail_at(None);
        hour_passes(&stage, &mut agenda).await;
        assert_eq!(inputs(&stage, "first").await.len(), 3);
    }

    async fn a_tick_that_could_not_be_recorded_is_not_lost(database: &TestDatabase) {
        let stage = pair(database).await;
        let mut agenda = Agenda::default();
        add(&stage, "s", hourly("first")).await;
        agenda.round(&stage.ctx).await.unwrap();
        for n in 0.. {
            let before = inputs(&stage, "first").await.len();
            stage.ctx.clock.advance(HOUR);
            stage.ctx.store.fail_at(Fault::Before(n));
            let failed = agenda.round(&stage.ctx).await.is_err();
            let was_reached = stage.ctx.store.fault_was_reached();
            stage.ctx.store.fail_at(None);
            agenda.round(&stage.ctx).await.unwrap();
            assert_eq!(inputs(&stage, "first").await.len(), before + 1, "after the failure of call {n}");
            assert_eq!(failed, was_reached);
            if !was_reached {
                break;
            }
        }
    }

    async fn what_cannot_be_is_refused_when_it_is_saved(database: &TestDatabase) {
        let stage = pair(database).await;
        let with = |input: Json| ScheduleContent { input: input.as_object().cloned().unwrap(), ..hourly("second") };
        let at = |times: Times| ScheduleContent { times, ..hourly("first") };
        let wrong = [
            with(json!({})),
            with(json!({"x": 1, "y": 2})),
            at(Times::Cron("61 * * * *".to_owned())),
            at(Times::At("2020-01-01T00:00:00Z".parse().unwrap())),
            ScheduleContent { zone: "Europe/Wien".to_owned(), ..hourly("first") },
            hourly("frist"),
        ];
        let mut told = Vec::new();
        for content in wrong {
            told.push(refused(&stage, content).await);
        }
        assert_eq!(told, [
                "s: its input for `second`: missing 1 required positional argument: `x` (`selfmade fn show second` shows what it takes)",
                "s: its input for `second`: got an unexpected keyword argument `y` (`selfmade fn show second` shows what it takes)",
                "minute `61` is out of range; allowed is 0 to 59, for example `*/15` (times are written as cron (`30 9 * * MON-FRI`), `@daily`, `every 5m` or `2026-12-24T18:00`)",
                "schedule `s` would never tick, because its time has passed (choose a time in the future)",
                "`Europe/Wien` is not a time zone; did you mean `Europe/Vienna`? (time zones are named as in the IANA database, such as `Europe/Berlin` or `UTC`)",
                "s: it starts `frist`, which is not stored (did you mean `first`?)",
            ]);
        assert_eq!(database.count("ticks").await, 0);
    }

    async fn a_tick_is_an_event_with_the_run_it_started(database: &TestDatabase) {
        let stage = pair(database).await;
        let mut agenda = Agenda::default();
        add(&stage, "s", hourly("first")).await;
        let on = EventKind::ScheduleTicked.into();
        let input = json!({"x": "{{ event.run_id }}"}).as_object().cloned();
        put(&stage, "t", TriggerContent { on, source: Some("s".to_owned()), input, ..after_first() }).await;
        hour_passes(&stage, &mut agenda).await;
        triggers::drain(&stage.ctx).await.unwrap();
        let view = schedules::show(&stage.ctx, &ME, &name("s"), 0).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({"x": view.ticks[0].run_id})]);
    }

    async fn a_tick_that_starts_nothing_says_why(database: &TestDatabase) {
        let stage = pair(database).await;
        let mut agenda = Agenda::default();
        add(&stage, "s", ScheduleContent { overlap: Overlap::Skip, ..hourly("first") }).await;
        hour_passes(&stage, &mut agenda).await;
        hour_passes(&stage, &mut agenda).await;
        let view = schedules::show(&stage.ctx, &ME, &name("s"), 0).await.unwrap();
        assert_eq!(view.ticks[0].skipped.as_deref(), Some("the run of the last tick is still running"));
        assert_eq!((view.line.started, view.line.skipped), (1, 1));
        let ticked = stage.ctx.store.events_before(u64::MAX >> 1, Some(&EventKind::ScheduleTicked), 10, ME.only()).await.unwrap();
        let told: Vec<bool> = ticked.iter().map(|event| event.fact.data["run_id"].is_null()).collect();
        assert_eq!(told, [true, false], "both are told, the newest first");
    }

    async fn what_a_tick_would_start_can_be_run_now(database: &TestDatabase) {
        let stage = pair(database).await;
        let input = json!({"x": 5}).as_object().cloned().unwrap();
        add(&stage, "s", ScheduleContent { input, paused: true, ..hourly("second") }).await;
        let request = schedules::now(&stage.ctx, &ME, &name("s")).await.unwrap();
        let run = server::app::runs::start(&stage.ctx, &ME, request).await.unwrap();
        assert_eq!((run.output, run.actor), (Some(json!(5)), ME.actor.clone()));
    }
}
