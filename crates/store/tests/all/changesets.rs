//! Changesets: recorded whole, numbered without a gap, decided once.

use std::collections::HashMap;
use std::sync::Arc;

use model::access::Authority;
use model::access::actor::Actor;
use model::changeset::check::{Check, Finding, Gate};
use model::changeset::{Change, Changeset, ChangesetState, Conflict, Live, NewVersion};
use model::content::Snapshot;
use model::ids::{ChangesetId, EntryId, TokenId};
use model::revision::Revision;
use store::testing::TestDatabase;
use store::{ChangesetFilter, Error};

use crate::runs::narrow;
use crate::world::{World, answering, at, changeset, delete, event, id, key, point, put};

/// One with every field filled.
fn full() -> Changeset {
    let history = Change {
        key: key("h"),
        adds: [1, 2, 1]
            .map(|n| NewVersion {
                snapshot: Snapshot::of(answering("h", n)),
                written_at: Some(at(i64::from(n))),
            })
            .to_vec(),
        live: Live::Added(2),
    };
    let finding = Finding::error(key("a"), "`größe` is not defined\0").at(3, 7).hint("did you mean `b`?");
    Changeset {
        title: "Größeres \"Werk\" \u{1f388}".to_owned(),
        actor: Actor::Token(TokenId(id())),
        base: Revision(41),
        checks: vec![Check::of(Gate::Names, vec![finding]), Check::not_run(Gate::Tests, "there are none")],
        conflicts: vec![Conflict { key: key("b"), moved_at: Revision(42), changed_here: false }],
        authority: Arc::new(narrow()),
        decided_by: Some(Actor::CommandLine),
        decided_authority: Some(Arc::new(Authority::of_command_line())),
        decided_at: Some(at(9)),
        ..changeset(vec![put("z", 1), delete("a"), point("b", 3), history])
    }
}

fn numbers(found: &[store::ChangesetSummary]) -> Vec<u64> {
    found.iter().map(|summary| summary.number).collect()
}

