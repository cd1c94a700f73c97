//! Copies of a brain in one file.

use store::testing::TestDatabase;
use store::{Error, Location, Store};

use crate::runs::queued;
use crate::world::World;

#[tokio::test]
async fn a_copy_holds_what_was_written_when_it_was_made() {
    let database = TestDatabase::sqlite();
    let world = World::open(&database).await;
    world.store.start_run(&queued("a"), &[]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    // The brain stays open: what was written is still in its log.
    let copied = Store::copy_to(database.location(), &copy).await.unwrap();
    assert_eq!(copied, Store::examine_copy(&copy).await.unwrap());
    assert_eq!(copied.revision, world.store.revision().await.unwrap().0);
    world.store.start_run(&queued("b"), &[]).await.unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing lies beside it");
    let restored = Store::open(&Location::Sqlite(copy)).await.unwrap();
    assert_eq!(restored.open_runs().await.unwrap().queued, 1);
    restored.close().await;
}

#[tokio::test]
async fn a_copy_that_is_damaged_or_foreign_is_refused() {
    let database = TestDatabase::sqlite();
    let world = World::open(&database).await;
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    Store::copy_to(database.location(), &copy).await.unwrap();
    let mut bytes = std::fs::read(&copy).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0x5a);
    std::fs::write(&copy, bytes).unwrap();
    let error = Store::examine_copy(&copy).await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    std::fs::write(&copy, "not a database, though it is as long as the head of one would be: a hundred bytes or so, and some more").unwrap();
    let error = Store::examine_copy(&copy).await.unwrap_err();
    assert!(matches!(error, Error::NotADatabase { .. }), "{error:?}");
    drop(world);
}

#[tokio::test]
async fn a_brain_in_use_is_not_made_one_file() {
    let database = TestDatabase::sqlite();
    let world = World::open(&database).await;
    let error = Store::fold(&database.path()).await.unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{error:?}");
    world.store.close().await;
    Store::fold(&database.path()).await.unwrap();
}

#[tokio::test]
async fn a_server_is_not_a_file() {
    let server = Location::Postgres("postgres://me:hunter2@db.example/brain".to_owned());
    let error = Store::copy_to(&server, std::path::Path::new("nowhere/copy")).await.unwrap_err();
    assert!(matches!(error, Error::NoFile { .. }) && !error.to_string().contains("hunter2"), "{error}");
}
