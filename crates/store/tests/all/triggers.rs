//! Triggers: every event is handled once, whoever reads it.

use model::access::scope::Scope;
use model::ids::EntryId;
use model::run::{How, Run};
use store::testing::TestDatabase;
use store::{Count, Durability, Error, Firing, Firings, Store, WithdrawnRun};

use crate::runs::{node, queued, waited};
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
    Firings {
        cursor: "triggers".to_owned(),
        from_seq,
        to_seq,
        runs,
        firings,
        withdrawn: vec![],
        is_reported: false,
    }
}

async fn seqs(store: &Store, entry: EntryId, since: i64) -> Vec<u64> {
    store.firings(entry, at(since)).await.unwrap().iter().map(|firing| firing.seq).collect()
}

#[test]
fn only_what_may_happen_again_needs_no_flush() {
    let how = How { resumable: true, ..How::default() };
    let begun = Run { how: how.clone(), ..waited("a", node()) };
    let only_once = Run { how: How::default(), ..begun.clone() };
    let left = Run { how, ..queued("a") };
    let durability =
        |runs: &[&Run]| firings(0, 1, vec![], runs.iter().copied().cloned().collect()).durability();
    assert_eq!(durability(&[&begun, &begun]), Durability::Process);
    assert_eq!(durability(&[&begun, &only_once]), Durability::Power);
    assert_eq!(durability(&[&begun, &left]), Durability::Power);
    assert_eq!(durability(&[]), Durability::Process);
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

    async fn what_a_trigger_did_is_reported_from_a_time_on(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry = trigger(&world).await;
        let fired = (1..=4).map(|seq| firing(entry, seq, None)).collect();
        assert!(world.store.fire(&firings(0, 4, fired, vec![])).await.unwrap());
        assert_eq!(seqs(&world.store, entry, 3).await, [4, 3]);
        assert_eq!(seqs(&world.store, entry, 5).await, [0; 0]);
        assert_eq!(seqs(&world.store, EntryId(id()), 0).await, [0; 0]);
        assert_eq!(world.store.last_firing(EntryId(id())).await.unwrap(), None);
    }

    async fn a_run_that_has_not_begun_is_taken_back_with_the_firing_that_stands_for_it(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry = trigger(&world).await;
        let (waiting, begun) = (queued("b"), Run { started_at: Some(at(1)), ..queued("b") });
        let fired = vec![firing(entry, 1, Some(&waiting)), firing(entry, 2, Some(&begun))];
        assert!(world.store.fire(&firings(0, 2, fired, vec![waiting.clone(), begun.clone()])).await.unwrap());
        let back = |seq, run: &Run| WithdrawnRun { entry_id: entry, seq, run_id: run.run_id, why: "later".to_owned() };
        let withdrawn = vec![back(1, &waiting), back(2, &begun)];
        let late = Firings { withdrawn: withdrawn.clone(), ..firings(0, 3, vec![], vec![]) };
        assert!(!world.store.fire(&late).await.unwrap(), "the cursor has moved");
        assert!(world.store.run(waiting.run_id).await.unwrap().is_some());
        let next = Firings { withdrawn, ..firings(2, 3, vec![], vec![]) };
        assert!(world.store.fire(&next).await.unwrap());
        assert_eq!(world.store.run(waiting.run_id).await.unwrap(), None);
        assert!(world.store.run(begun.run_id).await.unwrap().is_some());
        let told: Vec<Option<String>> =
            world.store.firings(entry, at(0)).await.unwrap().into_iter().map(|firing| firing.stopped).collect();
        assert_eq!(told, [None, Some("later".to_owned())]);
        let counts = world.store.firing_counts(&[entry, EntryId(id())]).await.unwrap();
        let count = Count { started: 1, stopped: 1, last: Some(at(2)) };
        assert_eq!((counts.len(), counts.get(&entry)), (1, Some(&count)));
    }

    async fn firings_are_reported_with_their_events_a_page_at_a_time(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry = trigger(&world).await;
        let events = world.store.events_after(0, 10).await.unwrap();
        let last = events.last().unwrap();
        let fired = events.iter().map(|event| firing(entry, event.seq, None)).collect();
        assert!(world.store.fire(&firings(0, last.seq, fired, vec![])).await.unwrap());
        let newest = world.store.firings_before(entry, None, 1).await.unwrap();
        assert_eq!((newest[0].firing.seq, &newest[0].kind, &newest[0].source), (last.seq, &Some(last.fact.kind.clone()), &Some(last.fact.source.clone())));
        let rest = world.store.firings_before(entry, Some(last.seq), 10).await.unwrap();
        assert_eq!(rest.len(), events.len() - 1);
        assert_eq!(world.store.events_before(last.seq, None, 10, &Scope::All).await.unwrap().len(), events.len() - 1);
        let same = world.store.events_before(last.seq + 1, Some(&last.fact.kind), 10, &Scope::All).await.unwrap();
        assert_eq!(same, std::slice::from_ref(last));
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
