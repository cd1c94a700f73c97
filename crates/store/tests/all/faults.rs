//! Faults that tests ask for happen where they are asked for, once or for good, and are told.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use store::testing::{AtGate, Fault, Gate, Passage, TestDatabase};
use store::{Error, Store};

use crate::runs::queued;
use crate::world::World;

async fn lost(store: &Store) -> bool {
    matches!(store.start_run(&queued("a"), &[]).await, Err(Error::ConnectionLost { .. }))
}

store::on_both! {
    async fn a_call_that_fails_before_it_happens_leaves_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.fail_at(Fault::Before(1));
        assert!(!lost(&world.store).await && !world.store.fault_was_reached());
        assert!(lost(&world.store).await && world.store.fault_was_reached());
        assert!(!lost(&world.store).await);
        assert_eq!(database.count("runs").await, 2);
    }

    async fn a_call_that_fails_after_it_happened_has_happened(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.fail_at(Fault::After(0));
        let run = queued("a");
        assert!(matches!(world.store.start_run(&run, &[]).await, Err(Error::ConnectionLost { .. })));
        assert!(world.store.fault_was_reached());
        assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(run));
    }

    async fn after_dying_nothing_happens_any_more(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.die_at(Fault::After(1));
        assert!(!lost(&world.store).await);
        for _ in 0..3 {
            assert!(lost(&world.store.clone()).await);
        }
        assert!(matches!(world.store.runs(&store::RunFilter::default(), 1).await, Err(Error::ConnectionLost { .. })));
        assert_eq!(database.count("runs").await, 2);
        // Whoever opens the database again has a life of its own.
        assert!(!lost(&World::open(database).await.store).await);
        world.store.fail_at(None);
        assert!(!lost(&world.store).await);
        assert_eq!(database.count("runs").await, 4);
    }

    async fn the_store_is_quiet_once_the_calls_under_way_are_over(database: &TestDatabase) {
        let world = World::open(database).await;
        let (gate, store) = (Gate::default(), &world.store);
        store.pass_through(&gate, 0);
        let holding = async {
            gate.let_through(arrival(&gate).await.number, Passage::HoldAnswer);
            let answer = arrival(&gate).await;
            let mut quiet = pin!(store.quiet());
            assert!(poll_once(quiet.as_mut()).await.is_pending(), "a call is still under way");
            gate.let_through(answer.number, Passage::Pass);
            quiet.await;
        };
        let (revision, ()) = tokio::join!(store.revision(), holding);
        revision.unwrap();
    }

    async fn every_kind_of_call_is_counted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.fail_at(Fault::Before(3));
        world.store.run(queued("a").run_id).await.unwrap();
        world.store.nodes().await.unwrap();
        world.store.append_events(&[]).await.unwrap();
        assert!(!world.store.fault_was_reached());
        assert!(world.store.revision().await.is_err());
        assert!(world.store.fault_was_reached());
    }
}

/// The next call, or the next answer, that waits at the gate.
async fn arrival(gate: &Gate) -> AtGate {
    loop {
        match gate.waiting().first() {
            Some(first) => return first.clone(),
            None => tokio::task::yield_now().await,
        }
    }
}

async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}
