//! Leases: whoever does not say that it is there loses its runs.

use model::access::actor::Actor;
use model::access::scope::Scope;
use model::run::RunState;
use store::Held;
use store::testing::TestDatabase;

use crate::runs::{ids, node, queued, waited};
use crate::world::{World, at};

store::on_both! {
    async fn a_run_is_lost_when_its_lease_has_run_out(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, other) = (node(), node());
        let (kept, lost) = (waited("a", mine), waited("b", other));
        for run in [&kept, &lost, &queued("c")] {
            world.store.start_run(run, &[]).await.unwrap();
        }
        assert_eq!(world.store.lost_runs(at(60), &[]).await.unwrap(), []);
        let held = Held { run_id: kept.run_id, fence: kept.lease.unwrap().fence, cancelled: false };
        assert_eq!(world.store.extend_leases(mine, &[kept.run_id, lost.run_id], at(50), at(90)).await.unwrap(), [held]);
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

    async fn a_node_keeps_only_what_it_says_it_carries_out(database: &TestDatabase) {
        let world = World::open(database).await;
        let mine = node();
        let (kept, left) = (waited("a", mine), waited("b", mine));
        for run in [&kept, &left, &waited("c", node()), &queued("d")] {
            world.store.start_run(run, &[]).await.unwrap();
        }
        world.store.extend_leases(mine, &[kept.run_id], at(50), at(90)).await.unwrap();
        let held = world.store.held_by(mine).await.unwrap();
        assert_eq!(held.iter().map(|held| held.run_id).collect::<Vec<_>>(), ids([&kept, &left]));
        let lost = ids(&world.store.lost_runs(at(61), &[]).await.unwrap());
        assert!(lost.contains(&left.run_id) && !lost.contains(&kept.run_id));
    }

    async fn a_node_hears_whose_end_was_asked_for(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, other) = (node(), node());
        let runs = [waited("a", mine), waited("b", mine), waited("c", other)];
        for run in &runs {
            world.store.start_run(run, &[]).await.unwrap();
            if run.key.name.as_str() != "a" {
                world.store.request_cancel(run.run_id, &Actor::CommandLine, at(5), &Scope::All).await.unwrap();
            }
        }
        let all = ids(&runs);
        let held = world.store.extend_leases(mine, &all, at(9), at(90)).await.unwrap();
        let cancelled = held.iter().filter(|held| held.cancelled).map(|held| held.run_id).collect::<Vec<_>>();
        assert_eq!((held.len(), cancelled), (2, ids([&runs[1]])));
        let marked = world.store.run(runs[1].run_id).await.unwrap().unwrap();
        assert_eq!((marked.state, marked.cancelled), (RunState::Running, Some((Actor::CommandLine, at(5)))));
    }
}
