//! Ids as people type them: any beginning or end, of however many digits.

use model::access::scope::Scope;
use model::ids::RunId;
use model::run::Run;
use store::testing::TestDatabase;

use crate::runs::run;
use crate::world::{World, key};

const FIRST: &str = "0190a000-0000-7000-8000-00000000abcd";
const SECOND: &str = "0190a000-0001-7000-8000-0000000fabcd";
const THIRD: &str = "0190b000-0000-7000-8000-000000000190";

fn with_id(id: &str) -> Run {
    Run { run_id: RunId(id.parse().unwrap()), ..run(key("a")) }
}

async fn found(world: &World, digits: &str) -> Vec<String> {
    let ids = world.store.run_ids(digits, 10, &Scope::All).await.unwrap();
    ids.iter().map(ToString::to_string).collect()
}

store::on_both! {
    async fn a_run_is_found_by_any_beginning_or_end_of_its_id(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.record_runs(&[FIRST, SECOND, THIRD].map(with_id)).await.unwrap();
        assert_eq!(found(&world, "abcd").await, [SECOND, FIRST]);
        assert_eq!(found(&world, "ABCD").await, [SECOND, FIRST], "capitals do not matter");
        assert_eq!(found(&world, "0abcd").await, [FIRST]);
        assert_eq!(found(&world, "fabcd").await, [SECOND]);
        assert_eq!(found(&world, "0190a").await, [SECOND, FIRST]);
        assert_eq!(found(&world, "0190a0000001").await, [SECOND]);
        assert_eq!(found(&world, "0190").await, [THIRD, SECOND, FIRST], "as a beginning and as an end");
        assert_eq!(found(&world, &FIRST.replace('-', "")).await, [FIRST], "once, though it is both");
        assert_eq!(world.store.run_ids("0190a", 1, &Scope::All).await.unwrap().len(), 1);
    }

    async fn what_is_no_part_of_an_id_finds_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.record_runs(&[with_id(FIRST)]).await.unwrap();
        for digits in ["", "abce", "xyz", "%", "_bcd", "0190-a000", &"0".repeat(33)] {
            assert_eq!(found(&world, digits).await, [""; 0], "{digits}");
        }
    }
}
