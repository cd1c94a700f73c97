//! `/runs`: start and wait, queue, list, show, cancel, answer.

pub(crate) mod endings;
pub(crate) mod graph_runs;
pub(crate) mod ids;
pub(crate) mod live_run;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod stream;

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Json as Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::grants;
use model::access::scope::Scope;
use model::budget::Limits;
use model::function::options::OptionError;
use model::function::run_options;
use model::graph::run_options::GraphOptions;
use model::ids::RunId;
use model::name::EntryName;
use model::revision::Revision;
use model::run::{Run, RunState};
use model::version::VersionNumber;
use serde::Deserialize;
use serde_json::{Map, Value};
use store::RunFilter;
use tokio::sync::oneshot;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, OfRun, Role, to};
use super::request::caller::{self, Caller};
use super::request::extract::{Json, OptionalJson, Query};
use super::request::paging::{List, Page};
use super::request::query::{CommaSeparated, Limit, time};
use super::request::run_path::{RunInPath, RunPath};
use super::state::Door;
use super::streams::progress;
use crate::app::budgets::{self, RunSpending};
use crate::app::changesets::Applied;
use crate::app::functions::{names, recorded_tests};
use crate::app::presets;
use crate::app::runs::code::{self, RunCode};
use crate::app::runs::lists::{self, RunLine, RunPage};
use crate::app::runs::records::{self, RunRecord};
use crate::app::runs::{self, Input, StartRun, Target};
use crate::traces::TraceContext;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list, start))
        .routes(routes!(show))
        .routes(routes!(cancel))
        .routes(routes!(answer))
        .routes(routes!(test))
        .routes(routes!(extend))
        .routes(routes!(again))
        .merge(stream::routes())
}

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// A script to run instead of something stored.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CodeBody {
    /// Python statements; the last expression, or what `return` gives, is the output. The keys of `input` are its variables, and
    /// stored functions are called by their names.
    script: String,
    /// What it may reach and its limits, as `@selfmade.function` takes them, such as `{"network": ["api.example.com"]}`.
    #[serde(default)]
    grants: BTreeMap<String, Value>,
}

/// What to run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StartBody {
    /// What to run; with `code`, what the run is called.
    pub(super) function: EntryName,
    /// This script; takes the right to change what it is called.
    code: Option<CodeBody>,
    /// This version; the live one if neither is given.
    version: Option<VersionNumber>,
    /// The draft of the graph, as it is now; takes the right to change it.
    #[serde(default)]
    draft: bool,
    /// The version that was live at this revision, calling what was live at it.
    revision: Option<Revision>,
    /// The preset that states what `input` does not.
    preset: Option<String>,
    /// Arguments by name.
    #[serde(default)]
    input: Map<String, Value>,
    /// Arguments by position, before those by name.
    #[serde(default)]
    positional: Vec<Value>,
    /// Overrides the function's time limit; up to a day.
    #[schema(minimum = 1, maximum = 86_400_000)]
    timeout_ms: Option<u64>,
    /// Overrides the function's retries: their number, or the total number of tries and the seconds to wait in between,
    /// such as `{"attempts": 4, "first": 0.5, "most": 30}`.
    retries: Option<Value>,
    /// Overrides the function's priority: the highest is taken from the queue first.
    #[schema(minimum = -100, maximum = 100)]
    priority: Option<i32>,
    /// What the run may spend with all that it starts; what this does not limit is limited as the function declares.
    budget: Option<Limits>,
    /// Not before this time; the run is queued.
    #[serde(default, deserialize_with = "time")]
    due_at: Option<Timestamp>,
    /// Of a graph: which nodes are executed, where the values of others come from, and breakpoints.
    #[serde(default)]
    graph: GraphOptions,
}

