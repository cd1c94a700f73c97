//! A brain of which a token sees a part: the inside, always the same, and an outside that differs.

use std::collections::BTreeMap;

use model::access::scope::Scope;
use model::access::token::TokenRole;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::FunctionDraft;
use model::ids::{EntryId, RunId};
use model::run::RunState;
use model::trigger::TriggerContent;
use proptest::prelude::*;
use sandbox::Value as Python;
use secrecy::SecretBox;
use serde_json::{Value, json};
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::runs::StartRun;
use server::app::{changesets, runs, secrets};
use store::testing::TestDatabase;
use store::{EntryPage, RunFilter};

use super::answers::{plain, plain_text};
use super::requests::{Request, Which};
use crate::engine::graphs::{graph, put};
use crate::engine::script::{Stage, raised, request};
use crate::http::asking::{Asker, read, token};
use crate::http::streaming::Stream;
use crate::world::{ME, name};

/// What the token may touch.
pub(super) const PATTERN: &str = "web.*";
/// Functions inside that are there from the start, and those that requests may add.
pub(super) const INSIDE: [&str; 4] = ["web.get", "web.util", "web.page", "web.base"];
pub(super) const NEW: [&str; 2] = ["web.new", "web.more"];
/// Names inside of which there is no function: a script may be called so.
const UNSTORED: [&str; 3] = ["web.after", "web.daily", "web.gett"];
/// Names outside, some of them much like those inside.
pub(super) const OUTSIDE: [&str; 6] = ["mail.send", "webx.get", "web_get", "xweb.get", "get", "web"];

/// What lies outside: functions by how they are written, runs of them, triggers among them, secrets.
#[derive(Clone, Debug)]
pub(super) struct Outside {
    functions: BTreeMap<usize, u8>,
    runs: Vec<usize>,
    triggers: Vec<(usize, usize)>,
    /// Whether one of its triggers waits for a function inside.
    listens: bool,
    /// How many functions call `web.base`, beside the one that always does.
    callers: usize,
    secrets: Vec<String>,
}

impl Outside {
    pub(super) fn any() -> impl Strategy<Value = Outside> {
        let some = 0..OUTSIDE.len();
        (
            prop::collection::btree_map(some.clone(), any::<u8>(), 0..OUTSIDE.len()),
            prop::collection::vec(some.clone(), 0..6),
            prop::collection::vec((some.clone(), some), 0..3),
            prop::collection::vec("[a-z]{3,6}", 0..3),
            any::<bool>(),
            0..3_usize,
        )
            .prop_map(|(functions, runs, triggers, secrets, listens, callers)| Outside {
                functions,
                runs,
                triggers,
                listens,
                callers,
                secrets,
            })
    }
}

pub(super) struct Brain {
    stage: Stage,
    asker: Asker,
    inside: Vec<RunId>,
    outside: Vec<RunId>,
    /// A graph and its schedule, inside and outside.
    graphs: [Option<(EntryId, EntryId)>; 2],
}

/// Passes a value on.
fn flow(of: &str) -> Intent {
    let nodes = json!([{ "id": "n", "block": "@store", "input": { "input": of } }]);
    let content = serde_json::from_value(json!({ "nodes": nodes })).unwrap();
    Intent::Put(name(of), Content::Graph(content))
}

fn daily(of: &str, target: &str) -> Intent {
    let content = json!({ "times": { "cron": "@daily" }, "target": target });
    Intent::Put(name(of), Content::Schedule(serde_json::from_value(content).unwrap()))
}

fn input_of(of: &str) -> Value {
    if of == "web.flow" { json!({}) } else { json!({ "x": 1 }) }
}

fn function(of: &str, body: &str) -> Intent {
    let last = of.rsplit('.').next().unwrap_or(of);
    let source = format!("def {last}(x: int = 0):\n    \"\"\"Gets {of}.\"\"\"\n    return {body}\n");
    Intent::function(FunctionDraft { name: Some(name(of)), ..FunctionDraft::of_source(source) })
}

