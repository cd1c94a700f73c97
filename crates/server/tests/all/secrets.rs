//! Secrets: sealed in the database, opened with the brain's key alone, told to nobody.

use std::os::unix::fs::PermissionsExt;

use model::event::EventKind;
use secrecy::{ExposeSecret, SecretBox};
use server::Error;
use server::app::secrets::{list, remove, set};
use server::secrets::opening::open;
use server::secrets::seal::SealError;
use store::Location;
use store::testing::TestDatabase;

use crate::world::{ME, World};

const VALUE: &[u8] = b"sk-hunter2-hunter2-hunter2";

fn value(bytes: &[u8]) -> SecretBox<Vec<u8>> {
    SecretBox::new(Box::new(bytes.to_vec()))
}

/// Whether bytes occur anywhere in the database, in any form a row is shown in.
pub(crate) async fn database_contains(database: &TestDatabase, bytes: &[u8]) -> bool {
    let found = |text: &[u8], part: &[u8]| text.windows(part.len()).any(|window| window == part);
    let listed = format!("{bytes:?}");
    let listed = listed.trim_matches(['[', ']']).as_bytes();
    let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines = database.dump().await;
    let mut texts: Vec<Vec<u8>> = lines.into_iter().map(String::into_bytes).collect();
    if let Location::Sqlite(path) = database.location() {
        let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
        texts.extend(files.map(|file| std::fs::read(file.unwrap().path()).unwrap()));
    }
    texts.iter().any(|text| found(text, bytes) || found(text, listed) || found(text, hex.as_bytes()))
}

store::on_both! {
    async fn a_secret_opens_again_and_its_value_is_nowhere_in_the_database(database: &TestDatabase) {
        let world = World::open(database).await;
        set(&world.ctx, &ME, "api_key", &value(VALUE)).await.unwrap();
        assert_eq!(open(&world.ctx, "api_key").await.unwrap().expose_secret(), VALUE);
        assert!(database_contains(database, b"api_key").await, "the search itself works");
        assert!(!database_contains(database, VALUE).await);
        assert!(!database_contains(database, &VALUE[3..13]).await);
        assert_eq!(list(&world.ctx, &ME).await.unwrap()[0].name, "api_key");
    }

    async fn a_secret_is_replaced_removed_and_each_deed_is_reported(database: &TestDatabase) {
        let world = World::open(database).await;
        set(&world.ctx, &ME, "k", &value(b"first")).await.unwrap();
        set(&world.ctx, &ME, "k", &value(b"second")).await.unwrap();
        assert_eq!(open(&world.ctx, "k").await.unwrap().expose_secret(), b"second");
        remove(&world.ctx, &ME, "k").await.unwrap();
        assert_eq!(open(&world.ctx, "k").await.unwrap_err().code(), "not_found");
        assert_eq!(remove(&world.ctx, &ME, "k").await.unwrap_err().code(), "not_found");
        let events = world.ctx.store.events_after(0, 10).await.unwrap();
        assert_eq!(events.len(), 3);
        assert!(events.iter().all(|event| event.fact.kind == EventKind::SecretChanged));
        let verbs: Vec<String> =
            world.ctx.store.audit(None, 10).await.unwrap().into_iter().map(|deed| deed.verb).collect();
        assert_eq!(verbs.len(), 3);
    }

    async fn the_audit_trail_tells_deeds_in_the_order_they_were_done(database: &TestDatabase) {
        let world = World::open(database).await;
        let names: Vec<String> = (0..20).map(|n| format!("k{n}")).collect();
        for name in &names {
            set(&world.ctx, &ME, name, &value(VALUE)).await.unwrap();
        }
        let mut subjects: Vec<String> =
            world.ctx.store.audit(None, 100).await.unwrap().into_iter().map(|deed| deed.subject).collect();
        subjects.reverse();
        assert_eq!(subjects, names);
    }

    async fn a_name_that_is_none_and_a_value_that_cannot_be_redacted_are_refused(database: &TestDatabase) {
        let world = World::open(database).await;
        let wrong = [("my-key", VALUE), ("", VALUE), ("class", VALUE), ("fine", b""), ("fine", b"abc")];
        for (name, bytes) in wrong {
            assert_eq!(set(&world.ctx, &ME, name, &value(bytes)).await.unwrap_err().code(), "bad_secret");
        }
        assert_eq!(database.count("secrets").await, 0);
        assert_eq!(std::fs::read_dir(world.home.path()).unwrap().count(), 0, "no key was made for nothing");
    }

    async fn the_key_is_a_file_that_only_its_owner_reads(database: &TestDatabase) {
        let world = World::open(database).await;
        set(&world.ctx, &ME, "k", &value(VALUE)).await.unwrap();
        let file = world.home.path().join("secrets.key");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!database_contains(database, std::fs::read_to_string(&file).unwrap().trim().as_bytes()).await);
        let again = world.reopened(database).await;
        assert_eq!(open(&again, "k").await.unwrap().expose_secret(), VALUE);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(open(&again, "k").await, Err(Error::Seal(SealError::Exposed { mode: 0o640, .. }))));
    }

    // BabyAGI without its key file makes a new one, and all its keys silently vanish.
    async fn a_lost_key_is_not_replaced(database: &TestDatabase) {
        let world = World::open(database).await;
        set(&world.ctx, &ME, "k", &value(VALUE)).await.unwrap();
        let file = world.home.path().join("secrets.key");
        let kept = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let before = database.dump().await;
        for error in [open(&world.ctx, "k").await.unwrap_err(), set(&world.ctx, &ME, "new", &value(VALUE)).await.unwrap_err()] {
            assert!(matches!(&error, Error::Seal(SealError::Missing { .. })), "{error:?}");
            assert!(error.to_string().contains("secrets.key"), "{error}");
        }
        assert!(!file.exists());
        assert_eq!(database.dump().await, before);
        std::fs::write(&file, kept).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(open(&world.ctx, "k").await.unwrap().expose_secret(), VALUE);
    }

    async fn a_wrong_key_is_refused_before_anything_is_sealed_with_it(database: &TestDatabase) {
        let world = World::with_key(database, Some(&"ab".repeat(32))).await;
        set(&world.ctx, &ME, "k", &value(VALUE)).await.unwrap();
        assert_eq!(std::fs::read_dir(world.home.path()).unwrap().count(), 0, "a given key is not written down");
        let wrong = World::with_key(database, Some(&"cd".repeat(32))).await;
        let before = database.dump().await;
        for error in [open(&wrong.ctx, "k").await.unwrap_err(), set(&wrong.ctx, &ME, "k", &value(VALUE)).await.unwrap_err()] {
            assert!(matches!(&error, Error::Seal(SealError::WrongKey)), "{error:?}");
        }
        assert_eq!(database.dump().await, before);
        let malformed = World::with_key(database, Some("abcd")).await;
        assert!(matches!(open(&malformed.ctx, "k").await, Err(Error::Seal(SealError::Malformed))));
    }

    async fn many_who_set_the_first_secret_at_once_share_one_key(database: &TestDatabase) {
        let world = World::open(database).await;
        let tasks: Vec<_> = (0..8)
            .map(|n| {
                let ctx = world.ctx.clone();
                tokio::spawn(async move { set(&ctx, &ME, &format!("k{n}"), &value(VALUE)).await.unwrap() })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        for n in 0..8 {
            assert_eq!(open(&world.ctx, &format!("k{n}")).await.unwrap().expose_secret(), VALUE);
        }
        assert_eq!(std::fs::read_dir(world.home.path()).unwrap().count(), 1);
    }
}
