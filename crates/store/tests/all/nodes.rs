//! Nodes: known from when they start until long after they were last seen.

use store::Node;
use store::testing::TestDatabase;

use crate::runs::{node, waited};
use crate::world::{World, at};

store::on_both! {
    async fn a_node_is_known_and_seen(database: &TestDatabase) {
        let world = World::open(database).await;
        let (first, second) = (node(), node());
        world.store.node_started(first, "größe:1", "http,engine", at(1)).await.unwrap();
        world.store.node_started(second, "b", "", at(2)).await.unwrap();
        world.store.extend_leases(first, &[], at(9), at(20)).await.unwrap();
        world.store.start_run(&waited("a", first), &[]).await.unwrap();
        let other = Node {
            node_id: second,
            name: "b".to_owned(),
            roles: String::new(),
            started_at: at(2),
            seen_at: at(2),
            runs: 0,
        };
        let (name, roles) = ("größe:1".to_owned(), "http,engine".to_owned());
        let expected = [Node { node_id: first, name, roles, started_at: at(1), seen_at: at(9), runs: 1 }, other];
        assert_eq!(world.store.nodes().await.unwrap(), expected);
        world.store.node_stopped(first).await.unwrap();
        assert_eq!(world.store.nodes().await.unwrap(), expected[1..]);
    }

    async fn a_node_that_was_not_seen_for_a_week_is_forgotten(database: &TestDatabase) {
        let world = World::open(database).await;
        const WEEK: i64 = 7 * 86_400;
        world.store.node_started(node(), "old", "", at(1)).await.unwrap();
        world.store.node_started(node(), "young", "", at(2)).await.unwrap();
        world.store.node_started(node(), "new", "", at(2 + WEEK)).await.unwrap();
        let names: Vec<String> = world.store.nodes().await.unwrap().into_iter().map(|node| node.name).collect();
        assert_eq!(names, ["young", "new"]);
    }
}
