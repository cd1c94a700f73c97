//! What people hear: that a Schedule keeps failing, that a Run asks, that a Changeset waits; once, and by the configured function.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::event::{Event, EventKind};
use model::run::RunState;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use sandbox::Value;
use secrecy::SecretBox;
use serde_json::{Map, Value as Json, json};
use server::app::changesets::drafts::Proposal;
use server::app::{changesets, schedules, secrets};
use server::scheduler::Agenda;
use server::triggers;
use store::on_both;
use store::testing::TestDatabase;

use crate::engine::script::{Stage, empty, function, raised};
use crate::triggers::{inputs, put};
use crate::world::{ME, answering, name};

/// `works` does as it is told, `tell` hands on its text.
async fn stage(database: &TestDatabase) -> (Stage, Arc<AtomicBool>) {
    let stage = Stage::configured(database, |config| {
        config.notify.function = Some(name("tell"));
    })
    .await;
    stage.add(&[&function("works", ""), &function("tell", "text"), &function("asks", "")]).await;
    let fails = Arc::new(AtomicBool::new(true));
    let told = Arc::clone(&fails);
    stage.script.part("works", move |_, _| {
        let fails = told.load(Ordering::SeqCst);
        async move { if fails { Err(raised("KeyError", "gone")) } else { Ok(Value::None) } }
    });
    stage.script.part("tell", |work, _| async move { Ok(work.input.get("text").cloned().unwrap()) });
    stage
        .script
        .part("asks", |_, host| async move { Ok(host.verb("ask", vec!["Now?".into()]).await.unwrap()) });
    (stage, fails)
}

fn hourly(overlap: Overlap) -> ScheduleContent {
    ScheduleContent {
        description: String::new(),
        times: Times::Cron("@hourly".to_owned()),
        zone: "UTC".to_owned(),
        target: name("works"),
        input: Map::new(),
        missed: Missed::Once,
        overlap,
        paused: false,
    }
}

async fn hours_pass(stage: &Stage, agenda: &mut Agenda, hours: u32) {
    for _ in 0..hours {
        stage.ctx.clock.advance(Duration::from_secs(3600));
        agenda.round(&stage.ctx).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
    }
}

async fn heard(stage: &Stage, kind: EventKind) -> Vec<Event> {
    stage.ctx.store.events_before(u64::MAX >> 1, Some(&kind), 10, ME.only()).await.unwrap()
}

async fn failures(stage: &Stage) -> Vec<u64> {
    let events = heard(stage, EventKind::ScheduleFailing).await;
    events.iter().map(|event| event.fact.data["failures"].as_u64().unwrap()).collect()
}

async fn texts(stage: &Stage) -> Vec<String> {
    let texts = inputs(stage, "tell").await;
    texts.iter().map(|input| input["text"].as_str().unwrap().to_owned()).collect()
}

