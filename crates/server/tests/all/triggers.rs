//! Triggers as people use them: what is refused when it is saved, what they did, and what they would do.

use std::time::Duration;

use model::event::{EventKind, NewEvent};
use model::trigger::{RateLimit, TriggerContent};
use sandbox::Value;
use serde_json::{Value as Json, json};
use server::app::changesets::Breakage;
use server::app::triggers::webhooks;
use server::app::{changesets, runs, triggers};
use server::triggers::{catch_up, drain};
use store::on_both;
use store::testing::TestDatabase;

use crate::engine::script::{Stage, empty, function};
use crate::world::{ME, findings, name};

/// `first` returns 7; `second` takes `x` and hands it on.
pub(crate) async fn pair(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&[&function("first", ""), &function("second", "x")]).await;
    stage.script.part("first", |_, _| async { Ok(Value::Int(7)) });
    stage.script.part("second", |work, _| async move { Ok(work.input.get("x").cloned().unwrap()) });
    stage
}

pub(crate) fn after_first() -> TriggerContent {
    TriggerContent::after("first", name("second"))
}

pub(crate) async fn put(stage: &Stage, trigger: &str, content: TriggerContent) {
    triggers::put(&stage.ctx, &ME, name(trigger), content).await.unwrap();
}

/// What is wrong with a Trigger.
async fn refused(stage: &Stage, content: TriggerContent) -> String {
    let error = triggers::put(&stage.ctx, &ME, name("t"), content).await.unwrap_err();
    findings(&error).join("\n")
}

/// The inputs of the runs of a function, oldest first.
pub(crate) async fn inputs(stage: &Stage, function: &str) -> Vec<Json> {
    let mut all = runs::list(&stage.ctx, &ME, Default::default(), 1000).await.unwrap();
    all.retain(|run| run.key.name.as_str() == function);
    all.into_iter().rev().map(|run| run.input).collect()
}

/// Something happens, so long after what happened before.
async fn emit(stage: &Stage, n: u64, after: Duration) {
    stage.ctx.clock.advance(after);
    let event = NewEvent {
        kind: EventKind::Custom("n".to_owned()),
        source: "first".to_owned(),
        data: json!({ "n": n }),
        actor: ME.actor.clone(),
        at: stage.ctx.clock.now(),
    };
    stage.ctx.store.append_events(&[event]).await.unwrap();
}

fn on_custom() -> TriggerContent {
    let input = json!({"x": "{{ event.n }}"}).as_object().cloned();
    TriggerContent { on: EventKind::Custom("n".to_owned()).into(), input, ..after_first() }
}

/// What each firing came to, the oldest first: the event's number here, and what stopped it.
async fn told(stage: &Stage, trigger: &str) -> Vec<String> {
    let page = triggers::firings(&stage.ctx, &ME, &name(trigger), None, 100).await.unwrap();
    let told = page.firings.into_iter().rev();
    told.map(|firing| firing.stopped.unwrap_or_else(|| "started".to_owned())).collect()
}

const SECOND: Duration = Duration::from_secs(1);