impl StartBody {
    /// The script, if one is to be run.
    fn take_code(&mut self) -> Result<Option<RunCode>, Problem> {
        let Some(CodeBody { script, grants }) = self.code.take() else { return Ok(None) };
        let is_of_stored = self.version.is_some() || self.revision.is_some() || self.preset.is_some();
        if is_of_stored || self.draft || !self.positional.is_empty() || !self.graph.is_usual() {
            return Err(Problem::bad_request(
                "`code` cannot be combined with `version`, `revision`, `draft`, `preset`, `positional` or `graph`",
            )
            .hint("pass the variables of the script as `input`"));
        }
        Ok(Some(RunCode { name: Some(self.function.clone()), script, grants, ..RunCode::default() }))
    }

    pub(super) fn request(self, key: Option<String>) -> Result<StartRun, Problem> {
        let target = match (self.version, self.revision, self.draft) {
            (None, None, false) => Target::Live(self.function),
            (None, None, true) => Target::Draft(self.function),
            (Some(version), None, false) => Target::Number(self.function, version),
            (None, Some(revision), false) => Target::AsOf(self.function, revision),
            _ => {
                return Err(Problem::bad_request("`version`, `revision` and `draft` cannot be combined"));
            }
        };
        if !self.graph.recorded.is_empty() {
            return Err(Problem::bad_request("`recorded` cannot be stated here")
                .hint("name the earlier run with `values_of`, or state values as `pinned`"));
        }
        if self.graph.resumes.is_some() {
            return Err(Problem::bad_request("`resumes` cannot be stated here")
                .hint("send `POST /api/v1/runs/RUN/resume` to go on with a failed run"));
        }
        let wrong = |error: OptionError| Problem::bad_request(error.to_string());
        Ok(StartRun {
            idempotency_key: key,
            timeout_ms: self.timeout_ms.map(grants::timeout_of_run).transpose().map_err(wrong)?,
            retry: self.retries.as_ref().map(run_options::retries).transpose().map_err(wrong)?,
            priority: self
                .priority
                .map(|number| run_options::priority(&number.into()))
                .transpose()
                .map_err(wrong)?,
            budget: self.budget.map(budget).transpose()?.unwrap_or_default(),
            due_at: self.due_at,
            graph: self.graph,
            ..StartRun::of(target, Input { positional: self.positional, named: self.input })
        })
    }
}

/// Starts a run
///
/// Responds when the run has ended, or after a minute or `Prefer: wait=SECONDS` while it continues; `Prefer: respond-async`
/// queues it. With `Accept: text/event-stream` the response is a stream: `begun`, `printed`, `making`, `state` when it waits,
/// `done`. A repeated request with the same `Idempotency-Key` returns the first run.
#[utoipa::path(post, path = "/runs", tag = "runs", request_body = StartBody,
    params(("Prefer" = Option<String>, Header, description = "`wait=SECONDS` or `respond-async`"), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "It has ended, successfully or not, or is waiting for a person", body = Run), (status = 202, description = "It is still running", body = Run), Refused))]
async fn start(
    State(door): State<Door>,
    caller: Allowed<Role<to::StartRun>>,
    headers: HeaderMap,
    Json(mut body): Json<StartBody>,
) -> Result<Response, Problem> {
    let key = idempotency_key(&headers, caller.actor())?;
    let preference = Preference::of(&headers, door.config().wait)?;
    let code = body.take_code()?;
    let preset = body.preset.clone().map(|preset| (body.function.clone(), preset));
    let mut request = body.request(key)?;
    if let Some(code) = code {
        request.target = code::target(door.ctx(), caller.access(), code, &request.input.named).await?;
    }
    if let Some((function, preset)) = preset {
        let stated = std::mem::take(&mut request.input.named);
        request.input.named = presets::input(door.ctx(), caller.access(), &function, &preset, stated).await?;
    }
    if let Some(context) = trace(&headers) {
        let run_id = door.ctx().ids.run();
        request.run_id = Some(run_id);
        door.ctx().traces.belongs(run_id, context);
    }
    start_and_respond(&door, &caller, request, preference).await
}

/// The caller's trace context, if there is one.
fn trace(headers: &HeaderMap) -> Option<TraceContext> {
    headers.get("traceparent")?.to_str().ok()?.parse().ok()
}

/// How long a caller waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preference {
    Wait(Duration),
    Async,
    /// To its end, looking on.
    Live,
}

