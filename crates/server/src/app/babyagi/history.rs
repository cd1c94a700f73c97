//! The functions of a BabyAGI brain as histories: all their versions, oldest first, and which of them is live.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::changeset::{Change, Live, NewVersion};
use model::content::{Content, Snapshot};
use model::entry::EntryKey;
use model::function::requirement::Requirement;
use model::function::signature::Signature;
use model::function::{FunctionContent, FunctionDraft};
use model::name::EntryName;
use model::pack::{Widened, widen};
use model::python::{Declared, DeclaredDependency, Dialect, analyse, is_standard_library, package_of};
use model::trigger::TriggerContent;
use serde_json::Value;
use store::babyagi::{BabyagiBrain, OldFunction, OldImport, OldVersion};

/// One function with all its versions.
struct History {
    name: EntryName,
    versions: Vec<(FunctionContent, Option<Timestamp>)>,
    live: Option<usize>,
}

/// One change a function, with what its functions gained from each other, as in a pack that is loaded.
pub(super) fn changes(old: &BabyagiBrain, notes: &mut Vec<String>) -> (Vec<Change>, Vec<Widened>) {
    let stored: HashSet<&str> = old.functions.iter().map(|function| function.name.as_str()).collect();
    let resolve = |name: &str| stored.contains(name).then(|| name.to_owned());
    let mut histories = Vec::new();
    for function in &old.functions {
        match EntryName::new(&function.name) {
            Ok(name) => histories.push(history(name, function, &resolve, notes)),
            Err(error) => notes.push(format!("function `{}` was left out: {error}", function.name)),
        }
    }
    let widened = widen_live(&mut histories);
    (histories.into_iter().map(History::change).collect(), widened)
}

fn widen_live(histories: &mut [History]) -> Vec<Widened> {
    let mut live: Vec<(EntryName, FunctionContent)> = histories
        .iter()
        .filter_map(|history| Some((history.name.clone(), history.versions[history.live?].0.clone())))
        .collect();
    let widened = widen(&mut live);
    let mut contents: HashMap<EntryName, FunctionContent> = live.into_iter().collect();
    for history in histories {
        if let (Some(live), Some(content)) = (history.live, contents.remove(&history.name)) {
            history.versions[live].0 = content;
        }
    }
    widened
}

impl History {
    fn change(self) -> Change {
        let version = |(content, written_at)| NewVersion {
            snapshot: Snapshot::of(Content::Function(Box::new(content))),
            written_at,
        };
        Change {
            key: EntryKey::function(self.name),
            adds: self.versions.into_iter().map(version).collect(),
            live: self.live.map_or(Live::Nothing, Live::Added),
        }
    }
}

fn history(
    name: EntryName,
    function: &OldFunction,
    resolve: &dyn Fn(&str) -> Option<String>,
    notes: &mut Vec<String>,
) -> History {
    let mut versions = Vec::new();
    let mut live = None;
    for (version, number) in function.versions.iter().zip(1..) {
        let content = content(&name, version, resolve);
        if let Some(flaw) = &content.flaw {
            let active =
                if version.is_active { "; it was the active one, so the function is not live" } else { "" };
            notes.push(format!("version {number} of `{name}` is kept, but cannot run: {flaw}{active}"));
        } else if version.is_active {
            live = Some(versions.len());
        }
        versions.push((content, version.created.as_deref().and_then(timestamp)));
    }
    if function.versions.iter().all(|version| !version.is_active) {
        notes.push(format!("`{name}` had no active version, so it is not live"));
    }
    History { name, versions, live }
}

/// What cannot be understood is kept with the reason: a history has no gaps.
fn content(
    name: &EntryName,
    version: &OldVersion,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> FunctionContent {
    let draft = FunctionDraft {
        name: Some(name.clone()),
        source: Some(version.code.clone()),
        dialect: Dialect::Babyagi,
        declared: declared(version),
        keep: false,
    };
    match draft.assemble(None, resolve) {
        Ok(assembled) => assembled.content,
        Err(error) => FunctionContent {
            source: version.code.clone(),
            dialect: Dialect::Babyagi,
            description: description(&version.metadata).unwrap_or_default(),
            docstring: String::new(),
            signature: Signature::unknown(),
            dependencies: Vec::new(),
            requirements: Vec::new(),
            imports: Vec::new(),
            grants: Default::default(),
            running: Default::default(),
            tests: Vec::new(),
            metadata: Default::default(),
            stated: Default::default(),
            flaw: Some(error.to_string()),
        },
    }
}

fn declared(version: &OldVersion) -> Declared {
    let requirement = |import: &OldImport| match &import.package {
        Some(package) => Requirement::of(&import.name, package).ok(),
        None if is_standard_library(&import.name) => None,
        None => Requirement::of(&import.name, package_of(&import.name)).ok(),
    };
    let mut metadata = version.metadata.as_object().cloned().unwrap_or_default();
    metadata.shift_remove("description");
    let secrets =
        metadata.shift_remove("key_dependencies").and_then(|keys| serde_json::from_value(keys).ok());
    Declared {
        description: description(&version.metadata),
        dependencies: Some(version.dependencies.iter().map(|name| dependency(name)).collect()),
        requirements: Some(version.imports.iter().filter_map(requirement).collect()),
        imports: Some(version.imports.iter().map(|import| import.name.clone()).collect()),
        secrets: Some(secrets.unwrap_or_else(|| read_keys(&version.code))),
        metadata: Some(metadata),
        ..Declared::default()
    }
}

fn dependency(name: &str) -> DeclaredDependency {
    DeclaredDependency { alias: name.to_owned(), function: name.to_owned(), version: None }
}

/// BabyAGI does not keep which keys a function declared; what its code reads from its globals tells.
fn read_keys(code: &str) -> Vec<String> {
    analyse(code).map(|analysis| analysis.globals_read).unwrap_or_default()
}

fn description(metadata: &Value) -> Option<String> {
    metadata["description"].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The triggers of the versions that become live.
pub(super) fn triggers(old: &BabyagiBrain, functions: &[Change]) -> Vec<(EntryName, Content)> {
    let live: HashMap<&str, &EntryName> = functions
        .iter()
        .filter(|change| change.live != Live::Nothing)
        .map(|change| (change.key.name.as_str(), &change.key.name))
        .collect();
    let mut triggers = Vec::new();
    for function in &old.functions {
        let Some(&target) = live.get(function.name.as_str()) else { continue };
        for upstream in function.versions.iter().filter(|version| version.is_active).flat_map(|v| &v.triggers)
        {
            if let Ok(name) = TriggerContent::name_after(upstream, target) {
                triggers.push((name, Content::Trigger(TriggerContent::after(upstream, target.clone()))));
            }
        }
    }
    triggers.sort_by(|a, b| a.0.cmp(&b.0));
    triggers.dedup_by(|a, b| a.0 == b.0);
    triggers
}

/// Python's `str(datetime)`, without a zone; functionz writes universal time for versions.
pub(super) fn timestamp(text: &str) -> Option<Timestamp> {
    let naive: DateTime = text.parse().ok()?;
    let zoned = naive.to_zoned(TimeZone::UTC).ok()?;
    Timestamp::from_microsecond(zoned.timestamp().as_microsecond()).ok()
}
