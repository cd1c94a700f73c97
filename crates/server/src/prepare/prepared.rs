//! What a cell is given for a Function: its closure, divided into what runs in the same cell and what has to run in one of
//! its own, because it may do more or needs other packages.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::grants::Grants;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::FunctionContent;
use model::function::closure::{ClosureHash, Member};
use model::function::dependency::Role;
use model::function::run_options::Record;
use model::function::signature::{FunctionKind, Signature};
use model::graph::GraphContent;
use model::graph::block::BlockSignature;
use model::ids::{ChangesetId, EntryId, VersionId};
use model::input::InputSchema;
use model::input::output::OutputSchema;
use model::name::EntryName;
use model::python::{Dialect, Script};
use model::revision::Revision;
use model::run::RunDraft;
use model::run::draft::{Code, DraftContent};
use model::run::host_verb::HostVerb;
use model::version::{Version, VersionHead, VersionNumber};
use sandbox::{Closure, Function};
use uuid::Uuid;

use super::graph::PreparedGraph;

/// A Function or Graph that is ready to be run.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) key: EntryKey,
    /// None for a draft, like its number.
    pub(crate) version_id: Option<VersionId>,
    pub(crate) number: Option<VersionNumber>,
    pub(crate) draft: Option<RunDraft>,
    pub(crate) callable: Callable,
    pub(crate) members: Vec<Member>,
    pub(crate) hash: ClosureHash,
    pub(crate) schema: InputSchema,
    /// Names whose moving makes this stale.
    pub(crate) names: HashSet<String>,
    /// The newest revision at which it was seen to be what a Run has to load.
    revision: AtomicU64,
}

/// What can be run.
#[derive(Debug)]
pub(crate) enum Callable {
    Function(PreparedFunction),
    Graph(Box<PreparedGraph>, Signature),
}

/// A Function that is ready to be run.
#[derive(Debug)]
pub(crate) struct PreparedFunction {
    pub(crate) content: Box<FunctionContent>,
    pub(crate) closure: Arc<Closure>,
    /// What the functions of the closure are in the brain, in the same order.
    pub(crate) called: Vec<Called>,
    /// What the sources of this cell call that runs in another cell, by the name of the stand-in.
    pub(crate) elsewhere: HashMap<String, VersionId>,
    /// Packages, as `pip` writes them.
    pub(crate) requirements: Vec<String>,
    pub(crate) verbs: Vec<String>,
    /// What it may return; none if everything.
    pub(crate) output: Option<OutputSchema>,
    /// What somebody wrote, if nothing but its Run has it.
    pub(crate) script: Option<String>,
}

/// A Function as its Calls are recorded.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) name: String,
    pub(crate) version_id: VersionId,
    /// What is kept of what it is handed and answers.
    pub(crate) record: Record,
}

impl PreparedFunction {
    /// Whether neither it nor what it calls is granted anything.
    pub(crate) fn reaches_nothing(&self) -> bool {
        let grants = &self.content.grants;
        *grants == Grants { limits: grants.limits.clone(), ..Grants::default() } && self.elsewhere.is_empty()
    }
}

impl Prepared {
    pub(crate) fn revision(&self) -> Revision {
        Revision(self.revision.load(Ordering::Relaxed))
    }

    /// It is still the same at this revision.
    pub(super) fn holds_at(&self, revision: Revision) {
        self.revision.fetch_max(revision.0, Ordering::Relaxed);
    }

    /// Nothing if it is a Graph.
    pub(crate) fn function(&self) -> Option<&PreparedFunction> {
        match &self.callable {
            Callable::Function(function) => Some(function),
            Callable::Graph(..) => None,
        }
    }

    pub(crate) fn signature(&self) -> &Signature {
        match &self.callable {
            Callable::Function(function) => &function.content.signature,
            Callable::Graph(_, signature) => signature,
        }
    }

    /// What is executed, if that is a draft or a script.
    pub(crate) fn drafted(&self) -> Option<DraftContent> {
        self.draft.as_ref()?;
        Some(match &self.callable {
            Callable::Graph(graph, _) => DraftContent::Graph(graph.content.clone()),
            Callable::Function(function) => DraftContent::Code(Code {
                script: function.script.clone()?,
                function: function.content.clone(),
            }),
        })
    }
}

/// Works out what a cell is given. `versions` is the closure, each with whether it is live; the first is the root.
pub(crate) fn prepare(versions: &[(Version, bool)], revision: Revision) -> Option<Prepared> {
    let members: Vec<Member> = versions
        .iter()
        .map(|(version, live)| Member { version_id: version.head.version_id, live: *live })
        .collect();
    let names = names(versions);
    let (hash, root) = (ClosureHash::of(&members), &versions.first()?.0);
    let head = &root.head;
    let callable = match &root.content {
        Content::Function(content) => {
            Callable::Function(prepare_function(content.clone(), Plan::new(root, versions)?))
        }
        Content::Graph(graph) => {
            let (graph, signature) = prepare_graph(graph.clone(), versions);
            Callable::Graph(Box::new(graph), signature)
        }
        Content::Trigger(_) | Content::Schedule(_) => return None,
    };
    let schema = match &callable {
        Callable::Function(function) => InputSchema::compile(&function.content.signature),
        Callable::Graph(_, signature) => InputSchema::compile(signature),
    };
    Some(Prepared {
        key: head.key.clone(),
        version_id: Some(head.version_id),
        number: Some(head.number),
        draft: None,
        callable,
        members,
        hash,
        schema,
        names,
        revision: AtomicU64::new(revision.0),
    })
}