impl Preference {
    pub(super) fn of(headers: &HeaderMap, usual: Duration) -> Result<Preference, Problem> {
        /// Longer than this nobody holds a connection open for one answer.
        const LONGEST: u64 = 3_600;
        if progress::is_wanted(headers) {
            return Ok(Preference::Live);
        }
        let stated = headers.get_all(PREFER).into_iter().filter_map(|value| value.to_str().ok());
        for part in stated.flat_map(|value| value.split(',')).map(str::trim) {
            match part.split_once('=') {
                None if part.eq_ignore_ascii_case("respond-async") => return Ok(Preference::Async),
                Some((name, seconds)) if name.trim().eq_ignore_ascii_case("wait") => {
                    let seconds: u64 = seconds.trim().parse().map_err(|_| {
                        Problem::bad_request(format!("`Prefer: {part}` does not give a number of seconds"))
                    })?;
                    return Ok(Preference::Wait(Duration::from_secs(seconds.min(LONGEST))));
                }
                // What is not understood is ignored, as the standard has it.
                _ => {}
            }
        }
        Ok(Preference::Wait(usual))
    }

    fn applied(self) -> HeaderValue {
        match self {
            Preference::Async => HeaderValue::from_static("respond-async"),
            Preference::Live => HeaderValue::from_static("wait"),
            Preference::Wait(limit) => HeaderValue::from_str(&format!("wait={}", limit.as_secs()))
                .unwrap_or(HeaderValue::from_static("wait")),
        }
    }
}

/// Keys of one Token are apart from those of another, so that nobody gets the runs of others by guessing keys.
fn idempotency_key(headers: &HeaderMap, actor: &Actor) -> Result<Option<String>, Problem> {
    const MOST_BYTES: usize = 200;
    let Some(key) = headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    match key.to_str() {
        Ok(key) if !key.is_empty() && key.len() <= MOST_BYTES => Ok(Some(match actor {
            Actor::CommandLine => key.to_owned(),
            actor => format!("{actor}:{key}"),
        })),
        _ => Err(Problem::bad_request(format!(
            "`Idempotency-Key` must be 1 to {MOST_BYTES} visible characters"
        ))),
    }
}

pub(super) async fn start_and_respond(
    door: &Door,
    caller: &Caller,
    request: StartRun,
    preference: Preference,
) -> Result<Response, Problem> {
    let run = match preference {
        Preference::Async => runs::queue(door.ctx(), caller.access(), request).await?,
        Preference::Wait(limit) => waited(door, caller, request, limit).await?,
        Preference::Live => return live_run::stream_run(door, caller, request).await,
    };
    let on_its_way = !run.state.is_final() && (run.state != RunState::Waiting || run.is_asleep());
    let status = if on_its_way { StatusCode::ACCEPTED } else { StatusCode::OK };
    let location = format!("/api/v1/runs/{}", run.run_id);
    let applied = [(header::LOCATION, location)];
    Ok((
        status,
        applied,
        [(PREFERENCE_APPLIED, preference.applied())],
        Body(runs::seen_run(caller.access(), run)),
    )
        .into_response())
}

/// The run goes on if the caller goes away, has waited long enough, or has a token or session that has ended: it is recorded, and can be
/// asked for.
pub(super) async fn waited(
    door: &Door,
    caller: &Caller,
    request: StartRun,
    limit: Duration,
) -> Result<Run, Problem> {
    let (tell, recorded) = oneshot::channel();
    // What has no place by then is queued.
    let request = StartRun { max_wait: Some(limit), ..request };
    let (ctx, access) = (door.ctx().clone(), caller.access().clone());
    let mut work = tokio::spawn(async move {
        let begun = runs::begin(&ctx, &access, request).await?;
        // Nobody may listen any more.
        let _ = tell.send(begun.run_id);
        begun.ended(&ctx).await
    });
    let awake = async {
        let mut run = (&mut work).await.map_err(|_| panicked())??;
        // A person may take days; that it waits for one is an answer, too.
        while run.is_asleep() {
            run = runs::wait_past(door.ctx(), caller.access(), &run).await?;
        }
        Ok(run)
    };
    let waiting = async {
        tokio::select! {
            ended = awake => ended,
            () = caller.lapsed(door.ctx()) => Err(caller::unknown()),
        }
    };
    if let Ok(answered) = tokio::time::timeout(limit, waiting).await {
        return answered;
    }
    match recorded.await {
        Ok(id) => Ok(runs::get(door.ctx(), caller.access(), id).await?),
        // It was not even recorded, and the reason is on its way.
        Err(_) => Ok(work.await.map_err(|_| panicked())??),
    }
}

