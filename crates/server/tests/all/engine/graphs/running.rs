//! Runs of Graphs: what they give, and how they fail.

use model::run::RunState;
use sandbox::Value;
use serde_json::json;
use server::app::runs;
use store::on_both;
use store::testing::TestDatabase;

use super::super::script::{Stage, empty, function, raised};
use super::{doubling, graph, nodes, put, staged, steps};
use crate::world::ME;

on_both! {
    async fn a_graph_is_run_like_a_function_and_every_node_is_a_step(database: &TestDatabase) {
        let stage = staged(database).await;
        put(&stage, "twice", doubling()).await;
        let run = stage.start("twice", json!({"n": 21})).await.unwrap();
        assert_eq!((run.state, run.output.clone()), (RunState::Succeeded, Some(json!({"out": 42}))), "{:?}", run.error);
        let steps = steps(&stage, &run).await;
        assert_eq!(nodes(&steps), ["in", "out", "twice"]);
        assert!(steps.iter().all(|step| step.finished_at.is_some() && step.error.is_none()));
        let twice = steps.iter().find(|step| step.request["node"] == "twice").unwrap();
        assert_eq!(twice.request["input"], json!({"n": 21}));
        let child = runs::get(&stage.ctx, &ME, twice.child.unwrap()).await.unwrap();
        assert_eq!((child.parent, child.output), (Some(run.run_id), Some(json!(42))));
    }

    async fn what_a_graph_is_not_given_is_reported_before_it_runs(database: &TestDatabase) {
        let stage = staged(database).await;
        put(&stage, "twice", doubling()).await;
        let error = stage.start("twice", empty()).await.unwrap_err();
        assert!(error.to_string().contains("`n`"), "{error}");
    }

    async fn a_failure_names_its_node_and_leaves_on_error_if_that_is_linked(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("fails", "n")]).await;
        stage.script.part("fails", |_, _| async { Err(raised("ValueError", "no such user")) });
        let mut content = doubling();
        content["nodes"][1]["block"] = json!("fails");
        put(&stage, "uncaught", content.clone()).await;
        let run = stage.start("uncaught", json!({"n": 1})).await.unwrap();
        assert_eq!(run.state, RunState::Failed);
        assert_eq!(run.error.unwrap().message, "node `twice`: ValueError: no such user");
        content["links"][1]["from_pin"] = json!("error");
        put(&stage, "caught", content).await;
        let run = stage.start("caught", json!({"n": 1})).await.unwrap();
        assert_eq!(run.output, Some(json!({"out": "ValueError: no such user"})), "{:?}", run.error);
    }

    async fn a_list_is_taken_apart_worked_on_and_collected(database: &TestDatabase) {
        let stage = staged(database).await;
        let content = graph(
            &[
                ("in", "@input", json!({"name": "items"})),
                ("each", "@iterate", json!({})),
                ("twice", "double", json!({})),
                ("all", "@collect", json!({})),
                ("out", "@output", json!({"name": "all"})),
                ("last", "@output", json!({"name": "last"})),
            ],
            &[
                "in.output -> each.items", "each.item -> twice.n", "twice.output -> all.item",
                "all.output -> out.value", "twice.output -> last.value",
            ],
        );
        put(&stage, "each", content).await;
        let run = stage.start("each", json!({"items": [3, 1, 2]})).await.unwrap();
        assert_eq!(run.output, Some(json!({"all": [6, 2, 4], "last": 4})), "{:?}", run.error);
        let printed = stage.ctx.store.output(run.run_id).await.unwrap();
        assert!(printed[0].text.starts_with("output `last` was given 3 values;"), "{printed:?}");
    }

    async fn a_graph_in_a_graph_gives_all_it_gives(database: &TestDatabase) {
        let stage = staged(database).await;
        let inner = graph(
            &[
                ("in", "@input", json!({"name": "items"})),
                ("each", "@iterate", json!({})),
                ("out", "@output", json!({"name": "item"})),
            ],
            &["in.output -> each.items", "each.item -> out.value"],
        );
        put(&stage, "inner", inner).await;
        let outer = graph(
            &[
                ("in", "@input", json!({"name": "items"})),
                ("inner", "inner", json!({})),
                ("twice", "double", json!({})),
                ("all", "@collect", json!({})),
                ("out", "@output", json!({"name": "all"})),
            ],
            &["in.output -> inner.items", "inner.item -> twice.n", "twice.output -> all.item", "all.output -> out.value"],
        );
        put(&stage, "outer", outer).await;
        let run = stage.start("outer", json!({"items": [1, 2, 3]})).await.unwrap();
        assert_eq!(run.output, Some(json!({"all": [2, 4, 6]})), "{:?}", run.error);
    }

    async fn a_function_calls_a_graph_as_it_calls_a_function(database: &TestDatabase) {
        let stage = staged(database).await;
        put(&stage, "twice", doubling()).await;
        stage.add(&["def calls(n):\n    return twice(n=n)\n"]).await;
        stage.script.part("calls", |work, host| async move {
            let twice = work.closure.functions.iter().find(|function| function.name == "twice").unwrap();
            let id = twice.source.split('"').nth(1).unwrap().to_owned();
            let named = Value::Map(vec![("n".to_owned(), Value::Int(4))]);
            Ok(host.verb("call", vec![id.as_str().into(), Value::List(vec![]), named]).await.unwrap())
        });
        let run = stage.start("calls", json!({"n": 4})).await.unwrap();
        assert_eq!(run.output, Some(json!({"out": 8})), "{:?}", run.error);
    }

    async fn a_cycle_ends_with_its_budget_and_says_so(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let mut content = graph(
            &[("first", "@input", json!({"name": "n", "value": 1})), ("store", "@store", json!({}))],
            &["first.output -> store.input", "store.output -> store.data"],
        );
        content["budget"] = json!(20);
        content["nodes"][1]["block"] = json!("@condition");
        content["nodes"][1]["input"] = json!({"operator": "==", "value2": 1});
        content["links"] = json!([
            {"from": "first", "from_pin": "output", "to": "store", "to_pin": "value1"},
            {"from": "store", "from_pin": "yes_output", "to": "store", "to_pin": "value1"},
        ]);
        put(&stage, "cycle", content).await;
        let run = stage.start("cycle", empty()).await.unwrap();
        assert!(run.error.unwrap().message.contains("the budget of 20 node executions was used up"));
    }

    async fn a_value_that_a_cycle_makes_deeper_and_deeper_fails_its_node(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let condition = json!({"operator": "!=", "value2": "x"});
        let mut content = graph(
            &[
                ("first", "@input", json!({"name": "n", "value": 1})),
                ("c", "@condition", condition.clone()),
                ("d", "@condition", condition),
            ],
            &["first.output -> c.value1", "d.yes_output -> c.value1"],
        );
        content["budget"] = json!(10_000);
        let deeper = format!("value1{}", "[0]".repeat(30));
        let link = json!({"from": "c", "from_pin": "yes_output", "to": "d", "to_pin": deeper});
        content["links"].as_array_mut().unwrap().push(link);
        put(&stage, "deeper", content).await;
        let run = stage.start("deeper", empty()).await.unwrap();
        let message = run.error.unwrap().message;
        assert!(message.contains("nested deeper than 100 levels"), "{message}");
        assert!(message.contains("`d`") && message.contains("value1[0]"), "{message}");
        // What was recorded can be read.
        stage.ctx.store.graph_steps(run.run_id, None, 0, 1_000).await.unwrap();
    }

    async fn a_value_that_is_too_large_for_a_link_is_refused_with_its_pin(database: &TestDatabase) {
        let stage = staged(database).await;
        stage.add(&[&function("large", "")]).await;
        stage.script.part("large", |_, _| async { Ok("x".repeat(9 << 20).as_str().into()) });
        let nodes = [("large", "large", json!({})), ("out", "@output", json!({"name": "out"}))];
        put(&stage, "heavy", graph(&nodes, &["large.output -> out.value"])).await;
        let run = stage.start("heavy", empty()).await.unwrap();
        let message = run.error.unwrap().message;
        assert!(message.starts_with("node `large`: ValueTooLarge: the value on pin `output` has"), "{message}");
    }
}
