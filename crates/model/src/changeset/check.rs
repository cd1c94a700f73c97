//! Checks: the gates a Changeset passes before it can be applied. Those that need only what is written are decided
//! here; those that run code are passed in as results.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::document;
use crate::content::Content;
use crate::entry::{EntryKey, EntryKind};
use crate::function::FunctionContent;
use crate::function::dependency::{Reference, Role};
use crate::graph::check::Problem;
use crate::input::InputSchema;
use crate::name::{EntryName, MAX_NAME_BYTES};
use crate::python::{Dialect, FreeName, analyse};
use crate::version::VersionNumber;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    Parses,
    Names,
    Types,
    Tests,
    /// Its tests notice mistakes.
    Mutants,
    /// No stored function does the same.
    Twins,
    /// What it gives for recorded inputs of what it replaces.
    Evidence,
    Policy,
}

impl Gate {
    pub fn as_str(self) -> &'static str {
        match self {
            Gate::Parses => "parses",
            Gate::Names => "names",
            Gate::Types => "types",
            Gate::Tests => "tests",
            Gate::Mutants => "mutants",
            Gate::Twins => "twins",
            Gate::Evidence => "evidence",
            Gate::Policy => "policy",
        }
    }
}

/// How a hint ends where `Check::forced` accepts what it is about.
pub const OR_FORCE: &str = "; `--force` applies it all the same (over HTTP `?force=true`)";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Passed,
    Failed,
    NotRun,
    /// It failed only because of entries that the changeset does not change, and was applied all the same.
    Forced,
    /// Someone else than who proposed it has to apply it.
    Asks,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Check {
    pub gate: Gate,
    pub verdict: Verdict,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Why it was not run, or what it was judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
}

/// Something a person or an agent should know about one entry, and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Finding {
    pub severity: Severity,
    pub entry: EntryKey,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The file that lines and columns count in; the stored source if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl Finding {
    pub fn error(entry: EntryKey, message: impl Into<String>) -> Finding {
        Finding {
            severity: Severity::Error,
            entry,
            message: message.into(),
            hint: None,
            file: None,
            line: None,
            column: None,
        }
    }

    pub fn warning(entry: EntryKey, message: impl Into<String>) -> Finding {
        Finding { severity: Severity::Warning, ..Finding::error(entry, message) }
    }

    pub fn at(self, line: u32, column: u32) -> Finding {
        Finding { line: Some(line), column: Some(column), ..self }
    }

    pub fn hint(self, hint: impl Into<String>) -> Finding {
        Finding { hint: Some(hint.into()), ..self }
    }
}

impl Check {
    pub fn of(gate: Gate, findings: Vec<Finding>) -> Check {
        let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
        let verdict = if failed { Verdict::Failed } else { Verdict::Passed };
        Check { gate, verdict, findings, note: None }
    }

    /// As it is for someone who accepts that stored entries break. What is wrong with the changes themselves stays an error.
    #[must_use]
    pub fn forced(mut self, changes: impl Fn(&EntryKey) -> bool) -> Check {
        let mut errors = self.findings.iter().filter(|finding| finding.severity == Severity::Error);
        if self.verdict != Verdict::Failed || errors.any(|finding| changes(&finding.entry)) {
            return self;
        }
        for hint in self.findings.iter_mut().filter_map(|finding| finding.hint.as_mut()) {
            if let Some(rest) = hint.strip_suffix(OR_FORCE) {
                *hint = rest.to_owned();
            }
        }
        Check { verdict: Verdict::Forced, ..self }
    }

    /// Both as one check, which is as bad as the worse of them.
    #[must_use]
    pub fn and(mut self, other: Check) -> Check {
        let is_worse = match other.verdict {
            Verdict::Failed => true,
            Verdict::Forced => self.verdict != Verdict::Failed,
            _ => false,
        };
        if is_worse {
            self.verdict = other.verdict;
        }
        self.findings.extend(other.findings);
        self
    }

    pub fn not_run(gate: Gate, note: impl Into<String>) -> Check {
        Check { gate, verdict: Verdict::NotRun, findings: Vec::new(), note: Some(note.into()) }
    }
}

/// What one change leads to: the content that will be live, or none.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    pub key: &'a EntryKey,
    pub after: Option<&'a Content>,
}

/// What a check has to know of the brain around a Changeset.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Which of the entries that the Changeset changes or names are live now.
    pub live: HashSet<EntryKey>,
    /// Which of the pinned Versions that it names exist.
    pub pinned: HashSet<(EntryKey, VersionNumber)>,
    /// Which live entries name one that the Changeset deletes, and how.
    pub referrers: Vec<(EntryKey, Role, EntryKey)>,
    /// The names of Functions and Graphs that the Changeset deletes.
    pub deleted: HashSet<String>,
    /// Names to suggest from when one is not found.
    pub known_names: Vec<String>,
    /// Where the sources of changed functions use their free names, if that is known.
    pub places: HashMap<EntryKey, Places>,
}

