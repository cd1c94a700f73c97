//! Two sides of a brain with the same things in each: what a narrow Access may touch, and what it may not.

use model::content::Content;
use model::entry::EntryKey;
use model::event::EventKind;
use model::function::FunctionDraft;
use model::graph::patch::Patch;
use model::graph::{GraphContent, Node};
use model::ids::RunId;
use model::llm::LlmName;
use model::llm::scripted::ScriptedReply;
use model::name::EntryName;
use model::run::Run;
use model::trigger::TriggerContent;
use sandbox::Value as Python;
use serde_json::json;
use server::Error;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::graphs::drafts::{self, Selection};
use server::app::models::NewModel;
use server::app::runs::StartRun;
use server::app::{changesets, models, presets, runs, triggers};
use server::llm::testing::{Behaviour, ScriptedModel};

use crate::engine::script::{Stage, request};
use crate::world::{ME, key, name, schedule, schedule_key, trigger_key};

pub(super) const INSIDE: &str = "web";
pub(super) const OUTSIDE: &str = "mail";

/// Names of one side, and records of them.
pub(super) struct Side {
    pub(super) function: String,
    pub(super) trigger: EntryName,
    pub(super) schedule: EntryName,
    /// A trigger waits for it.
    pub(super) webhook: String,
    pub(super) run: RunId,
    /// Of that run.
    pub(super) event: u64,
}

impl Side {
    pub(super) async fn set(stage: &Stage, prefix: &str) -> Side {
        stage.script.part("get", |_, _| async { Ok(Python::Int(1)) });
        let function = format!("{prefix}.get");
        let side = Side {
            trigger: name(&format!("{prefix}.after")),
            schedule: name(&format!("{prefix}.daily")),
            webhook: format!("{prefix}.hook"),
            run: RunId(uuid::Uuid::nil()),
            event: 0,
            function,
        };
        side.register(stage, vec![side.written(1)]).await;
        side.register(stage, vec![side.trigger(), side.scheduled()]).await;
        let waits = TriggerContent {
            on: EventKind::WebhookReceived.into(),
            source: Some(side.webhook.clone()),
            ..TriggerContent::after("", side.name())
        };
        triggers::put(&stage.ctx, &ME, name(&format!("{prefix}.waits")), waits).await.unwrap();
        let run = runs::start(&stage.ctx, &ME, side.start()).await.unwrap();
        Side { run: run.run_id, event: stage.last_event().await, ..side }
    }

    pub(super) fn name(&self) -> EntryName {
        name(&self.function)
    }

    pub(super) fn key(&self) -> EntryKey {
        key(&self.function)
    }

    /// A graph that is a draft, when it is there.
    pub(super) fn graph(&self) -> EntryName {
        name(&self.function.replace("get", "graph"))
    }

    pub(super) fn graph_content(&self) -> GraphContent {
        GraphContent { nodes: vec![Node::new("a", &self.function)], ..GraphContent::default() }
    }

    /// A node that nobody has added before.
    pub(super) fn patch(&self, stage: &Stage) -> Patch {
        Patch::Add { node: Node::new(&stage.ctx.ids.uuid().to_string(), &self.function), at: None }
    }

    /// The draft is there, with a node `a`.
    pub(super) async fn drafted(&self, stage: &Stage) {
        let node = Node::new("a", &self.function);
        let patch = Patch::Add { node, at: None };
        let patched = drafts::patch(&stage.ctx, &ME, &self.graph(), std::slice::from_ref(&patch), None).await;
        let is_there = |error: &Error| error.code() == "bad_patch";
        assert!(patched.as_ref().err().is_none_or(is_there), "{patched:?}");
    }

    pub(super) fn selection(&self, stage: &Stage) -> Selection {
        let id = stage.ctx.ids.uuid().simple().to_string();
        let graph = name(&self.function.replace("get", &format!("part_{id}")));
        Selection { nodes: ["a".to_owned()].into(), node: id, graph }
    }

    pub(super) fn start(&self) -> StartRun {
        request(&self.function, json!({}))
    }

    pub(super) fn content(&self) -> TriggerContent {
        TriggerContent::after(&self.function, self.name())
    }

    fn trigger(&self) -> Intent {
        Intent::Put(self.trigger.clone(), Content::Trigger(self.content()))
    }

    fn scheduled(&self) -> Intent {
        schedule(self.schedule.as_str(), &self.function)
    }

    pub(super) fn source(&self, answer: u128) -> String {
        format!("def get():\n    return {answer}\n")
    }

    fn written(&self, answer: u128) -> Intent {
        let draft = FunctionDraft::of_source(self.source(answer));
        Intent::function(FunctionDraft { name: Some(self.name()), ..draft })
    }

    /// A change of the function that nobody has made before.
    pub(super) fn proposal(&self, stage: &Stage) -> Proposal {
        Proposal::of("", vec![self.written(stage.ctx.ids.uuid().as_u128() >> 1)])
    }

    /// One that is proposed.
    pub(super) async fn proposed(&self, stage: &Stage) -> u64 {
        changesets::propose(&stage.ctx, &ME, &self.proposal(stage)).await.unwrap().number
    }

    /// One that is applied.
    pub(super) async fn applied(&self, stage: &Stage) -> u64 {
        changesets::register(&stage.ctx, &ME, &self.proposal(stage)).await.unwrap();
        let newest = changesets::list(&stage.ctx, &ME, store::ChangesetFilter::default(), 1).await.unwrap();
        newest[0].summary.number
    }

    /// What a call before removed is there again.
    pub(super) async fn restored(&self, stage: &Stage) {
        for (key, intent) in [
            (trigger_key(self.trigger.as_str()), self.trigger()),
            (schedule_key(self.schedule.as_str()), self.scheduled()),
        ] {
            if stage.ctx.store.live_version(&key).await.unwrap().is_none() {
                self.register(stage, vec![intent]).await;
            }
        }
    }

    pub(super) fn model_name(&self) -> LlmName {
        LlmName::new("m").unwrap()
    }

    /// One that nobody can ask.
    pub(super) fn new_model(&self) -> NewModel {
        NewModel {
            base_url: "http://127.0.0.1:1/v1".to_owned(),
            model_id: "m".to_owned(),
            protocol: None,
            key: None,
            roles: Default::default(),
            price: Default::default(),
            profile: None,
        }
    }

    /// A model is there.
    pub(super) async fn model(&self, stage: &Stage) {
        models::put(&stage.ctx, &ME, &self.model_name(), self.new_model()).await.unwrap();
    }

    pub(super) async fn scripted_model(&self) -> ScriptedModel {
        ScriptedModel::start(|_, _| Behaviour::Reply(ScriptedReply::text("Yes."))).await.unwrap()
    }

    /// A preset of the function is there.
    pub(super) async fn preset(&self, stage: &Stage) {
        presets::put(&stage.ctx, &ME, &self.name(), "daily", serde_json::Map::new()).await.unwrap();
    }

    pub(super) async fn queued(&self, stage: &Stage) -> Run {
        runs::queue(&stage.ctx, &ME, self.start()).await.unwrap()
    }

    async fn register(&self, stage: &Stage, intents: Vec<Intent>) {
        changesets::register(&stage.ctx, &ME, &Proposal::of("", intents)).await.unwrap();
    }
}