impl Brain {
    pub(super) async fn open(database: &TestDatabase, role: TokenRole, outside: &Outside) -> Brain {
        Brain::with(database, role, &[PATTERN], outside).await
    }

    /// For a token without patterns.
    pub(super) async fn open_wide(database: &TestDatabase, role: TokenRole, outside: &Outside) -> Brain {
        Brain::with(database, role, &[], outside).await
    }

    async fn with(database: &TestDatabase, role: TokenRole, patterns: &[&str], outside: &Outside) -> Brain {
        let stage = Stage::open(database).await;
        for of in INSIDE.iter().chain(&NEW).chain(&OUTSIDE).chain(&UNSTORED) {
            let last = of.rsplit('.').next().unwrap_or(of);
            stage
                .script
                .part(last, |work, _| async move { Ok(Python::from(work.closure.functions.len() as i64)) });
        }
        let mut asker = Asker::of(&stage).await;
        asker.token = token(&stage, "narrow", role, patterns).await;
        let mut brain = Brain { stage, asker, inside: Vec::new(), outside: Vec::new(), graphs: [None, None] };
        brain.fill_inside().await;
        brain.fill_outside(outside).await;
        brain
    }

    async fn register(&self, intents: Vec<Intent>) {
        changesets::register(&self.stage.ctx, &ME, &Proposal::of("", intents)).await.unwrap();
    }

    async fn fill_inside(&mut self) {
        self.register(vec![
            function("web.util", "x"),
            function("web.page", "x + 1"),
            function("web.base", "x"),
        ])
        .await;
        // Somebody outside always uses it, so that a change of it is always proposed.
        self.register(vec![function("audit.base", "web.base(x)")]).await;
        self.register(vec![function("web.get", "web.util(x)")]).await;
        let after = TriggerContent::after("web.get", name("web.page"));
        self.register(vec![Intent::Put(name("web.after"), Content::Trigger(after))]).await;
        self.graphs[0] = Some(self.add_graph("web.flow", "web.flow_daily").await);
        for of in ["web.get", "web.util", "web.flow"] {
            let run = runs::start(&self.stage.ctx, &ME, request(of, input_of(of))).await.unwrap();
            self.inside.push(run.run_id);
        }
    }

    async fn add_graph(&self, of: &str, schedule: &str) -> (EntryId, EntryId) {
        self.register(vec![flow(of)]).await;
        self.register(vec![daily(schedule, of)]).await;
        let id = async |kind, of| {
            let key = EntryKey::new(kind, name(of));
            self.stage.ctx.store.live_version(&key).await.unwrap().unwrap().head.entry_id
        };
        (id(EntryKind::Graph, of).await, id(EntryKind::Schedule, schedule).await)
    }

