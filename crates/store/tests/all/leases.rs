//! Leases: whoever does not say that it is there loses its runs.

use model::actor::Actor;
use model::run::{Run, RunState};
use model::scope::Scope;
use store::testing::TestDatabase;

use crate::runs::{ids, node, queued, waited};
use crate::world::{World, at, event};

store::on_both! {
    async fn a_run_is_lost_when_its_lease_has_run_out(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, other) = (node(), node());
        let (kept, lost) = (waited("a", mine), waited("b", other));
        for run in [&kept, &lost, &queued("c")] {
            world.store.start_run(run, &[]).await.unwrap();
        }
        assert_eq!(world.store.lost_runs(at(60), &[]).await.unwrap(), []);
        assert_eq!(world.store.extend_leases(mine, at(50), at(90)).await.unwrap(), []);
        assert_eq!(world.store.lost_runs(at(61), &[]).await.unwrap(), [lost]);
        let extended = world.store.run(kept.run_id).await.unwrap().unwrap();
        assert_eq!(extended.lease.unwrap().until, at(90));
        assert_eq!(ids(&world.store.lost_runs(at(91), &[]).await.unwrap()).len(), 2);
    }

    async fn a_run_is_lost_when_its_node_is_known_to_be_gone(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, dead, deader) = (node(), node(), node());
        let runs = [waited("a", mine), waited("b", dead), waited("c", deader)];
        for run in &runs {
            world.store.start_run(run, &[]).await.unwrap();
        }
        assert_eq!(world.store.lost_runs(at(3), &[dead, deader]).await.unwrap(), runs[1..]);
        assert_eq!(world.store.lost_runs(at(3), &[node()]).await.unwrap(), []);
    }

    async fn a_node_hears_whose_end_was_asked_for(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, other) = (node(), node());
        let runs = [waited("a", mine), waited("b", mine), waited("c", other)];
        for run in &runs {
            world.store.start_run(run, &[]).await.unwrap();
            if run.key.name.as_str() != "a" {
                let asked = world.store.request_cancel(run.run_id, &Actor::CommandLine, at(5), &Scope::All, |_: &Run| event("c"));
                asked.await.unwrap();
            }
        }
        assert_eq!(world.store.extend_leases(mine, at(9), at(90)).await.unwrap(), ids([&runs[1]]));
        let marked = world.store.run(runs[1].run_id).await.unwrap().unwrap();
        assert_eq!((marked.state, marked.cancelled), (RunState::Running, Some((Actor::CommandLine, at(5)))));
    }
}
