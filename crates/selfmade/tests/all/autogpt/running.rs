//! What AutoGPT's end-to-end tests assert of runs, with the blocks themselves.

use std::collections::HashSet;
use std::fs;

use model::event::Event;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::{
    Autogpt, CALCULATE, FIND, INPUT, ITERATE, OUTPUT, PRINT, STORE, TEMPLATE, all_completed, graph, outputs,
    text,
};
use crate::killing::processes::family;

fn sample() -> Value {
    graph(
        &[
            ("one", INPUT, json!({ "name": "input_1" })),
            ("two", INPUT, json!({ "name": "input_2" })),
            ("fill", TEMPLATE, json!({ "format": "{a}, {b}{c}", "values_#_c": "!!!" })),
            ("print", PRINT, json!({})),
        ],
        &["one.value -> fill.values_#_a", "two.value -> fill.values_#_b", "fill.output -> print.text"],
    )
}

/// Seconds of processor time that a server and all it started have used.
fn processor_seconds(server: u32) -> f64 {
    let of = |pid: u32| -> Option<f64> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
        // Its own, and that of its children that have ended.
        Some(fields[11..15].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum())
    };
    // A hundred ticks a second, whatever the kernel counts in.
    family(server).into_iter().filter_map(of).sum::<f64>() / 100.0
}

