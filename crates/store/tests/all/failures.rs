//! Failures of Schedules: counted with the tick or the end of the Run that failed, once.

use model::run::{Lease, Run, RunState};
use model::schedule::failing::Failures;
use store::testing::TestDatabase;
use store::{Durability, FailureCount, Finished};

use crate::ending::succeeded;
use crate::runs::{node, waited};
use crate::world::{World, at, event, key, put};

/// A Run that is held.
async fn started(world: &World) -> Run {
    let run = waited("a", node());
    world.store.start_run(&run, &[]).await.unwrap();
    run
}

store::on_both! {
    async fn failures_are_counted_until_a_run_succeeds(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("s", 1)]).await;
        let schedule = world.store.versions(&key("s")).await.unwrap()[0].entry_id;
        let counted = async || world.store.schedule_failures(schedule).await.unwrap().0;
        assert_eq!(counted().await, 0);

        let failed = |run: &Run, from: u32| Finished {
            state: RunState::Failed,
            failures: Some(FailureCount::Grows { schedule, from: Failures(from) }),
            events: vec![event("a")],
            ..succeeded(run)
        };
        let first = started(&world).await;
        assert!(world.store.finish_run(&failed(&first, 0), Durability::Process).await.unwrap());
        assert!(world.store.finish_run(&failed(&first, 0), Durability::Process).await.unwrap(), "asked again");
        assert_eq!(counted().await, 1);
        assert!(world.store.failed_tick(schedule, at(1), "gone", Failures(1), &[event("b")]).await.unwrap());
        assert!(!world.store.failed_tick(schedule, at(1), "gone", Failures(2), &[event("b")]).await.unwrap());
        assert!(!world.store.failed_tick(schedule, at(2), "gone", Failures(1), &[event("b")]).await.unwrap());
        assert_eq!(counted().await, 2);

        let second = started(&world).await;
        let refused = world.store.finish_run(&failed(&second, 1), Durability::Process).await.unwrap_err();
        assert!(refused.is_counted_meanwhile(), "{refused}");
        assert_eq!(world.store.run(second.run_id).await.unwrap().unwrap().state, RunState::Running);
        assert!(world.store.finish_run(&failed(&second, 2), Durability::Process).await.unwrap());
        assert_eq!(counted().await, 3);
        let told = world.store.events_after(0, 100).await.unwrap();
        let told = told.iter().filter(|told| told.fact == event("a") || told.fact == event("b")).count();
        assert_eq!(told, 3, "one event for each failure that was counted");

        let third = started(&world).await;
        let works = Finished { failures: Some(FailureCount::Ends(schedule)), ..succeeded(&third) };
        assert!(world.store.finish_run(&works, Durability::Process).await.unwrap());
        assert_eq!(counted().await, 0);
        let lost = Lease { fence: 99, ..third.lease.unwrap() };
        assert!(!world.store.finish_run(&Finished { lease: lost, ..failed(&third, 0) }, Durability::Process).await.unwrap());
        assert_eq!(counted().await, 0, "whoever does not hold the run counts nothing");
    }
}
