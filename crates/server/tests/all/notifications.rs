//! What people hear: that a Schedule keeps failing, that a Run asks, that a Changeset waits; once, and by the configured function.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use model::access::token::TokenRole;
use model::event::{Event, EventKind};
use model::run::RunState;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use sandbox::Value;
use secrecy::SecretBox;
use serde_json::{Map, Value as Json, json};
use server::app::changesets::Breakage;
use server::app::changesets::drafts::Proposal;
use server::app::schedules::agenda::Agenda;
use server::app::{changesets, schedules, secrets};
use server::triggers;
use store::testing::TestDatabase;
use store::{RunFilter, on_both};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::authority::narrow;
use crate::engine::script::{Stage, empty, function, raised};
use crate::http_client::servers::{Request, Server, answer};
use crate::triggers::{inputs, put};
use crate::world::{ME, answering, delete, name, source};

/// `works` does as it is told, `tell` passes on its text.
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

/// A webhook that refuses so many requests and then takes them, and what it gets.
async fn hook(refuses: usize) -> (Server, UnboundedReceiver<Request>) {
    let (got, requests) = unbounded_channel();
    let left = Arc::new(AtomicUsize::new(refuses));
    let server = Server::start(move |mut connection| async move {
        while let Some(request) = connection.try_request().await {
            let refused =
                left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
            got.send(request).unwrap();
            let refusal = || "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n".to_owned();
            connection.write(&if refused { refusal() } else { answer("") }).await;
        }
    });
    (server.await, requests)
}

async fn stage_with(database: &TestDatabase, hook: &Server) -> Stage {
    Stage::configured(database, |config| config.notify.webhook = Some(hook.url("/notify").parse().unwrap()))
        .await
}

/// Leaves a Changeset to somebody; the number of the Event that says so.
async fn propose(stage: &Stage, function: &str) -> u64 {
    changesets::propose(&stage.ctx, &ME, &Proposal::of("one more", vec![answering(function, 1)]))
        .await
        .unwrap();
    triggers::drain(&stage.ctx).await.unwrap();
    stage.last_event().await
}

/// The number of the Event that the next request is about, whenever it comes.
async fn posted(stage: &Stage, requests: &mut UnboundedReceiver<Request>) -> u64 {
    loop {
        match tokio::time::timeout(Duration::from_millis(20), requests.recv()).await {
            Ok(request) => return request.unwrap().header("webhook-id").unwrap().parse().unwrap(),
            Err(_) => stage.ctx.clock.advance(Duration::from_secs(1)),
        }
    }
}

on_both! {
    async fn that_a_schedule_keeps_failing_is_reported_once_until_it_succeeds(database: &TestDatabase) {
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

    async fn a_question_is_reported_once_in_the_batch_that_asks_it(database: &TestDatabase) {
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

    async fn a_changeset_that_waits_is_reported_with_its_number_and_one_that_is_applied_is_not(database: &TestDatabase) {
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

    async fn a_webhook_gets_each_event_once_after_it_is_stored(database: &TestDatabase) {
        let (server, mut requests) = hook(0).await;
        let stage = stage_with(database, &server).await;
        let first = propose(&stage, "new").await;
        let request = requests.recv().await.unwrap();
        assert_eq!(request.line, "POST /notify HTTP/1.1");
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("webhook-id"), Some(first.to_string().as_str()));
        let body: Json = serde_json::from_slice(&request.body).unwrap();
        assert_eq!((&body["kind"], &body["seq"]), (&json!("changeset.proposed"), &json!(first)));
        assert_eq!(body["text"], "changeset 1 (one more) waits to be applied");
        triggers::drain(&stage.ctx).await.unwrap();
        let second = propose(&stage, "newer").await;
        assert_eq!(posted(&stage, &mut requests).await, second, "the first is not sent again");
    }

    async fn a_webhook_that_refuses_is_called_again_later(database: &TestDatabase) {
        let (server, mut requests) = hook(2).await;
        let stage = stage_with(database, &server).await;
        let first = propose(&stage, "new").await;
        for _ in 0..3 {
            assert_eq!(posted(&stage, &mut requests).await, first);
        }
        let second = propose(&stage, "newer").await;
        assert_eq!(posted(&stage, &mut requests).await, second, "what was taken is not sent again");
    }

    async fn a_webhook_that_always_refuses_is_given_up(database: &TestDatabase) {
        let (server, mut requests) = hook(5).await;
        let stage = stage_with(database, &server).await;
        let first = propose(&stage, "new").await;
        for _ in 0..5 {
            assert_eq!(posted(&stage, &mut requests).await, first);
        }
        let second = propose(&stage, "newer").await;
        assert_eq!(posted(&stage, &mut requests).await, second);
    }

    async fn the_same_proposal_waits_once(database: &TestDatabase) {
        let (stage, _) = stage(database).await;
        let propose = async |title: &str, value| {
            let proposal = Proposal::of(title, vec![answering("new", value)]);
            changesets::propose(&stage.ctx, &ME, &proposal).await.unwrap().number
        };
        let first = propose("one more", 1).await;
        assert_eq!(propose("one more", 1).await, first);
        assert_eq!(heard(&stage, EventKind::ChangesetProposed).await.len(), 1);
        let others = [propose("one more", 2).await, propose("another", 1).await];
        assert!(!others.contains(&first) && others[0] != others[1]);
        // What is decided does not wait: it can be proposed again.
        changesets::reject(&stage.ctx, &ME, first, None).await.unwrap();
        assert_ne!(propose("one more", 1).await, first);
        // What would conflict is no longer the same.
        changesets::apply(&stage.ctx, &ME, others[0], Breakage::Refused).await.unwrap();
        let renewed = propose("another", 1).await;
        assert!(!others.contains(&renewed));
    }

    async fn the_function_that_tells_is_lent_nothing_by_the_configuration(database: &TestDatabase) {
        let (stage, _) = stage(database).await;
        let builder = narrow(TokenRole::Builder, &["tell"], &[], &[]);
        let replaced = Proposal::of("", vec![source(&function("tell", "text, more=1"))]);
        for proposal in [&Proposal::of("", vec![delete("tell")]), &replaced] {
            let error = changesets::register(&stage.ctx, &builder, proposal).await.unwrap_err();
            assert_eq!(error.code(), "needs_approval", "the server starts it, with what others do");
        }
        let waits = changesets::list(&stage.ctx, &ME, store::ChangesetFilter::default(), 1).await.unwrap();
        changesets::apply(&stage.ctx, &ME, waits[0].summary.number, Breakage::Refused).await.unwrap();
        stage.queue("asks", empty()).await;
        triggers::drain(&stage.ctx).await.unwrap();
        let told = stage.ctx.store.runs(&RunFilter { name: Some("tell".to_owned()), ..RunFilter::default() }, 1).await.unwrap();
        assert_eq!((&told[0].actor, &*told[0].authority), (&ME.actor, &*builder.authority));
    }
}
