//! `/changesets`: propose, show, apply, reject, rebase, revert.

pub(crate) mod revisions;

use axum::Json as Body;
use axum::extract::State;
use model::access::scope::Scope;
use model::changeset::ChangesetState;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::GraphContent;
use model::name::EntryName;
use model::version::VersionNumber;
use serde::Deserialize;
use store::ChangesetFilter;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, OfChangeset, Role, to};
use super::request::extract::{Json, OptionalJson, Path, Query};
use super::request::paging::{List, Page};
use super::request::query::Limit;
use super::state::Door;
use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::changesets::{self, Applied, Breakage, ChangesetLine, ChangesetView};
use crate::app::functions::read_functions;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list, propose))
        .routes(routes!(register))
        .routes(routes!(show))
        .routes(routes!(apply))
        .routes(routes!(reject))
        .routes(routes!(rebase))
        .routes(routes!(revert))
}

/// Which Changesets are listed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ChangesetsQuery {
    state: Option<ChangesetState>,
    /// Only applied changesets, including those that were reverted since.
    #[serde(default)]
    applied: bool,
    /// `next` of the previous page.
    cursor: Option<String>,
    /// Only changesets before this number; `cursor` takes precedence.
    before: Option<u64>,
    /// The maximum number of items, up to 1,000.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
}

/// Lists changesets, newest first
#[utoipa::path(get, path = "/changesets", tag = "changesets", params(ChangesetsQuery), responses((status = 200, body = Page<ChangesetLine>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadChangesets>>,
    Query(query): Query<ChangesetsQuery>,
) -> Result<Body<Page<ChangesetLine>>, Problem> {
    let limit = query.limit.get();
    let filter = ChangesetFilter {
        state: query.state,
        applied: query.applied,
        before: List::Changesets.begin(query.cursor.as_deref(), query.before)?,
        scope: Scope::All,
    };
    let items = changesets::list(door.ctx(), caller.access(), filter, limit).await?;
    Ok(Body(List::Changesets.page_of(items, limit, |item| item.summary.number)))
}

/// Whether something is applied although it breaks what is stored.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ForceQuery {
    /// Apply it even if stored callers, triggers, schedules or graphs no longer fit; its checks record that.
    #[serde(default)]
    force: bool,
}

impl ForceQuery {
    pub(super) fn breakage(&self) -> Breakage {
        if self.force { Breakage::Accepted } else { Breakage::Refused }
    }
}

/// One change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum IntentBody {
    /// Add a function, or a version of it; or all functions that a file defines.
    Function {
        /// The full name; if absent, the source may define several functions, each of which keeps its name.
        name: Option<EntryName>,
        source: String,
        /// The file it comes from, for messages.
        file: Option<String>,
        /// What it does, in place of the first line of its docstring.
        description: Option<String>,
    },
    /// Add a graph, or a version of it.
    Graph { name: EntryName, graph: Box<GraphContent> },
    /// Make another version live.
    Use {
        name: EntryName,
        version: VersionNumber,
        /// A function if absent.
        kind: Option<EntryKind>,
    },
    /// Delete an entry.
    Delete {
        name: EntryName,
        /// A function if absent.
        kind: Option<EntryKind>,
    },
}

impl IntentBody {
    fn intents(self) -> Result<Vec<Intent>, Problem> {
        Ok(match self {
            IntentBody::Function { name, source, file, description } => {
                let file =
                    file.unwrap_or_else(|| name.as_ref().map_or("source", EntryName::as_str).to_owned());
                let mut intents = read_functions(&source, &file, name.as_ref())?;
                if let Some(description) = description {
                    describe(&mut intents, description, &file)?;
                }
                intents
            }
            IntentBody::Graph { name, graph } => vec![Intent::Put(name, Content::Graph(*graph))],
            IntentBody::Use { name, version, kind } => vec![Intent::Use(key(name, kind), version)],
            IntentBody::Delete { name, kind } => vec![Intent::Delete(key(name, kind))],
        })
    }
}

fn key(name: EntryName, kind: Option<EntryKind>) -> EntryKey {
    EntryKey::new(kind.unwrap_or(EntryKind::Function), name)
}

/// A description is of one function.
fn describe(intents: &mut [Intent], description: String, file: &str) -> Result<(), Problem> {
    match intents {
        [Intent::Function(function)] => {
            function.draft.declared.description = Some(description);
            Ok(())
        }
        _ => Err(Problem::bad_request(format!(
            "`{file}` defines several functions, and the description is of one"
        ))
        .hint("write it into the docstring of that function")),
    }
}

