//! Functions: a named piece of Python with typed input and output, and what is known of it without running it.
//!
//! A content is assembled from a draft (what an author wrote), the live content (what an update keeps) and the names
//! the brain knows (which free names are Functions). Nothing here looks anything up.

pub mod call_fit;
pub mod closure;
pub mod dependency;
pub mod options;
mod purity;
pub mod recorded_test;
pub mod requirement;
pub mod run_options;
pub mod signature;
pub mod test_case;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use self::dependency::Dependency;
use self::options::OptionError;
use self::requirement::Requirement;
use self::run_options::Running;
use self::signature::Signature;
use self::test_case::{TestCase, TestError};
use crate::access::grants::{BrainGrant, Grants, Limits};
use crate::changeset::check::Finding;
use crate::entry::EntryKey;
use crate::name::{EntryName, NameError};
use crate::python::{Analysis, Dialect, FreeName, Import, SourceError, analyse, requirements};
use crate::python::{Declared, DeclaredDependency, PackFunction};
use crate::version::VersionNumber;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FunctionContent {
    pub source: String,
    pub dialect: Dialect,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub docstring: String,
    pub signature: Signature,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Dependency>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
    /// Modules bound as globals before the source runs: BabyAGI's declared imports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
    #[serde(default)]
    pub grants: Grants,
    #[serde(default, skip_serializing_if = "Running::is_default")]
    pub running: Running,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestCase>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// What the author stated over what the source tells; an update of the source alone keeps it.
    #[serde(default)]
    pub stated: Stated,
    /// Why the source cannot be read. Only imported history has it, and such a Version is never live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flaw: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Stated {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Dependency>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
}

/// What an author passes in.
#[derive(Clone, Debug, Default)]
pub struct FunctionDraft {
    /// The full name; absent means the name the source defines.
    pub name: Option<EntryName>,
    /// Absent means the live source.
    pub source: Option<String>,
    pub dialect: Dialect,
    pub declared: Declared,
    /// Whether what is not stated is kept from the live Version. A decorator states everything; a bare source nothing.
    pub keep: bool,
}

#[derive(Debug, Error)]
pub enum DraftError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(
        "no source was given, and there is no live version to keep it from; give the source of the function"
    )]
    NoSource,
    #[error(
        "the source defines `{defined}`, but it would be stored as `{name}`; make the two names the same"
    )]
    OtherName { defined: String, name: EntryName },
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("function `{name}`: {source}")]
    Option { name: EntryName, source: OptionError },
    #[error("function `{name}`: {source}")]
    Test { name: EntryName, source: TestError },
}

/// A content with what its author should know about it.
#[derive(Clone, Debug)]
pub struct Assembled {
    pub name: EntryName,
    pub content: FunctionContent,
    pub findings: Vec<Finding>,
}

/// Tells the full name of the Function that an expression in a source stands for.
pub type Resolve<'a> = &'a dyn Fn(&str) -> Option<String>;

impl FunctionDraft {
    /// A bare source, as typed or piped in.
    pub fn of_source(source: impl Into<String>) -> FunctionDraft {
        FunctionDraft { source: Some(source.into()), keep: true, ..FunctionDraft::default() }
    }

    /// A decorated function, as a pack file or an exported brain has it. `dialect` and `imports` are what an export
    /// needs to bring back a BabyAGI function.
    pub fn of_decorated(function: PackFunction) -> (FunctionDraft, Analysis) {
        let mut declared = function.declared;
        let mut dialect = function.dialect;
        if declared.options.get("dialect").is_some_and(|value| value == "babyagi") {
            declared.options.remove("dialect");
            dialect = Dialect::Babyagi;
        }
        let imports =
            declared.options.get("imports").and_then(|value| serde_json::from_value(value.clone()).ok());
        if let Some(imports) = imports {
            declared.options.remove("imports");
            declared.imports = Some(imports);
        }
        let source = Some(function.source);
        (FunctionDraft { name: None, source, dialect, declared, keep: false }, function.analysis)
    }

    pub fn assemble(
        self,
        live: Option<&FunctionContent>,
        resolve: Resolve<'_>,
    ) -> Result<Assembled, DraftError> {
        let kept = live.filter(|_| self.keep);
        let source =
            self.source.as_deref().or(live.map(|live| live.source.as_str())).ok_or(DraftError::NoSource)?;
        let analysis = analyse(source)?;
        self.assemble_analysed(analysis, kept, resolve)
    }