fn panicked() -> Problem {
    Problem::internal()
}

/// Which runs are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RunsQuery {
    /// A name, or a prefix followed by `*`.
    name: Option<String>,
    /// Any of these, separated by commas.
    #[serde(default)]
    #[param(value_type = Option<String>)]
    state: CommaSeparated<RunState>,
    /// Only these, separated by commas; other filters are ignored.
    ids: Option<String>,
    /// Who started it: `command_line`, or `token:`, `session:`, `run:`, `trigger:` or `schedule:` with a name or an id.
    actor: Option<String>,
    /// The run that started it.
    parent: Option<RunId>,
    /// Created at this time or later.
    #[serde(default, deserialize_with = "time")]
    since: Option<Timestamp>,
    /// Created before this time.
    #[serde(default, deserialize_with = "time")]
    until: Option<Timestamp>,
    /// A part of its error.
    error: Option<String>,
    /// `next` of the previous page.
    cursor: Option<String>,
    /// Only runs before this one; `cursor` takes precedence.
    before: Option<RunId>,
    /// The maximum number of items, up to 1,000.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
}

impl RunsQuery {
    fn filter(self, actor: Option<Actor>) -> Result<RunFilter, Problem> {
        Ok(RunFilter {
            name: self.name,
            states: self.state.0,
            actor,
            parent: self.parent,
            since: self.since,
            until: self.until,
            error: self.error,
            before: List::Runs.begin(self.cursor.as_deref(), self.before)?,
            after: None,
            scope: Scope::All,
        })
    }
}

/// Lists runs, newest first
#[utoipa::path(get, path = "/runs", tag = "runs", params(RunsQuery), responses((status = 200, body = Page<RunLine>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadRuns>>,
    Query(query): Query<RunsQuery>,
) -> Result<Body<Page<RunLine>>, Problem> {
    let limit = query.limit.get();
    let page = match &query.ids {
        Some(ids) => {
            RunPage { runs: lists::of(door.ctx(), caller.access(), &parsed(ids, limit)?).await?, next: None }
        }
        None => {
            let actor = match &query.actor {
                Some(who) => Some(names::actor(door.ctx(), caller.access(), who).await?),
                None => None,
            };
            lists::page(door.ctx(), caller.access(), query.filter(actor)?, limit).await?
        }
    };
    Ok(Body(List::Runs.page(page.runs, page.next)))
}

fn parsed(ids: &str, most: u32) -> Result<Vec<RunId>, Problem> {
    let id = |text: &str| {
        text.trim().parse().map_err(|_| Problem::bad_request(format!("`{text}` is not a run id")))
    };
    ids.split(',').take(most as usize).map(id).collect()
}

/// Everything recorded about a run, and what it led to
#[utoipa::path(get, path = "/runs/{run_id}", tag = "runs", params(RunInPath), responses((status = 200, body = RunRecord), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadRuns>>,
    RunPath(id): RunPath,
) -> Result<Body<RunRecord>, Problem> {
    Ok(Body(records::show(door.ctx(), caller.access(), id).await?))
}

/// Cancels a run and everything it started; returns those runs
#[utoipa::path(post, path = "/runs/{run_id}/cancel", tag = "runs", params(RunInPath), responses((status = 200, body = Vec<RunId>), Refused))]
async fn cancel(
    State(door): State<Door>,
    caller: Allowed<Role<to::CancelRun>>,
    RunPath(id): RunPath,
) -> Result<Body<Vec<RunId>>, Problem> {
    Ok(Body(runs::cancel(door.ctx(), caller.access(), id).await?))
}

