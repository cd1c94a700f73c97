//! Importing a BabyAGI brain: all of it, once, and nothing of a file that is none.

use model::access::actor::Actor;
use model::event::EventKind;
use model::run::{Ending, RunState};
use secrecy::ExposeSecret;
use serde_json::json;
use server::app::babyagi::{Keys, import, key_of_file};
use server::app::functions::versions;
use store::RunFilter;
use store::testing::TestDatabase;

use crate::old_brain::OldBrain;
use crate::world::{ME, World, answering, key, trigger_key};

store::on_both! {
    async fn functions_come_with_all_their_versions_and_the_one_that_was_active_is_live(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        let imported = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        assert_eq!(imported.applied.revision.0, 1);
        let lines = versions(&world.ctx, &ME, &key("main")).await.unwrap();
        let told: Vec<_> = lines.iter().map(|line| (line.live, line.head.written_at.to_string())).collect();
        let expected = [(false, 1), (true, 2), (false, 3)].map(|(live, day)| (live, format!("2024-10-0{day}T09:00:00Z")));
        assert_eq!(told, expected);

        let main = world.live("main").await.unwrap();
        assert_eq!((main.description.as_str(), &main.metadata["owner"]), ("Second", &json!("me")));
        assert_eq!(main.dependencies[0].function, "leaf");
        assert_eq!(main.imports, ["slugify", "json"]);
        let packages: Vec<&str> = main.requirements.iter().map(|requirement| requirement.package.as_str()).collect();
        assert_eq!(packages, ["python-slugify"]);
        assert_eq!(main.grants.lines(), ["secret api_key"]);
        assert_eq!(world.live_number(&key("leaf")).await, Some(1));
    }

    async fn what_cannot_run_is_kept_and_told_but_never_live(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        let imported = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        for dead in ["broken", "misnamed", "dormant"] {
            assert_eq!(world.live_number(&key(dead)).await, None, "{dead}");
            assert!(!versions(&world.ctx, &ME, &key(dead)).await.unwrap().is_empty(), "{dead}");
            assert!(imported.notes.iter().any(|note| note.contains(&format!("`{dead}`"))), "{dead}: {:?}", imported.notes);
        }
        assert_eq!(versions(&world.ctx, &ME, &key("broken")).await.unwrap().len(), 2);
        assert!(imported.notes.iter().any(|note| note.contains("`print`")), "{:?}", imported.notes);
        let error = server::app::functions::point(&world.ctx, &ME, &key("broken"), model::version::VersionNumber(2), server::app::changesets::Breakage::Refused).await;
        assert!(error.is_err(), "a version that cannot be read cannot be made live later either");
        server::app::functions::point(&world.ctx, &ME, &key("broken"), model::version::VersionNumber(1), server::app::changesets::Breakage::Refused).await.unwrap();
    }

    async fn triggers_become_entries_of_their_own(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        let imported = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        assert_eq!(imported.triggers, 2);
        let trigger = world.ctx.store.live_version(&trigger_key("main_after_leaf")).await.unwrap().unwrap();
        let model::content::Content::Trigger(content) = trigger.content else { panic!("it is a trigger") };
        assert_eq!((content.on, content.source.as_deref(), content.target.as_str()), (EventKind::RunFinished.into(), Some("leaf"), "main"));
    }

    async fn logs_become_runs_and_calls(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        let imported = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        assert_eq!((imported.runs, imported.calls), (5, 2));
        let mut runs = world.ctx.store.runs(&RunFilter::default(), 100).await.unwrap();
        runs.reverse();
        let told: Vec<_> = runs.iter().map(|run| (run.key.name.to_string(), run.state, run.ending)).collect();
        let expected = [
            ("main", RunState::Succeeded, Ending::Returned),
            ("main", RunState::Succeeded, Ending::Returned),
            ("main", RunState::Failed, Ending::Raised),
            ("main", RunState::Failed, Ending::Lost),
            ("leaf", RunState::Succeeded, Ending::Returned),
        ];
        assert_eq!(told, expected.map(|(name, state, ending)| (name.to_owned(), state, Some(ending))));
        assert_eq!(runs[0].output, Some(json!("done")));
        assert_eq!((runs[0].parent, runs[1].parent), (None, Some(runs[0].run_id)));
        assert_eq!(runs[0].finished_at.unwrap().duration_since(runs[0].started_at.unwrap()).as_millis(), 250);
        assert!(runs[2].error.as_ref().unwrap().message.contains("KeyError"));
        assert!(runs.iter().all(|run| run.version_id.is_none() && run.actor == Actor::CommandLine));

        let calls = world.ctx.store.calls(runs[0].run_id).await.unwrap();
        let told: Vec<_> = calls.iter().map(|call| (call.position, call.parent, call.function.as_str())).collect();
        assert_eq!(told, [(1, None, "leaf"), (2, Some(1), "deeper")]);
        assert_eq!((&calls[0].input, &calls[0].output), (&json!({"x": [null, 2.5]}), &Some(serde_json::Value::Null)));
        assert!(calls[1].error.as_ref().unwrap().message.contains("boom") && calls[1].output.is_none());
    }

    async fn importing_again_changes_nothing(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        old.keep("api_key", "sk-12345678");
        import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        let before = database.dump().await;
        let again = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        assert_eq!((again.applied.changeset, again.applied.moves.len()), (None, 0));
        assert_eq!(database.dump().await, before);
    }

    async fn importing_again_later_adds_what_came_since(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        old.log("main", "Execution successful.", "{}", "1");
        old.execute(
            "update function_versions set is_active = 0 where function_id = 1;
             insert into function_versions values (20, 1, 2, 'def leaf(x):\n    return 2', '{}', 1, '2025-01-01 00:00:00', null, null, null);",
        );
        import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        assert_eq!(world.live_number(&key("leaf")).await, Some(2));
        assert_eq!(world.ctx.store.runs(&RunFilter::default(), 100).await.unwrap().len(), 6);
    }

    async fn importing_again_takes_no_edit_back(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        world.register(vec![answering("leaf", 7)]).await.unwrap();
        let edited = world.live_number(&key("leaf")).await;
        import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        assert_eq!(world.live_number(&key("leaf")).await, edited);
    }

    async fn a_function_of_the_same_name_that_is_somebody_else_s_is_not_overwritten(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        world.register(vec![answering("leaf", 7)]).await.unwrap();
        let before = database.dump().await;
        let error = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap_err();
        assert!(error.to_string().contains("`leaf` is already defined"), "{error}");
        assert_eq!(database.dump().await, before);
    }

    async fn a_file_that_is_none_or_is_cut_short_changes_nothing(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        let before = database.dump().await;
        let whole = std::fs::read(&old.file).unwrap();
        let other = old.folder.path().join("other.db");
        rusqlite::Connection::open(&other).unwrap().execute_batch("create table t (x)").unwrap();
        let cut = old.folder.path().join("cut.db");
        std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
        let text = old.folder.path().join("text.db");
        std::fs::write(&text, "this is not a database, it is a text of some length").unwrap();
        for path in [other, cut, text, old.folder.path().join("missing.db")] {
            let error = import(&world.ctx, &ME, &path, &Keys::Unsaid).await.unwrap_err();
            assert_eq!(error.code(), "bad_babyagi_brain", "{error}");
            assert!(error.to_string().contains(path.file_name().unwrap().to_str().unwrap()), "{error}");
        }
        assert_eq!(database.dump().await, before);
    }
}

#[test]
fn a_key_file_is_read_in_each_of_its_forms() {
    for text in ["{\"encryption_key\": \"abc=\"}", "{\"key\":\"abc=\"}", "\"abc=\"", " abc=\n"] {
        assert_eq!(key_of_file(text).unwrap().expose_secret(), "abc=", "{text}");
    }
    assert!(key_of_file("{}").is_none());
}