    /// As `assemble`, where the source has been analysed already.
    pub fn assemble_analysed(
        self,
        analysis: Analysis,
        kept: Option<&FunctionContent>,
        resolve: Resolve<'_>,
    ) -> Result<Assembled, DraftError> {
        let name = self.entry_name(&analysis)?;
        let dialect = kept.map_or(self.dialect, |kept| kept.dialect);
        let mut declared = self.declared;
        let imports =
            declared.imports.take().or_else(|| kept.map(|kept| kept.imports.clone())).unwrap_or_default();
        let (grants, running) = options(&name, &declared, kept)?;
        let tests = tests(&name, &declared, kept)?;
        let metadata =
            declared.metadata.take().or_else(|| kept.map(|kept| kept.metadata.clone())).unwrap_or_default();
        let stated = stated(declared, kept, resolve);

        let mut content = FunctionContent {
            description: stated.description.clone().unwrap_or(analysis.description),
            docstring: analysis.docstring,
            dependencies: Vec::new(),
            requirements: merged_requirements(&analysis.imports, &stated),
            source: analysis.source,
            signature: analysis.signature,
            dialect,
            imports,
            grants,
            running,
            tests,
            metadata,
            stated,
            flaw: None,
        };
        let mut findings = match dialect {
            Dialect::Selfmade => content.derive_selfmade(&name, &analysis.free_names, resolve),
            Dialect::Babyagi => content.derive_babyagi(&name, &analysis.free_names),
        };
        findings.extend(kept_grants(&name, &content, kept));
        Ok(Assembled { name, content, findings })
    }

    fn entry_name(&self, analysis: &Analysis) -> Result<EntryName, DraftError> {
        let Some(name) = &self.name else { return Ok(EntryName::new(&analysis.name)?) };
        if name.last() == analysis.name {
            Ok(name.clone())
        } else {
            Err(DraftError::OtherName { defined: analysis.name.clone(), name: name.clone() })
        }
    }
}

impl FunctionContent {
    /// Every free name is a dependency; whether it exists is a question for the Changeset's check.
    fn derive_selfmade(
        &mut self,
        name: &EntryName,
        free_names: &[FreeName],
        resolve: Resolve<'_>,
    ) -> Vec<Finding> {
        self.dependencies = self.stated.dependencies.clone();
        let mut findings = Vec::new();
        for free in free_names {
            if free.in_annotation {
                findings.push(undefined_annotation(name, free));
            } else if !self.dependencies.iter().any(|stated| is_named_by(free, &stated.alias)) {
                self.dependencies.extend(dependencies_of(free, resolve));
            }
        }
        self.dependencies.sort();
        self.dependencies.dedup();
        findings
    }

    /// BabyAGI's functions call only what they declare, and get `func`, `datetime` and their keys as globals.
    fn derive_babyagi(&mut self, name: &EntryName, free_names: &[FreeName]) -> Vec<Finding> {
        self.dependencies = self.stated.dependencies.clone();
        self.dependencies.sort();
        self.dependencies.dedup();
        self.use_the_servers_model();
        if free_names.iter().any(|free| free.name == "func") {
            self.grants.brain = self.grants.brain.max(BrainGrant::Propose);
        }
        let mut given: BTreeSet<&str> = BTreeSet::from(["func", "datetime", "parent_log_id"]);
        given.extend(self.imports.iter().map(|module| module.split('.').next().unwrap_or(module)));
        given.extend(self.dependencies.iter().map(|dependency| dependency.alias.as_str()));
        given.extend(self.grants.secrets.iter().map(String::as_str));
        let nothing = free_names.iter().filter(|free| !given.contains(free.name.as_str()));
        nothing.map(|free| undefined_in_babyagi(name, free)).collect()
    }
}

impl FunctionContent {
    /// `litellm` is how BabyAGI's functions reach a model. Cells have a module of that name, which asks the server, so that
    /// neither the package nor a key nor a way out is needed.
    fn use_the_servers_model(&mut self) {
        let is_litellm = |requirement: &Requirement| requirement.import == "litellm";
        if self.requirements.iter().any(is_litellm) {
            self.requirements.retain(|requirement| !is_litellm(requirement));
            self.grants.model = true;
        }
    }
}

fn is_named_by(free: &FreeName, alias: &str) -> bool {
    free.name == alias || free.attributes.iter().any(|chain| chain == alias)
}

/// `airtable.create_record(…)` may call the Function `airtable.create_record`, or use an attribute of `airtable`:
/// what is stored decides, the plain name first.
fn dependencies_of(free: &FreeName, resolve: Resolve<'_>) -> Vec<Dependency> {
    let dependency =
        |alias: &str, function: String| Dependency { alias: alias.to_owned(), function, version: None };
    if let Some(function) = resolve(&free.name) {
        return vec![dependency(&free.name, function)];
    }
    let dotted: Vec<Dependency> = free
        .attributes
        .iter()
        .filter_map(|chain| resolve(chain).map(|function| dependency(chain, function)))
        .collect();
    if dotted.is_empty() { vec![dependency(&free.name, free.name.clone())] } else { dotted }
}

