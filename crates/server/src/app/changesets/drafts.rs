//! From a proposal to a Changeset's changes: sources are analysed, names resolved against the current brain, and what must
//! be deleted with an entry is added.

use std::collections::{BTreeSet, HashMap, HashSet};

use model::access::{Access, Authority};
use model::changeset::check::{Finding, Gate, Places};
use model::changeset::{Change, Changeset, Live};
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::FunctionDraft;
use model::function::dependency::Role;
use model::ids::ChangesetId;
use model::name::EntryName;
use model::pack::{Pack, Widened, widen};
use model::python::Analysis;
use model::schedule::ScheduleContent;
use model::trigger::TriggerContent;
use model::version::{Version, VersionNumber};
use sha2::{Digest, Sha256};
use store::{Question, Snapshot};

use super::Breakage;
use super::sources::{Analysed, analyse_all};
use crate::ctx::Ctx;
use crate::error::Error;

/// One change.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are few of them, and they are not kept")]
pub enum Intent {
    Function(Box<FunctionIntent>),
    Put(EntryName, Content),
    /// A change that is worked out already, such as an imported history.
    Ready(Change),
    Use(EntryKey, VersionNumber),
    Delete(EntryKey),
    /// A Trigger is enabled or disabled, a Schedule resumed or paused; the rest of it stays as it is.
    Switch(EntryKey, bool),
}

#[derive(Clone, Debug, Default)]
pub struct FunctionIntent {
    pub draft: FunctionDraft,
    /// The analysis of its source, where it was made already.
    pub analysis: Option<Analysis>,
    /// The file it comes from, for messages.
    pub file: Option<String>,
}

impl FunctionIntent {
    /// The name it would be stored under.
    pub(crate) fn name(&self) -> Result<EntryName, Error> {
        let named = self.draft.name.clone().map(Ok);
        let defined = || self.analysis.as_ref().map(|analysis| EntryName::new(&analysis.name));
        match named.or_else(defined) {
            Some(name) => Ok(name?),
            None => Err(Error::Draft(model::function::DraftError::NoSource)),
        }
    }
}

impl Intent {
    /// The name it is about, if it says so.
    pub(crate) fn name(&self) -> Option<EntryName> {
        match self {
            Intent::Function(intent) => intent.name().ok(),
            Intent::Put(name, _) => Some(name.clone()),
            Intent::Ready(change) => Some(change.key.name.clone()),
            Intent::Use(key, _) | Intent::Delete(key) | Intent::Switch(key, _) => Some(key.name.clone()),
        }
    }

    pub fn function(draft: FunctionDraft) -> Intent {
        Intent::Function(Box::new(FunctionIntent { draft, ..FunctionIntent::default() }))
    }
}

/// What someone proposes, as one Changeset.
#[derive(Clone, Debug, Default)]
pub struct Proposal {
    /// What it is for; made up from the changes if empty.
    pub title: String,
    pub intents: Vec<Intent>,
    /// Full names of functions that the sources know by another: those of a pack loaded under a prefix.
    pub aliases: HashMap<String, String>,
    /// The Pack all of it belongs to.
    pub pack: Option<Pack>,
    /// The Changeset this one undoes.
    pub reverts: Option<ChangesetId>,
    /// Others who wrote parts of it, each judged like the author.
    pub editors: Vec<Authority>,
    /// What has to be live for it to be applied.
    pub expected: Vec<(EntryKey, Expected)>,
    /// What becomes of stored entries that it would break.
    pub breakage: Breakage,
    /// A second proposal with the same key is the first one.
    pub once: Option<String>,
}

impl Proposal {
    /// The id its key leads to, the same each time.
    pub(crate) fn id(&self) -> Option<ChangesetId> {
        let digest = Sha256::digest(self.once.as_ref()?.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Some(ChangesetId(uuid::Builder::from_custom_bytes(bytes).into_uuid()))
    }

    pub fn of(title: impl Into<String>, intents: Vec<Intent>) -> Proposal {
        Proposal { title: title.into(), intents, ..Proposal::default() }
    }
}

/// What someone who read the brain believes to be live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Absent,
    Present,
    Version(VersionNumber),
}

impl Expected {
    fn is(self, live: Option<VersionNumber>) -> bool {
        match self {
            Expected::Absent => live.is_none(),
            Expected::Present => live.is_some(),
            Expected::Version(number) => live == Some(number),
        }
    }
}

/// Changes, with what is known of the brain around them.
#[derive(Debug)]
pub(crate) struct Drafted {
    pub(crate) snapshot: Snapshot,
    pub(crate) changes: Vec<Change>,
    /// What the analysis has to say.
    pub(crate) findings: Vec<Finding>,
    /// Contents of Versions that are there already and shall be live.
    pub(crate) existing: HashMap<EntryKey, Content>,
    pub(crate) widened: Vec<Widened>,
    /// Where the drafted sources use their free names.
    pub(crate) places: HashMap<EntryKey, Places>,
}