on_both! {
    async fn that_a_schedule_keeps_failing_is_told_once_until_it_succeeds(database: &TestDatabase) {
        let (stage, fails) = stage(database).await;
        let mut agenda = Agenda::default();
        schedules::put(&stage.ctx, &ME, name("s"), hourly(Overlap::Allow)).await.unwrap();
        hours_pass(&stage, &mut agenda, 2).await;
        assert_eq!(failures(&stage).await, [0; 0], "twice may be chance");
        hours_pass(&stage, &mut agenda, 5).await;
        assert_eq!(failures(&stage).await, [3], "once, and not at every failure");
        assert_eq!(texts(&stage).await, ["schedule `s` failed 3 times in a row: KeyError: gone"]);
        let event = heard(&stage, EventKind::ScheduleFailing).await.remove(0).fact;
        assert_eq!((event.source.as_str(), &event.data["target"]), ("s", &json!("works")));

        fails.store(false, Ordering::SeqCst);
        hours_pass(&stage, &mut agenda, 1).await;
        fails.store(true, Ordering::SeqCst);
        hours_pass(&stage, &mut agenda, 2).await;
        assert_eq!(failures(&stage).await, [3], "success began a new count");
        hours_pass(&stage, &mut agenda, 1).await;
        assert_eq!(failures(&stage).await, [3, 3]);
    }

    async fn a_tick_that_can_start_nothing_is_a_failure(database: &TestDatabase) {
        let (stage, _) = stage(database).await;
        let mut agenda = Agenda::default();
        let input = json!({ "text": "hunter2hunter2" }).as_object().cloned().unwrap();
        let content = ScheduleContent { target: name("tell"), input, ..hourly(Overlap::Skip) };
        schedules::put(&stage.ctx, &ME, name("s"), content).await.unwrap();
        // What is queued is stored, so it must not hold a secret.
        let value = SecretBox::new(Box::new(b"hunter2hunter2".to_vec()));
        secrets::set(&stage.ctx, &ME, "K", &value).await.unwrap();
        hours_pass(&stage, &mut agenda, 5).await;
        assert_eq!(failures(&stage).await, [3]);
        let told = texts(&stage).await;
        assert!(told[0].starts_with("schedule `s` failed 3 times in a row: NotStarted: "), "{told:?}");
    }

    async fn a_question_is_told_once_in_the_batch_that_asks_it(database: &TestDatabase) {
        let (stage, _) = stage(database).await;
        let run = stage.queue("asks", empty()).await;
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(stage.ctx.store.run(run.run_id).await.unwrap().unwrap().state, RunState::Waiting);
        let asked = heard(&stage, EventKind::QuestionAsked).await;
        assert_eq!(asked.len(), 1);
        assert_eq!((asked[0].fact.source.as_str(), &asked[0].fact.data["question"]), ("asks", &json!("Now?")));
        assert_eq!(texts(&stage).await, ["`asks` asks: Now?"]);
        server::app::runs::answer(&stage.ctx, &ME, run.run_id, json!("yes")).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(heard(&stage, EventKind::QuestionAsked).await.len(), 1);
    }

    async fn a_changeset_that_waits_is_told_with_its_number_and_one_that_is_applied_is_not(database: &TestDatabase) {
        let (stage, _) = stage(database).await;
        let proposal = Proposal::of("one more", vec![answering("new", 1)]);
        let proposed = changesets::propose(&stage.ctx, &ME, &proposal).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        let waits = heard(&stage, EventKind::ChangesetProposed).await;
        assert_eq!(waits.len(), 1, "what was registered was never left to anybody");
        let data = &waits[0].fact.data;
        assert_eq!((&data["number"], &data["ready"]), (&json!(proposed.number), &json!(true)));
        assert_eq!(texts(&stage).await, [format!("changeset {} (one more) waits to be applied", proposed.number)]);
    }

    async fn triggers_act_on_what_is_for_people(database: &TestDatabase) {
        let (stage, _) = stage(database).await;
        stage.add(&[&function("second", "text")]).await;
        stage.script.part("second", |_, _| async { Ok(Value::None) });
        let input: Option<Map<String, Json>> = json!({ "text": "{{ event.message }}" }).as_object().cloned();
        let on = EventKind::QuestionAsked.into();
        let content = TriggerContent { on, input, ..TriggerContent::after("asks", name("second")) };
        put(&stage, "t", content).await;
        stage.queue("asks", empty()).await;
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({ "text": "`asks` asks: Now?" })]);
    }

    async fn the_function_that_tells_hears_nothing_of_itself(database: &TestDatabase) {
        let (stage, _) = stage(database).await;
        stage.script.part("tell", |_, host| async move { Ok(host.verb("ask", vec!["Seen?".into()]).await.unwrap()) });
        stage.queue("asks", empty()).await;
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(heard(&stage, EventKind::QuestionAsked).await.len(), 2);
        assert_eq!(inputs(&stage, "tell").await.len(), 1);
    }
}
