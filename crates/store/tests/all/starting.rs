//! Starting: recorded once, whatever is asked how often.

use model::function::closure::{ClosureHash, Member};
use model::ids::{RunId, VersionId};
use model::run::{How, Run};
use store::testing::TestDatabase;
use store::{Error, Started};

use crate::runs::{node, queued, waited};
use crate::world::{World, id};

const RACERS: usize = 32;

fn keyed(run: Run, key: &str) -> Run {
    Run { how: How { idempotency_key: Some(key.to_owned()), ..run.how.clone() }, ..run }
}

store::on_both! {
    async fn a_run_is_queued_or_executed_at_once(database: &TestDatabase) {
        let world = World::open(database).await;
        for run in [queued("a"), waited("a", node())] {
            assert_eq!(world.store.start_run(&run, &[]).await.unwrap(), Started::New);
            assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(run));
        }
    }

    async fn a_run_is_not_started_twice(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = queued("a");
        world.store.start_run(&run, &[]).await.unwrap();
        let twice = world.store.start_run(&run, &[]).await.unwrap_err();
        assert!(matches!(twice, Error::Unique { .. }), "{twice}");
    }

    async fn an_idempotency_key_that_is_there_gives_the_first_run(database: &TestDatabase) {
        let world = World::open(database).await;
        let first = keyed(queued("a"), "k");
        assert_eq!(world.store.start_run(&first, &[]).await.unwrap(), Started::New);
        let before = database.dump().await;
        for again in [first.clone(), keyed(queued("b"), "k"), keyed(waited("a", node()), "k")] {
            let started = world.store.start_run(&again, &[]).await.unwrap();
            assert_eq!(started, Started::Existing(Box::new(first.clone())));
        }
        assert_eq!(database.dump().await, before);
        assert_eq!(world.store.start_run(&keyed(queued("a"), "other"), &[]).await.unwrap(), Started::New);
        let taken = world.store.start_run(&keyed(first, "new key"), &[]).await.unwrap_err();
        assert!(matches!(taken, Error::Unique { .. }), "{taken}");
    }

    async fn of_many_who_use_one_key_at_once_one_starts_a_run(database: &TestDatabase) {
        let world = World::open(database).await;
        let racing: Vec<_> = (0..RACERS)
            .map(|_| {
                let store = world.store.clone();
                tokio::spawn(async move {
                    let run = keyed(queued("a"), "k");
                    (run.run_id, store.start_run(&run, &[]).await.unwrap())
                })
            })
            .collect();
        let (mut new, mut existing): (Vec<RunId>, Vec<RunId>) = Default::default();
        for racer in racing {
            match racer.await.unwrap() {
                (run, Started::New) => new.push(run),
                (_, Started::Existing(first)) => existing.push(first.run_id),
            }
        }
        assert_eq!((new.len(), existing.len()), (1, RACERS - 1));
        assert!(existing.iter().all(|run| *run == new[0]));
        assert_eq!(database.count("runs").await, 1);
    }

    async fn what_it_loads_is_recorded_with_the_first_run_that_loads_it(database: &TestDatabase) {
        let world = World::open(database).await;
        let members = [Member { version_id: VersionId(id()), live: true }];
        let hash = ClosureHash::of(&members);
        for _ in 0..3 {
            let run = Run { closure: Some(hash), ..queued("a") };
            world.store.start_run(&run, &members).await.unwrap();
            assert_eq!(database.count("closures").await, 1);
        }
        // A run that was refused leaves its closure to the next one.
        let other = [Member { version_id: VersionId(id()), live: false }];
        let run = Run { closure: Some(ClosureHash::of(&other)), ..queued("a") };
        let orphan = Run { parent: Some(RunId(id())), ..run.clone() };
        world.store.start_run(&orphan, &other).await.unwrap_err();
        assert_eq!(database.count("closures").await, 1);
        world.store.start_run(&run, &other).await.unwrap();
        assert_eq!(database.count("closures").await, 2);
    }
}
