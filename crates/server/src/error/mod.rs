//! What a verb answers when it does not do what was asked: a stable code, a message, and what to do about it.

pub mod codes;

use std::path::PathBuf;

use model::access::Denied;
use model::access::secret::SecretError;
use model::budget::Exhausted;
use model::changeset::application::PlanError;
use model::changeset::check::{Check, Finding, Severity, Verdict};
use model::changeset::{Conflict, IllegalTransition};
use model::entry::{EntryKey, EntryKind};
use model::function::DraftError;
use model::graph::draft::DraftError as GraphDraftError;
use model::graph::exchange::ReadError as GraphFileError;
use model::graph::subgraph::{PackError, UnpackError};
use model::ids::RunId;
use model::input::InputError;
use model::name::{EntryName, NameError};
use model::python::SourceError;
use model::revision::Revision;
use model::run::nesting::NestingError;
use model::run::{RunError, RunState};
use model::version::VersionNumber;
use thiserror::Error;

use crate::engine::ExecutionError;
use crate::llm::ModelError;
use crate::search;
use crate::secrets::seal::SealError;
use crate::settings::ConfigError;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("{0}")]
    Draft(#[from] DraftError),
    #[error("`{file}`, {source}")]
    Source { file: String, source: SourceError },
    #[error("`{file}`: {source}")]
    DraftIn { file: String, source: DraftError },
    #[error("there is no {key}")]
    NotFound { key: EntryKey, near: Option<String> },
    #[error("{key} has no version {number}")]
    VersionNotFound { key: EntryKey, number: VersionNumber },
    #[error("{key} was not live at revision {revision}")]
    NotLiveThen { key: EntryKey, revision: Revision },
    #[error("there is no revision {revision}; the brain is at revision {now}")]
    RevisionNotFound { revision: Revision, now: Revision },
    #[error("there is no changeset {number}")]
    ChangesetNotFound { number: u64 },
    #[error("there is no {noun} named `{name}`")]
    Absent { noun: &'static str, name: String },
    #[error("there is already a {noun} named `{name}`")]
    Taken { noun: &'static str, name: String },
    #[error("the draft of graph `{graph}`: {source}")]
    GraphDraft { graph: EntryName, source: GraphDraftError },
    #[error("graph `{graph}` has no draft")]
    NoGraphDraft { graph: EntryName },
    #[error(transparent)]
    GraphFile(#[from] GraphFileError),
    #[error(transparent)]
    Packing(#[from] PackError),
    #[error(transparent)]
    Unpacking(#[from] UnpackError),
    #[error("the changeset does not pass its checks")]
    ChecksFailed { checks: Vec<Check>, number: Option<u64> },
    #[error("changeset {number} was proposed, not applied: {}", .checks.iter().filter(|check| check.verdict == Verdict::Asks).flat_map(|check| &check.findings).filter(|finding| finding.hint.is_some()).map(|finding| format!("`{}` {}", finding.entry.name, finding.message)).collect::<Vec<_>>().join("; "))]
    NeedsApproval { number: u64, checks: Vec<Check> },
    #[error("entries that the changeset is based on have changed, so nothing was applied")]
    Conflicted { number: u64, conflicts: Vec<Conflict> },
    #[error("entries that changeset {number} changed have changed again since, so it was not reverted")]
    MovedSince { number: u64, conflicts: Vec<Conflict> },
    #[error("{key} {}", .live.map_or("is not there".to_owned(), |live| format!("is at version {live}")))]
    Stale { key: EntryKey, live: Option<VersionNumber> },
    #[error("changeset {number}: {source}")]
    Transition { number: u64, source: IllegalTransition },
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error("the brain kept changing while this was tried")]
    Contended,
    #[error("pack `{pack}`: {}", .problem)]
    Pack { pack: String, problem: PackProblem },
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error("{problem}")]
    Input { problem: String, hint: String },
    #[error(transparent)]
    Babyagi { source: store::babyagi::BabyagiError },
    #[error("cannot read `{}`", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write `{}`", .path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Search(#[from] search::Error),
    #[error("{key}: {source}")]
    RunInput { key: EntryKey, source: InputError },
    #[error("the versions that the run loaded are no longer stored")]
    ClosureGone,
    #[error("there is no run `{id}`")]
    RunNotFound { id: String },
    #[error("`{text}` matches more than one run: {}", few(.fitting))]
    RunAmbiguous { text: String, fitting: Vec<RunId> },
    #[error("`{}` already exists", .path.display())]
    InTheWay { path: PathBuf },
    #[error("another `selfmade serve`{} is already serving this brain", .pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Served { pid: Option<u32> },
    #[error("{waiting} runs are already waiting for a slot, and no more can wait")]
    Crowded { waiting: usize },
    #[error(transparent)]
    Nesting(#[from] NestingError),
    #[error("{0}")]
    Exhausted(Box<Exhausted>),
    #[error("run {run} was taken over by another server")]
    LeaseLost { run: RunId },
    #[error("run {run} {}", ended(*.state))]
    RunEnded { run: RunId, state: RunState },
    #[error("run {run} {}", not_asking(*.state, *.answered))]
    NothingAsked { run: RunId, state: RunState, answered: bool },
    #[error("the draft of `{function}` failed: {}: {}", .error.type_name, .error.message)]
    DraftFailed { function: EntryName, error: RunError },
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    #[error("{source}; run {run} is recorded")]
    OfRun { run: RunId, source: store::Error },
    /// Something of it is stored that is no record of a run.
    #[error("the record of run {run} cannot be read")]
    Unreadable { run: RunId, source: store::Error },
    #[error(transparent)]
    Store(#[from] store::Error),
}

#[derive(Debug, Error)]
pub enum PackProblem {
    #[error("no function in it could be loaded")]
    Empty,
    #[error("`{name}` is already defined by {owner}")]
    Collision { name: String, owner: String },
}

/// What kind of failure it is, as far as a script has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// What was passed in is wrong.
    Input,
    NotFound,
    /// The brain says no: checks, conflicts, a state that does not allow it.
    Refused,
    /// The database, the disk or a key cannot be used.
    Unavailable,
}

impl Error {
    pub fn class(&self) -> Class {
        match self {
            Error::Name(_)
            | Error::Draft(_)
            | Error::DraftIn { .. }
            | Error::Source { .. }
            | Error::Secret(_)
            | Error::Input { .. }
            | Error::RunInput { .. }
            | Error::RunAmbiguous { .. }
            | Error::Babyagi { .. }
            | Error::GraphFile(_)
            | Error::Packing(_)
            | Error::Unpacking(_)
            | Error::Plan(PlanError::Twice { .. })
            | Error::Read { .. } => Class::Input,
            Error::Model(ModelError::Choice(_)) => Class::NotFound,
            Error::Model(error) if error.is_input() => Class::Input,
            Error::NotFound { .. }
            | Error::VersionNotFound { .. }
            | Error::NotLiveThen { .. }
            | Error::RevisionNotFound { .. }
            | Error::ChangesetNotFound { .. }
            | Error::RunNotFound { .. }
            | Error::NoGraphDraft { .. }
            | Error::Absent { .. } => Class::NotFound,
            Error::GraphDraft { source, .. } if source.is_conflict() => Class::Refused,
            Error::GraphDraft { .. } => Class::Input,
            Error::Plan(PlanError::Unknown { .. } | PlanError::NoVersion { .. }) => Class::NotFound,
            Error::Plan(_)
            | Error::Denied(_)
            | Error::NeedsApproval { .. }
            | Error::Taken { .. }
            | Error::ChecksFailed { .. }
            | Error::Conflicted { .. }
            | Error::Stale { .. }
            | Error::MovedSince { .. }
            | Error::Transition { .. }
            | Error::Contended
            | Error::RunEnded { .. }
            | Error::Exhausted(_)
            | Error::NothingAsked { .. }
            | Error::DraftFailed { .. }
            | Error::LeaseLost { .. }
            | Error::Served { .. }
            | Error::InTheWay { .. }
            | Error::ClosureGone
            | Error::Pack { .. } => Class::Refused,
            Error::Crowded { .. }
            | Error::Nesting(_)
            | Error::Execution(_)
            | Error::Model(_)
            | Error::Seal(_)
            | Error::Write { .. }
            | Error::Config(_)
            | Error::Search(_)
            | Error::OfRun { .. }
            | Error::Unreadable { .. }
            | Error::Store(_) => Class::Unavailable,
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Error::Denied(_) => "forbidden",
            Error::NeedsApproval { .. } => "needs_approval",
            Error::Name(_) => "bad_name",
            Error::Draft(DraftError::Source(_)) | Error::Source { .. } => "bad_source",
            Error::DraftIn { source: DraftError::Source(_), .. } => "bad_source",
            Error::Draft(_) | Error::DraftIn { .. } => "bad_function",
            Error::NotFound { .. } | Error::Absent { .. } | Error::Plan(PlanError::Unknown { .. }) => {
                "not_found"
            }
            Error::VersionNotFound { .. } | Error::Plan(PlanError::NoVersion { .. }) => "version_not_found",
            Error::GraphDraft { source, .. } if source.is_conflict() => "draft_conflict",
            Error::GraphDraft { .. } | Error::Packing(_) | Error::Unpacking(_) => "bad_patch",
            Error::NoGraphDraft { .. } => "no_draft",
            Error::GraphFile(_) => "bad_graph_file",
            Error::NotLiveThen { .. } => "not_live",
            Error::RevisionNotFound { .. } => "revision_not_found",
            Error::ChangesetNotFound { .. } => "changeset_not_found",
            Error::Taken { .. } => "name_taken",
            Error::ChecksFailed { .. } => "checks_failed",
            Error::Conflicted { .. } | Error::MovedSince { .. } => "conflicted",
            Error::Stale { .. } => "stale",
            Error::Transition { .. } => "wrong_state",
            Error::Plan(_) => "bad_changeset",
            Error::Contended => "contended",
            Error::Pack { .. } => "pack_refused",
            Error::Secret(_) => "bad_secret",
            Error::Seal(_) => "secrets_key",
            Error::Input { .. } => "bad_input",
            Error::Babyagi { .. } => "bad_babyagi_brain",
            Error::Read { .. } => "cannot_read",
            Error::Write { .. } => "cannot_write",
            Error::Config(_) => "bad_config",
            Error::RunInput { .. } => "bad_run_input",
            Error::ClosureGone => "closure_gone",
            Error::RunNotFound { .. } => "run_not_found",
            Error::RunAmbiguous { .. } => "run_ambiguous",
            Error::Served { .. } => "served",
            Error::InTheWay { .. } => "in_the_way",
            Error::Crowded { .. } | Error::Nesting(_) => "crowded",
            Error::LeaseLost { .. } => "lease_lost",
            Error::RunEnded { .. } => "run_ended",
            Error::Exhausted(_) => "budget_exhausted",
            Error::NothingAsked { .. } => "nothing_asked",
            Error::DraftFailed { .. } => "draft_failed",
            Error::Execution(_) => "not_executed",
            Error::Model(ModelError::Choice(_)) => "no_model",
            Error::Model(_) => "model_failed",
            Error::Search(_) => "search",
            Error::Unreadable { .. } => "internal",
            Error::OfRun { .. } | Error::Store(_) => "database",
        }
    }

    /// Of reading what a run recorded: what cannot be read is told with the run, and is no outage.
    pub(crate) fn of_record(run: RunId, source: store::Error) -> Error {
        match source {
            source @ store::Error::Json { .. } => Error::Unreadable { run, source },
            other => Error::Store(other),
        }
    }

    /// What to do now.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Draft(DraftError::Source(source))
            | Error::DraftIn { source: DraftError::Source(source), .. }
            | Error::Source { source, .. } => source.hint.clone(),
            Error::NotFound { near: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            Error::NotFound { near: None, key } => Some(match key.kind {
                EntryKind::Trigger | EntryKind::Schedule => format!("`selfmade {} list` lists them", key.kind),
                EntryKind::Function | EntryKind::Graph => {
                    format!("`selfmade search {}` finds names like it", key.name)
                }
            }),
            Error::Absent { noun: noun @ ("secret" | "token" | "session" | "pack" | "model"), .. } => {
                Some(format!("`selfmade {noun} list` lists them"))
            }
            Error::Absent { noun: "preset", .. } => Some("`selfmade preset list` lists them".to_owned()),
            Error::Transition { number, .. } => {
                Some(format!("`selfmade changes show {number}` shows what became of it"))
            }
            Error::ChangesetNotFound { .. } => Some("`selfmade changes list` lists them".to_owned()),
            Error::RevisionNotFound { .. } => Some("`selfmade log` lists the revisions".to_owned()),
            Error::VersionNotFound { key, .. } | Error::Plan(PlanError::NoVersion { key, .. }) => {
                let noun = if key.kind == EntryKind::Graph { "graph" } else { "fn" };
                Some(format!("`selfmade {noun} versions {}` lists its versions", key.name))
            }
            Error::GraphDraft { graph, source } => Some(match source {
                GraphDraftError::Moved { .. } | GraphDraftError::Replaced { .. } => format!(
                    "compare them with `selfmade graph diff {graph} --draft`; what the draft shall have from the live version is edited into it, then `--force` bases it there"
                ),
                source if source.is_conflict() => {
                    format!("read the draft again with `selfmade graph show {graph} --draft`, and repeat the edit on that")
                }
                _ => "nothing was changed; correct the patch and send all of them again".to_owned(),
            }),
            Error::GraphFile(_) => Some("nothing was changed; correct the file, or export it again".to_owned()),
            Error::NoGraphDraft { graph } => {
                Some(format!("a draft begins with the first patch: `selfmade graph patch {graph}`"))
            }
            Error::ChecksFailed { number: Some(number), .. } => {
                Some(format!("`selfmade changes show {number}` shows it again; nothing was applied"))
            }
            Error::ChecksFailed { number: None, .. } => Some("nothing was changed".to_owned()),
            Error::Denied(_) => {
                Some("use a token that is allowed to; whoever administers the server can create one".to_owned())
            }
            Error::NeedsApproval { number, .. } => Some(format!(
                "someone who may do that can apply it with `selfmade changes apply {number}`"
            )),
            Error::Conflicted { number, .. } => Some(format!(
                "review the difference with `selfmade changes show {number}`, then base it on the current brain with `selfmade changes rebase {number}`"
            )),
            Error::MovedSince { .. } => Some(
                "revert the later changesets first, or choose versions one by one with `selfmade fn use`".to_owned(),
            ),
            Error::Stale { key, .. } if key.kind == EntryKind::Graph => Some(format!(
                "read it again, and change the current version; a draft goes on from there after `selfmade graph rebase {}`",
                key.name
            )),
            Error::Stale { .. } => Some("read it again, and change the current version".to_owned()),
            Error::Contended => Some("try again".to_owned()),
            Error::Crowded { .. } => Some(
                "try again in a moment, or queue it with `Prefer: respond-async`; the setting `waited_at_once` says how many run at once"
                    .to_owned(),
            ),
            Error::Nesting(error) => Some(error.hint().to_owned()),
            Error::Pack { problem: PackProblem::Collision { .. }, pack } => Some(format!(
                "load it under a prefix with `--as {}.`, or replace what is there with `--replace`",
                prefix_of(pack)
            )),
            Error::Pack { problem: PackProblem::Empty, .. } => Some(
                "decorate its functions with `@selfmade.function`; a bare function is added with `selfmade fn add`"
                    .to_owned(),
            ),
            Error::Input { hint, .. } => Some(hint.clone()),
            Error::RunInput { key, .. } => {
                let noun = if key.kind == EntryKind::Graph { "graph" } else { "fn" };
                Some(format!("`selfmade {noun} show {}` shows what it takes", key.name))
            }
            Error::RunNotFound { .. } => Some("`selfmade runs list` shows the newest".to_owned()),
            Error::RunAmbiguous { .. } => Some("give more of its id".to_owned()),
            Error::Served { .. } => Some(
                "`selfmade stop` stops it, and commands use it while it runs; only a brain on PostgreSQL can have several servers"
                    .to_owned(),
            ),
            Error::Config(error) => Some(error.hint()),
            Error::InTheWay { .. } => Some("choose another path, or replace it with `--force`".to_owned()),
            Error::Store(store::Error::NoFile { .. }) => Some(
                "use PostgreSQL's own tools: `pg_dump --schema=selfmade --format=custom --file=FILE URL` and `pg_restore --clean --dbname=URL FILE`; keep `secrets.key` from the data folder as well"
                    .to_owned(),
            ),
            Error::OfRun { run, .. } => Some(format!("`selfmade runs show {run}` shows what happened to it")),
            Error::Execution(_) => Some("`selfmade doctor` shows what this machine supports".to_owned()),
            _ => None,
        }
    }

    /// What was found wrong, entry by entry.
    pub fn findings(&self) -> Vec<&Finding> {
        match self {
            Error::ChecksFailed { checks, .. } | Error::NeedsApproval { checks, .. } => checks
                .iter()
                .flat_map(|check| &check.findings)
                .filter(|finding| finding.severity == Severity::Error)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// What moved.
    pub fn conflicts(&self) -> &[Conflict] {
        match self {
            Error::Conflicted { conflicts, .. } | Error::MovedSince { conflicts, .. } => conflicts,
            _ => &[],
        }
    }

    /// Whether the same may succeed later, because it was only the database that could not be used.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Error::Store(error) | Error::OfRun { source: error, .. } if error.is_passing())
    }

    /// Whether a batch was refused because the brain moved on.
    pub(crate) fn is_stale(&self) -> bool {
        matches!(self, Error::Store(store::Error::GuardFailed { .. }))
    }
}

/// Why a Run takes no answer.
fn not_asking(state: RunState, answered: bool) -> String {
    let state = match state {
        RunState::Cancelled => "was cancelled".to_owned(),
        RunState::Succeeded | RunState::Failed => format!("has {}", state.as_str()),
        state => format!("is {}", state.as_str()),
    };
    match answered {
        true => format!("was already answered, and {state}"),
        false => format!("{state} and is not waiting for an answer"),
    }
}

/// As it is said of a Run.
fn ended(state: RunState) -> String {
    match state {
        RunState::Cancelled => "was already cancelled".to_owned(),
        state => format!("has already {}", state.as_str()),
    }
}

/// The first few, and whether there are more.
fn few(runs: &[RunId]) -> String {
    const FEW: usize = 5;
    let named: Vec<String> = runs.iter().take(FEW).map(ToString::to_string).collect();
    let more = if runs.len() > FEW { " and others" } else { "" };
    format!("{}{more}", named.join(", "))
}

/// An identifier made of a pack's name, to suggest as its prefix.
fn prefix_of(pack: &str) -> String {
    let last = pack.rsplit('/').next().unwrap_or(pack);
    last.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}