    /// Graphs inside that call `audit.data` outside, which answers `data`, and runs of them: by somebody with every right, and by the
    /// token if it may run anything. Some stand at breakpoints, one has failed.
    pub(super) async fn fill_graphs(&mut self, data: i64) {
        self.stage.script.part("data", move |_, _| async move { Ok(Python::Int(data)) });
        self.stage.script.part("fails", |_, _| async { Err(raised("ValueError", "no")) });
        self.register(vec![function("audit.data", "x"), function("web.fails", "x")]).await;
        let (value, data) = (json!({ "name": "r", "value": 1 }), ("f", "audit.data", json!({ "x": 1 })));
        let told = [
            ("in", "@input", json!({ "name": "g" })),
            ("c", "@call", json!({ "input": {} })),
            ("kept", "@store", json!({})),
            ("fails", "web.fails", json!({})),
        ];
        let call = ("c", "@call", json!({ "graph": "web.util", "input": { "x": 1 } }));
        for (of, nodes, links) in [
            ("web.shows", &[data.clone(), ("out", "@output", value)][..], &[][..]),
            ("web.holds", &[data, ("then", "@store", json!({}))], &["f.output -> then.input"]),
            ("web.calls", &[call], &[]),
            (
                "web.tells",
                &told,
                &["in.output -> c.graph", "c.output -> kept.input", "kept.output -> fails.x"],
            ),
        ] {
            put(&self.stage, of, graph(nodes, links)).await;
        }
        for (of, node, input) in [
            ("web.shows", "", json!({})),
            ("web.holds", "then", json!({})),
            ("web.calls", "c", json!({})),
            ("web.tells", "c", json!({ "g": "web.util" })),
            ("web.tells", "", json!({ "g": "audit.data" })),
        ] {
            let nodes = (!node.is_empty()).then_some(node);
            let options = json!({ "breakpoints": { "nodes": Vec::from_iter(nodes) } });
            let by_token = json!({ "function": of, "input": input.clone(), "graph": options.clone() });
            let options = serde_json::from_value(options).unwrap();
            let started = StartRun { graph: options, ..request(of, input) };
            self.inside.push(runs::start(&self.stage.ctx, &ME, started).await.unwrap().run_id);
            // Fed from outside, a node inside shows what its graph hands it to whoever may run the graph.
            if of == "web.shows" || of == "web.calls" {
                let headers = [("prefer", "wait=60")];
                let answer = self.asker.ask("POST", "/api/v1/runs", &headers, Some(by_token)).await;
                self.inside.extend(answer.json["run_id"].as_str().and_then(|id| id.parse::<RunId>().ok()));
            }
        }
    }

    pub(super) fn runs_inside(&self) -> usize {
        self.inside.len()
    }

    /// Executes what is queued from now on.
    pub(super) fn work(&self) {
        self.stage.work();
    }

    /// Waits until nothing is left to execute.
    pub(super) async fn idle(&self) {
        let states = vec![RunState::Queued, RunState::Running];
        let filter = RunFilter { states, ..RunFilter::default() };
        while !self.stage.ctx.store.runs(&filter, 1).await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    }

    async fn fill_outside(&mut self, outside: &Outside) {
        if outside.callers > 0 {
            self.graphs[1] = Some(self.add_graph("mail.flow", "mail.flow_daily").await);
            let run = runs::start(&self.stage.ctx, &ME, request("mail.flow", json!({}))).await.unwrap();
            self.outside.push(run.run_id);
        }
        for (of, how) in &outside.functions {
            self.register(vec![function(OUTSIDE[*of], &how.to_string())]).await;
        }
        let is_there = |of: &usize| outside.functions.contains_key(of);
        for of in outside.runs.iter().filter(|of| is_there(of)) {
            let run = runs::start(&self.stage.ctx, &ME, request(OUTSIDE[*of], json!({}))).await.unwrap();
            self.outside.push(run.run_id);
        }
        for (from, to) in outside.triggers.iter().filter(|(_, to)| is_there(to)) {
            let content = TriggerContent::after(OUTSIDE[*from], name(OUTSIDE[*to]));
            let entry = name(&format!("mail.after{from}{to}"));
            self.register(vec![Intent::Put(entry, Content::Trigger(content))]).await;
        }
        for n in 0..outside.callers {
            self.register(vec![function(&format!("mail.caller{n}"), "web.base(x)")]).await;
        }
        if outside.listens {
            self.register(vec![function("mail.sink", "x")]).await;
            let content = TriggerContent::after("web.get", name("mail.sink"));
            self.register(vec![Intent::Put(name("mail.listens"), Content::Trigger(content))]).await;
        }
        for secret in &outside.secrets {
            let value = SecretBox::new(Box::new(format!("value of {secret}").into_bytes()));
            secrets::set(&self.stage.ctx, &ME, secret, &value).await.unwrap();
        }
    }

    /// Asks, and gives the answer without what is chance.
    pub(super) async fn ask(&self, request: &Request) -> (u16, Value) {
        let path = self.path(request);
        if request.is_stream() {
            return self.listen(request, &path).await;
        }
        let headers = [("prefer", "wait=60")];
        let answer = self.asker.ask(request.method, &path, &headers, request.body.clone()).await;
        self.stage.settle().await;
        // A run that was not waited for goes on.
        while server::engine::under_way(&self.stage.ctx) > 0 {
            tokio::task::yield_now().await;
        }
        let json = match answer.json {
            Value::String(text) => Value::String(plain_text(&text)),
            json => plain(json),
        };
        (answer.status.as_u16(), json)
    }

