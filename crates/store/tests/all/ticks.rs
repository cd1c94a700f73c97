//! Ticks: one run each, with any number of servers.

use model::actor::Actor;
use model::ids::EntryId;
use model::run::{Run, RunState};
use store::Tick;
use store::testing::TestDatabase;

use crate::runs::{queued, run};
use crate::world::{World, at, id, key, put};

async fn schedule(world: &World) -> EntryId {
    world.apply(vec![put("a", 1)]).await;
    world.store.live_version(&key("a")).await.unwrap().unwrap().head.entry_id
}

store::on_both! {
    async fn a_tick_is_dealt_with_once(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry_id = schedule(&world).await;
        assert_eq!(world.store.last_tick(entry_id).await.unwrap(), None);
        let run = queued("b");
        assert!(world.store.tick(entry_id, at(60), Some(&run), None).await.unwrap());
        assert!(world.store.tick(entry_id, at(120), None, Some("the last one still runs")).await.unwrap());
        let before = database.dump().await;
        assert!(!world.store.tick(entry_id, at(60), Some(&queued("b")), None).await.unwrap());
        assert!(!world.store.tick(entry_id, at(120), Some(&queued("b")), None).await.unwrap());
        assert_eq!(database.dump().await, before);
        assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(run));
        let skipped = Some("the last one still runs".to_owned());
        let last = Tick { entry_id, at: at(120), run_id: None, skipped };
        assert_eq!(world.store.last_tick(entry_id).await.unwrap(), Some(last));
    }

    async fn of_many_servers_one_starts_the_run_of_a_tick(database: &TestDatabase) {
        let world = World::open(database).await;
        let entry = schedule(&world).await;
        let ticking: Vec<_> = (0..16)
            .map(|_| {
                let store = world.store.clone();
                tokio::spawn(async move { store.tick(entry, at(60), Some(&queued("b")), None).await.unwrap() })
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
