//! Versions: by number, live, as of a revision, with their closure, and what moved.

use model::access::scope::Scope;
use model::changeset::Change;
use model::entry::EntryKind;
use model::ids::VersionId;
use model::revision::Revision;
use model::version::VersionNumber;
use store::testing::TestDatabase;

use crate::world::{
    World, answering, calling, delete, graph, id, key, name, point, put, put_calling, source,
};

async fn closure(world: &World, text: &str) -> Vec<String> {
    let versions = world.store.closure(&name(text)).await.unwrap();
    versions.iter().map(|(version, _)| format!("{}@{}", version.head.key.name, version.head.number)).collect()
}

store::on_both! {
    async fn a_version_reads_back_as_it_was_written(database: &TestDatabase) {
        let world = World::open(database).await;
        let text = "def odd(q: list[int] = [1], *, größe: 'str | None' = \"\\0\"):\n    \"\"\"Zählt \\0 🎈.\"\"\"\n    return q, größe\n";
        world.apply(vec![Change::put(name("odd"), source(text))]).await;
        let version = world.store.version(&key("odd"), VersionNumber(1)).await.unwrap().unwrap();
        assert_eq!(version.content, source(text));
        assert_eq!(model::content::Snapshot::of(version.content).hash, version.head.content_hash);
        assert_eq!(world.store.version(&key("odd"), VersionNumber(2)).await.unwrap(), None);
        assert_eq!(world.store.version(&key("even"), VersionNumber(1)).await.unwrap(), None);
        assert_eq!(world.store.live_version(&key("even")).await.unwrap(), None);
    }

    async fn any_revision_can_be_looked_back_at(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("other", 1)]).await;
        world.apply(vec![put("a", 1)]).await;
        world.apply(vec![put("a", 2)]).await;
        world.apply(vec![delete("a")]).await;
        world.apply(vec![put("other", 2)]).await;
        world.apply(vec![point("a", 1)]).await;
        let expected = [None, None, Some(1), Some(2), None, None, Some(1), Some(1)];
        for (revision, expected) in (0_u64..).zip(expected) {
            let version = world.store.version_as_of(&key("a"), Revision(revision)).await.unwrap();
            assert_eq!(version.map(|version| version.head.number.0), expected, "at revision {revision}");
        }
    }

    async fn what_was_live_is_reported_in_order(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1)]).await;
        world.apply(vec![put("a", 2)]).await;
        world.apply(vec![delete("a")]).await;
        world.apply(vec![point("a", 1)]).await;
        let history = world.store.live_history(&key("a")).await.unwrap();
        assert_eq!(history, [1, 2, 1].map(VersionNumber));
        assert_eq!(world.store.live_history(&key("b")).await.unwrap(), []);
    }

    async fn versions_are_found_by_their_ids(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1)]).await;
        world.apply(vec![put("a", 2), delete("b")]).await;
        let mut heads = world.store.versions(&key("a")).await.unwrap();
        heads.extend(world.store.versions(&key("b")).await.unwrap());
        let mut ids: Vec<VersionId> = heads.iter().map(|head| head.version_id).collect();
        ids.push(VersionId(id()));
        let mut found = world.store.version_heads(&ids).await.unwrap();
        found.sort_by_key(|head| (head.key.clone(), head.number));
        assert_eq!(found, heads);
        assert_eq!(world.store.version_heads(&[]).await.unwrap(), []);
    }

    async fn all_versions_are_listed_also_of_what_was_deleted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1)]).await;
        world.apply(vec![put("a", 2)]).await;
        world.apply(vec![delete("a")]).await;
        let heads = world.store.versions(&key("a")).await.unwrap();
        assert_eq!(heads.iter().map(|head| head.number.0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(world.store.versions(&key("b")).await.unwrap(), []);
    }

    async fn a_chain_of_a_hundred_is_found_whole(database: &TestDatabase) {
        let world = World::open(database).await;
        let link = |n: u32| match n {
            99 => put("f99", 1),
            _ => put_calling(&format!("f{n:02}"), &[(&format!("f{:02}", n + 1), None)]),
        };
        world.apply((0..100).map(link).chain([put("stranger", 1)]).collect()).await;
        let expected: Vec<String> = (0..100).map(|n| format!("f{n:02}@1")).collect();
        assert_eq!(closure(&world, "f00").await, expected);
        assert_eq!(closure(&world, "f99").await, ["f99@1"]);
    }

    async fn cycles_and_diamonds_are_walked_once(database: &TestDatabase) {
        let world = World::open(database).await;
        world
            .apply(vec![
                put_calling("top", &[("left", None), ("right", None)]),
                put_calling("left", &[("bottom", None)]),
                put_calling("right", &[("bottom", None)]),
                put_calling("bottom", &[("top", None), ("bottom", None)]),
            ])
            .await;
        assert_eq!(closure(&world, "left").await, ["bottom@1", "left@1", "right@1", "top@1"]);
    }

    async fn a_pin_takes_the_pinned_version_and_what_that_one_calls(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("old_friend", 1), put("new_friend", 1), put_calling("dep", &[("old_friend", None)])]).await;
        world.apply(vec![put_calling("dep", &[("new_friend", None)])]).await;
        world.apply(vec![put_calling("pins", &[("dep", Some(1))]), put_calling("follows", &[("dep", None)])]).await;
        assert_eq!(closure(&world, "pins").await, ["dep@1", "old_friend@1", "pins@1"]);
        assert_eq!(closure(&world, "follows").await, ["dep@2", "follows@1", "new_friend@1"]);

        world.apply(vec![put_calling("both", &[("pins", None), ("follows", None)])]).await;
        assert_eq!(
            closure(&world, "both").await,
            ["both@1", "dep@1", "dep@2", "follows@1", "new_friend@1", "old_friend@1", "pins@1"]
        );
    }

    async fn a_version_that_is_pinned_and_live_is_in_the_closure_once(database: &TestDatabase) {
        let world = World::open(database).await;
        world
            .apply(vec![
                put("dep", 1),
                put_calling("pins", &[("dep", Some(1))]),
                put_calling("top", &[("dep", None), ("pins", None)]),
            ])
            .await;
        assert_eq!(closure(&world, "top").await, ["dep@1", "pins@1", "top@1"]);
    }

    async fn what_is_missing_or_deleted_is_not_in_the_closure(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("here", 1), put_calling("a", &[("here", None), ("nowhere", None), ("here", Some(7))])]).await;
        assert_eq!(closure(&world, "a").await, ["a@1", "here@1"]);
        world.apply(vec![delete("here")]).await;
        assert_eq!(closure(&world, "a").await, ["a@1"]);
        assert_eq!(closure(&world, "here").await, [""; 0]);
        assert_eq!(closure(&world, "nowhere").await, [""; 0]);
    }

    async fn a_graph_is_called_like_a_function(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put_calling("a", &[("g", None)]), Change::put(name("g"), graph("g"))]).await;
        assert_eq!(closure(&world, "a").await, ["a@1", "g@1"]);
        assert_eq!(closure(&world, "g").await, ["g@1"]);
    }

    async fn live_versions_come_in_pages_with_their_contents(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1), put("c", 1), Change::put(name("g"), graph("g"))]).await;
        world.apply(vec![put("a", 2), delete("b")]).await;
        let first = world.store.live_versions(EntryKind::Function, None, 1, &Scope::All).await.unwrap();
        assert_eq!(first.iter().map(|version| &version.content).collect::<Vec<_>>(), [&answering("a", 2)]);
        let rest = world.store.live_versions(EntryKind::Function, Some("a"), 10, &Scope::All).await.unwrap();
        assert_eq!(rest.iter().map(|version| &version.content).collect::<Vec<_>>(), [&answering("c", 1)]);
        assert_eq!(world.store.live_versions(EntryKind::Graph, None, 10, &Scope::All).await.unwrap().len(), 1);
    }

    async fn the_live_versions_of_some_names_come_at_once_and_only_those_there_are(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1), put("c", 1), Change::put(name("g"), graph("g"))]).await;
        world.apply(vec![put("a", 2), delete("b")]).await;
        let names = ["a", "b", "g", "nobody"].map(name);
        let found = world.store.live_callables(&names).await.unwrap();
        let mut found: Vec<_> = found.iter().map(|version| (version.head.key.kind, &version.content)).collect();
        found.sort_by_key(|(kind, _)| kind.as_str());
        assert_eq!(found, [(EntryKind::Function, &answering("a", 2)), (EntryKind::Graph, &graph("g"))]);
        assert!(world.store.live_callables(&[]).await.unwrap().is_empty());
    }

    async fn what_moved_since_a_revision_is_named_once_with_the_revision_of_now(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1), Change::put(name("g"), graph("g"))]).await;
        world.apply(vec![put("a", 2)]).await;
        world.apply(vec![put("a", 3), delete("b")]).await;
        for (since, expected) in [(0, vec!["a", "b"]), (1, vec!["a", "b"]), (2, vec!["a", "b"]), (3, vec![])] {
            let (now, names) = world.store.moved_since(EntryKind::Function, Revision(since)).await.unwrap();
            let names: Vec<&str> = names.iter().map(model::name::EntryName::as_str).collect();
            assert_eq!((now, names), (Revision(3), expected), "since {since}");
        }
        let (_, graphs) = world.store.moved_since(EntryKind::Graph, Revision(0)).await.unwrap();
        assert_eq!(graphs, [name("g")]);
    }

    async fn a_content_that_several_entries_share_is_of_each(database: &TestDatabase) {
        let world = World::open(database).await;
        let shared = calling("x", &[("dep", None)]);
        world.apply(vec![put("dep", 1), Change::put(name("one"), shared.clone()), Change::put(name("two"), shared)]).await;
        assert_eq!(closure(&world, "one").await, ["dep@1", "one@1"]);
        assert_eq!(closure(&world, "two").await, ["dep@1", "two@1"]);
    }
}