on_both! {
    async fn a_trigger_is_put_listed_switched_and_removed(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", after_first()).await;
        stage.start("first", empty()).await.unwrap();
        drain(&stage.ctx).await.unwrap();
        let page = triggers::list(&stage.ctx, &ME, None, 10).await.unwrap();
        let line = &page.triggers[0];
        assert_eq!((page.triggers.len(), line.fired, line.stopped, line.enabled), (1, 1, 0, true));
        assert_eq!(line.last_fired, Some(stage.ctx.clock.now()));

        let off = triggers::switch(&stage.ctx, &ME, name("t"), false).await.unwrap();
        assert_eq!(off.moves.len(), 1);
        let again = triggers::switch(&stage.ctx, &ME, name("t"), false).await.unwrap();
        assert_eq!(again.changeset, None, "it is disabled already");
        stage.ctx.clock.advance(SECOND);
        stage.start("first", empty()).await.unwrap();
        drain(&stage.ctx).await.unwrap();
        let view = triggers::show(&stage.ctx, &ME, &name("t")).await.unwrap();
        assert_eq!((view.line.enabled, view.line.fired, view.firings.len()), (false, 1, 1));

        triggers::remove(&stage.ctx, &ME, name("t")).await.unwrap();
        assert!(triggers::list(&stage.ctx, &ME, None, 10).await.unwrap().triggers.is_empty());
        assert_eq!(told(&stage, "t").await, ["started"], "what it did is still known");
        for gone in [
            triggers::remove(&stage.ctx, &ME, name("t")).await.unwrap_err(),
            triggers::switch(&stage.ctx, &ME, name("t"), true).await.unwrap_err(),
        ] {
            assert_eq!(gone.code(), "not_found");
        }
    }

    async fn a_list_has_pages(database: &TestDatabase) {
        let stage = pair(database).await;
        for trigger in ["a", "b", "c"] {
            put(&stage, trigger, after_first()).await;
        }
        let first = triggers::list(&stage.ctx, &ME, None, 2).await.unwrap();
        assert_eq!((first.triggers.len(), first.next.clone()), (2, Some(name("b"))));
        let second = triggers::list(&stage.ctx, &ME, Some("b"), 2).await.unwrap();
        assert_eq!((second.triggers[0].name.clone(), second.next), (name("c"), None));
    }

    // What is enabled again, is a Version that was written long ago.
    async fn what_happened_while_it_was_disabled_is_let_be(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", after_first()).await;
        catch_up(&stage.ctx).await.unwrap();
        triggers::switch(&stage.ctx, &ME, name("t"), false).await.unwrap();
        stage.ctx.clock.advance(SECOND);
        stage.start("first", empty()).await.unwrap();
        stage.ctx.clock.advance(SECOND);
        triggers::switch(&stage.ctx, &ME, name("t"), true).await.unwrap();
        assert_eq!(drain(&stage.ctx).await.unwrap(), 0);
        stage.start("first", empty()).await.unwrap();
        assert_eq!(drain(&stage.ctx).await.unwrap(), 1);
    }

    async fn what_cannot_be_understood_is_refused_with_place_and_help(database: &TestDatabase) {
        let stage = pair(database).await;
        let before = database.dump().await;
        let with = |input: Json| TriggerContent { input: input.as_object().cloned(), ..after_first() };
        let wrong = [
            TriggerContent { condition: Some("event.output >".to_owned()), ..after_first() },
            with(json!({"x": "{{ event.output + }}"})),
            with(json!({"x": "{% if event.output %}yes"})),
            with(json!({"x": "{{ evnt.output }}", "xs": 1})),
            with(json!({})),
            TriggerContent::after("first", name("secnd")),
            TriggerContent::after("first run", name("second")),
        ];
        let mut told = Vec::new();
        for content in wrong {
            told.push(refused(&stage, content).await);
        }
        assert_eq!(told, [
                "t: its condition: `event.output >` cannot be parsed: unexpected end of input, expected expression (write an expression over the event, such as `event.output.score > 0.8`)",
                "t: its input `x`: `event.output +` cannot be parsed: unexpected end of input, expected expression (write for example `{{ event.output }}`, or `{{ event.output.score * 100 }}`)",
                "t: its input `x`: `{% if event.output %}yes` cannot be parsed: unexpected end of input, expected end of block (write for example `{{ event.output }}`, or `{{ event.output.score * 100 }}`)",
                "t: its input `x` uses `evnt`, but only `event` is known; write for example `{{ event.output }}`\nt: its input `xs` is not a parameter of `second` (`selfmade fn show second` shows what it takes)",
                "t: its input lacks `x`, which `second` requires (add for example `\"x\": \"{{ event.output }}\"`)",
                "t: it starts `secnd`, which is not stored (did you mean `second`?)",
                "t: its source `first run` matches no name, because no name contains ` `; write a name or a pattern such as `report.*`",
            ]);
        assert_eq!(database.dump().await, before);
    }

    async fn a_slip_in_a_condition_is_reported_when_it_is_saved_and_what_lacks_when_it_is_tried(database: &TestDatabase) {
        let stage = pair(database).await;
        let typed = "from typing import TypedDict\n\nclass Order(TypedDict):\n    total: int\n\ndef order() -> Order:\n    return {'total': 1}\n";
        stage.add(&[typed]).await;
        let warned = async |source: &str, condition: &str| {
            let content = TriggerContent {
                source: Some(source.to_owned()), condition: Some(condition.to_owned()), ..after_first()
            };
            let applied = triggers::put(&stage.ctx, &ME, name("t"), content).await.unwrap();
            applied.warnings.into_iter().map(|finding| finding.message).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(warned("first", "event.outptu > 1").await, "its condition looks at `event.outptu`, but `event` has no `outptu`; did you mean `output`?");
        assert_eq!(warned("order", "event.output.totl > 1").await, "its condition looks at `event.output.totl`, but `event.output` has no `totl`; did you mean `total`?");
        assert_eq!(warned("order", "event.output.total > 1 and event.source == 'order'").await, "");

        assert_eq!(warned("first", "event.output.total > 2").await, "", "nothing is known of what it returns");
        stage.start("first", empty()).await.unwrap();
        assert_eq!(warned("first", "event.output.total > 1").await, "its condition looks at `event.output.total`, but in the last event `event.output` is the number 7, which has no keys");
        let content = triggers::content(&stage.ctx, &ME, &name("t")).await.unwrap();
        let tried = triggers::dry_run(&stage.ctx, &ME, &content, stage.ctx.clock.now()).await.unwrap();
        assert_eq!(tried.verdicts[0].why, "its condition `event.output.total > 1` is false: `event.output` is the number 7, which has no keys");
    }

    async fn a_dry_run_tells_what_it_would_have_fired_on(database: &TestDatabase) {
        let stage = pair(database).await;
        for n in 1..=4 {
            emit(&stage, n, Duration::from_secs(3600)).await;
        }
        let mut content = on_custom();
        content.condition = Some("event.n != 3".to_owned());
        content.enabled = false;
        let since = stage.ctx.clock.now() - Duration::from_secs(9000);
        let rehearsal = triggers::dry_run(&stage.ctx, &ME, &content, since).await.unwrap();
        let fires: Vec<bool> = rehearsal.verdicts.iter().map(|verdict| verdict.fires).collect();
        assert_eq!((fires, rehearsal.fires, rehearsal.complete), (vec![true, false, true], 2, true));
        assert_eq!(rehearsal.verdicts[1].why, "its condition `event.n != 3` is false");
        assert!(inputs(&stage, "second").await.is_empty(), "nothing was run");
        content.on = "custom.*".parse().unwrap();
        let all = triggers::dry_run(&stage.ctx, &ME, &content, since).await.unwrap();
        assert_eq!(all.fires, 2, "a pattern goes through all events");
        content.input = json!({"x": "no {{ event.lost }}"}).as_object().cloned();
        let none = triggers::dry_run(&stage.ctx, &ME, &content, since).await.unwrap();
        assert_eq!(none.fires, 0, "what cannot be handed over starts nothing");
        assert!(none.verdicts[0].why.starts_with("input `x` cannot be made from `no {{ event.lost }}`: the event has nothing there"), "{none:?}");
    }

    async fn a_trial_shows_what_the_target_would_get(database: &TestDatabase) {
        let stage = pair(database).await;
        let input = json!({"x": "{{ event.output.score * 2 }}"}).as_object().cloned();
        let content = TriggerContent { input, ..after_first() };
        let made_up = |source: &str, data: Json| {
            triggers::made_up(&stage.ctx, &ME, EventKind::RunFinished, source.to_owned(), data)
        };
        let event = made_up("first", json!({"output": {"score": 4}}));
        let trial = triggers::trial(&stage.ctx, &ME, &content, &event).await.unwrap();
        assert_eq!(Json::from(trial.input.unwrap()), json!({"x": 8}));
        let other = made_up("other", json!({}));
        let trial = triggers::trial(&stage.ctx, &ME, &content, &other).await.unwrap();
        assert_eq!((trial.verdict.fires, trial.input), (false, None));
        assert_eq!(trial.verdict.why, "the event comes from `other`, but it listens to `first`");
        let broken = made_up("first", json!({"output": {"score": {}}}));
        let trial = triggers::trial(&stage.ctx, &ME, &content, &broken).await.unwrap();
        assert!(trial.problem.unwrap().starts_with("input `x` cannot be made"));
    }

    async fn a_rate_limit_stops_and_says_so(database: &TestDatabase) {
        let stage = pair(database).await;
        let rate_limit = Some(RateLimit { runs: 1, seconds: 60 });
        put(&stage, "t", TriggerContent { rate_limit, ..on_custom() }).await;
        for n in 1..=3 {
            emit(&stage, n, Duration::from_secs(40)).await;
            drain(&stage.ctx).await.unwrap();
        }
        assert_eq!(inputs(&stage, "second").await, [json!({"x": 1}), json!({"x": 3})]);
        let told = told(&stage, "t").await;
        assert!(told[1].starts_with("it has fired 1 times in 60 seconds"), "{told:?}");
        assert_eq!(triggers::show(&stage.ctx, &ME, &name("t")).await.unwrap().line.stopped, 1);
    }

    async fn a_burst_is_one_run_for_its_last_event_and_counts_once(database: &TestDatabase) {
        let stage = pair(database).await;
        let rate_limit = Some(RateLimit { runs: 2, seconds: 600 });
        put(&stage, "t", TriggerContent { rate_limit, debounce_ms: Some(5_000), ..on_custom() }).await;
        // Two are read together, the third by itself.
        emit(&stage, 1, SECOND).await;
        emit(&stage, 2, SECOND).await;
        catch_up(&stage.ctx).await.unwrap();
        emit(&stage, 3, SECOND).await;
        catch_up(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({"x": 3})], "what was taken back is gone");
        assert_eq!(drain(&stage.ctx).await.unwrap(), 0, "it waits");
        assert_eq!(stage.executions(), 0);
        stage.ctx.clock.advance(5 * SECOND);
        drain(&stage.ctx).await.unwrap();
        assert_eq!(stage.executions(), 1);
        let told_first = told(&stage, "t").await;
        assert!(told_first[0].ends_with("followed before its pause was over, and replaces it"), "{told_first:?}");
        assert_eq!((told_first[1] == told_first[0], told_first[2].as_str()), (false, "started"));

        // A second burst is allowed, because the first counts once; a third is not.
        for n in 4..=6 {
            emit(&stage, n, SECOND).await;
            catch_up(&stage.ctx).await.unwrap();
        }
        stage.ctx.clock.advance(5 * SECOND);
        drain(&stage.ctx).await.unwrap();
        emit(&stage, 7, SECOND).await;
        stage.ctx.clock.advance(5 * SECOND);
        drain(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({"x": 3}), json!({"x": 6})]);
        let line = triggers::show(&stage.ctx, &ME, &name("t")).await.unwrap().line;
        assert_eq!((line.fired, line.stopped), (2, 5));
        let events = stage.ctx.store.events_after(0, 1000).await.unwrap();
        assert!(events.iter().all(|event| event.fact.kind != EventKind::RunCancelled));
    }

    async fn a_stream_without_a_pause_is_held_back_again_and_again(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", TriggerContent { debounce_ms: Some(2_000), ..on_custom() }).await;
        for n in 1..=60 {
            emit(&stage, n, SECOND).await;
            drain(&stage.ctx).await.unwrap();
        }
        // Ten times two seconds at most, so about every twenty events, and not each from then on.
        let count = inputs(&stage, "second").await.len();
        assert!((3..=4).contains(&count), "{count}");
    }

    async fn a_run_that_has_begun_is_not_taken_back(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", TriggerContent { debounce_ms: Some(1_000), ..on_custom() }).await;
        emit(&stage, 1, SECOND).await;
        catch_up(&stage.ctx).await.unwrap();
        stage.ctx.clock.advance(SECOND);
        drain(&stage.ctx).await.unwrap();
        emit(&stage, 2, Duration::ZERO).await;
        stage.ctx.clock.advance(SECOND);
        drain(&stage.ctx).await.unwrap();
        stage.ctx.clock.advance(SECOND);
        drain(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({"x": 1}), json!({"x": 2})]);
    }

    async fn what_is_emitted_is_what_the_target_gets(database: &TestDatabase) {
        let stage = pair(database).await;
        stage.script.part("first", |_, host| async move {
            let data = Value::Str("hello".to_owned());
            host.verb("emit", vec![Value::Str("mail".to_owned()), data]).await.unwrap();
            Ok(Value::None)
        });
        put(&stage, "t", TriggerContent { on: "custom.mail".parse().unwrap(), ..after_first() }).await;
        stage.start("first", empty()).await.unwrap();
        drain(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({"x": "hello"})]);
    }

    async fn a_webhook_is_an_event_only_where_a_trigger_waits_for_it(database: &TestDatabase) {
        let stage = pair(database).await;
        let send = async |name: &str, data| webhooks::receive(&stage.ctx, &ME, name, data, None).await;
        put(&stage, "everything", TriggerContent { on: "*".parse().unwrap(), ..after_first() }).await;
        assert_eq!(send("github", json!({})).await.unwrap_err().code(), "not_found");
        triggers::remove(&stage.ctx, &ME, name("everything")).await.unwrap();
        let source = Some("github".to_owned());
        let content = TriggerContent { on: EventKind::WebhookReceived.into(), source, ..after_first() };
        put(&stage, "push", content).await;
        send("github", json!({"ref": "main"})).await.unwrap();
        assert_eq!(send("gitlab", json!({})).await.unwrap_err().to_string(), "there is no webhook named `gitlab`");
        let long = "x".repeat(1_000_001);
        assert_eq!(send("github", long.into()).await.unwrap_err().code(), "bad_input");
        drain(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({"x": {"ref": "main"}})]);
    }

    async fn what_was_switched_can_be_reverted(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", after_first()).await;
        let off = triggers::switch(&stage.ctx, &ME, name("t"), false).await.unwrap();
        let view = changesets::show(&stage.ctx, &ME, off.changeset.unwrap()).await.unwrap();
        assert_eq!(view.title, "disable trigger t");
        changesets::revert(&stage.ctx, &ME, off.changeset.unwrap(), Breakage::Refused).await.unwrap();
        assert!(triggers::show(&stage.ctx, &ME, &name("t")).await.unwrap().line.enabled);
    }
}
