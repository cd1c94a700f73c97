//! How long the newest runs of a name took, by the version that ran.

use model::ids::RunId;
use model::run::{Ending, Run, RunState, Usage};
use model::version::VersionNumber;
use store::RunDuration;
use store::testing::TestDatabase;

use crate::runs::run;
use crate::world::{World, at, id_at, key, put};

fn took(second: i64, wall_us: u64) -> Run {
    let usage = Some(Usage { wall_us, ..Usage::default() });
    Run { run_id: RunId(id_at(second)), created_at: at(second), usage, ..run(key("a")) }
}

store::on_both! {
    async fn only_the_newest_that_succeeded_count_each_with_its_version(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1)]).await;
        world.apply(vec![put("a", 2)]).await;
        let version = async |number| world.store.version(&key("a"), VersionNumber(number)).await.unwrap().unwrap().head.version_id;
        let (first, second) = (version(1).await, version(2).await);
        let failed = Run { state: RunState::Failed, ending: Some(Ending::Raised), output: None, ..took(503, 9) };
        let unmeasured = Run { usage: None, ..took(504, 1) };
        let mut runs: Vec<Run> = (1..=498).map(|n| Run { version_id: Some(first), ..took(n, 10) }).collect();
        runs.extend([Run { version_id: Some(second), ..took(501, 20) }, took(502, 30), failed, unmeasured]);
        runs.push(Run { key: key("b"), ..took(505, 40) });
        world.store.record_runs(&runs).await.unwrap();
        let found = world.store.run_durations("a").await.unwrap();
        let count = |version: Option<u32>, duration_us| {
            let wanted = RunDuration { version: version.map(VersionNumber), duration_us };
            found.iter().filter(|one| **one == wanted).count()
        };
        // The oldest two are beyond what is looked at, and the failed one took a place.
        assert_eq!((count(Some(1), 10), count(Some(2), 20), count(None, 30)), (496, 1, 1), "{}", found.len());
        assert_eq!(count(None, 1_000_000), 1, "from its start to its end");
        assert_eq!(found.len(), 499);
        assert_eq!(world.store.run_durations("nobody").await.unwrap(), []);
    }
}
