//! AutoGPT's routes and messages: its shapes, our rules. What its own tests assert, and what it got wrong, asked as a client would.
//!
//! Its end-to-end tests (functions of a scripted executor stand for Python; `packs/blocks` has the real ones with their tests):
//!
//! | its test | is |
//! |---|---|
//! | `test_agent_execution`, August | `running::inputs_fill_a_template_that_is_printed` |
//! | `test_agent_execution`, July | `running::numbered_pins_make_a_list_as_in_july` |
//! | `test_input_pin_always_waited` | `running::a_linked_pin_is_waited_for_whatever_its_default` |
//! | `test_static_input_link_on_graph` | `running::one_late_static_value_completes_all_that_wait_for_it` |
//! | `test_agent_schedule` | `schedules::a_schedule_is_added_listed_and_disabled` |
//! | `test_graph_creation` | `graphs::groups_are_linked_by_their_borders_only` |
//! | `test_con_manager`, `test_ws_api` | `ws` |
//! | `test_service` | nothing: there are no processes that call each other |
//! | `test_type` | `running::a_wrong_type_is_an_error_with_node_and_pin`; on purpose as a node: `packs/blocks/values.py`, `convert_value` |
//! | `test_credit` | nothing: there are no credits |
//! | `test_parse_execution_output`, `test_merge_execution_input` | `model/graph/pin_path` |
//!
//! What another engine has to show, with its number:
//!
//! | | is |
//! |---|---|
//! | 1 | `running::values_of_two_pins_meet_in_their_order` |
//! | 2 | `running::a_slow_node_keeps_its_order_and_blocks_no_other` |
//! | 3 | `running::what_counts_as_false_travels` |
//! | 4 | `running::a_wrong_type_is_an_error_with_node_and_pin` |
//! | 5 | `running::a_raised_error_leaves_on_the_linked_error_pin` |
//! | 6 | `running::a_run_that_failed_says_so_and_is_an_event` |
//! | 7 | `running::a_run_is_stopped_at_once`; that no process is left: `selfmade/tests/all/killing`, `sandbox/tests/escape` |
//! | 8 | `engine/graphs::a_server_may_die_at_any_call_and_no_node_that_ended_is_executed_again`, `selfmade/tests/all/killing` |
//! | 9 | `schedules`; across changes of the clock: `model/tests/all/timetables` |
//! | 10 | `running::a_run_is_seen_through_its_own_graph_only` |
//! | 11, 12 | `graphs::what_cannot_work_is_refused_with_its_node_and_pin` |
//! | 13 | `graphs::secrets_are_neither_stored_nor_shown`, `engine/secrecy` |
//! | 14 | `running::ten_thousand_executions_are_listed_in_pages` |
//! | 15 | `ws::two_clients_hear_the_same`, `running::a_stream_of_a_graph_goes_on_where_it_broke_off` |
//! | 16 | `cargo xtask test --only packs` |

mod blocks;
mod graphs;
mod running;
mod schedules;
mod ws;

use axum::http::StatusCode;
use sandbox::Value as Python;
use serde_json::{Map, Value, json};
use store::testing::TestDatabase;

use super::asking::{Answer, Asker};
use crate::engine::script::{Stage, raised};
use crate::world::ME;

const API: &str = "/autogpt/api";

pub(super) const STORE: &str = "1ff065e9-88e8-4358-9d82-8dc91f622ba9";
const INPUT: &str = "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b";
const OUTPUT: &str = "363ae599-353e-4804-937e-b2ee3cef3da4";
const TEMPLATE: &str = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30";
const PRINT: &str = "f3b1c1b2-4c4f-4f0d-8d2f-4c4f0d8d2f4c";
const FIND: &str = "b2g2c3d4-5e6f-7g8h-9i0j-k1l2m3n4o5p6";
const CALCULATE: &str = "b1ab9b19-67a6-406d-abf5-2dba76d00c79";
const ITERATE: &str = "selfmade:@iterate";

/// The functions that stand for blocks, as the pack has them.
const BLOCKS: [&str; 3] = [
    "def print_text(text):\n    yield 'status', 'printed'\n",
    "def find_in_dictionary(input, key: str):\n    yield 'output', input\n    yield 'missing', input\n",
    "def calculate(operation: str, a: float, b: float, round_result: bool = False):\n    yield 'result', 1.0\n",
];