/// Limited to what its author may see: names outside do not exist for it.
pub(crate) async fn draft(ctx: &Ctx, access: &Access, proposal: &Proposal) -> Result<Drafted, Error> {
    let mut sources = Vec::new();
    let mut changes = Vec::new();
    let mut switched = Vec::new();
    for intent in &proposal.intents {
        match intent {
            Intent::Function(intent) => sources.push((**intent).clone()),
            Intent::Put(name, content) => changes.push(Change::put(name.clone(), content.clone())),
            Intent::Ready(change) => changes.push(change.clone()),
            Intent::Use(key, number) => changes.push(Change::point(key.clone(), *number)),
            Intent::Delete(key) => changes.push(Change::delete(key.clone())),
            Intent::Switch(key, on) => {
                let (change, number) = switch(ctx, key, *on).await?;
                changes.push(change);
                switched.push((key, number));
            }
        }
    }
    let functions = analyse_all(ctx, sources).await?;
    let names = candidate_names(&functions, proposal);
    let mut drafted = look_around(ctx, access, changes, names).await?;
    refuse_absent(proposal, &drafted.snapshot)?;
    unmoved(&switched, &drafted.snapshot)?;
    refuse_stale(proposal, &drafted.snapshot)?;
    assemble(&mut drafted, functions, proposal)?;
    Ok(drafted)
}

/// The live content with its switch in the other position, and the Version it was in.
async fn switch(ctx: &Ctx, key: &EntryKey, on: bool) -> Result<(Change, VersionNumber), Error> {
    let version = live(ctx, key).await?;
    let content = match version.content {
        Content::Trigger(trigger) => Content::Trigger(TriggerContent { enabled: on, ..trigger }),
        Content::Schedule(schedule) => Content::Schedule(ScheduleContent { paused: !on, ..schedule }),
        Content::Function(_) | Content::Graph(_) => {
            return Err(Error::Input {
                problem: format!("{key} cannot be enabled or disabled"),
                hint: "only triggers and schedules can".to_owned(),
            });
        }
    };
    Ok((Change::put(key.name.clone(), content), version.head.number))
}

async fn live(ctx: &Ctx, key: &EntryKey) -> Result<Version, Error> {
    ctx.store.live_version(key).await?.ok_or_else(|| Error::NotFound { key: key.clone(), near: None })
}

/// What was read to be switched is still live. Otherwise it is drafted again.
fn unmoved(switched: &[(&EntryKey, VersionNumber)], snapshot: &Snapshot) -> Result<(), Error> {
    let live = |key: &EntryKey| snapshot.entries.get(key).and_then(|state| state.live);
    match switched.iter().all(|(key, number)| live(key) == Some(*number)) {
        true => Ok(()),
        false => Err(store::Error::GuardFailed { guard: "what is switched is as it was" }.into()),
    }
}

/// Deleting what is already deleted is an error: it is probably a mistake.
fn refuse_absent(proposal: &Proposal, snapshot: &Snapshot) -> Result<(), Error> {
    let absent = |key: &EntryKey| snapshot.entries.get(key).is_some_and(|state| state.live.is_none());
    for intent in &proposal.intents {
        if let Intent::Delete(key) = intent
            && absent(key)
        {
            return Err(Error::NotFound { key: key.clone(), near: None });
        }
    }
    Ok(())
}

/// Whoever changes what they read must not undo what others did meanwhile.
fn refuse_stale(proposal: &Proposal, snapshot: &Snapshot) -> Result<(), Error> {
    for (key, expected) in &proposal.expected {
        let live = snapshot.entries.get(key).and_then(|state| state.live);
        if !expected.is(live) {
            return Err(Error::Stale { key: key.clone(), live });
        }
    }
    Ok(())
}

/// Changes that were drafted before, looked at again in the brain as it is now. The sources are the same, so what their
/// analysis had to say still holds.
pub(crate) async fn redraft(ctx: &Ctx, access: &Access, changeset: &Changeset) -> Result<Drafted, Error> {
    let mut drafted = look_around(ctx, access, changeset.changes.clone(), BTreeSet::new()).await?;
    let analyses = changeset.checks.iter().filter(|check| check.gate == Gate::Parses);
    drafted.findings = analyses.flat_map(|check| check.findings.clone()).collect();
    Ok(drafted)
}

/// Everything in the sources that might name a stored function.
fn candidate_names(functions: &[Analysed], proposal: &Proposal) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = proposal.aliases.values().cloned().collect();
    for function in functions {
        let own = function.draft.name.as_ref().map_or(function.analysis.name.as_str(), EntryName::as_str);
        names.insert(own.to_owned());
        for free in &function.analysis.free_names {
            names.insert(free.name.clone());
            names.extend(free.attributes.iter().cloned());
        }
        let declared = function.draft.declared.dependencies.iter().flatten();
        names.extend(declared.map(|dependency| dependency.function.clone()));
        let kept = function.kept.iter().flat_map(|kept| &kept.dependencies);
        names.extend(kept.map(|dependency| dependency.function.clone()));
    }
    names
}