/// Changes that are applied together or not at all.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ProposalBody {
    /// What it is for; derived from the changes if absent.
    title: Option<String>,
    changes: Vec<IntentBody>,
}

impl ProposalBody {
    fn proposal(self) -> Result<Proposal, Problem> {
        let intents: Vec<Vec<Intent>> =
            self.changes.into_iter().map(IntentBody::intents).collect::<Result<_, _>>()?;
        Ok(Proposal::of(self.title.unwrap_or_default(), intents.concat()))
    }
}

/// Drafts and checks a changeset, without applying it
#[utoipa::path(post, path = "/changesets", tag = "changesets", request_body = ProposalBody, responses((status = 200, body = ChangesetView), Refused))]
async fn propose(
    State(door): State<Door>,
    caller: Allowed<Role<to::ProposeChangeset>>,
    Json(body): Json<ProposalBody>,
) -> Result<Body<ChangesetView>, Problem> {
    let changeset = changesets::propose(door.ctx(), caller.access(), &body.proposal()?).await?;
    Ok(Body(changesets::show(door.ctx(), caller.access(), changeset.number).await?))
}

/// Drafts, checks and applies a changeset in one request
#[utoipa::path(post, path = "/changesets/register", tag = "changesets", params(ForceQuery), request_body = ProposalBody, responses((status = 200, body = Applied), Refused))]
async fn register(
    State(door): State<Door>,
    caller: Allowed<Role<to::ApplyChangeset>>,
    Query(query): Query<ForceQuery>,
    Json(body): Json<ProposalBody>,
) -> Result<Body<Applied>, Problem> {
    let proposal = Proposal { breakage: query.breakage(), ..body.proposal()? };
    Ok(Body(changesets::register(door.ctx(), caller.access(), &proposal).await?))
}

/// One changeset with what it changes
#[utoipa::path(get, path = "/changesets/{number}", tag = "changesets", params(("number" = u64, Path)), responses((status = 200, body = ChangesetView), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadChangesets>>,
    Path(number): Path<u64>,
) -> Result<Body<ChangesetView>, Problem> {
    Ok(Body(changesets::show(door.ctx(), caller.access(), number).await?))
}

/// Applies a changeset that passed its checks
#[utoipa::path(post, path = "/changesets/{number}/apply", tag = "changesets", params(("number" = u64, Path), ForceQuery), responses((status = 200, body = Applied), Refused))]
async fn apply(
    State(door): State<Door>,
    caller: Allowed<Role<to::ApplyChangeset>>,
    Path(number): Path<u64>,
    Query(query): Query<ForceQuery>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(changesets::apply(door.ctx(), caller.access(), number, query.breakage()).await?))
}

/// Why a changeset is rejected.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RejectionBody {
    /// What has to be different; whoever proposed it gets it.
    comment: Option<String>,
}

/// Rejects a changeset
#[utoipa::path(post, path = "/changesets/{number}/reject", tag = "changesets", params(("number" = u64, Path)), request_body = Option<RejectionBody>, responses((status = 200, body = ChangesetView), Refused))]
async fn reject(
    State(door): State<Door>,
    caller: Allowed<OfChangeset<to::RejectChangeset>>,
    Path(number): Path<u64>,
    OptionalJson(body): OptionalJson<RejectionBody>,
) -> Result<Body<ChangesetView>, Problem> {
    changesets::reject(door.ctx(), caller.access(), number, body.comment.as_deref()).await?;
    Ok(Body(changesets::show(door.ctx(), caller.access(), number).await?))
}

/// Rebases a changeset onto the current brain, and checks it again
#[utoipa::path(post, path = "/changesets/{number}/rebase", tag = "changesets", params(("number" = u64, Path)), responses((status = 200, body = ChangesetView), Refused))]
async fn rebase(
    State(door): State<Door>,
    caller: Allowed<Role<to::ProposeChangeset>>,
    Path(number): Path<u64>,
) -> Result<Body<ChangesetView>, Problem> {
    let changeset = changesets::rebase(door.ctx(), caller.access(), number).await?;
    Ok(Body(changesets::show(door.ctx(), caller.access(), changeset.number).await?))
}

/// Undoes an applied changeset with a new one
#[utoipa::path(post, path = "/changesets/{number}/revert", tag = "changesets", params(("number" = u64, Path), ForceQuery), responses((status = 200, body = Applied), Refused))]
async fn revert(
    State(door): State<Door>,
    caller: Allowed<Role<to::RevertChangeset>>,
    Path(number): Path<u64>,
    Query(query): Query<ForceQuery>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(changesets::revert(door.ctx(), caller.access(), number, query.breakage()).await?))
}
