//! What a Changeset has to know before it is applied, and what an applied one moved.

use model::access::scope::Scope;
use model::entry::EntryKind;
use model::function::dependency::Role;
use model::revision::Revision;
use model::version::VersionNumber;
use store::testing::TestDatabase;
use store::{PastMove, Question};

use crate::world::{World, changeset, delete, graph_key, key, pack, point, put, put_calling};

store::on_both! {
    async fn a_snapshot_tells_each_entry_s_versions_pointer_and_last_movement(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1)]).await;
        world.apply(vec![put("a", 2)]).await;
        world.apply(vec![point("a", 1)]).await;
        world.apply(vec![delete("b")]).await;
        let entries = vec![key("a"), key("b"), key("nobody"), graph_key("a")];
        let snapshot = world.store.snapshot(&Question { entries, referrers_of: vec![] }).await.unwrap();
        assert_eq!(snapshot.revision, Revision(4));
        assert_eq!(snapshot.entries.len(), 2);
        let a = &snapshot.entries[&key("a")];
        assert_eq!((a.live, a.moved_at, a.pack), (Some(VersionNumber(1)), Revision(3), None));
        assert_eq!(a.versions.iter().map(|version| version.number.0).collect::<Vec<_>>(), [1, 2]);
        let b = &snapshot.entries[&key("b")];
        assert_eq!((b.live, b.moved_at, b.versions.len()), (None, Revision(4), 1));
        assert_eq!(snapshot.live().into_iter().collect::<Vec<_>>(), [key("a")]);
        assert!(snapshot.referrers.is_empty());
    }

    async fn asking_for_an_entry_twice_does_not_double_it(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1)]).await;
        let question = Question { entries: vec![key("a"), key("a")], referrers_of: vec![] };
        let snapshot = world.store.snapshot(&question).await.unwrap();
        assert_eq!(snapshot.entries[&key("a")].versions.len(), 1);
    }

    async fn a_snapshot_names_the_pack_and_the_referrers(database: &TestDatabase) {
        let world = World::open(database).await;
        let tools = pack("tools");
        world.try_apply(changeset(vec![put("dep", 1), put_calling("a", &[("dep", None)])]), Some(&tools)).await.unwrap();
        let question = Question { entries: vec![key("dep")], referrers_of: vec!["dep".to_owned()] };
        let snapshot = world.store.snapshot(&question).await.unwrap();
        assert_eq!(snapshot.entries[&key("dep")].pack, Some(tools.pack_id));
        assert_eq!(snapshot.referrers, [(key("dep"), Role::Calls, key("a"))]);
    }

    async fn a_snapshot_of_five_thousand_names_is_one_question(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply((0..50).map(|n| put(&format!("f{n}"), 1)).collect()).await;
        let entries = (0..5_000).map(|n| key(&format!("f{n}"))).collect();
        let snapshot = world.store.snapshot(&Question { entries, referrers_of: vec![] }).await.unwrap();
        assert_eq!(snapshot.entries.len(), 50);
    }

    async fn what_a_revision_moved_is_reported_with_what_was_before_and_came_after(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1), put("b", 1), put("c", 1)]).await;
        world.apply(vec![put("a", 2), delete("b"), put("d", 1)]).await;
        world.apply(vec![put("b", 2)]).await;
        let moved = |text: &str, from: Option<u32>, to: Option<u32>, last: u64| PastMove {
            key: key(text),
            from: from.map(VersionNumber),
            to: to.map(VersionNumber),
            last_moved_at: Revision(last),
        };
        assert_eq!(
            world.store.moves_at(Revision(2)).await.unwrap(),
            [
                moved("a", Some(1), Some(2), 2),
                moved("b", Some(1), None, 3),
                moved("d", None, Some(1), 2)
            ]
        );
        assert_eq!(world.store.moves_at(Revision(3)).await.unwrap(), [moved("b", None, Some(2), 3)]);
        assert_eq!(world.store.moves_at(Revision(9)).await.unwrap(), []);
        assert_eq!(world.store.entry_count(EntryKind::Function, &Scope::All).await.unwrap(), 4);
    }
}
