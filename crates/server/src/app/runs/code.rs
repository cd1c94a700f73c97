//! Scripts: code that is run without being stored, as the body of a function that only its Run has. It is judged like a change by
//! whoever runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::access::Access;
use model::access::grants::Grants;
use model::access::verb::Verb;
use model::changeset::Change;
use model::changeset::check::Finding;
use model::content::Content;
use model::function::{DraftError, FunctionContent, FunctionDraft};
use model::name::EntryName;
use model::python::{Analysis, Declared, FreeName, Script};
use model::revision::Revision;
use model::run::draft::Code;
use serde_json::{Map, Value};

use super::Target;
use crate::app::changesets::checks;
use crate::app::changesets::drafts::{self, Drafted, FunctionIntent, Intent, Proposal};
use crate::ctx::Ctx;
use crate::error::Error;

/// What the Run of a script is called, unless somebody says otherwise.
pub const RUN_CODE: &str = "run_code";

/// What a source is called in what is said about it.
const FILE: &str = "script";

/// So many problems of a script are told at once.
const MOST_PROBLEMS: usize = 5;

/// A script that somebody wants to run.
#[derive(Clone, Debug, Default)]
pub struct RunCode {
    /// What its Run is called, for those who may see it; absent for the usual name.
    pub name: Option<EntryName>,
    pub script: String,
    /// What it may reach and its limits, as a decorator states them.
    pub grants: BTreeMap<String, Value>,
    /// What the function that runs it holds; absent if no function does.
    pub held: Option<Grants>,
    /// It calls what was live then; absent for now.
    pub as_of: Option<Revision>,
}

/// One that has been read and judged.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeDraft {
    pub(crate) name: EntryName,
    pub(crate) code: Code,
    pub(crate) as_of: Option<Revision>,
}

/// What is run if the script gets this input.
pub async fn target(
    ctx: &Ctx,
    access: &Access,
    code: RunCode,
    input: &Map<String, Value>,
) -> Result<Target, Error> {
    access.may(Verb::StartRun)?;
    let name = match code.name.clone() {
        Some(name) => name,
        None => usual_name(access)?,
    };
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    check_variables(input)?;
    let in_script = |source| Error::Source { file: FILE.to_owned(), source };
    let script = Script::read(&code.script, name.last(), input).map_err(in_script)?;
    let intent = FunctionIntent {
        analysis: Some(located(&script)),
        draft: FunctionDraft {
            name: Some(name.clone()),
            source: Some(script.analysis.source.clone()),
            declared: declared(&code.grants)?,
            ..FunctionDraft::default()
        },
        file: None,
    };
    let proposal = Proposal::of("", vec![Intent::Function(Box::new(intent))]);
    let drafted = drafts::draft(ctx, access, &proposal).await?;
    refuse(&checks::of_code(ctx, access, &drafted).await?)?;
    let content = content(&drafted).ok_or(Error::Draft(DraftError::NoSource))?;
    judge(access, &name, &content)?;
    refuse_unheld(code.held.as_ref(), &content.grants)?;
    let code = CodeDraft { name, code: Code { script: code.script, function: content }, as_of: code.as_of };
    Ok(Target::Code(Arc::new(code)))
}

/// Nobody applied it, so it calls what whoever runs it may call, and reaches what they may grant.
pub(super) fn judge(access: &Access, name: &EntryName, content: &FunctionContent) -> Result<(), Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let called = content.dependencies.iter().map(|dependency| dependency.function.as_str());
    let outside: BTreeSet<&str> = called.filter(|called| !access.authority.may_call(called)).collect();
    if let Some(called) = outside.first() {
        return Err(Error::Input {
            problem: format!("the script calls `{called}`, which you may not use"),
            hint: "someone who may use that can run it".to_owned(),
        });
    }
    let beyond = access.authority.grants.beyond(&content.grants);
    if beyond == Grants::default() {
        return Ok(());
    }
    Err(Error::Input {
        problem: format!("the script asks for what you may not grant: {}", beyond.lines().join(", ")),
        hint: "leave that out of `grants`, or call a stored function that holds it".to_owned(),
    })
}

/// A function cannot lend its script what it does not hold itself.
fn refuse_unheld(held: Option<&Grants>, asked: &Grants) -> Result<(), Error> {
    let Some(held) = held else { return Ok(()) };
    let beyond = asked.beyond(held);
    if beyond == Grants::default() {
        return Ok(());
    }
    let lines = beyond.lines().join(", ");
    Err(Error::Input {
        problem: format!("the script asks for what the function that runs it does not hold: {lines}"),
        hint: "leave that out of `grants`, or call a stored function that holds it".to_owned(),
    })
}

/// A narrow caller's scripts are called what the caller may see.
fn usual_name(access: &Access) -> Result<EntryName, Error> {
    access.only().name_like(RUN_CODE).ok_or_else(|| Error::Input {
        problem: format!("you may not touch `{RUN_CODE}`, which the run of a script is called"),
        hint: "state a name that you may touch".to_owned(),
    })
}

fn check_variables(input: &Map<String, Value>) -> Result<(), Error> {
    match input.keys().find(|key| !Script::is_variable(key)) {
        None => Ok(()),
        Some(key) => Err(Error::Input {
            problem: format!("`input.{key}` cannot be a variable of the script"),
            hint: "name it with letters, digits and underscores, and not like a keyword".to_owned(),
        }),
    }
}

fn declared(grants: &BTreeMap<String, Value>) -> Result<Declared, Error> {
    let mut options = grants.clone();
    let secrets = options.remove("secrets").map(serde_json::from_value).transpose();
    let wrong = |problem: String| Error::Input {
        problem: format!("`grants`: {problem}"),
        hint: "state them as a function does, such as {\"network\": [\"api.example.com\"], \"timeout\": 10}"
            .to_owned(),
    };
    let secrets = secrets.map_err(|_| wrong("`secrets` must be a list of names".to_owned()))?;
    Grants::from_options(&options).map_err(|error| wrong(error.to_string()))?;
    Ok(Declared { options, secrets, ..Declared::default() })
}

/// With the places that its author knows.
fn located(script: &Script) -> Analysis {
    let free_names = script.analysis.free_names.iter().map(|free| {
        let (line, column) = script.place(free.line, free.column);
        FreeName { line, column, ..free.clone() }
    });
    Analysis { free_names: free_names.collect(), ..script.analysis.clone() }
}

fn content(drafted: &Drafted) -> Option<Box<FunctionContent>> {
    let mut contents = drafted.changes.iter().filter_map(Change::added_live);
    contents.find_map(|content| match content {
        Content::Function(function) => Some(function.clone()),
        _ => None,
    })
}

fn refuse(findings: &[Finding]) -> Result<(), Error> {
    let Some(first) = findings.first() else { return Ok(()) };
    let told = findings.iter().take(MOST_PROBLEMS).map(|finding| match (finding.line, finding.column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: {}", finding.message),
        _ => finding.message.clone(),
    });
    // What else a hint may say is for those who store a function.
    let meant = first.hint.as_ref().filter(|hint| hint.starts_with("did you mean"));
    let hint = meant.cloned().unwrap_or_else(|| {
        "define it in the script, import it, or find what is stored with `selfmade search`".to_owned()
    });
    Err(Error::Input { problem: format!("`{FILE}`: {}", told.collect::<Vec<_>>().join("; ")), hint })
}
