//! What a brain knows of itself.

use model::revision::Revision;
use store::testing::TestDatabase;
use store::{Error, Store};

use crate::world::{World, id, put};

store::on_both! {
    async fn a_new_brain_is_empty_and_each_application_is_the_next_revision(database: &TestDatabase) {
        let world = World::open(database).await;
        assert_eq!(world.store.revision().await.unwrap(), Revision::EMPTY);
        world.apply(vec![put("a", 1)]).await;
        world.apply(vec![put("a", 2)]).await;
        assert_eq!(world.store.revision().await.unwrap(), Revision(2));
    }

    async fn a_brain_keeps_its_first_id_across_openings(database: &TestDatabase) {
        let (first, second) = (id(), id());
        let store = Store::open(database.location()).await.unwrap();
        assert_eq!(store.brain_id(first).await.unwrap().0, first);
        store.close().await;
        let again = Store::open(database.location()).await.unwrap();
        assert_eq!(again.brain_id(second).await.unwrap().0, first);
    }

    async fn a_flush_is_a_write(database: &TestDatabase) {
        let store = Store::open(database.location()).await.unwrap();
        store.flush().await.unwrap();
        store.flush().await.unwrap();
        assert_eq!(store.cursor("flushed").await.unwrap(), 2);
    }

    async fn of_many_who_write_a_fact_at_once_one_wins_and_all_see_it(database: &TestDatabase) {
        let store = Store::open(database.location()).await.unwrap();
        assert_eq!(store.fact("colour").await.unwrap(), None);
        let mut tasks = Vec::new();
        for number in 0..20 {
            let store = store.clone();
            tasks.push(tokio::spawn(async move { store.fact_or("colour", &format!("{number}")).await.unwrap() }));
        }
        let winner = store.fact_or("colour", "late").await.unwrap();
        for task in tasks {
            assert_eq!(task.await.unwrap(), winner);
        }
        assert_eq!(store.fact("colour").await.unwrap(), Some(winner));
    }

    async fn a_closed_store_says_so(database: &TestDatabase) {
        let store = Store::open(database.location()).await.unwrap();
        let clone = store.clone();
        store.close().await;
        assert!(matches!(clone.revision().await, Err(Error::Closed)));
    }
}