/// The most memory the process ever had, in megabytes.
fn peak_megabytes(server: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{server}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

store::on_both! {
    async fn its_own_tests_hold(database: &TestDatabase) {
        let autogpt = Autogpt::open(database).await;
        let (_, found) = autogpt.execute(sample(), &json!({ "input_1": "Hello", "input_2": "World" }));
        all_completed(&found, 4);
        assert_eq!((outputs(&found, "one"), outputs(&found, "two")), (vec![&json!({ "value": ["Hello"] })], vec![&json!({ "value": ["World"] })]));
        assert_eq!(outputs(&found, "fill"), [&json!({ "output": ["Hello, World!!!"] })]);
        assert_eq!(outputs(&found, "print"), [&json!({ "status": ["printed"] })]);

        let (_, found) = autogpt.execute(graph(
            &[
                ("one", STORE, json!({ "input": "Hello, World!" })),
                ("two", STORE, json!({ "input": "Hello, World!" })),
                ("text", TEMPLATE, json!({ "format": "{texts[0]},{texts[1]},{texts[2]}", "texts_$_3": "!!!" })),
                ("print", PRINT, json!({})),
            ],
            &["one.output -> text.texts_$_1", "two.output -> text.texts_$_2", "text.output -> print.text"],
        ), &json!({}));
        all_completed(&found, 4);
        assert_eq!(outputs(&found, "text"), [&json!({ "output": ["Hello, World!,Hello, World!,!!!"] })]);

        let (_, found) = autogpt.execute(graph(
            &[
                ("dict", STORE, json!({ "input": { "key1": "value1", "key2": "value2" } })),
                ("key", STORE, json!({ "input": "key2" })),
                ("find", FIND, json!({ "key": "", "input": {} })),
            ],
            &["dict.output -> find.input", "key.output -> find.key"],
        ), &json!({}));
        all_completed(&found, 3);
        assert_eq!(outputs(&found, "find"), [&json!({ "output": ["value2"] })]);

        let (_, found) = autogpt.execute(graph(
            &[
                ("a1", STORE, json!({ "input": 4 })), ("a2", STORE, json!({ "input": 4 })), ("a3", STORE, json!({ "input": 4 })),
                ("b1", STORE, json!({ "input": 5 })), ("b2", STORE, json!({})),
                ("sum", CALCULATE, json!({ "operation": "Add" })),
            ],
            &["a1.output -> sum.a", "a2.output -> sum.a", "a3.output -> sum.a", "b1.output -> b2.input", "b2.output => sum.b"],
        ), &json!({}));
        all_completed(&found, 8);
        assert_eq!(outputs(&found, "sum"), [&json!({ "result": [9] }); 3]);
    }

    async fn values_and_errors_arrive_as_they_are(database: &TestDatabase) {
        let autogpt = Autogpt::open(database).await;
        let (_, found) = autogpt.execute(graph(
            &[
                ("left", ITERATE, json!({ "items": [1, 2, 3] })), ("right", ITERATE, json!({ "items": [10, 20, 30] })),
                ("sum", CALCULATE, json!({ "operation": "Add" })),
            ],
            &["left.item_$_1 -> sum.a", "right.item_$_1 -> sum.b"],
        ), &json!({}));
        assert_eq!(outputs(&found, "left"), [&json!({ "item": [[0, 1], [1, 2], [2, 3]] })]);
        assert_eq!(outputs(&found, "sum"), [11, 22, 33].map(|sum| json!({ "result": [sum] })).each_ref());

        // Null goes nowhere in AutoGPT, and StoreValue loses the others.
        let values = [json!(null), json!(0), json!(""), json!(false)];
        let (_, found) = autogpt.execute(graph(
            &[("each", ITERATE, json!({ "items": values })), ("keep", STORE, json!({ "input": 1 })), ("out", OUTPUT, json!({ "name": "out" }))],
            &["each.item_$_1 -> keep.data", "keep.output -> out.value"],
        ), &json!({}));
        let expected = values.map(|value| json!({ "value": [value] }));
        assert_eq!(outputs(&found, "out"), expected.each_ref());

        // There the text becomes 0.
        let (record, found) = autogpt.execute(graph(
            &[("a", STORE, json!({ "input": "x" })), ("sum", CALCULATE, json!({ "operation": "Add", "b": 2 })), ("b", STORE, json!({ "input": 1 }))],
            &["a.output -> sum.a"],
        ), &json!({}));
        assert_eq!(record["state"], "failed");
        assert_eq!(record["error"]["message"], "node `sum`, pin `a`: `a` must be a number, not the string `x`");
        assert_eq!(outputs(&found, "b"), [&json!({ "output": [1] })], "the rest goes on");

        // There what is raised goes nowhere, and what is divided by zero is infinite.
        let divided = |links: &[&str]| autogpt.execute(graph(
            &[("div", CALCULATE, json!({ "operation": "Divide", "a": 4, "b": 0 })), ("print", STORE, json!({ "input": "none" }))],
            links,
        ), &json!({}));
        let (record, found) = divided(&["div.error -> print.data"]);
        assert_eq!((&record["state"], outputs(&found, "print")), (&json!("succeeded"), vec![&json!({ "output": ["ZeroDivisionError: 4 cannot be divided by 0"] })]));
        let (record, _) = divided(&[]);
        assert_eq!((&record["state"], &record["error"]["message"]), (&json!("failed"), &json!("node `div`: ZeroDivisionError: 4 cannot be divided by 0")));
        let run = text(&record, "run_id");
        let events = autogpt.world.events().await;
        let is_told = |event: &Event| event.fact.kind.to_string() == "run.failed" && event.fact.data["run_id"] == run;
        assert!(events.iter().any(is_told), "{events:#?}");
    }

    // In AutoGPT such a run takes minutes, and only the last thousand executions are shown. One of three nodes takes 0.6 s of processor time.
    async fn ten_thousand_iterations_are_listed_and_cost_little(database: &TestDatabase) {
        let autogpt = Autogpt::open(database).await;
        let items: Vec<u32> = (0..10_000).collect();
        let (record, found) = autogpt.execute(graph(
            &[("each", ITERATE, json!({ "items": items })), ("keep", STORE, json!({ "input": 1 }))],
            &["each.item_$_1 -> keep.data"],
        ), &json!({}));
        assert_eq!((&record["state"], found.len()), (&json!("succeeded"), 10_001));
        let (mut seen, mut cursor, run) = (HashSet::new(), String::new(), record["run_id"].as_str().unwrap());
        loop {
            let page = autogpt.get(&format!("/api/v1/runs/{run}/nodes?limit=1000{cursor}"));
            seen.extend(page["items"].as_array().unwrap().iter().map(|one| one["position"].to_string()));
            let Some(next) = page["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen.len(), 10_001);
        let peak = peak_megabytes(autogpt.server.id());
        assert!(peak < 600, "the server took {peak} MB");

        let made = autogpt.create(sample());
        let input = json!({ "input_1": "Hello", "input_2": "World" });
        autogpt.ended(&autogpt.begin(&made, &input));
        let before = processor_seconds(autogpt.server.id());
        let runs: Vec<String> = (0..20).map(|_| autogpt.begin(&made, &input)).collect();
        runs.iter().for_each(|run| assert_eq!(autogpt.ended(run)["state"], "succeeded"));
        let of_each = (processor_seconds(autogpt.server.id()) - before) / 20.0;
        assert!(of_each < 0.2, "a run took {of_each} s of processor time");
    }
}
