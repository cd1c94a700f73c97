//! How busy the store is.

use store::OpenRuns;
use store::testing::TestDatabase;

use crate::runs::{node, queued, waited};
use crate::world::World;

store::on_both! {
    async fn runs_that_have_not_ended_are_counted(database: &TestDatabase) {
        let world = World::open(database).await;
        assert_eq!(world.store.open_runs().await.unwrap(), OpenRuns::default());
        for run in [queued("a"), queued("b"), waited("c", node())] {
            world.store.start_run(&run, &[]).await.unwrap();
        }
        let open = world.store.open_runs().await.unwrap();
        assert_eq!(open, OpenRuns { queued: 2, running: 1, waiting: 0 });
    }

    async fn batches_are_counted_as_they_are_written(database: &TestDatabase) {
        let world = World::open(database).await;
        let before = world.store.activity();
        world.store.start_run(&queued("a"), &[]).await.unwrap();
        world.store.start_run(&queued("b"), &[]).await.unwrap();
        let after = world.store.activity();
        assert_eq!((after.batches - before.batches, after.commits - before.commits), (2, 2));
        assert_eq!(after.waiting, 0);
    }
}
