//! Triggers: every event is dealt with once, whoever reads it.

use model::ids::EntryId;
use model::run::Run;
use store::testing::TestDatabase;
use store::{Error, Firing, Firings, Store};

use crate::runs::queued;
use crate::world::{World, at, id, key, put};

async fn trigger(world: &World) -> EntryId {
    world.apply(vec![put("a", 1)]).await;
    world.store.live_version(&key("a")).await.unwrap().unwrap().head.entry_id
}

fn firing(entry_id: EntryId, seq: u64, run: Option<&Run>) -> Firing {
    let stopped = run.is_none().then(|| "the chain is 32 triggers deep".to_owned());
    Firing { entry_id, seq, run_id: run.map(|run| run.run_id), stopped, at: at(seq as i64) }
}

fn firings(from_seq: u64, to_seq: u64, firings: Vec<Firing>, runs: Vec<Run>) -> Firings {
    Firings { cursor: "triggers".to_owned(), from_seq, to_seq, runs, firings }
}

async fn seqs(store: &Store, entry: EntryId, since: i64) -> Vec<u64> {
    store.firings(entry, at(since)).await.unwrap().iter().map(|firing| firing.seq).collect()
}

store::on_both! {
    async fn firing_queues_runs_and_moves_the_cursor_together(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry = trigger(&world).await;
        assert_eq!(world.store.cursor("triggers").await.unwrap(), 0);
        let run = Run { event_seq: Some(3), ..queued("b") };
        let fired = vec![firing(entry, 3, Some(&run)), firing(entry, 5, None)];
        assert!(world.store.fire(&firings(0, 5, fired.clone(), vec![run.clone()])).await.unwrap());
        assert_eq!(world.store.cursor("triggers").await.unwrap(), 5);
        assert_eq!(world.store.cursor("another").await.unwrap(), 0);
        assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(run));
        assert_eq!(world.store.last_firing(entry).await.unwrap().as_ref(), fired.last());
        assert_eq!(world.store.firings(entry, at(0)).await.unwrap(), [fired[1].clone(), fired[0].clone()]);
    }

    async fn a_cursor_that_has_moved_refuses_all_of_it(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry = trigger(&world).await;
        assert!(world.store.fire(&firings(0, 5, vec![], vec![])).await.unwrap());
        let before = database.dump().await;
        for from in [0, 4, 6] {
            let run = queued("b");
            let late = firings(from, 9, vec![firing(entry, 7, Some(&run))], vec![run]);
            assert!(!world.store.fire(&late).await.unwrap(), "{from}");
        }
        assert_eq!(database.dump().await, before);
        assert!(world.store.fire(&firings(5, 6, vec![], vec![])).await.unwrap());
    }

    async fn what_a_trigger_did_is_told_from_a_time_on(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry = trigger(&world).await;
        let fired = (1..=4).map(|seq| firing(entry, seq, None)).collect();
        assert!(world.store.fire(&firings(0, 4, fired, vec![])).await.unwrap());
        assert_eq!(seqs(&world.store, entry, 3).await, [4, 3]);
        assert_eq!(seqs(&world.store, entry, 5).await, [0; 0]);
        assert_eq!(seqs(&world.store, EntryId(id()), 0).await, [0; 0]);
        assert_eq!(world.store.last_firing(EntryId(id())).await.unwrap(), None);
    }

    async fn what_is_no_entry_does_not_fire(database: &TestDatabase) {
        let world = World::open(database).await;
        let before = database.dump().await;
        let strange = firings(0, 1, vec![firing(EntryId(id()), 1, None)], vec![queued("b")]);
        assert!(matches!(world.store.fire(&strange).await, Err(Error::ForeignKey { .. })));
        assert_eq!(database.dump().await, before);
    }

    async fn readers_at_once_deal_with_each_event_once(database: &TestDatabase) {
        const EVENTS: u64 = 40;
        let world = World::open(database).await;
        let entry = trigger(&world).await;
        let reading: Vec<_> = (0..4)
            .map(|_| {
                let store = world.store.clone();
                tokio::spawn(async move {
                    let mut fired = 0;
                    loop {
                        let from = store.cursor("triggers").await.unwrap();
                        if from >= EVENTS {
                            return fired;
                        }
                        let run = queued("b");
                        let one = firings(from, from + 1, vec![firing(entry, from + 1, Some(&run))], vec![run]);
                        fired += u64::from(store.fire(&one).await.unwrap());
                    }
                })
            })
            .collect();
        let mut fired = 0;
        for reader in reading {
            fired += reader.await.unwrap();
        }
        assert_eq!(fired, EVENTS);
        assert_eq!(database.count("runs").await, EVENTS as usize);
        assert_eq!(database.count("firings").await, EVENTS as usize);
    }
}