/// Where a source uses its free names: in the file it came from, or in itself.
#[derive(Clone, Debug, Default)]
pub struct Places {
    pub file: Option<String>,
    pub free_names: Vec<FreeName>,
}

/// The gate `names`: everything that is called or started exists once the Changeset is applied.
pub fn check_names(outcomes: &[Outcome<'_>], around: &Surroundings) -> Check {
    let after: HashMap<&EntryKey, bool> =
        outcomes.iter().map(|outcome| (outcome.key, outcome.after.is_some())).collect();
    let exists = |key: &EntryKey| after.get(key).copied().unwrap_or_else(|| around.live.contains(key));

    let callers = callers(&after, around);

    let mut findings = Vec::new();
    for outcome in outcomes {
        match outcome.after {
            Some(content) => {
                let missing = content
                    .references()
                    .into_iter()
                    .filter(|reference| !reference_exists(reference, &exists, around));
                findings.extend(
                    missing.map(|reference| missing_reference(outcome.key, content, &reference, around)),
                );
            }
            None if !is_missed(outcome.key, &exists) => {}
            None => findings.extend(left_behind(outcome.key, &callers)),
        }
    }
    Check::of(Gate::Names, findings)
}

/// Whether callers could miss what goes. Functions and Graphs are called by one name, so one may go while the other
/// stays; nothing else is called.
fn is_missed(key: &EntryKey, exists: &impl Fn(&EntryKey) -> bool) -> bool {
    let callable = [EntryKind::Function, EntryKind::Graph];
    callable.contains(&key.kind)
        && !callable.iter().any(|kind| exists(&EntryKey::new(*kind, key.name.clone())))
}

fn reference_exists(
    reference: &Reference,
    exists: &impl Fn(&EntryKey) -> bool,
    around: &Surroundings,
) -> bool {
    let Ok(name) = EntryName::new(&reference.name) else { return false };
    let key = EntryKey::new(reference.kind, name);
    // Graphs are called and started like Functions.
    let graph = EntryKey::new(EntryKind::Graph, key.name.clone());
    if let Some(version) = reference.version {
        return [key, graph].into_iter().any(|key| around.pinned.contains(&(key, version)));
    }
    exists(&key) || exists(&graph)
}

fn missing_reference(
    key: &EntryKey,
    content: &Content,
    reference: &Reference,
    around: &Surroundings,
) -> Finding {
    let name = &reference.name;
    if let Some(version) = reference.version {
        return Finding::error(
            key.clone(),
            format!("`{name}@{version}` is pinned, but `{name}` has no version {version}"),
        )
        .hint(format!("list its versions with `selfmade fn versions {name}`, or leave the pin out"));
    }
    match (content, reference.role) {
        (Content::Function(function), _) => missing_function(key, function, name, around),
        (Content::Graph(_), _) => {
            Finding::warning(key.clone(), format!("a node uses `{name}`, but there is no such function"))
        }
        (_, Role::Watches) => {
            Finding::warning(key.clone(), format!("it listens to `{name}`, which is not stored yet"))
        }
        _ if around.deleted.contains(name) => {
            Finding::error(key.clone(), format!("it starts `{name}`, which is deleted in the same changeset"))
                .hint(format!(
                    "delete the {} as well (in a brain folder `{}`), or keep `{name}`",
                    key.kind,
                    document::path(key)
                ))
        }
        _ => {
            let hint = match nearest(name, &around.known_names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add a function named `{name}` first, or in the same changeset"),
            };
            Finding::error(key.clone(), format!("it starts `{name}`, which is not stored")).hint(hint)
        }
    }
}

fn missing_function(
    key: &EntryKey,
    function: &FunctionContent,
    name: &str,
    around: &Surroundings,
) -> Finding {
    if function.dialect == Dialect::Babyagi {
        return Finding::warning(key.clone(), format!("depends on `{name}`, which is not a stored function"))
            .hint("the name is kept, and resolves once a function with that name is stored");
    }
    let finding = if around.deleted.contains(name) {
        Finding::error(key.clone(), format!("it calls `{name}`, which is deleted in the same changeset"))
            .hint(format!(
                "delete or change `{}` as well (in a brain folder `{}`), or keep `{name}`",
                key.name,
                document::path(key)
            ))
    } else {
        Finding::error(key.clone(), format!("`{name}` is not defined, imported or stored"))
            .hint(nearest_hint(name, around))
    };
    located(finding, function, name, around)
}

/// Says where the name is used. Positions are not stored; those of a stored source are looked up again.
fn located(finding: Finding, function: &FunctionContent, name: &str, around: &Surroundings) -> Finding {
    let alias = function.dependencies.iter().find(|dependency| dependency.function == name);
    let Some(alias) = alias.map(|dependency| &dependency.alias) else { return finding };
    let again = || Places {
        file: None,
        free_names: analyse(&function.source).map(|analysis| analysis.free_names).unwrap_or_default(),
    };
    let places = around.places.get(&finding.entry).cloned().unwrap_or_else(again);
    match places.free_names.iter().find(|free| free.name == *alias) {
        Some(free) => Finding { file: places.file, ..finding.at(free.line, free.column) },
        None => finding,
    }
}

fn nearest_hint(name: &str, around: &Surroundings) -> String {
    match nearest(name, &around.known_names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "define it inside the function, import it, or add a function named `{name}` in the same changeset"
        ),
    }
}

