//! Trees: what a run started, by calls and by triggers, and what those started.

use model::access::scope::Scope;
use model::ids::RunId;
use model::run::Run;
use model::run::chain::Chain;
use store::testing::TestDatabase;

use crate::runs::run;
use crate::world::{World, id, key};

fn below(parent: &Run) -> Run {
    Run { parent: Some(parent.run_id), ..run(key("child")) }
}

fn triggered(root: &Run) -> Run {
    Run { chain: Chain { root: Some(root.run_id), fired: Vec::new() }, ..run(key("triggered")) }
}

store::on_both! {
    async fn a_tree_is_all_that_a_run_led_to(database: &TestDatabase) {
        let world = World::open(database).await;
        let root = run(key("root"));
        let child = below(&root);
        let grandchild = below(&child);
        let chained = triggered(&root);
        let chained_child = below(&chained);
        let of_child = triggered(&child);
        let stranger = run(key("root"));
        let all = [root.clone(), child.clone(), grandchild.clone(), chained, chained_child, of_child.clone(), stranger.clone()];
        world.store.record_runs(&all).await.unwrap();
        assert_eq!(world.store.run_tree(root.run_id, &Scope::All).await.unwrap(), all[..6]);
        assert_eq!(world.store.run_tree(child.run_id, &Scope::All).await.unwrap(), [child, grandchild, of_child]);
        assert_eq!(world.store.run_tree(stranger.run_id, &Scope::All).await.unwrap(), [stranger]);
        assert_eq!(world.store.run_tree(RunId(id()), &Scope::All).await.unwrap(), []);
    }

    async fn the_runs_of_a_chain_are_counted(database: &TestDatabase) {
        let world = World::open(database).await;
        let root = run(key("root"));
        let all = [root.clone(), triggered(&root), triggered(&root), below(&root)];
        world.store.record_runs(&all).await.unwrap();
        assert_eq!(world.store.chain_runs(root.run_id).await.unwrap(), 2);
        assert_eq!(world.store.chain_runs(RunId(id())).await.unwrap(), 0);
    }
}
