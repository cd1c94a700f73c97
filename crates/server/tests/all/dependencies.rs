//! Dependencies: found where they are, refused where they are not.

use model::function::FunctionDraft;
use model::python::Dialect;
use model::python::{Declared, DeclaredDependency};
use server::app::changesets::drafts::Intent;
use store::testing::TestDatabase;

use crate::world::{World, answering, calling, decorated, findings, key, point, source, trigger};

store::on_both! {
    // BabyAGI drops a dependency that is registered later, and the function then fails when it is called.
    async fn functions_of_one_changeset_may_call_each_other_in_any_order(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![calling("main", "helper"), calling("helper", "main")]).await.unwrap();
        let dependencies = world.live("main").await.unwrap().dependencies;
        assert_eq!(dependencies[0].function, "helper");
        assert_eq!(world.ctx.store.closure(&"main".parse().unwrap()).await.unwrap().len(), 2);
    }

    async fn a_missing_dependency_is_refused_with_its_place_and_the_nearest_name(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("send_mail", 1)]).await.unwrap();
        let before = database.dump().await;
        let error = world.register(vec![source("def f():\n    x = 1\n    return send_mial(x)\n")]).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
        assert_eq!(
            findings(&error),
            ["f: `send_mial` is not defined, imported or stored at 3:12 (did you mean `send_mail`?)"]
        );
        assert_eq!(database.dump().await, before);
    }

    async fn a_pin_must_name_a_version_that_exists(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("dep", 1)]).await.unwrap();
        world.register(vec![answering("dep", 2)]).await.unwrap();
        let pinned = |number: u32| {
            decorated(&format!("@selfmade.function(dependencies=[\"dep@{number}\"])\ndef f():\n    return dep()\n"))
        };
        world.register(vec![pinned(1)]).await.unwrap();
        let closure = world.ctx.store.closure(&"f".parse().unwrap()).await.unwrap();
        let numbers: Vec<u32> = closure.iter().map(|(version, _)| version.head.number.0).collect();
        assert_eq!(numbers, [1, 1]);
        let error = world.register(vec![pinned(7)]).await.unwrap_err();
        assert!(findings(&error)[0].starts_with("f: `dep@7` is pinned, but `dep` has no version 7"), "{error:?}");
    }

    async fn a_dotted_name_is_called_by_its_whole_name(database: &TestDatabase) {
        let world = World::open(database).await;
        let draft = FunctionDraft {
            name: Some("airtable.create".parse().unwrap()),
            ..FunctionDraft::of_source("def create():\n    return 1\n")
        };
        let intents = vec![Intent::function(draft), source("def f():\n    return airtable.create()\n")];
        world.register(intents).await.unwrap();
        let dependencies = world.live("f").await.unwrap().dependencies;
        assert_eq!((dependencies[0].alias.as_str(), dependencies[0].function.as_str()), ("airtable.create", "airtable.create"));
        assert_eq!(dependencies.len(), 1);
    }

    async fn going_back_to_a_version_whose_dependency_is_gone_is_refused(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("dep", 1), calling("f", "dep")]).await.unwrap();
        world.register(vec![answering("f", 2), Intent::Delete(key("dep"))]).await.unwrap();
        let before = database.dump().await;
        let error = world.register(vec![point("f", 1)]).await.unwrap_err();
        assert_eq!(findings(&error).len(), 1, "{error:?}");
        assert_eq!(database.dump().await, before);
    }

    async fn a_trigger_must_start_something_and_may_wait_for_anything(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let error = world.register(vec![trigger("t", "f", "ff")]).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
        let applied = world.register(vec![trigger("t", "not_yet", "f")]).await.unwrap();
        assert_eq!(applied.warnings.len(), 1);
    }

    // BabyAGI forgets a dependency it does not know; ours is kept, told, and found once it is stored.
    async fn a_babyagi_function_may_name_what_is_not_stored_yet(database: &TestDatabase) {
        let world = World::open(database).await;
        let dependency = |text: &str| DeclaredDependency { alias: text.to_owned(), function: text.to_owned(), version: None };
        let draft = FunctionDraft {
            dialect: Dialect::Babyagi,
            keep: false,
            declared: Declared {
                dependencies: Some(vec![dependency("later"), dependency("litellm.completion")]),
                ..Declared::default()
            },
            ..FunctionDraft::of_source("def f():\n    return later()\n")
        };
        let applied = world.register(vec![Intent::function(draft.clone())]).await.unwrap();
        assert_eq!(applied.warnings.len(), 2);
        let again = world.register(vec![Intent::function(draft)]).await.unwrap();
        assert_eq!(again.changeset, None, "loading it again makes no version");
        world.register(vec![answering("later", 1)]).await.unwrap();
        assert_eq!(world.ctx.store.closure(&"f".parse().unwrap()).await.unwrap().len(), 2);
    }

    // In BabyAGI a secret of a dependency's name takes its place, and calls fail on a string.
    async fn a_secret_and_a_function_of_one_name_do_not_meet(database: &TestDatabase) {
        let world = World::open(database).await;
        let value = secrecy::SecretBox::new(Box::new(b"hush".to_vec()));
        server::app::secrets::set(&world.ctx, &crate::world::ME, "leaf", &value).await.unwrap();
        world.register(vec![answering("leaf", 1), calling("f", "leaf")]).await.unwrap();
        let content = world.live("f").await.unwrap();
        assert!(content.grants.secrets.is_empty());
        assert_eq!(content.dependencies[0].function, "leaf");
    }

    // In BabyAGI every function gets every key; here none is granted that is not stated, and what is stated is kept.
    async fn secrets_are_granted_as_stated_and_to_nobody_else(database: &TestDatabase) {
        let world = World::open(database).await;
        world
            .register(vec![
                decorated("@selfmade.function(secrets=[\"a_key\"])\ndef f():\n    return 1\n"),
                answering("g", 1),
            ])
            .await
            .unwrap();
        assert_eq!(world.live("f").await.unwrap().grants.lines(), ["secret a_key"]);
        assert!(world.live("g").await.unwrap().grants.lines().is_empty());
    }
}