/// Reads what the changes touch, at one moment. Triggers and Schedules die with what they start.
async fn look_around(
    ctx: &Ctx,
    access: &Access,
    mut changes: Vec<Change>,
    mut names: BTreeSet<String>,
) -> Result<Drafted, Error> {
    let existing = existing_contents(ctx, &changes).await?;
    let contents = changes.iter().filter_map(Change::added_live).chain(existing.values());
    for reference in contents.flat_map(Content::references) {
        names.insert(reference.name);
    }
    names.extend(changes.iter().map(|change| change.key.name.to_string()));
    let mut keys: HashSet<EntryKey> = changes.iter().map(|change| change.key.clone()).collect();
    for name in names.iter().filter_map(|name| EntryName::new(name).ok()) {
        keys.insert(EntryKey::new(EntryKind::Graph, name.clone()));
        keys.insert(EntryKey::function(name));
    }
    // Only Functions and Graphs are called or started; a Trigger of the same name is another thing.
    let deleted =
        changes.iter().filter(|change| change.live == Live::Nothing && is_callable(change.key.kind));
    let mut question = Question {
        referrers_of: deleted.map(|change| change.key.name.to_string()).collect(),
        entries: keys.into_iter().collect(),
    };
    let mut snapshot = seen(access, ctx.store.snapshot(&question).await?);

    let orphans: BTreeSet<EntryKey> = snapshot
        .referrers
        .iter()
        .filter(|(target, role, who)| {
            *role == Role::Starts
                && changes.iter().all(|change| change.key != *who)
                && !stays(&target.name, &changes, &snapshot)
        })
        .map(|(_, _, who)| who.clone())
        .collect();
    if !orphans.is_empty() {
        question.entries.extend(orphans.iter().cloned());
        snapshot = seen(access, ctx.store.snapshot(&question).await?);
        changes.extend(orphans.into_iter().map(Change::delete));
    }
    Ok(Drafted {
        snapshot,
        changes,
        findings: Vec::new(),
        existing,
        widened: Vec::new(),
        places: HashMap::new(),
    })
}

/// Only what may be called or touched.
fn seen(access: &Access, mut snapshot: Snapshot) -> Snapshot {
    snapshot.entries.retain(|key, _| access.authority.may_call(key.name.as_str()));
    snapshot.referrers.retain(|(_, _, who)| access.covers(who.name.as_str()));
    snapshot
}

fn is_callable(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Function | EntryKind::Graph)
}

/// Whether a Function or a Graph of this name is live once the changes are applied.
fn stays(name: &EntryName, changes: &[Change], snapshot: &Snapshot) -> bool {
    [EntryKind::Function, EntryKind::Graph].into_iter().any(|kind| {
        let key = EntryKey::new(kind, name.clone());
        match changes.iter().find(|change| change.key == key) {
            Some(change) => change.live != Live::Nothing,
            None => snapshot.entries.get(&key).is_some_and(|state| state.live.is_some()),
        }
    })
}

async fn existing_contents(ctx: &Ctx, changes: &[Change]) -> Result<HashMap<EntryKey, Content>, Error> {
    let mut contents = HashMap::new();
    for change in changes {
        if let Live::Existing(number) = change.live {
            let version = ctx.store.version(&change.key, number).await?;
            contents.extend(version.map(|version| (change.key.clone(), version.content)));
        }
    }
    Ok(contents)
}

fn assemble(drafted: &mut Drafted, functions: Vec<Analysed>, proposal: &Proposal) -> Result<(), Error> {
    let stored: HashSet<String> = drafted
        .snapshot
        .entries
        .iter()
        .filter(|(key, state)| key.kind == EntryKind::Function && state.live.is_some())
        .map(|(key, _)| key.name.to_string())
        .chain(functions.iter().map(|function| match &function.draft.name {
            Some(name) => name.to_string(),
            None => function.analysis.name.clone(),
        }))
        .collect();
    let resolve = |expression: &str| match proposal.aliases.get(expression) {
        Some(full) => Some(full.clone()),
        None => stored.contains(expression).then(|| expression.to_owned()),
    };
    let mut assembled = Vec::with_capacity(functions.len());
    for function in functions {
        let places = Places { file: function.file.clone(), free_names: function.analysis.free_names.clone() };
        let one = function
            .draft
            .assemble_analysed(function.analysis, function.kept.as_ref(), &resolve)
            .map_err(|source| match function.file {
                Some(file) => Error::DraftIn { file, source },
                None => Error::Draft(source),
            })?;
        let findings = one.findings.into_iter();
        drafted.findings.extend(findings.map(|finding| Finding { file: places.file.clone(), ..finding }));
        drafted.places.insert(EntryKey::function(one.name.clone()), places);
        assembled.push((one.name, one.content));
    }
    if proposal.pack.is_some() {
        drafted.widened = widen(&mut assembled);
    }
    let puts =
        assembled.into_iter().map(|(name, content)| Change::put(name, Content::Function(Box::new(content))));
    drafted.changes.extend(puts);
    Ok(())
}
