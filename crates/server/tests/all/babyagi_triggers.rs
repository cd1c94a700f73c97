//! What BabyAGI's triggers get wrong, shown right here. The numbers are those of the list of its quirks.

use model::entry::EntryKey;
use model::event::EventKind;
use model::run::RunState;
use model::trigger::TriggerContent;
use sandbox::Value;
use serde_json::json;
use server::app::changesets::drafts::Proposal;
use server::app::functions::{self, Which};
use server::app::{changesets, runs, triggers};
use server::triggers::{catch_up, drain};
use store::on_both;
use store::testing::{Fault, TestDatabase};

use crate::engine::script::{empty, function, raised};
use crate::triggers::{after_first, inputs, pair, put};
use crate::world::{ME, delete, key, name, trigger};

on_both! {
    // B-1: a function that is called as the README says fires no trigger.
    async fn however_a_function_is_run_its_triggers_fire(database: &TestDatabase) {
        let stage = pair(database).await;
        stage.register("import selfmade\n\n@selfmade.function(brain=\"read\")\ndef outer():\n    return None\n").await;
        stage.script.part("outer", |_, host| async move {
            host.verb("run", vec![Value::Str("first".to_owned())]).await.unwrap();
            Ok(Value::None)
        });
        put(&stage, "t", after_first()).await;
        stage.start("first", empty()).await.unwrap();
        stage.queue("first", empty()).await;
        stage.start("outer", empty()).await.unwrap();
        drain(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await.len(), 3);
    }

    // B-2: a code-only update empties the triggers.
    async fn an_update_of_the_code_keeps_the_triggers(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", after_first()).await;
        stage.add(&["def first():\n    return 'new'\n", "def second(x):\n    return x\n"]).await;
        stage.start("first", empty()).await.unwrap();
        drain(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({"x": 7})]);
    }

    // B-3: what a trigger does about a new function breaks that function.
    async fn a_trigger_on_new_functions_leaves_them_as_they_are(database: &TestDatabase) {
        let stage = pair(database).await;
        let on = EventKind::Added(model::entry::EntryKind::Function).into();
        stage.ctx.clock.advance(std::time::Duration::from_secs(1));
        put(&stage, "t", TriggerContent { on, source: None, ..after_first() }).await;
        stage.ctx.clock.advance(std::time::Duration::from_secs(1));
        stage.add(&["def third():\n    return first()\n"]).await;
        drain(&stage.ctx).await.unwrap();
        assert_eq!(inputs(&stage, "second").await, [json!({"x": "third"})]);
        let third = functions::version(&stage.ctx, &ME, &key("third"), Which::Live).await.unwrap();
        assert_eq!(third.head.number.0, 1);
        assert_eq!(third.content.as_function().unwrap().dependencies.len(), 1);
    }

    // B-11: every execution looks at every stored function to find what it triggers.
    async fn triggers_are_found_in_memory(database: &TestDatabase) {
        let stage = pair(database).await;
        let other = |n: usize| trigger(&format!("t{n}"), &format!("other{n}"), "second");
        let proposal = Proposal::of("", (0..200).map(other).collect());
        changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
        put(&stage, "t", after_first()).await;
        catch_up(&stage.ctx).await.unwrap();
        stage.start("first", empty()).await.unwrap();
        stage.ctx.store.fail_at(Fault::Before(20));
        assert_eq!(catch_up(&stage.ctx).await.unwrap(), 1);
        assert!(!stage.ctx.store.fault_was_reached(), "a few calls to the database, however many triggers there are");
        // The list is kept until the brain changes, and then it is another.
        stage.ctx.store.fail_at(None);
        drain(&stage.ctx).await.unwrap();
        triggers::remove(&stage.ctx, &ME, name("t")).await.unwrap();
        stage.start("first", empty()).await.unwrap();
        assert_eq!(drain(&stage.ctx).await.unwrap(), 0);
    }

    // B-12: triggers can neither be added nor listed while the program runs, and two lists of them mean opposite things.
    async fn triggers_are_added_and_found_from_both_ends(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", after_first()).await;
        let started_by = functions::show(&stage.ctx, &ME, &key("second"), Which::Live).await.unwrap().started_by;
        assert_eq!(started_by, [EntryKey::new(model::entry::EntryKind::Trigger, name("t"))]);
        let line = triggers::list(&stage.ctx, &ME, None, 10).await.unwrap().triggers.remove(0);
        assert_eq!((line.content.watched(), &line.content.target), (Some("first"), &name("second")));
    }

    // B-13: whoever comes next takes over what started the one that was deleted.
    async fn a_new_function_does_not_inherit_triggers(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", after_first()).await;
        let proposal = Proposal::of("", vec![delete("second")]);
        changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
        stage.add(&[&function("second", "x")]).await;
        stage.start("first", empty()).await.unwrap();
        assert_eq!(drain(&stage.ctx).await.unwrap(), 0);
    }

    // B-19: errors of triggered functions are printed and forgotten.
    async fn a_triggered_run_that_fails_is_a_failed_run(database: &TestDatabase) {
        let stage = pair(database).await;
        stage.script.part("second", |_, _| async { Err(raised("ValueError", "no")) });
        put(&stage, "t", after_first()).await;
        let upstream = stage.start("first", empty()).await.unwrap();
        drain(&stage.ctx).await.unwrap();
        assert_eq!(upstream.state, RunState::Succeeded);
        let all = runs::list(&stage.ctx, &ME, Default::default(), 10).await.unwrap();
        let failed = all.iter().find(|run| run.key.name.as_str() == "second").unwrap();
        assert_eq!((failed.state, failed.error.as_ref().unwrap().message.as_str()), (RunState::Failed, "no"));
    }

    // A.11: a target with two required parameters fails when it is called, and nobody hears of it.
    async fn a_target_that_requires_more_is_reported_when_saved_and_when_it_is_stopped(database: &TestDatabase) {
        let stage = pair(database).await;
        stage.add(&[&function("both", "a, b")]).await;
        let applied = triggers::put(&stage.ctx, &ME, name("t"), TriggerContent::after("first", name("both"))).await;
        let warning = &applied.unwrap().warnings[0];
        assert_eq!(warning.message, "`both` requires `a` and `b`, but only the first gets the event's payload");
        stage.start("first", empty()).await.unwrap();
        drain(&stage.ctx).await.unwrap();
        let firings = triggers::firings(&stage.ctx, &ME, &name("t"), None, 10).await.unwrap().firings;
        assert!(firings[0].stopped.as_ref().unwrap().contains("`b`"), "{firings:?}");
        assert_eq!(firings[0].run_id, None);
    }
}
