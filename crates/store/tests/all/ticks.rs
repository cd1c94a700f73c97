//! Ticks: one run each, with any number of servers.

use model::access::actor::Actor;
use model::access::scope::Scope;
use model::changeset::Change;
use model::entry::EntryKind;
use model::event::{EventKind, NewEvent};
use model::ids::EntryId;
use model::revision::Revision;
use model::run::{Run, RunState};
use store::testing::TestDatabase;
use store::{Count, LiveSince, Tick};

use crate::runs::{queued, run};
use crate::world::{World, at, id, key, put};

async fn schedule(world: &World) -> EntryId {
    world.apply(vec![put("a", 1)]).await;
    world.store.live_version(&key("a")).await.unwrap().unwrap().head.entry_id
}

store::on_both! {
    async fn a_tick_is_handled_once(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry_id = schedule(&world).await;
        assert_eq!(world.store.last_tick(entry_id).await.unwrap(), None);
        let run = queued("b");
        assert!(world.store.tick(entry_id, at(60), Some(&run), None, None).await.unwrap());
        assert!(world.store.tick(entry_id, at(120), None, Some("the last one still runs"), None).await.unwrap());
        let before = database.dump().await;
        assert!(!world.store.tick(entry_id, at(60), Some(&queued("b")), None, None).await.unwrap());
        assert!(!world.store.tick(entry_id, at(120), Some(&queued("b")), None, None).await.unwrap());
        assert_eq!(database.dump().await, before);
        assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(run));
        let skipped = Some("the last one still runs".to_owned());
        let last = Tick { entry_id, at: at(120), run_id: None, skipped };
        assert_eq!(world.store.last_tick(entry_id).await.unwrap(), Some(last));
    }

    async fn ticks_are_reported_the_newest_first_counted_and_in_the_log(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry_id = schedule(&world).await;
        let event = |seconds| NewEvent {
            kind: EventKind::ScheduleTicked,
            source: "a".to_owned(),
            data: serde_json::json!({}),
            actor: Actor::Schedule(entry_id),
            at: at(seconds),
        };
        let run = queued("b");
        assert!(world.store.tick(entry_id, at(60), Some(&run), None, Some(&event(60))).await.unwrap());
        assert!(!world.store.tick(entry_id, at(60), Some(&run), None, Some(&event(60))).await.unwrap());
        assert!(world.store.tick(entry_id, at(120), None, Some("busy"), Some(&event(120))).await.unwrap());
        let ats = |ticks: Vec<Tick>| ticks.into_iter().map(|tick| tick.at).collect::<Vec<_>>();
        assert_eq!(ats(world.store.ticks(entry_id, None, 9).await.unwrap()), [at(120), at(60)]);
        assert_eq!(ats(world.store.ticks(entry_id, Some(at(120)), 9).await.unwrap()), [at(60)]);
        let counts = world.store.tick_counts(&[entry_id]).await.unwrap();
        assert_eq!(counts[&entry_id], Count { started: 1, stopped: 1, last: Some(at(60)) });
        let told = world.store.events_before(u64::MAX >> 1, Some(&EventKind::ScheduleTicked), 9, &Scope::All).await.unwrap();
        assert_eq!(told.iter().map(|event| event.fact.at).collect::<Vec<_>>(), [at(120), at(60)], "each once");
    }

    async fn what_is_live_is_live_since_its_pointer_moved(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry_id = schedule(&world).await;
        world.apply(vec![put("b", 1), put("c", 1)]).await;
        world.apply(vec![put("a", 2), Change::delete(key("c"))]).await;
        let live = |after: Option<&'static str>| world.store.live_entries(EntryKind::Function, after, 9);
        let (revision, all) = live(None).await.unwrap();
        let names: Vec<&str> = all.iter().map(|live| live.version.head.key.name.as_str()).collect();
        assert_eq!((revision, names), (Revision(3), vec!["a", "b"]), "each once, without what was deleted");
        assert_eq!(all[0].version.head.entry_id, entry_id);
        let newest = world.store.newest_event().await.unwrap();
        assert_eq!(all[0].since, LiveSince { revision: Revision(3), seq: newest, at: at(5) });
        assert_eq!(all[1].since.revision, Revision(2));
        assert!(all[1].since.seq < newest, "{} is of the last change", all[1].since.seq);
        assert_eq!(live(Some("a")).await.unwrap().1.len(), 1);
    }

    async fn of_many_servers_one_starts_the_run_of_a_tick(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry = schedule(&world).await;
        let ticking: Vec<_> = (0..16)
            .map(|_| {
                let store = world.store.clone();
                tokio::spawn(async move { store.tick(entry, at(60), Some(&queued("b")), None, None).await.unwrap() })
            })
            .collect();
        let mut started = 0;
        for tick in ticking {
            started += usize::from(tick.await.unwrap());
        }
        assert_eq!((started, database.count("runs").await), (1, 1));
    }

    async fn the_runs_of_a_schedule_that_have_not_ended_are_counted(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, other) = (EntryId(id()), EntryId(id()));
        let by = |actor: Actor, state| Run { actor, state, ..run(key("a")) };
        let mut runs: Vec<Run> = RunState::ALL.map(|state| by(Actor::Schedule(mine), state)).into();
        runs.push(by(Actor::Schedule(other), RunState::Queued));
        runs.push(by(Actor::Trigger(mine), RunState::Queued));
        world.store.record_runs(&runs).await.unwrap();
        assert_eq!(world.store.running_of_schedule(mine).await.unwrap(), 3);
        assert_eq!(world.store.running_of_schedule(other).await.unwrap(), 1);
        assert_eq!(world.store.running_of_schedule(EntryId(id())).await.unwrap(), 0);
    }
}