/// What a decorator states beyond what has a field of its own.
fn options(
    name: &EntryName,
    declared: &Declared,
    kept: Option<&FunctionContent>,
) -> Result<(Grants, Running), DraftError> {
    let failed = |source| DraftError::Option { name: name.clone(), source };
    let (running, grants): (BTreeMap<_, _>, BTreeMap<_, _>) =
        declared.options.clone().into_iter().partition(|(key, _)| Running::has_option(key));
    let kept_grants = kept.map(|kept| kept.grants.clone()).unwrap_or_default();
    let kept_running = kept.map(|kept| kept.running.clone()).unwrap_or_default();
    let mut grants = kept_grants.updated(&grants).map_err(failed)?;
    if let Some(secrets) = &declared.secrets {
        grants.secrets = secrets.iter().cloned().collect();
    }
    Ok((grants, kept_running.updated(&running).map_err(failed)?))
}

fn tests(
    name: &EntryName,
    declared: &Declared,
    kept: Option<&FunctionContent>,
) -> Result<Vec<TestCase>, DraftError> {
    match (&declared.tests, kept) {
        (Some(tests), _) => {
            TestCase::list(tests).map_err(|source| DraftError::Test { name: name.clone(), source })
        }
        (None, Some(kept)) => Ok(kept.tests.clone()),
        (None, None) => Ok(Vec::new()),
    }
}

fn stated(declared: Declared, kept: Option<&FunctionContent>, resolve: Resolve<'_>) -> Stated {
    let kept = kept.map(|kept| kept.stated.clone()).unwrap_or_default();
    let dependency = |declared: DeclaredDependency| Dependency {
        function: resolve(&declared.function).unwrap_or(declared.function),
        alias: declared.alias,
        version: declared.version.map(VersionNumber),
    };
    Stated {
        description: declared.description.or(kept.description),
        dependencies: declared
            .dependencies
            .map_or(kept.dependencies, |list| list.into_iter().map(dependency).collect()),
        requirements: declared.requirements.unwrap_or(kept.requirements),
    }
}

/// What the author stated wins over what the imports tell.
fn merged_requirements(imports: &[Import], stated: &Stated) -> Vec<Requirement> {
    let mut all = stated.requirements.clone();
    for derived in requirements(imports) {
        let same = |stated: &Requirement| {
            stated.import == derived.import || stated.package_name() == derived.package_name()
        };
        if !all.iter().any(same) {
            all.push(derived);
        }
    }
    all.sort();
    all.dedup();
    all
}

/// What another source may reach because the version before might. The source does not show it.
fn kept_grants(
    name: &EntryName,
    content: &FunctionContent,
    kept: Option<&FunctionContent>,
) -> Option<Finding> {
    let kept = kept.filter(|kept| kept.dialect == Dialect::Selfmade && kept.source != content.source)?;
    let reach = |grants: &Grants| Grants { limits: Limits::default(), ..grants.clone() };
    let reaches = reach(&kept.grants);
    (reaches != Grants::default() && reaches == reach(&content.grants)).then(|| {
        let text = format!("it keeps what the version before may reach: {}", reaches.lines().join(", "));
        Finding::warning(EntryKey::function(name.clone()), text)
            .hint("write `@selfmade.function(…)` above it with all that it needs, which then replaces that")
    })
}

fn undefined_annotation(name: &EntryName, free: &FreeName) -> Finding {
    const TYPING: [&str; 14] = [
        "Any",
        "Callable",
        "Dict",
        "Iterable",
        "Iterator",
        "List",
        "Literal",
        "Mapping",
        "Optional",
        "Sequence",
        "Set",
        "Tuple",
        "TypedDict",
        "Union",
    ];
    let hint = if TYPING.contains(&free.name.as_str()) {
        format!("put `from typing import {}` above the function", free.name)
    } else {
        format!("import `{}` above the function, or leave the annotation out", free.name)
    };
    Finding::error(
        EntryKey::function(name.clone()),
        format!("the annotation uses `{}`, which is not defined", free.name),
    )
    .at(free.line, free.column)
    .hint(hint)
}

fn undefined_in_babyagi(name: &EntryName, free: &FreeName) -> Finding {
    Finding::warning(
        EntryKey::function(name.clone()),
        format!("`{}` is neither declared nor defined, so using it will raise `NameError`", free.name),
    )
    .at(free.line, free.column)
    .hint(format!("declare `{}` in `imports` or `dependencies`, or define it inside the function", free.name))
}
