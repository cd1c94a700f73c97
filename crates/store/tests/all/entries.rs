//! Lists: by name in the order of code points, a page at a time, now and as of any revision.

use std::collections::HashMap;

use model::access::scope::Scope;
use model::changeset::Change;
use model::entry::EntryKind;
use model::ids::EntryId;
use model::revision::Revision;
use store::EntryPage;
use store::testing::TestDatabase;

use crate::world::{World, answering, delete, graph, id, key, name, put};

/// In the order of code points, which is neither that of a dictionary nor that of a locale.
const NAMES: [&str; 9] = ["B", "Z.inner", "_a", "a", "a.b", "a_b", "ab", "größe", "計算"];

fn page(after: Option<&str>, limit: u32) -> EntryPage {
    EntryPage {
        kind: EntryKind::Function,
        scope: Scope::All,
        pack: None,
        after: after.map(str::to_owned),
        limit,
    }
}

async fn names(world: &World, at: Option<u64>) -> Vec<String> {
    let listed = match at {
        None => world.store.entries(&page(None, 100)).await,
        Some(revision) => world.store.entries_as_of(Revision(revision), &page(None, 100)).await,
    };
    listed.unwrap().iter().map(|entry| entry.key.name.to_string()).collect()
}

store::on_both! {
    async fn entries_are_found_by_their_ids_also_when_deleted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1)]).await;
        world.apply(vec![delete("b")]).await;
        let entry = async |text| world.store.versions(&key(text)).await.unwrap()[0].entry_id;
        let (a, b) = (entry("a").await, entry("b").await);
        let keys = world.store.entry_keys(&[a, b, EntryId(id())]).await.unwrap();
        assert_eq!(keys, HashMap::from([(a, key("a")), (b, key("b"))]));
    }

    async fn pages_follow_each_other_in_the_order_of_code_points(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut changes: Vec<Change> = NAMES.iter().map(|text| put(text, 1)).collect();
        changes.reverse();
        changes.push(Change::put(name("a_graph"), graph("another kind")));
        world.apply(changes).await;

        let mut listed = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let found = world.store.entries(&page(after.as_deref(), 2)).await.unwrap();
            let Some(last) = found.last() else { break };
            assert!(found.len() <= 2);
            after = Some(last.key.name.to_string());
            listed.extend(found.into_iter().map(|entry| entry.key.name.to_string()));
        }
        assert_eq!(listed, NAMES);
        assert_eq!(world.store.entry_names(EntryKind::Function, &Scope::All).await.unwrap(), NAMES);
        assert_eq!(names(&world, Some(1)).await, NAMES);
    }

    async fn a_line_tells_what_is_live(database: &TestDatabase) {
        let world = World::open(database).await;
        let applied = world.apply(vec![put("a", 1)]).await;
        world.apply(vec![put("a", 2)]).await;
        let entries = world.store.entries(&page(None, 10)).await.unwrap();
        let [entry] = entries.as_slice() else { panic!("{entries:?}") };
        assert_eq!((entry.version.0, entry.description.as_str()), (2, "Answers 2."));
        assert_eq!(entry.content_hash, model::content::Snapshot::of(answering("a", 2)).hash);
        assert_eq!((entry.pack.as_deref(), &entry.written_by), (None, &applied.actor));
        assert_eq!(entry.written_at, applied.created_at);
    }

    async fn a_list_as_of_a_revision_is_the_list_it_was(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1)]).await;
        world.apply(vec![delete("a"), put("c", 1)]).await;
        world.apply(vec![put("a", 2), delete("b")]).await;
        assert_eq!(names(&world, Some(0)).await, [""; 0]);
        assert_eq!(names(&world, Some(1)).await, ["a", "b"]);
        assert_eq!(names(&world, Some(2)).await, ["b", "c"]);
        assert_eq!(names(&world, Some(3)).await, ["a", "c"]);
        assert_eq!(names(&world, None).await, ["a", "c"]);
        let first = world.store.entries_as_of(Revision(1), &page(None, 1)).await.unwrap();
        assert_eq!((first[0].version.0, first[0].description.as_str()), (1, "Answers 1."));
        let rest = world.store.entries_as_of(Revision(1), &page(Some("a"), 1)).await.unwrap();
        assert_eq!(rest[0].key.name.as_str(), "b");
    }

    async fn what_is_deleted_is_not_counted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1), Change::put(name("g"), graph("g"))]).await;
        world.apply(vec![delete("a")]).await;
        assert_eq!(world.store.entry_count(EntryKind::Function, &Scope::All).await.unwrap(), 1);
        assert_eq!(world.store.entry_count(EntryKind::Graph, &Scope::All).await.unwrap(), 1);
        assert_eq!(world.store.entry_count(EntryKind::Trigger, &Scope::All).await.unwrap(), 0);
        assert_eq!(world.store.entry_names(EntryKind::Function, &Scope::All).await.unwrap(), ["b"]);
    }
}
