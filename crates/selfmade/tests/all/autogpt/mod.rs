//! AutoGPT's routes on the real program, with the real blocks in real cells, asked over a socket. `server/tests/all/http/autogpt` asks
//! all of them of a server within the test; here is what only a program, its processes and its death can show, and what AutoGPT's own
//! end-to-end tests assert.
//!
//! What AutoGPT is known to get wrong, and what shows that it is right here:
//!
//! | | |
//! |---|---|
//! | its own demo cannot succeed | `demo::a_brain_is_populated_with_a_graph_a_run_and_a_schedule` |
//! | a disabled schedule fires on; one bad expression ends the scheduler; weekdays are a day off | `server/tests/all/http/autogpt/schedules` |
//! | a link to a pin that does not exist can be saved | `server/tests/all/http/autogpt/graphs` |
//! | wrong types vanish or become 0; a run with failed nodes is COMPLETED | `running::values_and_errors_arrive_as_they_are` |
//! | a run is readable through any graph | `server/tests/all/http/autogpt/running` |
//! | ids that are not UUIDs | `blocks::blocks_do_what_their_own_vectors_say` |
//! | a run of three nodes takes 0.6 s of processor time | `running::ten_thousand_iterations_are_listed_and_cost_little` |
//! | runs do not survive a restart | `stopping::a_killed_server_repeats_no_node_that_had_completed` |
//! | one block at a time may use a credential | `stopping::a_stopped_run_leaves_nothing_behind` |

mod blocks;
mod running;
mod secrets;
mod service;
mod stopping;

use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::command::Running;
use crate::killing::processes;
use crate::serving;
use crate::world::World;

const API: &str = "/autogpt/api";

const STORE: &str = "1ff065e9-88e8-4358-9d82-8dc91f622ba9";
const INPUT: &str = "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b";
const OUTPUT: &str = "363ae599-353e-4804-937e-b2ee3cef3da4";
const TEMPLATE: &str = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30";
const PRINT: &str = "f3b1c1b2-4c4f-4f0d-8d2f-4c4f0d8d2f4c";
const FIND: &str = "b2g2c3d4-5e6f-7g8h-9i0j-k1l2m3n4o5p6";
const CALCULATE: &str = "b1ab9b19-67a6-406d-abf5-2dba76d00c79";
const ITERATE: &str = "f8e7d6c5-b4a3-2c1d-0e9f-8g7h6i5j4k3l";

/// A program that serves a brain with the blocks, and an administrator who asks it.
struct Autogpt {
    world: World,
    server: Running,
    address: String,
    token: String,
}

impl Autogpt {
    async fn open(database: &TestDatabase) -> Autogpt {
        let world = World::open(database).await;
        world.place.file("home/config.toml", "lease_seconds = 4\nprivate_hosts = [\"127.0.0.1\"]\n");
        world.place.data(&["pack", "load", "blocks"]);
        let token = world.place.data(&["token", "add", "client", "--role", "admin"]).trim().to_owned();
        let (server, address) = serve(&world);
        Autogpt { world, server, address, token }
    }

    /// Kills the server, and starts another.
    fn survives_a_kill(self) -> Autogpt {
        processes::kill(self.server).vanish();
        let (server, address) = serve(&self.world);
        Autogpt { world: self.world, server, address, token: self.token }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (address, token) = (&self.address, &self.token);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        // HTTP/1.0, so that the answer ends with the connection.
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = serving::ask(address, &request);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_else(|_| body.into()))
    }

    /// The body of an answer that must do.
    fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, &Value::Null);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.ask("POST", path, body);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    #[allow(clippy::needless_pass_by_value, reason = "each caller makes one")]
    fn create(&self, graph: Value) -> Graph {
        let created = self.post(&format!("{API}/graphs"), &json!({ "graph": graph }));
        Graph(text(&created, "id"))
    }

    fn begin(&self, graph: &Graph, input: &Value) -> String {
        text(&self.post(&format!("{API}/graphs/{}/execute", graph.0), input), "id")
    }

    /// Returns when the run has ended: its stream ends then.
    fn ended(&self, run: &str) -> Value {
        self.get(&format!("/api/v1/runs/{run}/stream"));
        self.get(&format!("/api/v1/runs/{run}"))
    }

    fn executions(&self, graph: &Graph, run: &str) -> Vec<Value> {
        self.get(&format!("{API}/graphs/{}/executions/{run}", graph.0)).as_array().unwrap().clone()
    }

    /// The record of a run that has ended, and its node executions.
    fn execute(&self, graph: Value, input: &Value) -> (Value, Vec<Value>) {
        let graph = self.create(graph);
        let run = self.begin(&graph, input);
        let record = self.ended(&run);
        (record, self.executions(&graph, &run))
    }
}

fn serve(world: &World) -> (Running, String) {
    let mut server = world.place.start(&["serve"]);
    let address = server.says("listening at").rsplit("//").next().unwrap().to_owned();
    server.says("serving");
    (server, address)
}

/// The id of a graph.
struct Graph(String);

fn text(of: &Value, field: &str) -> String {
    of[field].as_str().unwrap_or_else(|| panic!("no `{field}` in {of}")).to_owned()
}

/// Nodes as `(id, block, defaults)` and links as `from.pin -> to.pin`, or `=>` if they are static.
fn graph(nodes: &[(&str, &str, Value)], links: &[&str]) -> Value {
    let node = |(id, block, input): &(&str, &str, Value)| json!({ "id": id, "block_id": block, "input_default": input, "metadata": {} });
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
    })
}

/// What left the executions of a node, one after the other.
fn outputs<'a>(executions: &'a [Value], node: &str) -> Vec<&'a Value> {
    executions.iter().filter(|one| one["node_id"] == node).map(|one| &one["output_data"]).collect()
}

fn all_completed(executions: &[Value], number: usize) {
    assert_eq!(executions.len(), number, "{executions:#?}");
    assert!(executions.iter().all(|one| one["status"] == "COMPLETED"), "{executions:#?}");
}