/// The stored name most like a given one, if any is much like it.
pub fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    // Below this likeness (2·matches / total length) a suggestion confuses more than it helps.
    const LEAST: f32 = 0.7;
    // Comparing takes time that grows with the length, and nothing known is so long.
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    // Enough for some thousand names of usual length.
    const MOST_WORK: usize = 4 << 20;
    let mut work = 0_usize;
    let is_alike = |candidate: &&String| {
        let (shorter, both) = (name.len().min(candidate.len()), name.len() + candidate.len());
        // In bytes; where a character has up to four of them, this excludes less than it could.
        8 * shorter as u64 >= (LEAST * both as f32) as u64
    };
    known
        .iter()
        .filter(is_alike)
        .take_while(|candidate| {
            work += name.len() * candidate.len();
            work <= MOST_WORK
        })
        .map(|candidate| (similar::TextDiff::from_chars(name, candidate.as_str()).ratio(), candidate))
        .filter(|(ratio, _)| *ratio >= LEAST)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, candidate)| candidate.as_str())
}

/// Who calls what, of those that are neither deleted nor changed with it.
fn callers<'a>(
    after: &HashMap<&EntryKey, bool>,
    around: &'a Surroundings,
) -> HashMap<&'a EntryName, BTreeSet<&'a EntryKey>> {
    let mut callers: HashMap<&EntryName, BTreeSet<&EntryKey>> = HashMap::new();
    for (target, role, who) in &around.referrers {
        if *role == Role::Calls && !after.contains_key(who) {
            callers.entry(&target.name).or_default().insert(who);
        }
    }
    callers
}

/// A Graph is called by the name of a Function, so the name decides.
fn left_behind(key: &EntryKey, callers: &HashMap<&EntryName, BTreeSet<&EntryKey>>) -> Option<Finding> {
    let names: Vec<String> = callers
        .get(&key.name)?
        .iter()
        .filter(|who| **who != key)
        .map(|who| format!("`{}`", who.name))
        .collect();
    let verb = match names.len() {
        0 => return None,
        1 => "depends",
        _ => "depend",
    };
    Some(
        Finding::error(key.clone(), format!("cannot be deleted: {} {verb} on it", names.join(", ")))
            .hint("delete or change them in the same changeset"),
    )
}

/// The gate `types`: what the tests of a Version pass in fits its signature, and Graphs, Triggers and Schedules mean
/// something.
pub fn check_types(outcomes: &[Outcome<'_>]) -> Check {
    let mut findings = Vec::new();
    for outcome in outcomes {
        match outcome.after {
            Some(Content::Function(function)) => {
                findings.extend(test_inputs(outcome.key, function));
                findings.extend(concurrency_key(outcome.key, function));
            }
            Some(Content::Graph(graph)) => {
                let flaw = |flaw: Problem| Finding::error(outcome.key.clone(), flaw.to_string());
                findings.extend(graph.flaws().into_iter().map(flaw));
            }
            Some(Content::Trigger(trigger)) => {
                let flaw = |flaw| Finding::error(outcome.key.clone(), flaw);
                findings.extend(trigger.flaws().into_iter().map(flaw));
            }
            Some(Content::Schedule(schedule)) => {
                let flaw = schedule.timetable().err().map(|error| error.to_string());
                findings.extend(flaw.map(|flaw| Finding::error(outcome.key.clone(), flaw)));
            }
            None => {}
        }
    }
    Check::of(Gate::Types, findings)
}

fn test_inputs(key: &EntryKey, function: &FunctionContent) -> Vec<Finding> {
    if function.tests.is_empty() {
        return Vec::new();
    }
    let schema = InputSchema::compile(&function.signature);
    let mut findings = Vec::new();
    for (index, test) in function.tests.iter().enumerate() {
        let problems = schema.check(&test.input).err().map(|error| error.problems).unwrap_or_default();
        let told = |problem| Finding::error(key.clone(), format!("test {}: {problem}", index + 1));
        findings.extend(problems.into_iter().map(told));
    }
    findings
}

/// Runs can share their turn only by a parameter that there is.
fn concurrency_key(key: &EntryKey, function: &FunctionContent) -> Option<Finding> {
    let parameter = function.running.concurrency.as_ref()?.key.as_deref()?;
    let known: Vec<String> = function.signature.parameters.iter().map(|known| known.name.clone()).collect();
    if known.iter().any(|known| known == parameter) {
        return None;
    }
    let message = format!("`concurrency` is counted by `{parameter}`, which is not a parameter");
    let hint = nearest(parameter, &known).map(|near| format!("did you mean `{near}`?"));
    let finding = Finding::error(key.clone(), message);
    Some(match hint {
        Some(hint) => finding.hint(hint),
        None => finding,
    })
}
