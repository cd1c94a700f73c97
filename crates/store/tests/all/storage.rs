//! Values that outlive Runs: stored with their Steps, by owner and key, within bounds.

use model::access::scope::Scope;
use model::entry::{EntryKey, EntryKind};
use model::run::{Lease, Run};
use model::storage::{MAX_KEYS, StorageOwner};
use serde_json::{Value, json};
use store::testing::TestDatabase;
use store::{Error, StorageChange, Store};

use crate::runs::{hard_values, node, waited};
use crate::steps::step;
use crate::world::{World, at, name};

fn set(value: &Value) -> StorageChange<'_> {
    StorageChange::Set { value, at: at(1) }
}

/// A Run that stores values of the brain, one Step after the other.
#[derive(Clone)]
struct Writer {
    store: Store,
    run: Run,
    position: u32,
}

impl Writer {
    async fn of(world: &World) -> Writer {
        let run = waited("a", node());
        world.store.start_run(&run, &[]).await.unwrap();
        Writer { store: world.store.clone(), run, position: 0 }
    }

    async fn write(&mut self, key: &str, change: StorageChange<'_>) -> Result<(), Error> {
        self.position += 1;
        let (step, lease) = (step(self.run.run_id, self.position, json!(null)), self.run.lease.unwrap());
        self.store.record_step_storing(&step, lease, &StorageOwner::Brain, key, change).await
    }

    async fn steps(&self) -> usize {
        self.store.steps(self.run.run_id).await.unwrap().len()
    }
}

store::on_both! {
    async fn values_read_back_as_they_were_stored_until_they_are_removed(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut writer = Writer::of(&world).await;
        let value = async |owner: StorageOwner| world.store.stored_value(&owner, "k").await.unwrap();
        assert_eq!(value(StorageOwner::Brain).await, None);
        for hard in hard_values() {
            writer.write("k", set(&hard)).await.unwrap();
            assert_eq!(value(StorageOwner::Brain).await, Some(hard));
        }
        assert_eq!(value(StorageOwner::Function(name("a"))).await, None, "another owner");
        assert_eq!(value(StorageOwner::Graph(name("a"))).await, None, "another owner");
        writer.write("k", StorageChange::Remove).await.unwrap();
        writer.write("k", StorageChange::Remove).await.unwrap();
        assert_eq!(value(StorageOwner::Brain).await, None);
        assert_eq!(writer.steps().await, hard_values().len() + 2);
    }

    async fn keys_are_listed_in_order_a_page_at_a_time_as_a_scope_has_them(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut writer = Writer::of(&world).await;
        for key in ["b", "B", "ü", "a.2", "a.1", "a[1]"] {
            writer.write(key, set(&json!(1))).await.unwrap();
        }
        let keys = async |after: Option<&str>, limit, scope: &Scope| {
            world.store.stored_keys(&StorageOwner::Brain, after, limit, scope).await.unwrap()
        };
        assert_eq!(keys(None, 9, &Scope::All).await, ["B", "a.1", "a.2", "a[1]", "b", "ü"]);
        assert_eq!(keys(Some("a.1"), 2, &Scope::All).await, ["a.2", "a[1]"]);
        let some = Scope::of_patterns(vec!["a.*".to_owned(), "a[1]".to_owned()]);
        assert_eq!(keys(None, 9, &some).await, ["a.1", "a.2", "a[1]"]);
        assert_eq!(keys(None, 9, &Scope::none()).await, [""; 0]);
    }

    async fn a_claim_that_was_lost_stores_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        let writer = Writer::of(&world).await;
        let lost = Lease { fence: 99, ..writer.run.lease.unwrap() };
        let step = step(writer.run.run_id, 1, json!(1));
        let refused =
            world.store.record_step_storing(&step, lost, &StorageOwner::Brain, "k", set(&json!(1))).await;
        assert!(matches!(&refused, Err(error @ Error::GuardFailed { .. }) if !error.is_storage_full()));
        assert_eq!(world.store.stored_value(&StorageOwner::Brain, "k").await.unwrap(), None);
        assert_eq!(writer.steps().await, 0);
    }

    async fn a_key_too_many_is_refused_with_its_step(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut writer = Writer::of(&world).await;
        let full = |number: u32| format!("key {number}");
        // Together, so that they share flushes.
        for first in (0..MAX_KEYS).step_by(500) {
            let mut writing = tokio::task::JoinSet::new();
            for number in first..first + 500 {
                let mut writer = Writer { position: number, ..writer.clone() };
                writing.spawn(async move { writer.write(&full(number), set(&json!(number))).await.unwrap() });
            }
            writing.join_all().await;
        }
        writer.position = MAX_KEYS;
        let refused = writer.write("one more", set(&json!(1))).await.unwrap_err();
        assert!(refused.is_storage_full(), "{refused}");
        assert_eq!(writer.steps().await, MAX_KEYS as usize);
        writer.write(&full(7), set(&json!("changed"))).await.unwrap();
        writer.write(&full(8), StorageChange::Remove).await.unwrap();
        writer.write("one more", set(&json!(1))).await.unwrap();
    }

    async fn the_nearest_graph_above_a_run_is_found(database: &TestDatabase) {
        let world = World::open(database).await;
        let graph = |text: &str| EntryKey { kind: EntryKind::Graph, name: name(text) };
        let outer = Run { key: graph("outer"), ..waited("outer", node()) };
        let inner = Run { key: graph("inner"), parent: Some(outer.run_id), ..waited("inner", node()) };
        let called = Run { parent: Some(inner.run_id), ..waited("called", node()) };
        let below = Run { parent: Some(called.run_id), ..waited("below", node()) };
        for run in [&outer, &inner, &called, &below] {
            world.store.start_run(run, &[]).await.unwrap();
        }
        let found = async |run: &Run| world.store.calling_graph(run.run_id).await.unwrap();
        assert_eq!(found(&below).await, Some(name("inner")));
        assert_eq!(found(&called).await, Some(name("inner")));
        assert_eq!(found(&inner).await, Some(name("outer")));
        assert_eq!(found(&outer).await, None);
    }
}