/// The same for a draft of a Graph, or for a script. `versions` is all that it calls, directly or not.
pub(crate) fn prepare_draft(
    name: &EntryName,
    draft: RunDraft,
    content: DraftContent,
    versions: &[(Version, bool)],
    revision: Revision,
) -> Option<Prepared> {
    let members: Vec<Member> = versions
        .iter()
        .map(|(version, live)| Member { version_id: version.head.version_id, live: *live })
        .collect();
    let kind = if matches!(content, DraftContent::Graph(_)) { EntryKind::Graph } else { EntryKind::Function };
    let key = EntryKey::new(kind, name.clone());
    let (callable, schema) = match content {
        DraftContent::Graph(content) => {
            let (graph, signature) = prepare_graph(content, versions);
            let schema = InputSchema::compile(&signature);
            (Callable::Graph(Box::new(graph), signature), schema)
        }
        DraftContent::Code(code) => {
            let schema = InputSchema::compile(&code.function.signature);
            (Callable::Function(prepare_code(&key, &draft, code, versions)?), schema)
        }
    };
    Some(Prepared {
        key,
        version_id: None,
        number: None,
        draft: Some(draft),
        hash: ClosureHash::of(&members),
        schema,
        callable,
        members,
        names: names(versions),
        revision: AtomicU64::new(revision.0),
    })
}

/// A script is executed as if it were a Version that is not live: what it calls by its own name is what is stored under that.
fn prepare_code(
    key: &EntryKey,
    draft: &RunDraft,
    code: Code,
    versions: &[(Version, bool)],
) -> Option<PreparedFunction> {
    let Code { script, function } = code;
    let head = VersionHead {
        key: key.clone(),
        entry_id: EntryId(Uuid::nil()),
        version_id: VersionId(Uuid::nil()),
        number: VersionNumber(0),
        content_hash: draft.content,
        changeset_id: ChangesetId(Uuid::nil()),
        written_by: Actor::CommandLine,
        written_at: Timestamp::UNIX_EPOCH,
    };
    let root = Version { head, content: Content::Function(function.clone()) };
    let mut prepared = prepare_function(function, Plan::new(&root, versions)?);
    if let Some(entry) = Arc::get_mut(&mut prepared.closure).and_then(|closure| closure.functions.first_mut())
    {
        entry.lines_above = Script::LINES_ABOVE;
    }
    Some(PreparedFunction { script: Some(script), ..prepared })
}

fn prepare_graph(content: GraphContent, versions: &[(Version, bool)]) -> (PreparedGraph, Signature) {
    let signature = BlockSignature::of_graph(&content).to_signature();
    (PreparedGraph::new(content, versions), signature)
}

fn prepare_function(content: Box<FunctionContent>, mut plan: Plan<'_>) -> PreparedFunction {
    plan.place_all();
    let closure = Arc::new(Closure { functions: plan.functions, entry: 0 });
    let (elsewhere, requirements) = (plan.elsewhere, plan.packages.into_values().collect());
    let verbs = verbs(&content.grants, !elsewhere.is_empty());
    // What BabyAGI's functions are annotated with was never checked, and they cannot say what is to come of it.
    let output = match content.dialect {
        Dialect::Selfmade => OutputSchema::compile(&content.signature),
        Dialect::Babyagi => None,
    };
    PreparedFunction {
        content,
        closure,
        called: plan.called,
        elsewhere,
        requirements,
        verbs,
        output,
        script: None,
    }
}

/// Of all that is in the closure or is called by it, also of what is called and not there: it may come.
fn names(versions: &[(Version, bool)]) -> HashSet<String> {
    let called = versions.iter().flat_map(|(version, _)| version.content.references());
    let called = called.filter(|reference| reference.role == Role::Calls).map(|reference| reference.name);
    versions.iter().map(|(version, _)| version.head.key.name.to_string()).chain(called).collect()
}

fn verbs(grants: &Grants, calls_elsewhere: bool) -> Vec<String> {
    let hidden = calls_elsewhere.then_some(HostVerb::Call);
    HostVerb::granted(grants).chain(hidden).map(|verb| verb.name().to_owned()).collect()
}

/// A closure on its way into cells.
struct Plan<'a> {
    /// By name and number, and by name alone for the live ones.
    pinned: HashMap<(&'a str, VersionNumber), &'a Version>,
    live: HashMap<&'a str, &'a Version>,
    grants: &'a Grants,
    root: &'a Version,
    functions: Vec<Function>,
    called: Vec<Called>,
    /// Where each Version stands in `functions`.
    places: HashMap<VersionId, usize>,
    waiting: Vec<&'a Version>,
    elsewhere: HashMap<String, VersionId>,
    /// By package name.
    packages: BTreeMap<String, String>,
}