/// What a person says.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AnswerBody {
    value: Value,
}

/// Answers the question of a run
#[utoipa::path(post, path = "/runs/{run_id}/answer", tag = "runs", params(RunInPath), request_body = AnswerBody, responses((status = 200, body = Run), Refused))]
async fn answer(
    State(door): State<Door>,
    caller: Allowed<OfRun<to::AnswerRun>>,
    RunPath(id): RunPath,
    Json(body): Json<AnswerBody>,
) -> Result<Body<Run>, Problem> {
    runs::answer(door.ctx(), caller.access(), id, body.value).await?;
    Ok(Body(runs::get(door.ctx(), caller.access(), id).await?))
}

/// The test that a run becomes.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TestBody {
    /// What it is called.
    name: Option<String>,
}

/// Adds what a run did to the tests of its function, by a changeset
#[utoipa::path(post, path = "/runs/{run_id}/test", tag = "runs", params(RunInPath), request_body = Option<TestBody>, responses((status = 200, body = Applied), Refused))]
async fn test(
    State(door): State<Door>,
    caller: Allowed<OfRun<to::ApplyChangeset>>,
    RunPath(id): RunPath,
    OptionalJson(body): OptionalJson<TestBody>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(recorded_tests::add(door.ctx(), caller.access(), id, body.name).await?))
}

/// Limits that somebody may mean.
fn budget(limits: Limits) -> Result<Limits, Problem> {
    limits.checked().ok_or_else(|| {
        Problem::bad_request("`budget` states no limit, or one that is too large")
            .hint("state one or more of `money`, `tokens`, `turns`, `functions`, `seconds` and `depth`")
    })
}

/// Raises what a run may spend
///
/// What is stated is added to the limits of the run, and to those of the runs above it that the caller may touch.
#[utoipa::path(post, path = "/runs/{run_id}/extend", tag = "runs", params(RunInPath), request_body = Limits, responses((status = 200, body = RunSpending), Refused))]
async fn extend(
    State(door): State<Door>,
    caller: Allowed<OfRun<to::ExtendRun>>,
    RunPath(id): RunPath,
    Json(more): Json<Limits>,
) -> Result<Body<RunSpending>, Problem> {
    Ok(Body(budgets::extend(door.ctx(), caller.access(), id, more).await?))
}

/// On which version.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AgainQuery {
    /// Use the live version instead of the one it ran with.
    #[serde(default)]
    live: bool,
}

/// Runs the same input again, as a new run
#[utoipa::path(post, path = "/runs/{run_id}/rerun", tag = "runs",
    params(RunInPath, AgainQuery, ("Prefer" = Option<String>, Header, description = "`wait=SECONDS` or `respond-async`")),
    responses((status = 200, body = Run), (status = 202, body = Run), Refused))]
async fn again(
    State(door): State<Door>,
    caller: Allowed<Role<to::StartRun>>,
    RunPath(id): RunPath,
    Query(query): Query<AgainQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let request = runs::again(door.ctx(), caller.access(), id, query.live).await?;
    let preference = Preference::of(&headers, door.config().wait)?;
    start_and_respond(&door, &caller, request, preference).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preference(text: &str) -> Option<Preference> {
        let mut headers = HeaderMap::new();
        headers.insert(PREFER, HeaderValue::from_str(text).unwrap());
        Preference::of(&headers, Duration::from_secs(60)).ok()
    }

    #[test]
    fn callers_say_how_long_they_wait() {
        let wait = |seconds| Some(Preference::Wait(Duration::from_secs(seconds)));
        assert_eq!(preference("wait=5"), wait(5));
        assert_eq!(preference("handling=lenient, Wait = 7"), wait(7));
        assert_eq!(preference("respond-async"), Some(Preference::Async));
        assert_eq!(preference("return=minimal"), wait(60));
        assert_eq!(preference("wait=999999"), wait(3_600));
        assert_eq!(preference("wait=soon"), None);
    }
}
