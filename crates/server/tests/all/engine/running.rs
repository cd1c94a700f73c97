//! Runs of drafts and of only some nodes, pinned outputs of drafts, and replays of Runs of Graphs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::access::actor::Actor;
use model::access::grantable::Grantable;
use model::access::scope::Scope;
use model::access::token::TokenRole;
use model::access::{Access, Authority};
use model::graph::patch::Patch;
use model::graph::run_options::GraphOptions;
use model::ids::{RunId, TokenId};
use model::run::{Run, RunState};
use sandbox::Value;
use serde_json::{Value as Json, json};
use server::app::graphs::drafts::{self, Pinning};
use server::app::runs::nodes::{self, NodeFilter};
use server::app::runs::{self, StartRun, Target, replay};
use store::on_both;
use store::testing::{Fault, TestDatabase};

use super::graphs::{graph, put};
use super::script::{Stage, empty, function, raised, request};
use crate::world::{ME, name};

fn n_of(input: &Value) -> i64 {
    input.to_json()["n"].as_i64().unwrap()
}

/// `in` → `a` → `b` → `out`, where `a` adds one and `b` multiplies by ten, with how often `a` was executed.
async fn staged(database: &TestDatabase) -> (Stage, Arc<AtomicUsize>) {
    let stage = Stage::open(database).await;
    stage
        .add(&[
            "def first(n: int) -> int:\n    return n + 1\n",
            "def second(n: int) -> int:\n    return n * 10\n",
        ])
        .await;
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    stage.script.part("first", move |work, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move { Ok(Value::Int(n_of(&work.input) + 1)) }
    });
    stage.script.part("second", |work, _| async move { Ok(Value::Int(n_of(&work.input) * 10)) });
    put(&stage, "both", both()).await;
    (stage, calls)
}

fn both() -> Json {
    graph(
        &[
            ("in", "@input", json!({"name": "n"})),
            ("a", "first", json!({})),
            ("b", "second", json!({})),
            ("out", "@output", json!({"name": "out"})),
        ],
        &["in.output -> a.n", "a.output -> b.n", "b.output -> out.value"],
    )
}

fn options(options: Json) -> GraphOptions {
    serde_json::from_value(options).unwrap()
}

async fn start(stage: &Stage, graph: Json, input: Json) -> Result<Run, server::Error> {
    runs::start(&stage.ctx, &ME, StartRun { graph: options(graph), ..request("both", input) }).await
}

fn of_draft(graph: &str, input: &Json) -> StartRun {
    StartRun { target: Target::Draft(name(graph)), ..request(graph, input.clone()) }
}

async fn patch(stage: &Stage, graph: &str, patch: Json) {
    let patch: Patch = serde_json::from_value(patch).unwrap();
    drafts::patch(&stage.ctx, &ME, &name(graph), &[patch], None).await.unwrap();
}

async fn executed(stage: &Stage, run: RunId) -> Vec<String> {
    let filter = NodeFilter { limit: 100, ..NodeFilter::default() };
    let (executions, _) = nodes::list(&stage.ctx, &ME, run, &filter).await.unwrap();
    let mut nodes: Vec<String> = executions.into_iter().map(|execution| execution.node).collect();
    nodes.sort();
    nodes
}

fn token(role: TokenRole, only: &[&str]) -> Access {
    let holder = Actor::Token(TokenId(uuid::Uuid::from_u128(7)));
    let only = Scope::Names(only.iter().map(ToString::to_string).collect());
    let authority =
        Authority { holder: holder.clone(), role, only, uses: Scope::none(), grants: Grantable::none() };
    Access { actor: holder, authority: Arc::new(authority) }
}

