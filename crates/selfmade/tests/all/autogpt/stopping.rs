//! Runs that are stopped, and servers that are killed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::service::{Asking, Service};
use super::{API, Autogpt, ITERATE, PRINT, all_completed, graph, outputs};

const ASK: &str = "selfmade:ask_service";

async fn open(database: &TestDatabase) -> (Autogpt, Service) {
    let (autogpt, service) = (Autogpt::open(database).await, Service::open());
    autogpt.post(&format!("{API}/settings"), &json!({ "secrets": { "shared_key": "key-0123456789" } }));
    autogpt.world.place.add(&service.function());
    (autogpt, service)
}

fn statuses(executions: &[Value], node: &str) -> Vec<String> {
    let of = executions.iter().filter(|one| one["node_id"] == node);
    of.map(|one| one["status"].as_str().unwrap().to_owned()).collect()
}

store::on_both! {
    // In AutoGPT a slow node blocks whatever stands behind it, a credential is used by one block at a time, and nothing stops.
    async fn a_stopped_run_leaves_nothing_behind(database: &TestDatabase) {
        let (autogpt, service) = open(database).await;
        let made = autogpt.create(graph(
            &[
                ("each", ITERATE, json!({ "items": ["1", "2", "3"] })),
                ("slow", ASK, json!({})),
                ("other", ASK, json!({ "part": "other" })),
                ("print", PRINT, json!({})),
            ],
            &["each.item_$_1 -> slow.part", "each.item_$_1 -> print.text"],
        ));
        let run = autogpt.begin(&made, &json!({}));
        let mut asking = [service.asked(), service.asked()];
        asking.sort_by(|one, two| one.path.cmp(&two.path));
        assert_eq!(asking.each_ref().map(|one| one.path.as_str()), ["1", "other"], "the second waits for the first");
        assert_eq!(asking.each_ref().map(|one| one.key.as_str()), ["key-0123456789"; 2], "at the same time");
        let printed = || outputs(&autogpt.executions(&made, &run), "print").iter().filter(|one| !one["status"].is_null()).count();
        while printed() < 3 {}
        assert_eq!(statuses(&autogpt.executions(&made, &run), "slow"), ["RUNNING"]);

        let begun = Instant::now();
        let stopped = autogpt.post(&format!("{API}/graphs/{}/executions/{run}/stop", made.0), &json!({}));
        assert!(begun.elapsed() < Duration::from_secs(1), "it took {:?}", begun.elapsed());
        assert_eq!(statuses(stopped.as_array().unwrap(), "slow"), ["FAILED"]);
        assert_eq!(autogpt.get(&format!("/api/v1/runs/{run}"))["state"], "cancelled");
        // The cells are ended with the runs in them.
        asking.into_iter().for_each(Asking::wait_until_gone);
    }

    // In AutoGPT what was under way stays QUEUED or RUNNING for ever.
    async fn a_killed_server_repeats_no_node_that_had_completed(database: &TestDatabase) {
        let (autogpt, service) = open(database).await;
        let made = autogpt.create(graph(
            &[("one", ASK, json!({ "part": "1" })), ("two", ASK, json!({})), ("three", ASK, json!({}))],
            &["one.output -> two.part", "two.output -> three.part"],
        ));
        let run = autogpt.begin(&made, &json!({}));
        let mut asked = Vec::new();
        let first = service.asked();
        asked.push(first.path.clone());
        first.answer("2");
        let second = service.asked();
        asked.push(second.path.clone());
        let before = autogpt.executions(&made, &run);
        assert_eq!(statuses(&before, "one"), ["COMPLETED"]);

        let autogpt = autogpt.survives_a_kill();
        second.wait_until_gone();
        for answer in ["3", "done"] {
            let asking = service.asked();
            asked.push(asking.path.clone());
            asking.answer(answer);
        }
        assert_eq!(autogpt.ended(&run)["state"], "succeeded");
        assert_eq!(asked, ["1", "2", "2", "3"], "what was under way is begun again, and nothing else");
        let after = autogpt.executions(&made, &run);
        all_completed(&after, 3);
        assert_eq!(after[0], before[0]);
        assert_eq!(outputs(&after, "three"), [&json!({ "output": ["done"] })]);
    }
}
