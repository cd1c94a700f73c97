//! Imported graphs run.

use selfmade_model::graph::scheduler::{EndState, Plan};
use selfmade_model::graph::values;
use serde_json::json;

use super::super::engine::Engine;
use super::*;

/// The outputs of a run, and how it ended.
fn run(file: &Value, input: Value) -> (Value, EndState) {
    let imported = round_trip(file);
    let content = &imported.graphs[0].content;
    let plan = Plan::new(content, &Brain::with(&imported)).unwrap();
    let mut engine = Engine::start(content, &plan, &values(input));
    while engine.step(0) {}
    let outcome = engine.log.outcome.clone().unwrap();
    (json!(engine.log.outputs), outcome.state)
}

#[test]
fn an_agent_of_today() {
    let file = agent(
        vec![
            node("in", SHORT_TEXT, json!({"name": "Who is it?", "value": "nobody"})),
            node("keep", STORE, json!({"input": "x", "data": null})),
            node("t", TEMPLATE, json!({"format": "Hi"})),
            node("out", OUTPUT, json!({"name": "Line!", "format": "{{ value }}"})),
            node("echo", OUTPUT, json!({"name": "Who"})),
        ],
        &[
            "in.result -> keep.data",
            "keep.output => t.values_#_who",
            "t.output -> out.value",
            "in.result -> echo.value",
        ],
    );
    let (outputs, state) = run(&file, json!({"Who is it?": "Ann"}));
    assert_eq!((outputs, state), (json!({"Line!": ["Hi"], "Who": ["Ann"]}), EndState::Succeeded));
}

#[test]
fn an_output_with_a_format_gives_what_the_format_makes() {
    let file = agent(
        vec![
            node("in", INPUT, json!({"name": "n", "value": 1})),
            node("out", OUTPUT, json!({"name": "line", "format": "<{{ line }}>"})),
        ],
        &["in.result -> out.value"],
    );
    // The engine of the tests gives a template as it is.
    assert_eq!(run(&file, json!({})).0, json!({"line": ["<{{ line }}>"]}));
    let imported = import(&file);
    assert_eq!(
        ends(&imported.graphs[0].content.links),
        ["in.output -> out (format).values_#_line", "out (format).output -> out.value"]
    );
}

#[test]
fn a_graph_of_2024() {
    let file = old(
        vec![
            node("in", INPUT, json!({"name": "input_1", "value": "Hello"})),
            node("t", TEMPLATE, json!({"format": "{a}", "values_#_c": "!!!"})),
            node("out", OUTPUT, json!({"name": "o"})),
        ],
        &["in.value -> t.values_#_a", "t.output -> out.value"],
    );
    assert_eq!(run(&file, json!({})), (json!({"o": ["{{a}}"]}), EndState::Succeeded));
}

#[test]
fn what_needs_a_missing_block_never_starts_and_the_rest_runs() {
    let file = agent(
        vec![
            node("in", INPUT, json!({"name": "n", "value": 1})),
            node("gone", GMAIL_SEND, json!({})),
            node("mail", STORE, json!({"input": "sent"})),
            node("bad", STORE, json!({"input": "sent"})),
            node("never", OUTPUT, json!({"name": "never"})),
            node("out", OUTPUT, json!({"name": "out"})),
        ],
        &[
            "in.result -> gone.body",
            "gone.result -> mail.data",
            "in.no such pin -> bad.data",
            "mail.output -> never.value",
            "bad.output -> never.value",
            "in.result -> out.value",
        ],
    );
    assert_eq!(run(&file, json!({})), (json!({"out": [1]}), EndState::Succeeded));
}

#[test]
fn a_loop_of_an_orchestrator_takes_its_first_turn() {
    let file = agent(
        vec![
            node("in", INPUT, json!({"name": "task", "value": "find"})),
            node("o", ORCHESTRATOR, json!({})),
            node("tool", STORE, json!({"input": "x"})),
        ],
        &[
            "in.result -> o.prompt",
            "o.tools -> tool.data",
            "tool.output -> o.last_tool_output",
            "o.conversations -> o.conversation_history",
        ],
    );
    let imported = round_trip(&file);
    let content = &imported.graphs[0].content;
    let plan = Plan::new(content, &Brain::with(&imported)).unwrap();
    let mut engine = Engine::start(content, &plan, &values(json!({})));
    while engine.step(0) {}
    let first = &engine.log.executions[&("o".to_owned(), 1)];
    assert_eq!((&first["conversation_history"], &first["last_tool_output"]), (&json!([]), &Value::Null));
}

#[test]
fn a_large_file_is_read_and_written() {
    let nodes = (0..5000)
        .map(|at| node(&format!("n{at}"), if at % 2 == 0 { STORE } else { COUNT }, json!({"input": at})));
    let links: Vec<String> = (0..5000)
        .map(|at| {
            format!(
                "n{at}.{} -> n{}.{}",
                if at % 2 == 0 { "output" } else { "count" },
                (at + 1) % 5000,
                if at % 2 == 1 { "data" } else { "collection" }
            )
        })
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let file = agent(nodes.collect(), &links);
    round_trip(&file);
}
