//! Functions: what an update keeps, what makes a Version, and what is shown.

use model::changeset::Live;
use model::function::FunctionDraft;
use model::python::{Declared, DeclaredDependency};
use model::revision::Revision;
use model::version::VersionNumber;
use serde_json::json;
use server::Error;
use server::app::changesets::drafts::Intent;
use server::app::functions::{self, Which};
use store::testing::TestDatabase;

use crate::world::{ME, World, answering, calling, decorated, delete, key, schedule, source, trigger};

const STATED: &str = r#"
@selfmade.function(
    description="Greets politely",
    dependencies=["helper@1 as h"],
    requirements=["httpx>=0.27"],
    network=["api.example.com"],
    secrets=["token"],
    model=True,
    timeout=5,
    tests=[{"input": {"who": "Ada"}, "expect": {"output": "hello Ada"}}],
    metadata={"owner": "me"},
)
def greet(who: str) -> str:
    import httpx
    return h(who)
"#;

fn update(draft: FunctionDraft) -> Intent {
    Intent::function(FunctionDraft { name: Some("greet".parse().unwrap()), keep: true, ..draft })
}

store::on_both! {
    // BabyAGI treats what an update leaves out as empty: a new source loses its dependencies, imports and triggers.
    async fn a_new_source_alone_keeps_everything_that_was_stated(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def helper(x):\n    return x\n"]).await;
        world.register(vec![decorated(STATED)]).await.unwrap();
        let before = world.live("greet").await.unwrap();
        world.add(&["def greet(who: str, loud: bool = False) -> str:\n    return h(who)\n"]).await;
        let after = world.live("greet").await.unwrap();
        assert_eq!(after.description, "Greets politely");
        assert_eq!(after.grants, before.grants);
        assert_eq!(after.tests, before.tests);
        assert_eq!(after.metadata, before.metadata);
        assert_eq!(after.dependencies, before.dependencies);
        assert_eq!(after.stated, before.stated);
        assert_eq!(after.requirements, before.requirements, "stated ones stay though the import is gone");
        assert_eq!(after.signature.parameters.len(), 2);
    }

    async fn a_new_description_alone_keeps_the_source_and_the_rest(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def helper(x):\n    return x\n"]).await;
        world.register(vec![decorated(STATED)]).await.unwrap();
        let before = world.live("greet").await.unwrap();
        let declared = Declared { description: Some("Greets loudly".to_owned()), ..Declared::default() };
        world.register(vec![update(FunctionDraft { declared, ..FunctionDraft::default() })]).await.unwrap();
        let after = world.live("greet").await.unwrap();
        assert_eq!(after.description, "Greets loudly");
        assert_eq!((&after.source, &after.dependencies, &after.grants), (&before.source, &before.dependencies, &before.grants));
        assert_eq!((&after.tests, &after.metadata), (&before.tests, &before.metadata));
    }

    async fn a_decorated_source_states_everything(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def helper(x):\n    return x\n"]).await;
        world.register(vec![decorated(STATED)]).await.unwrap();
        world.register(vec![decorated("@selfmade.function\ndef greet(who: str):\n    return who\n")]).await.unwrap();
        let after = world.live("greet").await.unwrap();
        assert_eq!(after.description, "");
        assert!(after.grants.lines().is_empty() && after.tests.is_empty() && after.dependencies.is_empty());
    }

    // BabyAGI makes a new version each time a pack with an unknown dependency is loaded.
    async fn the_same_content_makes_no_version_no_revision_and_no_event(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def helper(x):\n    return x\n"]).await;
        world.register(vec![decorated(STATED)]).await.unwrap();
        let before = database.dump().await;
        let applied = world.register(vec![decorated(STATED)]).await.unwrap();
        assert_eq!((applied.changeset, applied.revision, applied.moves.len()), (None, Revision(2), 0));
        assert_eq!(database.dump().await, before);
    }

    // BabyAGI ignores changes of metadata, keys and parameters.
    async fn changing_metadata_tests_or_grants_alone_makes_a_version(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def helper(x):\n    return x\n"]).await;
        world.register(vec![decorated(STATED)]).await.unwrap();
        for (nth, changed) in [
            STATED.replace("\"me\"", "\"you\""),
            STATED.replace("hello Ada", "hi Ada"),
            STATED.replace("[\"token\"]", "[\"other\"]"),
            STATED.replace("timeout=5", "timeout=6"),
            STATED.replace("httpx>=0.27", "httpx>=0.28"),
        ]
        .into_iter()
        .enumerate()
        {
            let applied = world.register(vec![decorated(&changed)]).await.unwrap();
            assert_eq!(applied.moves[0].to, Some(VersionNumber(nth as u32 + 2)));
        }
    }

    async fn stating_one_grant_keeps_the_others(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def helper(x):\n    return x\n"]).await;
        world.register(vec![decorated(STATED)]).await.unwrap();
        let options = serde_json::from_value(json!({ "timeout": 9 })).unwrap();
        let declared = Declared { options, ..Declared::default() };
        world.register(vec![update(FunctionDraft { declared, ..FunctionDraft::default() })]).await.unwrap();
        let lines = world.live("greet").await.unwrap().grants.lines();
        assert_eq!(lines, ["network api.example.com", "secret token", "model", "timeout 9 s"]);
    }

    // BabyAGI keeps the old parameter list when a function loses its parameters, and then refuses to call it.
    async fn parameters_that_go_are_gone(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def f(x):\n    return x\n"]).await;
        world.add(&["def f():\n    return 1\n"]).await;
        let signature = world.live("f").await.unwrap().signature;
        assert!(signature.parameters.is_empty());
        assert_eq!(signature.input["required"].as_array().map_or(0, Vec::len), 0);
    }

    async fn going_back_to_an_older_content_uses_its_version(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        world.register(vec![answering("f", 2)]).await.unwrap();
        let applied = world.register(vec![answering("f", 1)]).await.unwrap();
        assert_eq!(applied.moves[0].to, Some(VersionNumber(1)));
        assert_eq!(functions::versions(&world.ctx, &ME, &key("f")).await.unwrap().len(), 2);
    }

    async fn a_version_is_shown_with_what_surrounds_it(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        world
            .register(vec![answering("f", 2), calling("caller", "f"), trigger("t", "caller", "f"), schedule("s", "f")])
            .await
            .unwrap();
        let view = functions::show(&world.ctx, &ME, &key("f"), Which::Live).await.unwrap();
        assert_eq!((view.live, view.version.head.number.0), (true, 2));
        assert_eq!(view.dependents, [key("caller")]);
        assert_eq!(view.started_by.len(), 2);
        let old = functions::show(&world.ctx, &ME, &key("f"), Which::Number(VersionNumber(1))).await.unwrap();
        assert!(!old.live);
        let past = functions::show(&world.ctx, &ME, &key("f"), Which::AsOf(Revision(1))).await.unwrap();
        assert_eq!(past.version.head.number.0, 1);
        let diff = functions::diff(&world.ctx, &ME, &key("f"), Which::Number(VersionNumber(1)), Which::Live).await.unwrap();
        assert_eq!(diff.counts(), (1, 1));
        let names: Vec<_> =
            functions::closure(&world.ctx, &ME, &"caller".parse().unwrap()).await.unwrap().iter().map(|version| version.head.key.name.to_string()).collect();
        assert_eq!(names, ["caller", "f"]);
        assert_eq!(functions::counts(&world.ctx, &ME).await.unwrap().iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 0, 1, 1]);
    }

    async fn what_is_not_there_is_reported_with_the_nearest_name(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("send_mail", 1)]).await.unwrap();
        let error = functions::version(&world.ctx, &ME, &key("send_mial"), Which::Live).await.unwrap_err();
        assert_eq!((error.code(), error.hint().unwrap().as_str()), ("not_found", "did you mean `send_mail`?"));
        let error = functions::version(&world.ctx, &ME, &key("send_mail"), Which::Number(VersionNumber(9))).await.unwrap_err();
        assert_eq!(error.code(), "version_not_found");
        let error = functions::version(&world.ctx, &ME, &key("send_mail"), Which::AsOf(Revision(0))).await.unwrap_err();
        assert_eq!(error.code(), "not_live");
        let error = functions::version(&world.ctx, &ME, &key("send_mail"), Which::AsOf(Revision(9))).await.unwrap_err();
        assert_eq!(error.code(), "revision_not_found");
        world.register(vec![delete("send_mail")]).await.unwrap();
        assert_eq!(functions::versions(&world.ctx, &ME, &key("send_mail")).await.unwrap().len(), 1);
        assert!(functions::version(&world.ctx, &ME, &key("send_mail"), Which::Live).await.is_err());
    }

    // BabyAGI stores invalid Python as the live version and answers 200; the same for a `def` of another name.
    async fn a_source_that_cannot_be_a_function_changes_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let before = database.dump().await;
        for bad in ["def f(:\n", "x = 1\n", "def print():\n    return 1\n", "def f():\n    return 1\ndef g():\n    return 2\n", ""] {
            let error = world.register(vec![source(bad)]).await.unwrap_err();
            assert!(matches!(error, Error::Draft(_) | Error::Name(_)), "{bad:?}: {error:?}");
        }
        let other = FunctionDraft { name: Some("g".parse().unwrap()), ..FunctionDraft::of_source("def f():\n    return 1\n") };
        let error = world.register(vec![Intent::function(other)]).await.unwrap_err();
        assert_eq!(error.to_string(), "the source defines `f`, but it would be stored as `g`; make the two names the same");
        let nothing = FunctionDraft { name: Some("nobody".parse().unwrap()), keep: true, ..FunctionDraft::default() };
        assert_eq!(world.register(vec![Intent::function(nothing)]).await.unwrap_err().code(), "bad_function");
        assert_eq!(database.dump().await, before);
    }

    async fn an_update_may_state_new_dependencies(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def helper(x):\n    return x\n", "def other(x):\n    return x\n"]).await;
        world.register(vec![decorated(STATED)]).await.unwrap();
        let dependency = DeclaredDependency { alias: "h".to_owned(), function: "other".to_owned(), version: None };
        let declared = Declared { dependencies: Some(vec![dependency]), ..Declared::default() };
        world.register(vec![update(FunctionDraft { declared, ..FunctionDraft::default() })]).await.unwrap();
        let after = world.live("greet").await.unwrap();
        assert_eq!(after.dependencies.iter().map(|dependency| dependency.function.as_str()).collect::<Vec<_>>(), ["other"]);
        assert_eq!(after.metadata["owner"], json!("me"));
        let stored = server::app::changesets::find(&world.ctx, &ME, 3).await.unwrap();
        assert_eq!(stored.changes[0].live, Live::Added(0));
    }
}
