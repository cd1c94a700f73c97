//! Pruning of the logs: what is old goes; what a trigger, a schedule or a cursor still needs never does.

use model::event::NewEvent;
use model::ids::{AuditId, EntryId};
use proptest::prelude::*;
use store::testing::TestDatabase;
use store::{Firing, Firings, Store};

use crate::world::{World, at, audit, event, id_at, key, put};

async fn entry(world: &World, name: &str) -> EntryId {
    world.apply(vec![put(name, 1)]).await;
    world.store.live_version(&key(name)).await.unwrap().unwrap().head.entry_id
}

fn happened(second: i64) -> NewEvent {
    NewEvent { at: at(second), ..event("a") }
}

/// Moves the cursor of the triggers, with what they did.
async fn pass(store: &Store, to_seq: u64, firings: Vec<Firing>) {
    let from_seq = store.cursor("triggers").await.unwrap();
    let cursor = "triggers".to_owned();
    let passed = Firings { cursor, from_seq, to_seq, firings, ..Firings::default() };
    assert!(store.fire(&passed).await.unwrap());
}

fn fired(entry_id: EntryId, seq: u64, second: i64) -> Firing {
    Firing { entry_id, seq, run_id: None, stopped: Some("nothing".to_owned()), at: at(second) }
}

async fn kept(store: &Store) -> Vec<u64> {
    store.events_after(0, 1_000).await.unwrap().iter().map(|event| event.seq).collect()
}

store::on_both! {
    async fn old_events_go_in_portions_and_numbers_go_on(database: &TestDatabase) {
        let world = World::open(database).await;
        let events: Vec<NewEvent> = (1..=10).map(happened).collect();
        world.store.append_events(&events).await.unwrap();
        assert_eq!(world.store.prune_events(at(8), 3).await.unwrap(), 0, "nobody has read any");
        pass(&world.store, 10, vec![]).await;
        // It counts in the table of the cursors and reads nothing.
        world.store.flush().await.unwrap();
        assert_eq!(world.store.prune_events(at(8), 3).await.unwrap(), 3);
        assert_eq!(kept(&world.store).await, [4, 5, 6, 7, 8, 9, 10]);
        while world.store.prune_events(at(100), 3).await.unwrap() > 0 {}
        assert_eq!(kept(&world.store).await, [0; 0]);
        assert_eq!(world.store.newest_event().await.unwrap(), 10, "a reader that begins now misses nothing");
        world.store.append_events(&[happened(200)]).await.unwrap();
        assert_eq!(kept(&world.store).await, [11]);
    }

    async fn a_clock_that_went_back_leaves_no_gap(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.append_events(&[happened(1), happened(50), happened(2)]).await.unwrap();
        pass(&world.store, 3, vec![]).await;
        assert_eq!(world.store.prune_events(at(10), 100).await.unwrap(), 1);
        assert_eq!(kept(&world.store).await, [2, 3]);
    }

    async fn the_newest_firing_of_each_trigger_stays_and_those_whose_event_is_gone_are_reported(database: &TestDatabase) {
        let world = World::open(database).await;
        let (busy, quiet) = (entry(&world, "a").await, entry(&world, "b").await);
        let last = world.store.newest_event().await.unwrap();
        let of_busy = (1..=4).map(|seq| fired(busy, seq, seq as i64));
        pass(&world.store, last, of_busy.chain([fired(quiet, 1, 1)]).collect()).await;
        while world.store.prune_events(at(100_000), 100).await.unwrap() > 0 {}
        assert_eq!(world.store.prune_firings(at(4), 1).await.unwrap(), 1);
        assert_eq!(world.store.prune_firings(at(1_000), 100).await.unwrap(), 2);
        assert_eq!(world.store.prune_firings(at(1_000), 100).await.unwrap(), 0);
        assert_eq!(world.store.last_firing(busy).await.unwrap(), Some(fired(busy, 4, 4)));
        assert_eq!(world.store.last_firing(quiet).await.unwrap(), Some(fired(quiet, 1, 1)));
        let told = world.store.firings_before(busy, None, 10).await.unwrap();
        assert_eq!((told.len(), &told[0].kind, &told[0].source), (1, &None, &None));
    }

    async fn a_schedule_goes_on_from_its_last_tick(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry_id = entry(&world, "a").await;
        for second in [60, 120, 180] {
            assert!(world.store.tick(entry_id, at(second), None, Some("skipped"), None).await.unwrap());
        }
        assert_eq!(world.store.prune_ticks(at(120), 10).await.unwrap(), 1);
        assert_eq!(world.store.prune_ticks(at(100_000), 10).await.unwrap(), 1);
        assert_eq!(world.store.last_tick(entry_id).await.unwrap().unwrap().at, at(180));
        assert_eq!(world.store.ticks(entry_id, None, 10).await.unwrap().len(), 1);
    }

    async fn old_deeds_go_from_the_audit_trail(database: &TestDatabase) {
        let world = World::open(database).await;
        for second in [100, 200, 300] {
            let deed = model::access::audit::AuditRecord { audit_id: AuditId(id_at(second)), at: at(second), ..audit("secret.set") };
            let secret = crate::secrets::sealed("k", b"sealed");
            world.store.put_secret(&secret, &event("k"), &deed).await.unwrap();
        }
        assert_eq!(world.store.prune_audit(at(300), 1).await.unwrap(), 1);
        assert_eq!(world.store.prune_audit(at(300), 10).await.unwrap(), 1);
        let left: Vec<_> = world.store.audit(None, 10).await.unwrap().iter().map(|deed| deed.at).collect();
        assert_eq!(left, [at(300)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the times and wherever the cursor is: what it has not passed stays, and what stays has no gap.
    #[test]
    fn what_a_cursor_has_not_passed_is_never_removed(
        seconds in proptest::collection::vec(0_i64..100, 1..30),
        passed in 0_usize..30,
        before in 0_i64..120,
        limit in 1_u32..10,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let database = TestDatabase::sqlite();
            let world = World::open(&database).await;
            let events: Vec<NewEvent> = seconds.iter().copied().map(happened).collect();
            world.store.append_events(&events).await.unwrap();
            let (passed, all) = (passed.min(events.len()) as u64, events.len() as u64);
            pass(&world.store, passed, vec![]).await;
            while world.store.prune_events(at(before), limit).await.unwrap() > 0 {}
            let left = kept(&world.store).await;
            let first = left.first().copied().unwrap_or(all + 1);
            assert_eq!(left, (first..=all).collect::<Vec<_>>(), "no gap");
            assert!(first <= passed + 1, "{first} is the first of those kept, and {passed} was passed");
            assert!(seconds.iter().take(first as usize - 1).all(|second| *second < before), "nothing young is gone");
        });
    }
}
