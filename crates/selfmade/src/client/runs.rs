//! Runs.

use std::collections::BTreeMap;

use axum::http::{HeaderName, HeaderValue, Method};
use jiff::Timestamp;
use model::budget::Limits;
use model::graph::patch::LinkKey;
use model::graph::run_options::{BreakAt, GraphOptions};
use model::ids::RunId;
use model::name::EntryName;
use model::run::{Run, RunState};
use model::version::VersionNumber;
use serde::Serialize;
use serde_json::{Map, Value, json};
use server::app::budgets::RunSpending;
use server::app::operations::retention::{Pruned, Retention};
use server::app::runs::breakpoints::HeldView;
use server::app::runs::lists::{RunLine, RunPage};
use server::app::runs::nodes::NodeExecution;
use server::app::runs::records::RunRecord;
use server::app::runs::resume::ResumePlan;
use server::http::Page;

use super::paging::listed;
use super::request::RequestBuilder;
use super::{Brain, Events};
use crate::error::Error;

const PREFER: HeaderName = HeaderName::from_static("prefer");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The most output values of a node execution that a page has.
const OUTPUTS: u32 = 1_000;

/// What to run.
#[derive(Debug)]
pub(crate) enum Start {
    Function {
        run: Box<FunctionRun>,
        key: Option<String>,
    },
    /// The input of another Run again.
    Again {
        run: RunId,
        live: bool,
    },
    /// A failed Run of a Graph, from where it failed.
    Resume {
        run: RunId,
        newer: bool,
    },
    /// What a Schedule runs at its times.
    Schedule(EntryName),
}

#[derive(Debug, Serialize)]
pub(crate) struct FunctionRun {
    pub(crate) function: EntryName,
    /// Instead of what is stored under the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<CodeRun>,
    pub(crate) version: Option<VersionNumber>,
    pub(crate) input: Map<String, Value>,
    pub(crate) positional: Vec<Value>,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) retries: Option<u32>,
    pub(crate) priority: Option<i32>,
    pub(crate) draft: bool,
    pub(crate) preset: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) budget: Option<Limits>,
    #[serde(skip_serializing_if = "GraphOptions::is_usual")]
    pub(crate) graph: GraphOptions,
}

/// A script.
#[derive(Debug, Serialize)]
pub(crate) struct CodeRun {
    pub(crate) script: String,
    pub(crate) grants: BTreeMap<String, Value>,
}

impl FunctionRun {
    /// Of the live version, as the function itself wants to be run.
    pub(crate) fn new(function: EntryName, input: Map<String, Value>) -> FunctionRun {
        FunctionRun {
            function,
            code: None,
            version: None,
            input,
            positional: Vec::new(),
            timeout_ms: None,
            retries: None,
            priority: None,
            draft: false,
            preset: None,
            budget: None,
            graph: GraphOptions::default(),
        }
    }
}

/// What of a Run goes on, and how.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Release {
    pub(crate) node: Option<String>,
    pub(crate) link: Option<LinkKey>,
    /// Null is a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Value>,
    pub(crate) breakpoints: Option<BreakAt>,
}

/// Which Runs are listed.
#[derive(Debug, Default)]
pub(crate) struct RunQuery {
    pub(crate) name: Option<String>,
    pub(crate) states: Vec<RunState>,
    pub(crate) actor: Option<String>,
    pub(crate) parent: Option<RunId>,
    pub(crate) since: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
    pub(crate) error: Option<String>,
    pub(crate) before: Option<RunId>,
}

impl Brain {
    /// Records it for whoever has a free place.
    pub(crate) async fn queue(&self, start: &Start) -> Result<Run, Error> {
        self.starting(start)?.header(PREFER, HeaderValue::from_static("respond-async")).post().await
    }