store::on_both! {
    async fn a_changeset_reads_back_as_it_was_recorded(database: &TestDatabase) {
        let world = World::open(database).await;
        let written = full();
        let number = world.store.record_changeset(&written).await.unwrap();
        let expected = Changeset { number, ..written };
        assert_eq!(world.store.changeset(expected.id).await.unwrap(), Some(expected.clone()));
        assert_eq!(world.store.changeset_by_number(number).await.unwrap(), Some(expected.clone()));
        assert_eq!(world.store.changeset_number(expected.id).await.unwrap(), number);
        let authority = world.store.changeset_authority(expected.id).await.unwrap();
        assert_eq!(authority.as_ref(), Some(&*expected.authority));
        assert_eq!(world.store.changeset_by_revision(Revision(42)).await.unwrap(), None);
    }

    async fn what_is_not_there_is_none(database: &TestDatabase) {
        let world = World::open(database).await;
        let nobody = ChangesetId(id());
        assert_eq!(world.store.changeset(nobody).await.unwrap(), None);
        assert_eq!(world.store.changeset_by_number(1).await.unwrap(), None);
        assert_eq!(world.store.changeset_by_number(u64::MAX).await.ok().flatten(), None);
        assert!(matches!(world.store.changeset_number(nobody).await, Err(Error::NoRow { .. })));
    }

    async fn numbers_have_no_gap_and_no_twin_when_many_record_at_once(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut tasks = Vec::new();
        for n in 0..30 {
            let store = world.store.clone();
            tasks.push(tokio::spawn(async move {
                store.record_changeset(&changeset(vec![put("same", n % 3)])).await.unwrap()
            }));
        }
        let mut numbers = Vec::new();
        for task in tasks {
            numbers.push(task.await.unwrap());
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=30).collect::<Vec<_>>());
    }

    async fn the_event_of_a_proposal_has_its_number(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut tasks = Vec::new();
        for n in 0..8 {
            let store = world.store.clone();
            tasks.push(tokio::spawn(async move {
                let told = |number: u64| event(&number.to_string());
                store.record_proposal(&changeset(vec![put("same", n)]), told).await.unwrap()
            }));
        }
        let mut numbers = Vec::new();
        for task in tasks {
            numbers.push(task.await.unwrap());
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
        let told = world.store.events_after(0, 100).await.unwrap();
        let told: Vec<u64> = told.iter().map(|event| event.fact.source.parse().unwrap()).collect();
        assert_eq!(told, numbers, "in the order of their numbers");
    }

    async fn an_applied_one_is_found_by_the_revision_it_made(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.record_changeset(&changeset(vec![put("x", 1)])).await.unwrap();
        let applied = world.apply(vec![put("a", 1), delete_later("b")]).await;
        let found = world.store.changeset_by_revision(Revision(1)).await.unwrap().unwrap();
        assert_eq!(found, Changeset { number: 2, ..applied });
    }

    async fn a_decision_is_written_if_the_state_is_still_the_one_it_was_made_in(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut proposed = full();
        proposed.number = world.store.record_changeset(&proposed).await.unwrap();
        let rejected = Changeset {
            state: ChangesetState::Rejected,
            base: Revision(50),
            decided_by: Some(Actor::Token(TokenId(id()))),
            decided_at: Some(at(99)),
            comment: Some("größer als 0".to_owned()),
            conflicts: Vec::new(),
            ..proposed
        };
        world.store.decide_changeset(&rejected, ChangesetState::Checked, &[]).await.unwrap();
        assert_eq!(world.store.changeset(rejected.id).await.unwrap(), Some(rejected.clone()));

        let before = database.dump().await;
        let again = world.store.decide_changeset(&rejected, ChangesetState::Checked, &[]).await.unwrap_err();
        assert!(matches!(again, Error::GuardFailed { .. }), "{again}");
        assert_eq!(database.dump().await, before);
    }

    async fn lists_are_newest_first_filtered_and_paged(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.record_changeset(&changeset(vec![put("x", 1)])).await.unwrap();
        let applied = world.apply(vec![put("a", 1)]).await;
        let undo = Changeset { reverts: Some(applied.id), ..changeset(vec![delete("a")]) };
        world.try_apply(undo, None).await.unwrap();
        world.store.record_changeset(&changeset(vec![put("y", 1), put("z", 1)])).await.unwrap();

        let list = async |state, applied, before, limit| {
            let filter = ChangesetFilter { state, applied, before, ..ChangesetFilter::default() };
            numbers(&world.store.changesets(&filter, limit).await.unwrap())
        };
        assert_eq!(list(None, false, None, 10).await, [4, 3, 2, 1]);
        assert_eq!(list(None, false, None, 2).await, [4, 3]);
        assert_eq!(list(None, false, Some(3), 2).await, [2, 1]);
        assert_eq!(list(None, true, None, 10).await, [3, 2]);
        assert_eq!(list(Some(ChangesetState::Reverted), false, None, 10).await, [2]);
        assert_eq!(list(Some(ChangesetState::Checked), false, Some(4), 10).await, [1]);
        assert_eq!(list(Some(ChangesetState::Draft), true, None, 10).await, [0; 0]);
        let newest = &world.store.changesets(&ChangesetFilter::default(), 1).await.unwrap()[0];
        assert_eq!((newest.changes, newest.applied_revision), (2, None));
    }

    async fn a_changeset_that_undoes_nothing_known_is_refused(database: &TestDatabase) {
        let world = World::open(database).await;
        let before = database.dump().await;
        let dangling = Changeset { reverts: Some(ChangesetId(id())), ..changeset(vec![put("a", 1)]) };
        let refused = world.store.record_changeset(&dangling).await.unwrap_err();
        assert!(matches!(refused, Error::ForeignKey { .. }), "{refused}");
        assert_eq!(database.dump().await, before, "also the number is not used up");
    }

    async fn the_same_changeset_is_not_recorded_twice(database: &TestDatabase) {
        let world = World::open(database).await;
        let once = changeset(vec![put("a", 1)]);
        world.store.record_changeset(&once).await.unwrap();
        let before = database.dump().await;
        let refused = world.store.record_changeset(&once).await.unwrap_err();
        assert!(matches!(refused, Error::Unique { .. }), "{refused}");
        assert_eq!(database.dump().await, before);
    }

    async fn the_applier_of_an_entry_is_who_made_it_live_as_it_is(database: &TestDatabase) {
        let world = World::open(database).await;
        let by = |changes, authority: &Arc<Authority>| Changeset {
            decided_authority: Some(Arc::clone(authority)),
            ..changeset(changes)
        };
        let (writer, user) = (Arc::new(narrow()), Arc::new(Authority::of_command_line()));
        world.try_apply(by(vec![put("a", 1), put("b", 1)], &writer), None).await.unwrap();
        world.try_apply(by(vec![put("a", 2)], &writer), None).await.unwrap();
        let entry = async |text| world.store.versions(&key(text)).await.unwrap()[0].entry_id;
        let (a, b) = (entry("a").await, entry("b").await);
        let appliers = async || world.store.appliers(&[a, b, EntryId(id())]).await.unwrap();
        let both = |of_a: &Authority, of_b: &Authority| HashMap::from([(a, of_a.clone()), (b, of_b.clone())]);
        assert_eq!(appliers().await, both(&writer, &writer));

        world.try_apply(by(vec![point("a", 1)], &user), None).await.unwrap();
        assert_eq!(appliers().await, both(&writer, &writer), "somebody wide lends what others wrote no reach");
        let other = Arc::new(Authority { holder: Actor::Token(TokenId(id())), ..narrow() });
        world.try_apply(by(vec![point("a", 2)], &other), None).await.unwrap();
        assert_eq!(appliers().await, both(&other, &writer), "and somebody narrow does not get theirs");

        world.try_apply(by(vec![delete("b")], &user), None).await.unwrap();
        assert_eq!(appliers().await, both(&other, &user), "also that it is not live any more is somebody's doing");

        world.apply(vec![put("b", 2)]).await;
        assert_eq!(appliers().await, HashMap::from([(a, (*other).clone())]), "by whom was not recorded");
        assert_eq!(world.store.appliers(&[]).await.unwrap(), HashMap::new());
    }
}

/// Added here, so that a Changeset of several changes is read back in its order.
fn delete_later(text: &str) -> Change {
    put(text, 7)
}
