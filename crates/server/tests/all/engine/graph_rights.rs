//! What a narrow token reaches through a run of a graph: what it releases, resumes and sees, and what its graphs call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use model::access::Access;
use model::access::token::TokenRole;
use model::content::Content;
use model::graph::Node;
use model::graph::patch::Patch;
use model::graph::run_options::{BreakAt, GraphOptions};
use model::run::{Run, RunState};
use sandbox::Value;
use serde_json::{Value as Json, json};
use server::Error;
use server::app::changesets;
use server::app::changesets::Breakage;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::graphs::drafts::{self, SeenDraft};
use server::app::runs::StartRun;
use server::app::runs::breakpoints::{self, HeldView, Release};
use server::app::runs::nodes::{self, NodeFilter};
use server::app::runs::resume;
use server::app::runs::watch::{Follower, What};
use server::app::runs::{self, records};
use store::on_both;
use store::testing::TestDatabase;

use super::graphs::{ended, graph, put};
use super::script::{Stage, raised, request};
use crate::authority::narrow;
use crate::world::{ME, name};

/// `web_ok` inside, and `outside`, which counts how often it is executed.
async fn staged(database: &TestDatabase) -> (Stage, Arc<AtomicUsize>) {
    let stage = Stage::open(database).await;
    stage.add(&["def web_ok(x=None):\n    return x\n", "def outside(x=None):\n    return x\n"]).await;
    stage.add(&["def web_fails(x=None):\n    return x\n"]).await;
    let executed = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&executed);
    stage.script.part("web_ok", |_, _| async { Ok(Value::Str("INSIDE".to_owned())) });
    stage.script.part("web_fails", |_, _| async { Err(raised("ValueError", "no")) });
    stage.script.part("outside", move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(Value::Str("OUTSIDE".to_owned())) }
    });
    (stage, executed)
}

fn runner() -> Access {
    narrow(TokenRole::Runner, &["web_*"], &[], &[])
}

fn builder() -> Access {
    narrow(TokenRole::Builder, &["web_*"], &[], &[])
}

/// Calls `called` and gives what it returns.
fn calling(called: &str) -> Json {
    let nodes =
        [("c", "@call", json!({"graph": called, "input": {}})), ("out", "@output", json!({"name": "r"}))];
    graph(&nodes, &["c.output -> out.value"])
}

/// Calls what it is told to, passes the result through `@store`, and lets `then` have it.
fn calling_what_it_is_told(then: &str) -> Json {
    let nodes = [
        ("in", "@input", json!({"name": "g"})),
        ("c", "@call", json!({"input": {}})),
        ("kept", "@store", json!({})),
        ("then", then, json!({})),
        ("out", "@output", json!({"name": "r"})),
    ];
    graph(
        &nodes,
        &[
            "in.output -> c.graph",
            "c.output -> kept.input",
            "kept.output -> then.x",
            "then.output -> out.value",
        ],
    )
}

/// `outside` gives `web_ok` what it returns.
fn fed_from_outside() -> Json {
    let nodes = [
        ("f", "outside", json!({"x": "GIVEN"})),
        ("then", "web_ok", json!({})),
        ("out", "@output", json!({"name": "r"})),
    ];
    graph(&nodes, &["f.output -> then.x", "then.output -> out.value"])
}

async fn at_breakpoint(stage: &Stage, access: &Access, graph: &str, node: &str, input: Json) -> Run {
    let breakpoints = BreakAt { nodes: [node.to_owned()].into(), ..BreakAt::default() };
    let options = GraphOptions { breakpoints, ..GraphOptions::default() };
    let run =
        runs::start(&stage.ctx, access, StartRun { graph: options, ..request(graph, input) }).await.unwrap();
    assert_eq!(run.state, RunState::Waiting, "{:?}", run.error);
    stage.work();
    run
}

fn with(value: Json) -> Release {
    Release { value: Some(value), ..Release::default() }
}

async fn release(stage: &Stage, access: &Access, run: &Run, release: Release) -> Result<(), Error> {
    breakpoints::release(&stage.ctx, access, run.run_id, release).await
}