    /// What a stream tells until it ends, or of what has no end as much as there is to tell.
    async fn listen(&self, request: &Request, path: &str) -> (u16, Value) {
        let visible = Scope::Names(vec![PATTERN.to_owned()]);
        let events =
            self.stage.ctx.store.events_before(i64::MAX as u64, None, 1_000, &visible).await.unwrap();
        let bearer = format!("Bearer {}", self.asker.token);
        let headers =
            [("host", "localhost"), ("authorization", bearer.as_str()), ("accept", "text/event-stream")];
        let response = self.asker.knock(request.method, path, &headers, request.body.clone()).await;
        let status = response.status().as_u16();
        let is_stream =
            response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
        if !is_stream {
            return (status, plain(read(response).await.json));
        }
        let most = match path {
            path if path.contains("/events") => events.len(),
            // It tells what happens from now on.
            path if path.ends_with("/endings") => 0,
            _ => usize::MAX,
        };
        let mut stream = Stream::of(response);
        let mut heard = Vec::new();
        while heard.len() < most {
            let Some((_, kind, data)) = stream.next().await else { break };
            heard.push(json!({ "event": kind, "data": plain(data) }));
        }
        (status, Value::from(heard))
    }

    /// The same request names other ids in another brain. What is not there in one of them may be in the other.
    fn path(&self, request: &Request) -> String {
        let run = match request.run {
            Which::Inside(n) => self.inside.get(n % self.inside.len()).copied(),
            Which::Outside(n) => self.outside.get(n % self.outside.len().max(1)).copied(),
        };
        let run = run.unwrap_or_else(|| self.stage.ctx.ids.run()).to_string();
        let at = usize::from(matches!(request.run, Which::Outside(_)));
        let (graph, schedule) =
            self.graphs[at].unwrap_or_else(|| (self.stage.ctx.ids.entry(), self.stage.ctx.ids.entry()));
        let path = request.path.replace("{graph_id}", &graph.to_string());
        let path = path.replace("{schedule_id}", &schedule.to_string());
        path.replace("{run_id}", &run).replace("{part}", &run).replace("{log_id}", &run)
    }

    /// All entries, with what is live of them.
    pub(super) async fn entries(&self) -> Vec<String> {
        let mut all = Vec::new();
        for kind in EntryKind::ALL {
            let page = EntryPage { kind, pack: None, after: None, limit: 1_000, scope: Scope::All };
            for entry in self.stage.ctx.store.entries(&page).await.unwrap() {
                all.push(format!("{} {} {}", entry.key, entry.version, entry.content_hash));
            }
        }
        all
    }

    pub(super) async fn runs(&self) -> Vec<String> {
        let runs = self.stage.ctx.store.runs(&RunFilter::default(), 10_000).await.unwrap();
        runs.iter().map(|run| format!("{} {} {:?}", run.key.name, run.run_id, run.state)).collect()
    }

    /// All that lies outside: entries, runs, secrets, tokens.
    pub(super) async fn outside(&self) -> Vec<String> {
        let is_inside = |line: &&String| line.contains("web.");
        let mut all = self.entries().await;
        all.extend(self.runs().await);
        let mut all: Vec<String> =
            all.iter().filter(|line| !is_inside(line) || line.contains("xweb.")).cloned().collect();
        all.extend(self.stage.ctx.store.secrets().await.unwrap().into_iter().map(|secret| secret.name));
        all.extend(self.stage.ctx.store.tokens().await.unwrap().into_iter().map(|token| token.name));
        all
    }

    pub(super) async fn close(self) {
        let Brain { stage, asker, .. } = self;
        drop(asker);
        stage.close().await;
    }
}
