//! Runs of Graphs: nodes are Steps and Runs, what was done is not done again, and who waits holds nothing.

mod debugging;
mod running;
mod waiting;

use std::time::Duration;

use model::content::Content;
use model::run::step::Step;
use model::run::{Run, RunState};
use sandbox::Value;
use serde_json::{Value as Json, json};
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::{changesets, runs};
use store::testing::TestDatabase;

use super::script::Stage;
use crate::world::{ME, name};

/// Nodes as `(id, block, constants)` and links as `from.pin -> to.pin`.
pub(crate) fn graph(nodes: &[(&str, &str, Json)], links: &[&str]) -> Json {
    let node = |(id, block, input): &(&str, &str, Json)| json!({"id": id, "block": block, "input": input});
    let link = |text: &&str| {
        let (from, to) = text.split_once(" -> ").unwrap();
        let ((from, from_pin), (to, to_pin)) = (from.split_once('.').unwrap(), to.split_once('.').unwrap());
        json!({"from": from, "from_pin": from_pin, "to": to, "to_pin": to_pin})
    };
    json!({
        "kind": "graph",
        "nodes": nodes.iter().map(node).collect::<Vec<_>>(),
        "links": links.iter().map(link).collect::<Vec<_>>(),
    })
}

pub(crate) async fn put(stage: &Stage, graph_name: &str, content: Json) {
    let content: Content = serde_json::from_value(content).unwrap();
    let proposal = Proposal::of("", vec![Intent::Put(name(graph_name), content)]);
    changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
}

/// `n` goes through `double` and comes out as `out`.
fn doubling() -> Json {
    graph(
        &[
            ("in", "@input", json!({"name": "n"})),
            ("twice", "double", json!({})),
            ("out", "@output", json!({"name": "out"})),
        ],
        &["in.output -> twice.n", "twice.output -> out.value"],
    )
}

/// A stage with a function `double`.
async fn staged(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&["def double(n: int) -> int:\n    return 2 * n\n"]).await;
    stage.script.part("double", |work, _| async move { Ok(Value::Int(2 * n_of(&work.input))) });
    stage
}

fn n_of(input: &Value) -> i64 {
    input.to_json()["n"].as_i64().unwrap()
}

async fn steps(stage: &Stage, run: &Run) -> Vec<Step> {
    stage.ctx.store.steps(run.run_id).await.unwrap()
}

/// The nodes that were executed, sorted.
fn nodes(steps: &[Step]) -> Vec<&str> {
    let mut nodes: Vec<&str> = steps.iter().map(|step| step.request["node"].as_str().unwrap()).collect();
    nodes.sort_unstable();
    nodes
}

pub(crate) async fn ended(stage: &Stage, run: &Run) -> Run {
    loop {
        let found = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
        if found.state.is_final() {
            return found;
        }
        stage.ctx.clock.advance(Duration::from_secs(1));
        tokio::task::yield_now().await;
    }
}

/// Once it has ended or waits again.
async fn wait_until_stored(stage: &Stage, run: &Run) -> Run {
    loop {
        let found = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
        if found.state.is_final() || found.state == RunState::Waiting {
            return found;
        }
        tokio::task::yield_now().await;
    }
}
