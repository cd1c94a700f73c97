//! Requests of Runs: kept in order, not without end, and only with their Run.

use model::ids::RunId;
use model::run::egress::EgressRequest;
use store::testing::TestDatabase;

use crate::runs::run;
use crate::world::{World, at, id, key};

pub(crate) fn request(path: &str) -> EgressRequest {
    EgressRequest {
        at: at(1),
        method: "GET".to_owned(),
        scheme: "https".to_owned(),
        host: "example.com".to_owned(),
        port: 443,
        path: path.to_owned(),
        rule: "example.com".to_owned(),
        refused: None,
        status: Some(200),
        bytes_up: 1,
        bytes_down: u64::from(u32::MAX),
        duration_us: 7,
        failure: Some("ü".to_owned()),
    }
}

store::on_both! {
    async fn requests_read_back_in_order_and_only_of_their_run(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs = [run(key("a")), run(key("a"))];
        world.store.record_runs(&runs).await.unwrap();
        let (first, second) = (runs[0].run_id, runs[1].run_id);
        let requests = [(first, request("/1")), (second, request("/2")), (RunId(id()), request("/3"))];
        world.store.record_egress(&requests, &[]).await.unwrap();
        world.store.record_egress(&[(first, request("/4"))], &[]).await.unwrap();
        assert_eq!(world.store.egress(first).await.unwrap(), [request("/1"), request("/4")]);
        assert_eq!(world.store.egress(second).await.unwrap(), [request("/2")]);
    }

    async fn of_a_run_that_makes_too_many_the_first_are_kept(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = run(key("a"));
        world.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
        let requests: Vec<_> = (0..1_010).map(|n| (run.run_id, request(&format!("/{n}")))).collect();
        world.store.record_egress(&requests, &[]).await.unwrap();
        let kept = world.store.egress(run.run_id).await.unwrap();
        assert_eq!((kept.len(), kept[999].path.as_str()), (1_000, "/999"));
    }

    async fn what_is_left_out_is_counted_in_one_row_of_its_run(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = run(key("a"));
        world.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
        assert_eq!(world.store.egress_left_out(run.run_id).await.unwrap(), 0);
        let gone = RunId(id());
        for count in [7, 1_000_000] {
            world.store.record_egress(&[], &[(run.run_id, count), (gone, 1)]).await.unwrap();
        }
        assert_eq!(world.store.egress_left_out(run.run_id).await.unwrap(), 1_000_007);
        assert_eq!((world.store.egress_left_out(gone).await.unwrap(), database.count("egress_left_out").await), (0, 1));
    }
}