on_both! {
    async fn one_node_is_run_with_given_input_and_a_run_goes_on_from_a_node(database: &TestDatabase) {
        let (stage, calls) = staged(database).await;
        let whole = stage.start("both", json!({"n": 1})).await.unwrap();
        assert_eq!(whole.output, Some(json!({"out": 20})));
        let one = start(&stage, json!({"only": ["b"], "input": {"b": {"n": 7}}}), empty()).await.unwrap();
        assert_eq!((one.state, one.output), (RunState::Succeeded, Some(json!({}))), "{:?}", one.error);
        assert_eq!(executed(&stage, one.run_id).await, ["b"]);
        let from = json!({"from": ["b"], "values_of": whole.run_id});
        let from = start(&stage, from, empty()).await.unwrap();
        assert_eq!(from.output, Some(json!({"out": 20})), "{:?}", from.error);
        assert_eq!(executed(&stage, from.run_id).await, ["b", "out"]);
        assert_eq!(calls.load(Ordering::SeqCst), 1, "what is upstream is not executed");
        // What that run did not execute is still known of it.
        let again = json!({"from": ["b"], "values_of": from.run_id});
        assert_eq!(start(&stage, again, empty()).await.unwrap().output, Some(json!({"out": 20})));
        let only = json!({"only": ["a"], "values_of": whole.run_id});
        let only = start(&stage, only, empty()).await.unwrap();
        assert_eq!(executed(&stage, only.run_id).await, ["a", "in"], "the input of that run is used again");
    }

    async fn what_a_run_of_some_nodes_needs_is_asked_for_before_it_starts(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        let refused = start(&stage, json!({"only": ["b"]}), empty()).await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`both`: pin `n` of node `b` gets its values from node `a`, which is not executed and of which no values are known"
        );
        let other = stage.start("first", json!({"n": 1})).await.unwrap();
        let refused = start(&stage, json!({"only": ["b"], "values_of": other.run_id}), empty()).await.unwrap_err();
        assert!(refused.to_string().ends_with("is of `first`, and not of the graph `both`"), "{refused}");
        let graph = options(json!({"only": ["b"]}));
        let function = StartRun { graph, ..request("first", json!({"n": 1})) };
        assert!(runs::start(&stage.ctx, &ME, function).await.is_err());
        assert_eq!(stage.ctx.store.runs(&store::RunFilter::default(), 10).await.unwrap().len(), 1, "nothing was recorded");
    }

    async fn a_draft_is_run_as_it_was_when_it_was_started(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        patch(&stage, "both", json!({"op": "disconnect", "link": {"from": "in", "from_pin": "output", "to": "a", "to_pin": "n"}})).await;
        patch(&stage, "both", json!({"op": "set", "node": "a", "pin": "n", "value": 4})).await;
        let run = runs::start(&stage.ctx, &ME, of_draft("both", &json!({"n": 1}))).await.unwrap();
        assert_eq!(run.output, Some(json!({"out": 50})), "{:?}", run.error);
        let draft = run.how.draft.clone().unwrap();
        assert_eq!((run.version_id, draft.edit, draft.base.unwrap().0), (None, 2, 1));
        assert_eq!(stage.start("both", json!({"n": 1})).await.unwrap().output, Some(json!({"out": 20})));
        drafts::discard(&stage.ctx, &ME, &name("both")).await.unwrap();
        assert_eq!(executed(&stage, run.run_id).await, ["a", "b", "in", "out"], "it is shown without the draft");
        let again = runs::again(&stage.ctx, &ME, run.run_id, false).await.unwrap();
        let again = runs::start(&stage.ctx, &ME, again).await.unwrap();
        assert_eq!((again.output, again.how.draft), (Some(json!({"out": 50})), Some(draft)));
        let gone = runs::start(&stage.ctx, &ME, of_draft("both", &json!({"n": 1}))).await.unwrap_err();
        assert_eq!(gone.code(), "no_draft");
    }

    async fn a_draft_reaches_no_further_than_whoever_runs_it(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        patch(&stage, "web.g", json!({"op": "add", "node": {"id": "x", "block": "first", "input": {"n": 1}}})).await;
        let run = async |access: &Access| runs::start(&stage.ctx, access, of_draft("web.g", &json!({}))).await;
        assert_eq!(run(&ME).await.unwrap().state, RunState::Succeeded);
        let refused = run(&token(TokenRole::Builder, &["web.*"])).await.unwrap_err();
        assert_eq!(refused.to_string(), "the draft of `web.g` calls `first`, which you may not use");
        assert_eq!(run(&token(TokenRole::Runner, &["*"])).await.unwrap_err().code(), "forbidden");
        // Nor does whoever runs again what somebody else ran.
        let earlier = run(&ME).await.unwrap();
        let narrow = token(TokenRole::Builder, &["web.*"]);
        let again = runs::again(&stage.ctx, &narrow, earlier.run_id, false).await.unwrap();
        assert!(runs::start(&stage.ctx, &narrow, again).await.is_err());
    }

    async fn a_draft_with_errors_is_not_run_but_its_sound_nodes_are(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        patch(&stage, "both", json!({"op": "add", "node": {"id": "c", "block": "second"}})).await;
        let whole = runs::start(&stage.ctx, &ME, of_draft("both", &json!({"n": 1}))).await.unwrap_err();
        assert!(whole.to_string().contains("node `c`, pin `n`"), "{whole}");
        let graph = options(json!({"only": ["b"], "input": {"b": {"n": 2}}}));
        let part = StartRun { graph, ..of_draft("both", &json!({})) };
        assert_eq!(runs::start(&stage.ctx, &ME, part).await.unwrap().state, RunState::Succeeded);
    }

    async fn outputs_that_are_pinned_with_a_draft_are_sent_instead_of_executing_the_node(database: &TestDatabase) {
        let (stage, calls) = staged(database).await;
        let run = stage.start("both", json!({"n": 1})).await.unwrap();
        let pinning = Pinning::Recorded { run: run.run_id, number: None };
        let pinned = drafts::pin(&stage.ctx, &ME, &name("both"), "a", pinning).await.unwrap();
        assert_eq!((json!(pinned.outputs), pinned.run_id), (json!({"output": [2]}), Some(run.run_id)));
        let view = drafts::show(&stage.ctx, &ME, &name("both"), &[]).await.unwrap();
        assert_eq!(view.pins.keys().collect::<Vec<_>>(), ["a"]);
        let drafted = runs::start(&stage.ctx, &ME, of_draft("both", &json!({"n": 9}))).await.unwrap();
        assert_eq!(drafted.output, Some(json!({"out": 20})));
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        // Callers of the live version execute it, and so does whoever names it.
        assert_eq!(stage.start("both", json!({"n": 9})).await.unwrap().output, Some(json!({"out": 100})));
        drafts::unpin(&stage.ctx, &ME, &name("both"), "a").await.unwrap();
        let drafted = runs::start(&stage.ctx, &ME, of_draft("both", &json!({"n": 9}))).await.unwrap();
        assert_eq!(drafted.output, Some(json!({"out": 100})));
        let unknown = Pinning::Stated { outputs: [("output".to_owned(), vec![json!(1)])].into() };
        let unknown = drafts::pin(&stage.ctx, &ME, &name("both"), "nobody", unknown).await.unwrap_err();
        assert_eq!(unknown.to_string(), "the draft of `both` has no node `nobody`");
    }

    async fn a_draft_is_checked_with_the_drafts_that_it_calls(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        let inner = json!({"op": "add", "node": {"id": "in", "block": "@input", "input": {"name": "n"}}});
        patch(&stage, "inner", inner).await;
        patch(&stage, "outer", json!({"op": "add", "node": {"id": "x", "block": "inner", "input": {"n": 1}}})).await;
        let problems = async |with: &[_]| drafts::show(&stage.ctx, &ME, &name("outer"), with).await.unwrap().problems;
        let told: Vec<String> = problems(&[]).await.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["node `x`: `inner` is only a draft; apply both with `selfmade graph apply outer --edit N --with inner@N`"]);
        assert!(problems(&[]).await.iter().all(|problem| !problem.is_error()));
        assert!(problems(&[name("inner")]).await.is_empty());
    }

    async fn a_run_of_a_graph_is_replayed_without_doing_anything(database: &TestDatabase) {
        let (stage, calls) = staged(database).await;
        stage.add(&[&function("fails", "n")]).await;
        stage.script.part("fails", |_, _| async { Err(raised("ValueError", "no such user")) });
        let run = stage.start("both", json!({"n": 1})).await.unwrap();
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert!(replayed.same && replayed.steps_left == 0, "{replayed:?}");
        assert_eq!((replayed.replayed.output, calls.load(Ordering::SeqCst)), (Some(json!({"out": 20})), 1));
        let mut content = both();
        content["nodes"][2]["block"] = json!("fails");
        put(&stage, "failing", content).await;
        let failed = stage.start("failing", json!({"n": 1})).await.unwrap();
        let replayed = replay::replay(&stage.ctx, &ME, failed.run_id, |_, _| ()).await.unwrap();
        assert!(replayed.same, "{replayed:?}");
        let partial = json!({"from": ["b"], "values_of": run.run_id});
        let partial = start(&stage, partial, empty()).await.unwrap();
        assert!(replay::replay(&stage.ctx, &ME, partial.run_id, |_, _| ()).await.unwrap().same);
    }

    async fn a_replay_shows_where_a_run_of_a_graph_goes_another_way(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        let run = stage.start("both", json!({"n": 1})).await.unwrap();
        // The journal of this run, under another input.
        let graph = Some(Box::new(GraphOptions { resumes: Some(run.run_id), ..GraphOptions::default() }));
        let mut other = Run { run_id: stage.ctx.ids.run(), input: json!({"n": 5}), ..run.clone() };
        other.how.graph = graph;
        stage.ctx.store.start_run(&other, &[]).await.unwrap();
        let replayed = replay::replay(&stage.ctx, &ME, other.run_id, |_, _| ()).await.unwrap();
        assert!(!replayed.same);
        let diverged = replayed.diverged.unwrap();
        assert!(diverged.starts_with("execution 1 of node `in` got the input"), "{diverged}");
        assert!(diverged.contains("\"value\":1") && diverged.contains("\"value\":5"), "{diverged}");
        assert_eq!(replayed.replayed.error.unwrap().type_name, "replay_diverged");
    }

    async fn wherever_the_server_dies_a_run_of_some_nodes_of_a_draft_goes_on_as_it_was_started(database: &TestDatabase) {
        for fault in [Fault::Before as fn(u64) -> Fault, Fault::After] {
            for n in 0.. {
                if !dies(database, fault(n)).await {
                    assert!(n > 8, "hardly anything was tried");
                    break;
                }
            }
        }
    }
}