impl<'a> Plan<'a> {
    /// `versions` is what the root calls, perhaps with itself.
    fn new(root: &'a Version, versions: &'a [(Version, bool)]) -> Option<Plan<'a>> {
        let name = |version: &'a Version| version.head.key.name.as_str();
        Some(Plan {
            pinned: versions.iter().map(|(one, _)| ((name(one), one.head.number), one)).collect(),
            live: versions.iter().filter(|(_, live)| *live).map(|(one, _)| (name(one), one)).collect(),
            grants: &root.content.as_function()?.grants,
            root,
            functions: Vec::new(),
            called: Vec::new(),
            places: HashMap::new(),
            waiting: Vec::new(),
            elsewhere: HashMap::new(),
            packages: BTreeMap::new(),
        })
    }

    fn place_all(&mut self) {
        self.place(self.root);
        while let Some(version) = self.waiting.pop() {
            let Some(content) = version.content.as_function() else { continue };
            let mut dependencies = BTreeMap::new();
            for dependency in &content.dependencies {
                let called = match dependency.version {
                    Some(number) => self.pinned.get(&(dependency.function.as_str(), number)).copied(),
                    None => self.live.get(dependency.function.as_str()).copied(),
                };
                // What is nowhere is a `NameError` when it is called, as in BabyAGI's functions that name what is not.
                if let Some(called) = called {
                    dependencies.insert(dependency.alias.clone(), self.place(called));
                }
            }
            let place = self.places[&version.head.version_id];
            self.functions[place].dependencies = dependencies;
        }
    }

    /// Where a Version stands, or the stand-in for one that runs elsewhere.
    fn place(&mut self, version: &'a Version) -> usize {
        if let Some(place) = self.places.get(&version.head.version_id) {
            return *place;
        }
        let place = self.functions.len();
        self.places.insert(version.head.version_id, place);
        let (name, version_id) = (version.head.key.name.to_string(), version.head.version_id);
        let Some(content) = version.content.as_function() else {
            self.called.push(Called { name, version_id, record: Record::All });
            self.functions.push(graph_stand_in(version));
            self.elsewhere.insert(version_id.to_string(), version_id);
            return place;
        };
        self.called.push(Called { name, version_id, record: content.running.record });
        if self.fits(content) {
            self.packages
                .extend(content.requirements.iter().map(|one| (one.package_name(), one.package.clone())));
            self.functions.push(function(version, content));
            self.waiting.push(version);
        } else {
            self.functions.push(stand_in(version, content));
            self.elsewhere.insert(version_id.to_string(), version_id);
        }
        place
    }

    fn fits(&self, content: &FunctionContent) -> bool {
        let agrees = |package: &str, wanted: &String| {
            self.packages.get(package).is_none_or(|present| present == wanted)
        };
        self.grants.cover(&content.grants)
            && content.requirements.iter().all(|one| agrees(&one.package_name(), &one.package))
    }
}

fn function(version: &Version, content: &FunctionContent) -> Function {
    let head = &version.head;
    Function {
        name: head.key.name.last().to_owned(),
        file: format!("{}@{}", head.key.name, head.number),
        source: content.source.clone(),
        lines_above: 0,
        dialect: match content.dialect {
            Dialect::Selfmade => sandbox::Dialect::Selfmade,
            Dialect::Babyagi => sandbox::Dialect::Babyagi,
        },
        dependencies: BTreeMap::new(),
        imports: content.imports.clone(),
        secrets: content.grants.secrets.iter().cloned().collect(),
    }
}

/// Asks the host to call it, and is called as the function would be.
fn stand_in(version: &Version, content: &FunctionContent) -> Function {
    let kind = if content.signature.kind == FunctionKind::Async { "async def" } else { "def" };
    let source = stand_in_source(version, kind);
    Function { source, dialect: sandbox::Dialect::Selfmade, ..function(version, content) }
}

/// A Graph is called like a Function, with its inputs by name, and answers with its outputs.
fn graph_stand_in(version: &Version) -> Function {
    let head = &version.head;
    Function {
        name: head.key.name.last().to_owned(),
        file: format!("{}@{}", head.key.name, head.number),
        source: stand_in_source(version, "def"),
        lines_above: 0,
        dialect: sandbox::Dialect::Selfmade,
        dependencies: BTreeMap::new(),
        imports: Vec::new(),
        secrets: Vec::new(),
    }
}

fn stand_in_source(version: &Version, kind: &str) -> String {
    let (name, id, call) = (version.head.key.name.last(), version.head.version_id, HostVerb::Call.name());
    format!(
        "{kind} {name}(*args, **kwargs):\n    import selfmade\n    return selfmade.{call}(\"{id}\", list(args), kwargs)\n"
    )
}
