//! Applying: everything moves at once, or nothing does.

use model::access::scope::Scope;
use model::changeset::{Change, ChangesetState, Live, NewVersion};
use model::content::Snapshot;
use model::entry::EntryKind;
use model::revision::Revision;
use store::testing::TestDatabase;
use store::{Application, Error};

use crate::world::{
    Refused, World, answering, at, audit, changeset, delete, event, graph, graph_key, key, name, point, put,
};

async fn live(world: &World, text: &str) -> Option<u32> {
    world.store.live_version(&key(text)).await.unwrap().map(|version| version.head.number.0)
}

store::on_both! {
    async fn entries_versions_events_and_audit_appear_together(database: &TestDatabase) {
        let world = World::open(database).await;
        let applied = world.apply(vec![put("a", 1), Change::put(name("g"), graph("a graph"))]).await;
        let version = world.store.live_version(&key("a")).await.unwrap().unwrap();
        assert_eq!(version.content, answering("a", 1));
        assert_eq!(version.head.changeset_id, applied.id);
        assert_eq!(version.head.written_at, applied.created_at);
        let drawn = world.store.live_version(&graph_key("g")).await.unwrap().unwrap();
        assert_eq!(drawn.content.description(), "a graph");
        assert_eq!(world.store.events_after(0, 10).await.unwrap().len(), 1);
        assert_eq!(world.store.audit(None, 10).await.unwrap().len(), 1);
    }

    async fn the_live_pointer_goes_forward_back_away_and_returns(database: &TestDatabase) {
        let world = World::open(database).await;
        for (change, expected) in [
            (put("a", 1), Some(1)),
            (put("a", 2), Some(2)),
            (point("a", 1), Some(1)),
            (delete("a"), None),
            (put("a", 3), Some(3)),
            (delete("a"), None),
            (put("a", 2), Some(2)),
        ] {
            world.apply(vec![change]).await;
            assert_eq!(live(&world, "a").await, expected);
        }
        let numbers: Vec<u32> =
            world.store.versions(&key("a")).await.unwrap().iter().map(|head| head.number.0).collect();
        assert_eq!(numbers, [1, 2, 3]);
    }

    async fn a_name_that_was_deleted_and_comes_back_is_the_same_entry(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1)]).await;
        let before = world.store.live_version(&key("a")).await.unwrap().unwrap().head;
        world.apply(vec![delete("a")]).await;
        world.apply(vec![put("imposter", 9)]).await;
        let imposter = world.store.live_version(&key("imposter")).await.unwrap().unwrap().head;
        world.apply(vec![put("a", 2)]).await;
        let after = world.store.live_version(&key("a")).await.unwrap().unwrap().head;
        assert_eq!(before.entry_id, after.entry_id);
        assert_ne!(before.version_id, after.version_id);
        assert_ne!(imposter.entry_id, before.entry_id);
    }

    async fn a_history_keeps_its_order_and_its_times(database: &TestDatabase) {
        let world = World::open(database).await;
        let adds = (1..=3).map(|n| NewVersion {
            snapshot: Snapshot::of(answering("old", n)),
            written_at: (n < 3).then(|| at(i64::from(n) * 100)),
        });
        let change = Change { key: key("old"), adds: adds.collect(), live: Live::Added(1) };
        let applied = world.apply(vec![change]).await;
        let heads = world.store.versions(&key("old")).await.unwrap();
        let times: Vec<_> = heads.iter().map(|head| head.written_at).collect();
        assert_eq!(times, [at(100), at(200), applied.created_at]);
        assert_eq!(live(&world, "old").await, Some(2));
    }

    async fn a_content_is_stored_once_however_often_it_is_written(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![Change::put(name("one"), graph("same")), Change::put(name("two"), graph("same"))]).await;
        world.apply(vec![Change::put(name("three"), graph("same"))]).await;
        assert_eq!(database.count("contents").await, 1);
        assert_eq!(database.count("versions").await, 3);
    }

    async fn what_was_worked_out_for_an_earlier_revision_is_refused_whole(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1)]).await;
        let mut stale = changeset(vec![put("a", 2), put("b", 1), Change::put(name("g"), graph("new"))]);
        let moves = world.plan(&mut stale).await.unwrap();
        world.apply(vec![put("other", 1)]).await;

        let before = database.dump().await;
        let application = Application {
            changeset: &stale,
            recorded: None,
            moves: &moves,
            pack: Some(&crate::world::pack("p")),
            events: &[event("never")],
            audit: &audit("never"),
        };
        let refused = world.store.apply(&application).await.unwrap_err();
        assert!(matches!(refused, Error::GuardFailed { .. }), "{refused}");
        assert_eq!(database.dump().await, before);
    }

    async fn a_changeset_that_was_decided_meanwhile_is_not_applied(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut proposed = changeset(vec![put("a", 1)]);
        world.store.record_changeset(&proposed).await.unwrap();
        let rejected = model::changeset::Changeset { state: ChangesetState::Rejected, ..proposed.clone() };
        world.store.decide_changeset(&rejected, ChangesetState::Checked, &[]).await.unwrap();

        let before = database.dump().await;
        let moves = world.plan(&mut proposed).await.unwrap();
        let application = Application {
            changeset: &proposed,
            recorded: Some(ChangesetState::Checked),
            moves: &moves,
            pack: None,
            events: &[event("never")],
            audit: &audit("never"),
        };
        let refused = world.store.apply(&application).await.unwrap_err();
        assert!(matches!(refused, Error::GuardFailed { .. }), "{refused}");
        assert_eq!(database.dump().await, before);
    }

    async fn a_recorded_changeset_is_applied_in_place(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut proposed = changeset(vec![put("a", 1)]);
        let number = world.store.record_changeset(&proposed).await.unwrap();
        let moves = world.plan(&mut proposed).await.unwrap();
        let application = Application {
            changeset: &proposed,
            recorded: Some(ChangesetState::Checked),
            moves: &moves,
            pack: None,
            events: &[],
            audit: &audit("changeset.apply"),
        };
        world.store.apply(&application).await.unwrap();
        let stored = world.store.changeset_by_revision(Revision(1)).await.unwrap().unwrap();
        assert_eq!((stored.number, stored.state, stored.id), (number, ChangesetState::Applied, proposed.id));
        assert_eq!(database.count("changesets").await, 1);
        assert_eq!(live(&world, "a").await, Some(1));
    }

    async fn a_changeset_is_reverted_once(database: &TestDatabase) {
        let world = World::open(database).await;
        let first = world.apply(vec![put("a", 1)]).await;
        let undo = || model::changeset::Changeset { reverts: Some(first.id), ..changeset(vec![delete("a")]) };
        world.try_apply(undo(), None).await.unwrap();
        let state = world.store.changeset(first.id).await.unwrap().unwrap().state;
        assert_eq!(state, ChangesetState::Reverted);

        let before = database.dump().await;
        let refused = world.try_apply(undo(), None).await.unwrap_err();
        assert!(matches!(refused, Refused::Store(Error::GuardFailed { .. })), "{refused:?}");
        assert_eq!(database.dump().await, before);
    }

    async fn of_two_who_apply_at_once_one_is_told_to_try_again(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut plans = Vec::new();
        for text in ["a", "b"] {
            let mut changeset = changeset(vec![put(text, 1)]);
            let moves = world.plan(&mut changeset).await.unwrap();
            plans.push((changeset, moves));
        }
        let deed = [audit("one"), audit("two")];
        let application = |place: usize| Application {
            changeset: &plans[place].0,
            recorded: None,
            moves: &plans[place].1,
            pack: None,
            events: &[],
            audit: &deed[place],
        };
        let (first, second) = (application(0), application(1));
        let (one, two) = tokio::join!(world.store.apply(&first), world.store.apply(&second));
        assert_eq!([one.is_ok(), two.is_ok()].iter().filter(|ok| **ok).count(), 1);
        assert_eq!(world.store.revision().await.unwrap(), Revision(1));
    }

    async fn five_thousand_functions_go_in_at_once(database: &TestDatabase) {
        let world = World::open(database).await;
        let changes = (0..5_000).map(|n| put(&format!("f{n:04}"), n)).collect();
        let applied = world.apply(changes).await;
        assert_eq!(world.store.entry_count(EntryKind::Function, &Scope::All).await.unwrap(), 5_000);
        assert_eq!(world.store.revision().await.unwrap(), Revision(1));
        let stored = world.store.changeset(applied.id).await.unwrap().unwrap();
        assert_eq!(stored.changes, applied.changes);
    }
}