/// The draft changes and the earlier run is forgotten while the server is down.
async fn dies(database: &TestDatabase, fault: Fault) -> bool {
    let (stage, _) = staged(database).await;
    let whole = stage.start("both", json!({"n": 1})).await.unwrap();
    patch(&stage, "both", json!({"op": "move", "node": "a", "x": 1, "y": 1})).await;
    stage.ctx.store.die_at(fault);
    server::engine::give_up(&stage.ctx);
    let graph = options(json!({"from": ["b"], "values_of": whole.run_id}));
    let partial = StartRun { graph, ..of_draft("both", &json!({})) };
    let queued = runs::queue(&stage.ctx, &ME, partial).await.ok();
    server::engine::round(&stage.ctx).await.ok();
    stage.settle().await;
    let reached = stage.ctx.store.fault_was_reached();
    let next = stage.another(database).await;
    drafts::discard(&next.ctx, &ME, &name("both")).await.unwrap();
    next.ctx.clock.advance(Duration::from_secs(3600));
    next.work();
    if let Some(run) = queued {
        let run = next.until(run.run_id, RunState::Succeeded).await;
        assert_eq!(run.output, Some(json!({"out": 20})), "{:?}", run.error);
        assert_eq!(executed(&next, run.run_id).await, ["b", "out"]);
    }
    stage.close().await;
    next.close().await;
    reached
}
