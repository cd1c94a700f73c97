//! Events: dense, ordered, and never missed by one who follows them.

use model::access::scope::Scope;
use model::event::{EventKind, NewEvent};
use store::Heads;
use store::testing::TestDatabase;

use crate::world::{World, event, put};

const APPENDERS: usize = 50;
const EACH: usize = 4;

store::on_both! {
    async fn an_event_reads_back_as_it_was_appended(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut emitted = event("mail \u{2603}");
        emitted.kind = EventKind::Custom("mail.arrived".to_owned());
        world.store.append_events(&[event("first"), emitted.clone()]).await.unwrap();
        let events = world.store.events_after(0, 10).await.unwrap();
        assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((&events[0].fact, &events[1].fact), (&event("first"), &emitted));
        assert_eq!(world.store.events_after(1, 10).await.unwrap().len(), 1);
        assert_eq!(world.store.events_after(0, 1).await.unwrap()[0].seq, 1);
        assert_eq!(world.store.events_after(2, 10).await.unwrap(), []);
    }

    async fn the_last_event_of_a_kind_is_reported(database: &TestDatabase) {
        let world = World::open(database).await;
        let custom = EventKind::Custom("mail.arrived".to_owned());
        assert_eq!(world.store.last_event(&custom).await.unwrap(), 0);
        assert_eq!(world.store.newest_event().await.unwrap(), 0);
        let mut emitted = event("mail");
        emitted.kind = custom.clone();
        world.store.append_events(&[emitted.clone(), emitted, event("other")]).await.unwrap();
        assert_eq!(world.store.last_event(&custom).await.unwrap(), 2);
        assert_eq!(world.store.newest_event().await.unwrap(), 3);
        let before = world.store.heads().await.unwrap();
        assert_eq!((before.revision, before.secrets_changed), (world.store.revision().await.unwrap(), 0));
        let secret = NewEvent { kind: EventKind::SecretChanged, ..event("a") };
        world.store.append_events(&[secret, event("a")]).await.unwrap();
        assert_eq!(world.store.heads().await.unwrap(), Heads { secrets_changed: 4, ..before });
    }

    async fn large_events_are_read_in_portions_and_none_is_missed(database: &TestDatabase) {
        const PORTION: usize = 8 << 20;
        let world = World::open(database).await;
        let large = |megabytes: usize| {
            let data = serde_json::json!("x".repeat(megabytes << 20));
            NewEvent { data, ..event("a") }
        };
        let sizes = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 20, 1, 1];
        world.store.append_events(&sizes.map(large)).await.unwrap();
        let bytes = |events: &[model::event::Event]| events.iter().map(|event| event.fact.data.to_string().len()).sum::<usize>();
        let (mut after, mut before) = (0, 100);
        let (mut forth, mut back) = (Vec::new(), Vec::new());
        loop {
            let next = world.store.events_after(after, 100).await.unwrap();
            let previous = world.store.events_before(before, None, 100, &Scope::All).await.unwrap();
            assert!(next.len() <= 1 || bytes(&next[..next.len() - 1]) <= PORTION, "{} bytes", bytes(&next));
            assert!(previous.len() <= 1 || bytes(&previous[..previous.len() - 1]) <= PORTION);
            if next.is_empty() && previous.is_empty() {
                break;
            }
            after = next.last().map_or(after, |event| event.seq);
            before = previous.last().map_or(before, |event| event.seq);
            forth.extend(next.iter().map(|event| event.seq));
            back.extend(previous.iter().map(|event| event.seq));
        }
        back.reverse();
        assert_eq!(forth, (1..=13).collect::<Vec<_>>());
        assert_eq!(back, forth);
    }

    async fn appending_nothing_is_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.append_events(&[]).await.unwrap();
        assert_eq!(database.count("events").await, 0);
        world.store.append_events(&[event("a")]).await.unwrap();
        assert_eq!(world.store.events_after(0, 10).await.unwrap()[0].seq, 1);
    }

    async fn many_who_append_at_once_leave_no_gap_and_a_follower_misses_none(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut tasks = Vec::new();
        for appender in 0..APPENDERS {
            let store = world.store.clone();
            tasks.push(tokio::spawn(async move {
                for nth in 0..EACH {
                    let pair = [event(&format!("{appender}/{nth}/a")), event(&format!("{appender}/{nth}/b"))];
                    store.append_events(&pair).await.unwrap();
                }
            }));
        }
        let mut followed = Vec::new();
        while followed.len() < APPENDERS * EACH * 2 {
            let cursor = followed.last().map_or(0, |event: &model::event::Event| event.seq);
            followed.extend(world.store.events_after(cursor, 7).await.unwrap());
            tokio::task::yield_now().await;
        }
        for task in tasks {
            task.await.unwrap();
        }
        let seqs: Vec<u64> = followed.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, (1..=(APPENDERS * EACH * 2) as u64).collect::<Vec<_>>());
        for pair in followed.chunks(2) {
            let stem = |event: &model::event::Event| event.fact.source.trim_end_matches(['a', 'b']).to_owned();
            assert_eq!(stem(&pair[0]), stem(&pair[1]), "what is appended together stays together");
        }
    }

    async fn appliers_and_appenders_share_one_sequence(database: &TestDatabase) {
        let world = World::open(database).await;
        let store = world.store.clone();
        let appender = tokio::spawn(async move {
            for nth in 0..20 {
                store.append_events(&[event(&format!("{nth}"))]).await.unwrap();
            }
        });
        for n in 0..20 {
            world.apply(vec![put("a", n)]).await;
        }
        appender.await.unwrap();
        let seqs: Vec<u64> = world.store.events_after(0, 100).await.unwrap().iter().map(|event| event.seq).collect();
        assert_eq!(seqs, (1..=40).collect::<Vec<_>>());
    }
}
