//! Room on the disk: what is removed gives it back.

use rusqlite::Connection;
use serde_json::json;
use store::testing::TestDatabase;
use store::{Firings, Store};

use crate::world::{World, at, event};

const LARGE: usize = 200_000;
const MANY: usize = 60;

/// Fills the log and empties it again, so that most of the file is free.
async fn fill_and_empty(store: &Store) {
    for _ in 0..MANY {
        let mut large = event("a");
        large.data = json!("x".repeat(LARGE));
        store.append_events(&[large]).await.unwrap();
    }
    let passed = Firings { cursor: "triggers".to_owned(), to_seq: MANY as u64, ..Firings::default() };
    assert!(store.fire(&passed).await.unwrap());
    assert_eq!(store.prune_events(at(100), 1_000).await.unwrap(), MANY as u64);
}

fn file_bytes(database: &TestDatabase) -> u64 {
    std::fs::metadata(database.path()).unwrap().len()
}

store::on_both! {
    async fn room_is_known_of_sqlite_alone_and_giving_back_is_harmless(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.give_back().await.unwrap();
        world.store.rewrite().await.unwrap();
        let space = world.store.space().await.unwrap();
        assert_eq!(space.is_some(), matches!(database.location(), store::Location::Sqlite(_)));
        assert!(space.is_none_or(|space| space.incremental && space.total > 0));
    }
}

#[tokio::test]
async fn a_new_file_gives_back_what_is_free_in_slices() {
    let database = TestDatabase::sqlite();
    let world = World::open(&database).await;
    fill_and_empty(&world.store).await;
    let full = world.store.space().await.unwrap().unwrap();
    let removed = (LARGE * MANY) as u64;
    assert!(full.incremental && full.free >= removed, "{full:?}");
    world.store.give_back().await.unwrap();
    let slice = world.store.space().await.unwrap().unwrap();
    let given = full.free - slice.free;
    assert!(given > 0 && given <= 1024 * 4096, "a slice is bounded, and not {given} bytes");
    while world.store.space().await.unwrap().unwrap().free > 0 {
        world.store.give_back().await.unwrap();
    }
    let empty = world.store.space().await.unwrap().unwrap();
    assert!(empty.total + removed <= full.total, "{empty:?}");
    world.store.clone().close().await;
    assert!(file_bytes(&database) <= empty.total, "the file on the disk is as small as it says");
}

/// Files of before were made without the pages that tell what can be moved.
#[tokio::test]
async fn a_file_of_before_gives_back_nothing_until_it_is_rewritten() {
    let database = TestDatabase::sqlite();
    World::open(&database).await.store.close().await;
    let before = Connection::open(database.path()).unwrap();
    before.execute_batch("pragma journal_mode = delete; pragma auto_vacuum = none; vacuum").unwrap();
    before.close().unwrap();
    let world = World::open(&database).await;
    fill_and_empty(&world.store).await;
    world.store.give_back().await.unwrap();
    let full = world.store.space().await.unwrap().unwrap();
    assert!(!full.incremental && full.free >= (LARGE * MANY) as u64, "{full:?}");
    world.store.rewrite().await.unwrap();
    let empty = world.store.space().await.unwrap().unwrap();
    assert!(empty.incremental && empty.free == 0 && empty.total < full.total / 2, "{empty:?}");
    assert!(file_bytes(&database) <= empty.total);
    world.store.append_events(&[event("a")]).await.unwrap();
    assert_eq!(world.store.newest_event().await.unwrap(), MANY as u64 + 1);
}