fn failure(run: &Run) -> String {
    run.error.as_ref().map(|error| error.message.clone()).unwrap_or_default()
}

/// All that somebody is shown of a run of a graph: its record, its nodes, and what is streamed.
async fn shown(stage: &Stage, access: &Access, run: &Run) -> String {
    let record = records::show(&stage.ctx, access, run.run_id).await.unwrap();
    let filter = NodeFilter { limit: 100, ..NodeFilter::default() };
    let (nodes, _) = nodes::list(&stage.ctx, access, run.run_id, &filter).await.unwrap();
    let mut follower = Follower::new(&stage.ctx, access, run.run_id);
    let mut streamed = Vec::new();
    loop {
        let news = follower.next().await.unwrap();
        if news.is_empty() {
            break;
        }
        streamed.extend(news.into_iter().filter_map(|news| match news.what {
            What::Step(step) => Some(step),
            _ => None,
        }));
    }
    json!({"steps": record.steps, "nodes": nodes, "streamed": streamed}).to_string()
}

on_both! {
    async fn what_is_released_under_another_name_is_judged_by_whoever_started_it(database: &TestDatabase) {
        let (stage, executed) = staged(database).await;
        put(&stage, "web_g", calling("web_ok")).await;
        let run = at_breakpoint(&stage, &runner(), "web_g", "c", json!({})).await;
        release(&stage, &runner(), &run, with(json!({"graph": "outside", "input": {}}))).await.unwrap();
        let run = ended(&stage, &run).await;
        assert!(failure(&run).contains("this token may touch only `web_*`, not `outside`"), "{run:?}");
        assert_eq!(executed.load(Ordering::SeqCst), 0);
        stage.close().await;
    }

    async fn a_run_that_was_changed_calls_only_what_its_starter_could_write(database: &TestDatabase) {
        let (stage, executed) = staged(database).await;
        put(&stage, "web_k", fed_from_outside()).await;
        let run = runs::start(&stage.ctx, &runner(), request("web_k", json!({}))).await.unwrap();
        assert_eq!((run.output, executed.load(Ordering::SeqCst)), (Some(json!({"r": "INSIDE"})), 1));
        let run = at_breakpoint(&stage, &runner(), "web_k", "f", json!({})).await;
        release(&stage, &runner(), &run, with(json!({"x": "MINE"}))).await.unwrap();
        let run = ended(&stage, &run).await;
        assert!(failure(&run).contains("may touch only `web_*`, not `outside`"), "{run:?}");
        let pinned = serde_json::from_value(json!({"pinned": {"then": {"output": ["MINE"]}}})).unwrap();
        let started = StartRun { graph: pinned, ..request("web_k", json!({})) };
        let run = runs::start(&stage.ctx, &runner(), started.clone()).await.unwrap();
        assert!(failure(&run).contains("may touch only `web_*`, not `outside`"), "{run:?}");
        assert_eq!(executed.load(Ordering::SeqCst), 1);
        let uses = narrow(TokenRole::Builder, &["web_*"], &["outside"], &[]);
        let run = runs::start(&stage.ctx, &uses, started).await.unwrap();
        assert_eq!((run.state, executed.load(Ordering::SeqCst)), (RunState::Succeeded, 2), "{:?}", run.error);
        stage.close().await;
    }

    async fn a_run_is_changed_only_by_whoever_may_do_what_it_may(database: &TestDatabase) {
        let (stage, executed) = staged(database).await;
        put(&stage, "web_h", calling_what_it_is_told("web_ok")).await;
        let run = at_breakpoint(&stage, &ME, "web_h", "c", json!({"g": "web_ok"})).await;
        let everywhere = BreakAt { everywhere: true, ..BreakAt::default() };
        for refused in [
            with(json!({"graph": "outside", "input": {}})),
            Release { breakpoints: Some(everywhere), ..Release::default() },
        ] {
            let error = release(&stage, &runner(), &run, refused).await.unwrap_err();
            assert_eq!(error.code(), "forbidden", "{error}");
        }
        release(&stage, &runner(), &run, Release::default()).await.unwrap();
        let run = ended(&stage, &run).await;
        assert_eq!((run.state, executed.load(Ordering::SeqCst)), (RunState::Succeeded, 0));
        stage.close().await;
    }

    async fn who_released_what_is_in_the_audit_trail(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        put(&stage, "web_g", calling("web_ok")).await;
        let run = at_breakpoint(&stage, &runner(), "web_g", "c", json!({})).await;
        release(&stage, &runner(), &run, with(json!({"graph": "web_ok", "input": {}}))).await.unwrap();
        let audit = stage.ctx.store.audit(None, 1).await.unwrap().remove(0);
        assert_eq!((audit.verb.as_str(), audit.subject), ("run.release", run.run_id.to_string()));
        assert_eq!((audit.actor, audit.details), (runner().actor, json!({"node": null, "link": null, "changed": true})));
        stage.close().await;
    }

    async fn of_what_is_held_one_sees_what_one_sees_of_nodes(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        put(&stage, "web_k", fed_from_outside()).await;
        let node = |node: &str, input: Json| HeldView::Node { node: node.to_owned(), number: 1, input };
        let run = at_breakpoint(&stage, &ME, "web_k", "then", json!({})).await;
        let held = async |access: &Access, run: &Run| breakpoints::held(&stage.ctx, access, run.run_id).await.unwrap();
        assert_eq!(held(&ME, &run).await, [node("then", json!({"x": "OUTSIDE"}))]);
        assert_eq!(held(&runner(), &run).await, [node("then", Json::Null)]);
        let run = at_breakpoint(&stage, &runner(), "web_k", "f", json!({})).await;
        assert_eq!(held(&ME, &run).await, [node("f", json!({"x": "GIVEN"}))]);
        assert_eq!(held(&runner(), &run).await, [node("f", Json::Null)]);
        stage.close().await;
    }

    async fn of_functions_outside_a_narrow_reader_sees_that_they_ran(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        let nodes = [
            ("f", "outside", json!({"x": "GIVEN"})),
            ("c", "@call", json!({"graph": "outside", "input": {"x": "GIVEN"}})),
            ("out", "@output", json!({"name": "r", "value": 1})),
        ];
        put(&stage, "web_k", graph(&nodes, &[])).await;
        let run = runs::start(&stage.ctx, &runner(), request("web_k", json!({}))).await.unwrap();
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        let seen = shown(&stage, &runner(), &run).await;
        assert!(!seen.contains("OUTSIDE") && !seen.contains("GIVEN"), "{seen}");
        assert!(seen.contains("\"node\":\"f\"") && seen.contains("\"node\":\"out\""), "that they ran is seen: {seen}");
        let seen = shown(&stage, &ME, &run).await;
        assert!(seen.contains("OUTSIDE") && seen.contains("GIVEN"), "{seen}");
        stage.close().await;
    }

    async fn an_error_shows_no_lines_of_functions_outside(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        let lines = "Traceback (most recent call last):\n  File \"web_fails@1\", line 2, in web_fails\n    return call()\n  File \"outside@1\", line 2, in outside\n    HARDCODED\n";
        for (part, block) in [("outside", "outside"), ("web_fails", "web_fails")] {
            stage.script.part(part, move |_, _| async move {
                let mut error = raised("ValueError", "no");
                error.traceback = lines.to_owned();
                Err(error)
            });
            put(&stage, "web_e", graph(&[("f", block, json!({}))], &[])).await;
            let run = runs::start(&stage.ctx, &runner(), request("web_e", json!({}))).await.unwrap();
            assert_eq!(run.state, RunState::Failed);
            let seen = shown(&stage, &runner(), &run).await;
            assert!(!seen.contains("HARDCODED"), "{seen}");
            assert!(shown(&stage, &ME, &run).await.contains("HARDCODED"));
        }
        stage.close().await;
    }

    async fn a_run_is_resumed_only_by_whoever_could_have_read_what_it_read(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        put(&stage, "web_r", calling_what_it_is_told("web_fails")).await;
        let run = runs::start(&stage.ctx, &ME, request("web_r", json!({"g": "outside"}))).await.unwrap();
        assert_eq!(run.state, RunState::Failed);
        let resumed = async |access: &Access| resume::resume(&stage.ctx, access, run.run_id, false).await;
        assert_eq!(resumed(&runner()).await.map(drop).unwrap_err().code(), "forbidden");
        let wide = Access { authority: Arc::new(model::access::Authority { only: model::access::scope::Scope::All, ..(*runner().authority).clone() }), ..runner() };
        for may in [&ME, &wide] {
            let again = runs::start(&stage.ctx, may, resumed(may).await.unwrap()).await.unwrap();
            assert_eq!(again.state, RunState::Failed);
        }
        stage.close().await;
    }

    async fn a_graph_calls_by_value_only_what_its_author_may_call(database: &TestDatabase) {
        let (stage, executed) = staged(database).await;
        let content: Content = serde_json::from_value(calling_what_it_is_told("web_ok")).unwrap();
        let proposal = Proposal::of("", vec![Intent::Put(name("web_d"), content)]);
        changesets::register(&stage.ctx, &builder(), &proposal).await.unwrap();
        let run = runs::start(&stage.ctx, &ME, request("web_d", json!({"g": "outside"}))).await.unwrap();
        assert!(failure(&run).contains("its author may not call `outside`"), "{run:?}");
        assert_eq!(executed.load(Ordering::SeqCst), 0);
        let run = runs::start(&stage.ctx, &ME, request("web_d", json!({"g": "web_ok"}))).await.unwrap();
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        put(&stage, "web_d2", calling_what_it_is_told("web_ok")).await;
        let run = runs::start(&stage.ctx, &ME, request("web_d2", json!({"g": "outside"}))).await.unwrap();
        assert_eq!((run.state, executed.load(Ordering::SeqCst)), (RunState::Succeeded, 1), "{:?}", run.error);
        stage.close().await;
    }

    async fn a_draft_is_applied_as_it_was_seen(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        let job = name("web_job");
        let add = async |access: &Access, id: &str, block: &str| {
            let patch = Patch::Add { node: Node::new(id, block), at: None };
            drafts::patch(&stage.ctx, access, &job, &[patch], None).await.unwrap().edit
        };
        let apply = async |edit: u64| {
            let seen = SeenDraft { name: job.clone(), edit };
            drafts::apply(&stage.ctx, &ME, &[seen], None, Breakage::Refused).await
        };
        let seen = add(&ME, "a", "web_ok").await;
        let edited = add(&builder(), "b", "web_ok").await;
        let error = apply(seen).await.unwrap_err();
        assert_eq!(error.code(), "draft_conflict");
        assert!(error.to_string().contains(&builder().actor.to_string()), "it names who edited it: {error}");
        assert_eq!(apply(edited + 1).await.unwrap_err().code(), "draft_conflict");
        apply(edited).await.unwrap();
        stage.close().await;
    }

    async fn everybody_who_edited_a_draft_is_judged_when_it_is_applied(database: &TestDatabase) {
        let (stage, _) = staged(database).await;
        let job = name("web_job");
        let patch = Patch::Add { node: serde_json::from_value(json!({"id": "c", "block": "@call", "input": {"graph": "outside", "input": {}}})).unwrap(), at: None };
        let edit = drafts::patch(&stage.ctx, &builder(), &job, &[patch], None).await.unwrap().edit;
        let seen = SeenDraft { name: job.clone(), edit };
        let error = drafts::apply(&stage.ctx, &ME, &[seen], None, Breakage::Refused).await.unwrap_err();
        assert_eq!(error.code(), "needs_approval", "{error}");
        let edits = drafts::edits(&stage.ctx, &ME, &job, 0).await.unwrap();
        assert_eq!(edits[0].authority, None, "what somebody may do is not shown with what they did");
        stage.close().await;
    }
}
