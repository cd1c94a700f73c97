//! Runs of graphs and their node executions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::StatusCode;
use sandbox::Value as Python;
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::sync::Notify;

use super::{
    API, CALCULATE, FIND, INPUT, ITERATE, OUTPUT, PRINT, STORE, TEMPLATE, create, detail, ended, executed,
    executions, graph, id, open, outputs, statuses,
};
use crate::http::asking::ADD;
use crate::http::streaming::Stream;

store::on_both! {
    async fn inputs_fill_a_template_that_is_printed(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(
            &[
                ("one", INPUT, json!({ "name": "input_1" })),
                ("two", INPUT, json!({ "name": "input_2" })),
                ("fill", TEMPLATE, json!({ "format": "{a}, {b}{c}", "values_#_c": "!!!" })),
                ("print", PRINT, json!({})),
            ],
            &["one.value -> fill.values_#_a", "two.value -> fill.values_#_b", "fill.output -> print.text"],
        )).await;
        let (run, found) = executed(&stage, &asker, &made, json!({ "input_1": "Hello", "input_2": "World" })).await;
        assert_eq!(statuses(&found), ["COMPLETED"; 4], "{found:#?}");
        let of = |node: &str| found.iter().find(|one| one["node_id"] == node).unwrap();
        assert_eq!((&of("one")["input_data"], &of("one")["output_data"]), (&json!({ "name": "input_1", "value": "Hello" }), &json!({ "value": ["Hello"] })));
        assert_eq!(of("two")["output_data"], json!({ "value": ["World"] }));
        assert_eq!(of("fill")["output_data"], json!({ "output": ["Hello, World!!!"] }));
        let taken = json!({
            "format": "{a}, {b}{c}",
            "values": { "a": "Hello", "b": "World", "c": "!!!" },
            "values_#_a": "Hello", "values_#_b": "World", "values_#_c": "!!!",
        });
        assert_eq!(of("fill")["input_data"], taken);
        assert_eq!((&found[3]["node_id"], &found[3]["output_data"]), (&json!("print"), &json!({ "status": ["printed"] })));
        let keys: Vec<&String> = found[0].as_object().unwrap().keys().collect();
        let expected = ["graph_id", "graph_version", "graph_exec_id", "node_exec_id", "node_id", "status", "input_data", "output_data",
            "add_time", "queue_time", "start_time", "end_time"];
        assert_eq!(keys, expected);
        assert_eq!((&found[0]["graph_id"], &found[0]["graph_version"], &found[0]["graph_exec_id"]), (&made["id"], &json!(1), &json!(run)));
        assert_eq!(asker.get(&format!("{API}/graphs/{}/executions", id(&made))).await.json, json!([run]));
        assert_eq!(asker.get(&format!("{API}/graphs/{}/executions?graph_version=2", id(&made))).await.json, json!([]));
        let schema = asker.get(&format!("{API}/graphs/{}/input_schema", id(&made))).await.json;
        assert_eq!(schema["required"], json!(["input_1", "input_2"]));
        stage.close().await;
    }

    async fn numbered_pins_make_a_list_as_in_july(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(
            &[
                ("one", STORE, json!({ "input": "Hello, World!" })),
                ("two", STORE, json!({ "input": "Hello, World!" })),
                ("text", TEMPLATE, json!({ "format": "{texts[0]},{texts[1]},{texts[2]}", "texts_$_3": "!!!" })),
                ("print", PRINT, json!({})),
            ],
            &["one.output -> text.texts_$_1", "two.output -> text.texts_$_2", "text.output -> print.text"],
        )).await;
        let started = asker.post(&format!("{API}/graphs/{}/execute", id(&made)), json!({})).await.json;
        let nodes: Vec<&str> = started["executions"].as_array().unwrap().iter().map(|one| one["node_id"].as_str().unwrap()).collect();
        assert_eq!(nodes, ["one", "two"]);
        ended(&stage, id(&started)).await;
        let found = executions(&asker, &made, id(&started)).await;
        assert_eq!(statuses(&found), ["COMPLETED"; 4]);
        assert_eq!(outputs(&found, "text")[0]["output"], json!(["Hello, World!,Hello, World!,!!!"]));
        let first = found.iter().find(|one| one["node_id"] == "one").unwrap();
        assert_eq!(first["node_exec_id"], started["executions"][0]["id"], "ids are those that were told");
        stage.close().await;
    }

    // In July 2024 defaults won over values that arrive.
    async fn a_linked_pin_is_waited_for_whatever_its_default(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(
            &[
                ("dict", STORE, json!({ "input": { "key1": "value1", "key2": "value2" } })),
                ("key", STORE, json!({ "input": "key2" })),
                ("find", FIND, json!({ "key": "", "input": {} })),
            ],
            &["dict.output -> find.input", "key.output -> find.key"],
        )).await;
        let (_, found) = executed(&stage, &asker, &made, json!({})).await;
        assert_eq!((found.len(), statuses(&found)), (3, vec!["COMPLETED"; 3]));
        assert_eq!(outputs(&found, "find")[0]["output"], json!(["value2"]));
        stage.close().await;
    }

    async fn one_late_static_value_completes_all_that_wait_for_it(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(
            &[
                ("a1", STORE, json!({ "input": 4 })), ("a2", STORE, json!({ "input": 4 })), ("a3", STORE, json!({ "input": 4 })),
                ("b1", STORE, json!({ "input": 5 })), ("b2", STORE, json!({})),
                ("sum", CALCULATE, json!({ "operation": "Add" })),
            ],
            &["a1.output -> sum.a", "a2.output -> sum.a", "a3.output -> sum.a", "b1.output -> b2.input", "b2.output => sum.b"],
        )).await;
        let (_, found) = executed(&stage, &asker, &made, json!({})).await;
        assert_eq!((found.len(), statuses(&found)), (8, vec!["COMPLETED"; 8]), "{found:#?}");
        let sums: Vec<&Value> = outputs(&found, "sum").iter().map(|one| &one["result"]).collect();
        assert_eq!(sums, [&json!([9.0]); 3]);
        stage.close().await;
    }

    async fn values_of_two_pins_meet_in_their_order(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(
            &[
                ("left", ITERATE, json!({ "items": [1, 2, 3] })), ("right", ITERATE, json!({ "items": [10, 20, 30] })),
                ("sum", CALCULATE, json!({ "operation": "Add" })),
            ],
            &["left.item -> sum.a", "right.item -> sum.b"],
        )).await;
        let (_, found) = executed(&stage, &asker, &made, json!({})).await;
        let sums: Vec<&Value> = outputs(&found, "sum").iter().map(|one| &one["result"][0]).collect();
        assert_eq!(sums, [&json!(11.0), &json!(22.0), &json!(33.0)]);
        stage.close().await;
    }

    // In AutoGPT everything waits behind a node that is slow.
    async fn a_slow_node_keeps_its_order_and_blocks_no_other(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        stage.add(&["def slow(n: int) -> int:\n    return n\n"]).await;
        let (go, begun) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
        let (waits, counts) = (Arc::clone(&go), Arc::clone(&begun));
        stage.script.part("slow", move |work, _| {
            let (waits, counts) = (Arc::clone(&waits), Arc::clone(&counts));
            async move {
                if counts.fetch_add(1, Ordering::SeqCst) == 0 {
                    waits.notified().await;
                }
                Ok(Python::Int(work.input.to_json()["n"].as_i64().unwrap()))
            }
        });
        let made = create(&asker, graph(
            &[("items", ITERATE, json!({ "items": [1, 2, 3] })), ("slow", "selfmade:slow", json!({})), ("print", PRINT, json!({}))],
            &["items.item -> slow.n", "items.item -> print.text"],
        )).await;
        let started = asker.post(&format!("{API}/graphs/{}/execute", id(&made)), json!({})).await.json;
        let printed = async || {
            let found = executions(&asker, &made, id(&started)).await;
            outputs(&found, "print").iter().filter(|one| one.contains_key("status")).count()
        };
        while printed().await < 3 {
            tokio::task::yield_now().await;
        }
        assert_eq!(begun.load(Ordering::SeqCst), 1, "the second waits for the first");
        let found = executions(&asker, &made, id(&started)).await;
        assert!(found.iter().any(|one| one["node_id"] == "slow" && one["status"] == "RUNNING" && one["end_time"].is_null()), "{found:#?}");
        go.notify_one();
        ended(&stage, id(&started)).await;
        let found = executions(&asker, &made, id(&started)).await;
        let given: Vec<&Value> = outputs(&found, "slow").iter().map(|one| &one["output"][0]).collect();
        assert_eq!(given, [&json!(1), &json!(2), &json!(3)]);
        stage.close().await;
    }

    // In AutoGPT null goes nowhere, and StoreValue loses 0, "" and false.
    async fn what_counts_as_false_travels(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let values = json!([null, 0, "", false]);
        let made = create(&asker, graph(
            &[("items", ITERATE, json!({ "items": values })), ("keep", STORE, json!({ "input": 1 })), ("out", OUTPUT, json!({ "name": "out" }))],
            &["items.item -> keep.data", "keep.output -> out.value"],
        )).await;
        let (_, found) = executed(&stage, &asker, &made, json!({})).await;
        let given: Vec<Value> = outputs(&found, "out").iter().map(|one| one["value"][0].clone()).collect();
        assert_eq!(Value::from(given), values, "{found:#?}");
        stage.close().await;
    }

    // In AutoGPT the text becomes 0, or the node never runs and nobody is told.
    async fn a_wrong_type_is_an_error_with_node_and_pin(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(
            &[("a", STORE, json!({ "input": "x" })), ("b", STORE, json!({ "input": 1 })), ("sum", CALCULATE, json!({ "operation": "Add", "b": 2 }))],
            &["a.output -> sum.a"],
        )).await;
        let (run, found) = executed(&stage, &asker, &made, json!({})).await;
        let sum = found.iter().find(|one| one["node_id"] == "sum").unwrap();
        assert_eq!(sum["status"], "FAILED", "{found:#?}");
        let error = sum["output_data"]["error"][0].as_str().unwrap();
        assert!(error.contains("`a`"), "{error}");
        assert!(found.iter().any(|one| one["node_id"] == "b" && one["status"] == "COMPLETED"), "other branches go on");
        let record = asker.get(&format!("/api/v1/runs/{run}")).await.json;
        let told = record["error"]["message"].as_str().unwrap();
        assert!(told.contains("`sum`") && told.contains("`a`"), "{told}");
        stage.close().await;
    }

    async fn a_raised_error_leaves_on_the_linked_error_pin(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(
            &[("div", CALCULATE, json!({ "operation": "Divide", "a": 4, "b": 0 })), ("print", PRINT, json!({}))],
            &["div.error -> print.text"],
        )).await;
        let (run, found) = executed(&stage, &asker, &made, json!({})).await;
        assert_eq!(outputs(&found, "div")[0]["error"], json!(["ZeroDivisionError: 4 cannot be divided by 0"]));
        let print = found.iter().find(|one| one["node_id"] == "print").unwrap();
        assert_eq!((&print["status"], &print["input_data"]), (&json!("COMPLETED"), &json!({ "text": "ZeroDivisionError: 4 cannot be divided by 0" })));
        assert_eq!(asker.get(&format!("/api/v1/runs/{run}")).await.json["state"], "succeeded", "it was dealt with");
        stage.close().await;
    }

    // In AutoGPT a run has no status, and later one with failed nodes is COMPLETED.
    async fn a_run_that_failed_says_so_and_is_an_event(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let mut events = Stream::open(&asker, "/api/v1/events?kind=run.*&source=test_graph", &[]).await;
        let made = create(&asker, graph(&[("div", CALCULATE, json!({ "operation": "Divide", "a": 4, "b": 0 }))], &[])).await;
        let (run, _) = executed(&stage, &asker, &made, json!({})).await;
        let record = asker.get(&format!("/api/v1/runs/{run}")).await.json;
        assert_eq!(record["state"], "failed");
        assert!(record["error"]["message"].as_str().unwrap().contains("`div`"), "{record}");
        let (_, kind, event) = events.next().await.unwrap();
        assert_eq!((kind.as_str(), &event["data"]["run_id"]), ("run.failed", &json!(run)));
        stage.close().await;
    }

    async fn a_run_is_stopped_at_once(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        stage.add(&["def hang() -> int:\n    return 1\n"]).await;
        let begun = Arc::new(Notify::new());
        let begins = Arc::clone(&begun);
        stage.script.part("hang", move |_, _| {
            begins.notify_one();
            std::future::pending()
        });
        let made = create(&asker, graph(&[("hang", "selfmade:hang", json!({})), ("a", STORE, json!({ "input": 1 }))], &[])).await;
        let run = asker.post(&format!("{API}/graphs/{}/execute", id(&made)), json!({})).await.json;
        begun.notified().await;
        let address = format!("{API}/graphs/{}/executions/{}", id(&made), id(&run));
        let stopped = asker.post(&format!("{address}/stop"), json!(null)).await;
        assert_eq!(stopped.status, StatusCode::OK, "{stopped:?}");
        let hang = stopped.json.as_array().unwrap().iter().find(|one| one["node_id"] == "hang").unwrap();
        assert_eq!((&hang["status"], &hang["output_data"]), (&json!("FAILED"), &json!({ "error": ["TERMINATED"] })));
        assert_eq!(asker.get(&format!("/api/v1/runs/{}", id(&run))).await.json["state"], "cancelled");
        assert_eq!(asker.post(&format!("{address}/stop"), json!(null)).await.status, StatusCode::OK, "twice is once");
        stage.close().await;
    }

    // In AutoGPT any run is readable through any graph.
    async fn a_run_is_seen_through_its_own_graph_only(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let one = || graph(&[("a", STORE, json!({ "input": 1 }))], &[]);
        let (made, other) = (create(&asker, one()).await, create(&asker, one()).await);
        let (run, _) = executed(&stage, &asker, &made, json!({})).await;
        stage.add(&[ADD]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        let plain = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap().run_id.to_string();
        for (graph, run) in [(&other, &run), (&made, &plain), (&made, &id(&other).to_owned()), (&made, &"x".to_owned())] {
            for (method, end) in [("GET", ""), ("POST", "/stop")] {
                let answer = asker.ask(method, &format!("{API}/graphs/{}/executions/{run}{end}", id(graph)), &[], None).await;
                assert_eq!(answer.status, StatusCode::NOT_FOUND, "{answer:?}");
            }
        }
        assert_eq!(asker.get(&format!("{API}/graphs/{}/executions", id(&other))).await.json, json!([]));
        stage.close().await;
    }

    async fn ten_thousand_executions_are_listed_in_pages(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let items: Vec<u32> = (0..10_000).collect();
        let made = create(&asker, graph(
            &[("items", ITERATE, json!({ "items": items })), ("keep", STORE, json!({ "input": 1 }))],
            &["items.item -> keep.data"],
        )).await;
        let (run, found) = executed(&stage, &asker, &made, json!({})).await;
        assert_eq!(found.len(), 10_001);
        assert_eq!(outputs(&found, "keep")[9_999]["output"], json!([9_999]));
        let page = asker.get(&format!("/api/v1/runs/{run}/nodes?limit=3")).await.json;
        assert_eq!((page["items"].as_array().unwrap().len(), page["next"].is_string()), (3, true));
        // What one execution gave may be as much as all others together.
        let page = asker.get(&format!("/api/v1/runs/{run}/nodes?limit=3&outputs=7")).await.json;
        let given = |at: usize| (page["items"][at]["outputs"].as_object().unwrap().values().map(|values| values.as_array().unwrap().len()).sum::<usize>(), &page["items"][at]["more_outputs"]);
        assert_eq!((given(0), given(1)), ((7, &json!(true)), (1, &json!(false))), "{page:#}");
        stage.close().await;
    }

    async fn a_stream_of_a_graph_goes_on_where_it_broke_off(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(
            &[("a", STORE, json!({ "input": 1 })), ("b", STORE, json!({ "input": 0 })), ("print", PRINT, json!({}))],
            &["a.output -> b.data", "b.output -> print.text"],
        )).await;
        let (run, _) = executed(&stage, &asker, &made, json!({})).await;
        let address = format!("/api/v1/runs/{run}/stream");
        let mut whole = Vec::new();
        let mut stream = Stream::open(&asker, &address, &[]).await;
        while let Some((id, kind, data)) = stream.next().await {
            whole.push((id, kind, data["node"].clone()));
        }
        let of_nodes = whole.iter().filter(|(_, kind, _)| kind == "node");
        let mut nodes: Vec<&Value> = of_nodes.map(|(_, _, node)| node).collect();
        // That it began, and that it ended.
        nodes.dedup();
        assert_eq!(nodes, [&json!("a"), &json!("b"), &json!("print")], "{whole:?}");
        for cut in 1..whole.len() {
            let mut rest = Stream::open(&asker, &address, &[("last-event-id", &whole[cut - 1].0)]).await;
            let mut heard = Vec::new();
            while let Some((id, kind, data)) = rest.next().await {
                heard.push((id, kind, data["node"].clone()));
            }
            assert_eq!(heard, whole[cut..], "after {cut}");
        }
        stage.close().await;
    }

    async fn input_that_does_not_fit_is_refused_before_anything_runs(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(&[("x", INPUT, json!({ "name": "x" }))], &[])).await;
        for input in [json!({}), json!({ "x": 1, "y": 2 })] {
            let refused = asker.post(&format!("{API}/graphs/{}/execute", id(&made)), input).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{refused:?}");
            assert!(detail(&refused).1.contains(if detail(&refused).1.contains("`y`") { "`y`" } else { "`x`" }));
        }
        assert_eq!(asker.get(&format!("{API}/graphs/{}/executions", id(&made))).await.json, json!([]));
        stage.close().await;
    }
}