    /// Executes it, telling what it does.
    pub(crate) async fn start(&self, start: &Start) -> Result<Events<'_>, Error> {
        self.starting(start)?.events(Method::POST).await
    }

    fn starting(&self, start: &Start) -> Result<RequestBuilder<'_>, Error> {
        Ok(match start {
            Start::Function { run, key } => {
                let asked = self.at(&["runs"]).json(run);
                match key {
                    Some(key) => asked.header(IDEMPOTENCY_KEY, key_header(key)?),
                    None => asked,
                }
            }
            Start::Again { run, live } => self.at(&["runs", &run.to_string(), "rerun"]).query("live", live),
            Start::Resume { run, newer } => {
                self.at(&["runs", &run.to_string(), "resume"]).json(&json!({ "newer": newer }))
            }
            Start::Schedule(name) => self.at(&["schedules", name.as_str(), "run"]),
        })
    }

    /// Newest first.
    pub(crate) async fn runs(&self, query: &RunQuery, limit: u32) -> Result<RunPage, Error> {
        let list = listed(|| self.listing(query), limit).await?;
        let next = list.last().map(|last: &RunLine| last.run_id);
        Ok(RunPage { runs: list.items, next })
    }

    fn listing(&self, query: &RunQuery) -> RequestBuilder<'_> {
        let states: Vec<&str> = query.states.iter().map(|state| state.as_str()).collect();
        self.at(&["runs"])
            .maybe("name", query.name.as_ref())
            .maybe("state", (!states.is_empty()).then(|| states.join(",")))
            .maybe("actor", query.actor.as_ref())
            .maybe("parent", query.parent)
            .maybe("since", query.since)
            .maybe("until", query.until)
            .maybe("error", query.error.as_ref())
            .maybe("before", query.before)
    }

    /// These, in their order.
    pub(crate) async fn runs_of(&self, ids: &[RunId]) -> Result<Vec<RunLine>, Error> {
        /// As many as an address surely holds.
        const AT_ONCE: usize = 100;
        let mut lines = Vec::new();
        for some in ids.chunks(AT_ONCE) {
            let ids: Vec<String> = some.iter().map(ToString::to_string).collect();
            let page: Page<RunLine> = self.at(&["runs"]).query("ids", ids.join(",")).get().await?;
            lines.extend(page.items);
        }
        Ok(lines)
    }

    /// The one whose id is this, or begins or ends so.
    pub(crate) async fn run_id(&self, part: &str) -> Result<RunId, Error> {
        self.at(&["run-ids", part]).get().await
    }

    pub(crate) async fn run(&self, id: RunId) -> Result<RunRecord, Error> {
        self.at(&["runs", &id.to_string()]).get().await
    }

    /// The first so many node executions of a Run of a Graph, and whether there are more.
    pub(crate) async fn nodes(
        &self,
        id: RunId,
        node: Option<&str>,
        limit: u32,
    ) -> Result<(Vec<NodeExecution>, bool), Error> {
        let list =
            || self.at(&["runs", &id.to_string(), "nodes"]).maybe("node", node).query("outputs", OUTPUTS);
        let list = listed(list, limit).await?;
        let has_more = list.last().is_some();
        Ok((list.items, has_more))
    }

    /// Says which Runs are affected.
    pub(crate) async fn cancel(&self, id: RunId) -> Result<Vec<RunId>, Error> {
        self.at(&["runs", &id.to_string(), "cancel"]).post().await
    }

    pub(crate) async fn answer(&self, id: RunId, value: &Value) -> Result<Run, Error> {
        self.at(&["runs", &id.to_string(), "answer"]).json(&json!({ "value": value })).post().await
    }

    /// Raises what it may spend.
    pub(crate) async fn extend(&self, id: RunId, more: &Limits) -> Result<RunSpending, Error> {
        self.at(&["runs", &id.to_string(), "extend"]).json(more).post().await
    }

    /// What stands at breakpoints.
    pub(crate) async fn held(&self, id: RunId) -> Result<Vec<HeldView>, Error> {
        self.at(&["runs", &id.to_string(), "held"]).get().await
    }

    pub(crate) async fn release(&self, id: RunId, release: &Release) -> Result<(), Error> {
        self.at(&["runs", &id.to_string(), "release"]).json(release).post().await
    }

    /// What resuming it would keep and repeat.
    pub(crate) async fn resume_plan(&self, id: RunId) -> Result<ResumePlan, Error> {
        self.at(&["runs", &id.to_string(), "resume"]).get().await
    }

    pub(crate) async fn replay(&self, id: RunId) -> Result<Events<'_>, Error> {
        self.at(&["runs", &id.to_string(), "replay"]).events(Method::POST).await
    }

    pub(crate) async fn prune(&self, keep: &Retention, rewrite: bool) -> Result<Pruned, Error> {
        let body =
            json!({ "since": keep.since, "newest": keep.newest, "bytes": keep.bytes, "rewrite": rewrite });
        self.at(&["runs", "prune"]).json(&body).post().await
    }

    /// What one Run does until it ends.
    pub(crate) async fn follow(&self, id: RunId) -> Result<Events<'_>, Error> {
        self.at(&["runs", &id.to_string(), "stream"]).events(Method::GET).await
    }

    /// Runs as they end.
    pub(crate) async fn endings(&self) -> Result<Events<'_>, Error> {
        self.at(&["runs", "endings"]).events(Method::GET).await
    }
}

fn key_header(key: &str) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(key).map_err(|_| Error::Input {
        problem: format!("`{key}` is not a valid idempotency key"),
        hint: "use 1 to 200 visible ASCII characters".to_owned(),
    })
}