async fn open(database: &TestDatabase) -> (Stage, Asker) {
    let stage = Stage::open(database).await;
    stage.add(&BLOCKS).await;
    stage.script.part("print_text", |_, _| async { Ok(yields(&[("status", json!("printed"))])) });
    stage.script.part("find_in_dictionary", |work, _| async move {
        let input = work.input.to_json();
        let found = &input["input"][input["key"].as_str().unwrap()];
        Ok(yields(&[if found.is_null() {
            ("missing", input["input"].clone())
        } else {
            ("output", found.clone())
        }]))
    });
    stage.script.part("calculate", |work, _| async move {
        let input = work.input.to_json();
        match (input["operation"].as_str(), input["a"].as_f64(), input["b"].as_f64()) {
            (Some("Divide"), Some(_), Some(0.0)) => {
                Err(raised("ZeroDivisionError", "4 cannot be divided by 0"))
            }
            (_, Some(a), Some(b)) => Ok(yields(&[("result", json!(a + b))])),
            other => Err(raised("TypeError", &format!("{other:?}"))),
        }
    });
    let asker = Asker::of(&stage).await;
    (stage, asker)
}

/// What a generator gives.
fn yields(pairs: &[(&str, Value)]) -> Python {
    let pairs: Vec<Value> = pairs.iter().map(|(pin, value)| json!([pin, value])).collect();
    Python::from_json(&pairs.into()).unwrap()
}

/// Nodes as `(id, block, defaults)` and links as `from.pin -> to.pin`, or `=>` if they are static.
fn graph(nodes: &[(&str, &str, Value)], links: &[&str]) -> Value {
    let node = |(id, block, input): &(&str, &str, Value)| json!({ "id": id, "block_id": block, "input_default": input, "metadata": { "position": { "x": 1, "y": 2 } } });
    let link = |text: &&str| {
        let is_static = text.contains(" => ");
        let (from, to) = text.split_once(if is_static { " => " } else { " -> " }).unwrap();
        let ((from, from_pin), (to, to_pin)) = (from.split_once('.').unwrap(), to.split_once('.').unwrap());
        json!({ "id": text, "source_id": from, "source_name": from_pin, "sink_id": to, "sink_name": to_pin, "is_static": is_static })
    };
    json!({
        "id": "", "version": 1, "is_active": true, "is_template": false, "name": "Test Graph", "description": "For tests",
        "nodes": nodes.iter().map(node).collect::<Vec<_>>(),
        "links": links.iter().map(link).collect::<Vec<_>>(),
        "subgraphs": {},
    })
}

async fn create(asker: &Asker, graph: Value) -> Value {
    let created = asker.post(&format!("{API}/graphs"), json!({ "graph": graph })).await;
    assert_eq!(created.status, StatusCode::OK, "{created:?}");
    created.json
}

fn id(of: &Value) -> &str {
    of["id"].as_str().unwrap()
}

/// Starts a run and answers its node executions when it has ended, with its id.
async fn executed(stage: &Stage, asker: &Asker, graph: &Value, input: Value) -> (String, Vec<Value>) {
    let started = asker.post(&format!("{API}/graphs/{}/execute", id(graph)), input).await;
    assert_eq!(started.status, StatusCode::OK, "{started:?}");
    let run = id(&started.json).to_owned();
    ended(stage, &run).await;
    let executions = executions(asker, graph, &run).await;
    (run, executions)
}

/// Waits for the end of a run.
async fn ended(stage: &Stage, run: &str) {
    server::app::runs::wait(&stage.ctx, &ME, run.parse().unwrap()).await.unwrap();
}

async fn executions(asker: &Asker, graph: &Value, run: &str) -> Vec<Value> {
    let found = asker.get(&format!("{API}/graphs/{}/executions/{run}", id(graph))).await;
    assert_eq!(found.status, StatusCode::OK, "{found:?}");
    found.json.as_array().unwrap().clone()
}

/// What left each execution of a node.
fn outputs<'a>(executions: &'a [Value], node: &str) -> Vec<&'a Map<String, Value>> {
    let of = executions.iter().filter(|one| one["node_id"] == node);
    of.map(|one| one["output_data"].as_object().unwrap()).collect()
}

fn statuses(executions: &[Value]) -> Vec<&str> {
    executions.iter().map(|one| one["status"].as_str().unwrap()).collect()
}

fn detail(answer: &Answer) -> (StatusCode, &str) {
    (answer.status, answer.json["detail"].as_str().unwrap_or_default())
}
