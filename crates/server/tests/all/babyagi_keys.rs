//! The keys of a BabyAGI brain: sealed again, and redacted wherever its log has them in clear.

use secrecy::{ExposeSecret, SecretBox, SecretString};
use server::app::babyagi::{Keys, import};
use server::app::secrets::{list, set};
use server::secrets::opening::open;
use store::testing::TestDatabase;

use crate::old_brain::OldBrain;
use crate::secrets::database_contains;
use crate::world::{ME, World};

const VALUE: &str = "sk-4f9a8b7c6d5e";

store::on_both! {
    // BabyAGI logs every key it is given, and all of them whenever somebody asks for them.
    async fn keys_are_sealed_and_their_values_are_nowhere_in_the_store(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        old.keep("api_key", VALUE);
        old.keep("quoted", "with \"quotes\" and \\ and ü");
        old.keep("digits", "4929123412341234");
        let sk = VALUE;
        old.log("main", &format!("Execution failed. Error: bad key {sk}"), &format!("{{\"deep\": [{{\"{sk}\": \"Bearer {sk}\"}}]}}"), &format!("\"{sk}\""));
        old.log("add_key_wrapper", "Execution successful.", "{\"key_name\": \"rotated\", \"key_value\": \"old-value-of-before\"}", "null");
        old.log("execute_function_wrapper", "Execution successful.", "{\"function_name\": \"add_key_wrapper\", \"args\": [\"k\", \"old-positional\"], \"kwargs\": {\"key_name\": \"k\", \"key_value\": \"old-by-keyword\"}}", "null");
        old.log("get_all_secret_keys", "Execution successful.", "{}", "{\"rotated\": \"old-value-of-before\"}");
        old.log("main", "ok", "{\"x\": \"with \\\"quotes\\\" and \\\\ and \\u00fc\"}", "4929123412341234");
        old.log("main", "ok", "{\"x\": NaN, \"y\": \"with \\\"quotes\\\" and \\\\ and \\u00fc\"}", "null");
        import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();

        assert_eq!(open(&world.ctx, "api_key").await.unwrap().expose_secret().as_slice(), VALUE.as_bytes());
        assert_eq!(list(&world.ctx, &ME).await.unwrap().len(), 3);
        for leaked in [VALUE, "old-value-of-before", "old-positional", "old-by-keyword", "4929123412341234", "quotes"] {
            assert!(!database_contains(database, leaked.as_bytes()).await, "{leaked}");
        }
        assert!(database_contains(database, b"[secret api_key]").await);
    }

    async fn with_the_wrong_key_nothing_is_imported(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        old.keep("api_key", VALUE);
        let before = database.dump().await;
        let other = fernet::Fernet::generate_key();
        for keys in [Keys::Open(SecretString::from(other)), Keys::Open("rubbish".into()), Keys::Unsaid] {
            let error = import(&world.ctx, &ME, &old.file, &keys).await.unwrap_err();
            assert_eq!(error.code(), "bad_input", "{error}");
            assert_eq!(database.dump().await, before);
        }
        assert_eq!(std::fs::read_dir(world.home.path()).unwrap().count(), 0);
    }

    async fn keys_can_be_left_behind_and_are_not_needed_where_there_are_none(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        import(&world.ctx, &ME, &old.file, &Keys::Unsaid).await.unwrap();
        old.keep("api_key", VALUE);
        let imported = import(&world.ctx, &ME, &old.file, &Keys::Leave).await.unwrap();
        assert_eq!((imported.secrets, list(&world.ctx, &ME).await.unwrap().len()), (0, 0));
    }

    async fn a_key_whose_name_or_value_is_none_of_ours_is_reported_and_redacted_all_the_same(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        old.keep("my-key", VALUE);
        old.keep("empty", "");
        old.keep("short", "abc");
        old.log("main", "ok", &format!("{{\"x\": \"{VALUE}\"}}"), "1");
        let imported = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        assert_eq!(imported.secrets, 0);
        for name in ["`my-key`", "`empty`", "`short`"] {
            assert!(imported.notes.iter().any(|note| note.contains(name)), "{:?}", imported.notes);
        }
        assert!(!database_contains(database, VALUE.as_bytes()).await);
    }

    async fn when_our_own_secrets_key_is_lost_nothing_is_imported(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        let value = SecretBox::new(Box::new(b"mine".to_vec()));
        set(&world.ctx, &ME, "mine", &value).await.unwrap();
        std::fs::remove_file(world.home.path().join("secrets.key")).unwrap();
        old.keep("api_key", VALUE);
        let before = database.dump().await;
        let error = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap_err();
        assert_eq!(error.code(), "secrets_key", "{error}");
        assert_eq!(database.dump().await, before);
    }

    async fn a_secret_that_is_there_with_another_value_is_kept_and_told(database: &TestDatabase) {
        let (world, old) = (World::open(database).await, OldBrain::new());
        old.keep("api_key", VALUE);
        let value = SecretBox::new(Box::new(b"newer".to_vec()));
        set(&world.ctx, &ME, "api_key", &value).await.unwrap();
        let imported = import(&world.ctx, &ME, &old.file, &old.keys()).await.unwrap();
        assert_eq!(open(&world.ctx, "api_key").await.unwrap().expose_secret().as_slice(), b"newer");
        assert!(imported.notes.iter().any(|note| note.contains("`api_key`")), "{:?}", imported.notes);
    }
}
