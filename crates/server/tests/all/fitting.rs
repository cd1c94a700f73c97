//! What is stored and no longer fits when the signature of a Function changes: it is told, and the change is refused unless it is
//! forced.

use model::changeset::check::{Gate, Verdict};
use model::content::Content;
use model::schedule::ScheduleContent;
use model::trigger::TriggerContent;
use serde_json::{Map, Value, json};
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::changesets::{self, Breakage};
use server::app::{schedules, triggers};
use store::on_both;
use store::testing::TestDatabase;

use crate::world::{ME, World, findings, name, schedule, source, trigger};

const BEFORE: &str = "def tick(where):\n    return where\n";
const AFTER: &str = "def tick(a, b):\n    return a\n";

fn input(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(input) => input,
        other => panic!("an input is an object, not {other}"),
    }
}

fn scheduled(text: &str, value: Value, paused: bool) -> Intent {
    match schedule(text, "tick") {
        Intent::Put(name, Content::Schedule(content)) => {
            Intent::Put(name, Content::Schedule(ScheduleContent { input: input(value), paused, ..content }))
        }
        other => other,
    }
}

fn triggered(text: &str, value: Option<Value>) -> Intent {
    match trigger(text, "upstream", "tick") {
        Intent::Put(name, Content::Trigger(content)) => {
            Intent::Put(name, Content::Trigger(TriggerContent { input: value.map(input), ..content }))
        }
        other => other,
    }
}

/// A Function with everything that can use it.
async fn used(database: &TestDatabase) -> World {
    let world = World::open(database).await;
    world.add(&["def upstream():\n    return 1\n", BEFORE]).await;
    world
        .register(vec![
            scheduled("at_night", json!({ "where": "home" }), false),
            scheduled("paused", json!({ "where": "home" }), true),
            triggered("mapped", Some(json!({ "where": "{{ event.output }}" }))),
            triggered("plain", None),
            source("def caller():\n    return tick('home')\n"),
            source("def spreading(**more):\n    return tick(**more)\n"),
        ])
        .await
        .unwrap();
    world
}

fn forced(intents: Vec<Intent>) -> Proposal {
    Proposal { breakage: Breakage::Accepted, ..Proposal::of("", intents) }
}

on_both! {
    async fn a_changed_signature_names_everything_that_no_longer_fits(database: &TestDatabase) {
        let world = used(database).await;
        let error = world.register(vec![source(AFTER)]).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
        insta::allow_duplicates! { insta::assert_snapshot!(findings(&error).join("\n"), @"
        caller: its call of `tick` does not pass `b`, which it requires at 2:12 (change `caller` in the same changeset, or keep the parameters; `--force` applies it all the same (over HTTP `?force=true`))
        mapped: its input `where` is not a parameter of `tick`; its input lacks `a`, which `tick` requires; its input lacks `b`, which `tick` requires (give trigger `mapped` another input after that, or keep the parameters; `--force` applies it all the same (over HTTP `?force=true`))
        plain: `tick` requires `a` and `b`, but only the first gets the event's payload (give trigger `plain` another input after that, or keep the parameters; `--force` applies it all the same (over HTTP `?force=true`))
        at_night: its input for `tick`: got an unexpected keyword argument `where`; its input for `tick`: missing 2 required positional arguments: `a` and `b` (give schedule `at_night` another input after that, or keep the parameters; `--force` applies it all the same (over HTTP `?force=true`))
        ") }
        assert!(world.live("tick").await.is_some_and(|tick| tick.source == BEFORE), "nothing was applied");
    }

    async fn a_forced_change_is_applied_and_says_what_it_broke(database: &TestDatabase) {
        let world = used(database).await;
        let applied = changesets::register(&world.ctx, &ME, &forced(vec![source(AFTER)])).await.unwrap();
        let view = changesets::show(&world.ctx, &ME, applied.changeset.unwrap()).await.unwrap();
        let types = view.checks.iter().find(|check| check.gate == Gate::Types).unwrap();
        assert_eq!(types.verdict, Verdict::Forced);
        let broken: Vec<_> = types.findings.iter().map(|finding| finding.entry.name.as_str()).collect();
        assert_eq!(broken, ["caller", "mapped", "plain", "at_night", "paused"]);
        // What was broken before does not stand in the way of the next change, nor of going back.
        world.add(&["def tick(a, b):\n    return b\n"]).await;
    }

    async fn what_is_wrong_with_the_change_itself_cannot_be_forced(database: &TestDatabase) {
        let world = used(database).await;
        let wrong = source("def tick(a, b):\n    return nothing_such(a)\n");
        let error = changesets::register(&world.ctx, &ME, &forced(vec![wrong])).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
    }

    async fn a_proposal_is_applied_by_force_and_what_fits_needs_none(database: &TestDatabase) {
        let world = used(database).await;
        let number = world.propose(vec![source(AFTER)]).await.unwrap().number;
        assert_eq!(world.apply(number).await.unwrap_err().code(), "checks_failed");
        changesets::apply(&world.ctx, &ME, number, Breakage::Accepted).await.unwrap();
        changesets::revert(&world.ctx, &ME, number, Breakage::Refused).await.unwrap();
        world.add(&["def tick(where, *, how='fast'):\n    return where\n"]).await;
        let changed = vec![
            source(AFTER),
            source("def caller():\n    return tick(1, b=2)\n"),
            scheduled("at_night", json!({ "a": 1, "b": 2 }), false),
            scheduled("paused", json!({ "a": 1, "b": 2 }), true),
            triggered("mapped", Some(json!({ "a": "{{ event.output }}", "b": 2 }))),
            triggered("plain", Some(json!({ "a": 1, "b": 2 }))),
        ];
        world.register(changed).await.unwrap();
        schedules::show(&world.ctx, &ME, &name("at_night"), 1).await.unwrap();
    }

    async fn what_no_longer_fits_can_be_switched_off_and_not_on(database: &TestDatabase) {
        let world = used(database).await;
        changesets::register(&world.ctx, &ME, &forced(vec![source(AFTER)])).await.unwrap();
        let paused = schedules::switch(&world.ctx, &ME, name("at_night"), true).await.unwrap();
        assert!(paused.warnings.iter().any(|finding| finding.message.contains("unexpected keyword")), "{paused:?}");
        triggers::switch(&world.ctx, &ME, name("mapped"), false).await.unwrap();
        let error = schedules::switch(&world.ctx, &ME, name("at_night"), false).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
        let error = triggers::switch(&world.ctx, &ME, name("mapped"), true).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
        // It is not what is switched off alone.
        let error = world.register(vec![scheduled("at_night", json!({ "when": 1 }), true)]).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
    }

    async fn what_is_stated_again_as_it_is_stored_need_not_fit(database: &TestDatabase) {
        let world = used(database).await;
        let again = || vec![
            scheduled("at_night", json!({ "where": "home" }), false),
            triggered("mapped", Some(json!({ "where": "{{ event.output }}" }))),
            triggered("plain", None),
            source("def caller():\n    return tick('home')\n"),
        ];
        // Together with what breaks it, it is broken, which can be forced.
        let both = || again().into_iter().chain([source(AFTER)]).collect();
        let error = world.register(both()).await.unwrap_err();
        assert_eq!((error.code(), findings(&error).len()), ("checks_failed", 4), "{error:?}");
        changesets::register(&world.ctx, &ME, &forced(both())).await.unwrap();
        let applied = world.register(again()).await.unwrap();
        assert!(applied.moves.is_empty(), "{applied:?}");
    }
}
