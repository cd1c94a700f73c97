//! The meta-tools: what a language model can ask for. Each is answered with a bounded text for the model and with data for the
//! code around it; what goes wrong is a text, too, that says what to do. The table of tools is `model::meta_tools`.
//!
//! A tool that starts a Run or asks a person is only read here ([`read`]): whoever offers it starts the Run or waits.

mod drafting;
mod promoting;
mod reading;
mod running;

use std::collections::BTreeMap;

use model::access::Access;
use model::access::grants::Grants;
use model::meta_tools::text::one_line;
use model::meta_tools::{MetaTool, unknown};
use model::name::EntryName;
use model::revision::Revision;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub(crate) use self::running::{of_run, of_trial};
use super::changesets::workspace::Workspace;
use crate::ctx::Ctx;
use crate::error::Error;

/// What a tool answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ToolAnswer {
    /// False if it was not done.
    pub(crate) ok: bool,
    /// For the model.
    pub(crate) text: String,
    pub(crate) data: Value,
}

/// What a tool is called from.
pub(crate) struct Caller<'a> {
    /// It sees the brain as it was then.
    pub(crate) as_of: Revision,
    pub(crate) workspace: &'a Workspace,
    /// What it proposes is named by this.
    pub(crate) once: String,
}

/// A call that is understood.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ToolCall {
    Search { query: String, limit: usize },
    Describe { name: EntryName },
    Run { name: EntryName, input: Map<String, Value> },
    RunCode { code: String, input: Map<String, Value>, grants: BTreeMap<String, Value> },
    Draft { source: String, name: Option<String> },
    Promote { run: String, name: String },
    Check,
    Propose { title: String },
    Ask { question: String, options: Option<Value> },
}

impl ToolAnswer {
    pub(crate) fn of(text: impl Into<String>, data: Value) -> ToolAnswer {
        ToolAnswer { ok: true, text: text.into(), data }
    }

    pub(crate) fn refused(text: impl Into<String>) -> ToolAnswer {
        ToolAnswer { ok: false, text: text.into(), data: Value::Null }
    }

    /// What went wrong, and what to do about it. A database that cannot be used is nothing that a model should hear of.
    pub(crate) fn of_error(error: Error) -> Result<ToolAnswer, Error> {
        if error.is_passing() {
            return Err(error);
        }
        let data = json!({ "code": error.code() });
        let text = match (&error, error.hint()) {
            // Which token to use instead is nothing that a model can choose.
            (Error::Denied(denied), _) => denied.to_string(),
            (error, Some(hint)) => format!("{error}; {hint}"),
            (error, None) => error.to_string(),
        };
        Ok(ToolAnswer { ok: false, text, data })
    }

    pub(crate) fn to_json(&self) -> Value {
        json!(self)
    }
}

/// Those that somebody can call, as model servers are told of them.
pub(crate) fn definitions(access: &Access, held: &Grants) -> Value {
    let offered = MetaTool::ALL.iter().filter(|tool| tool.is_offered(access, held.brain));
    offered.map(|tool| tool.definition()).collect()
}

/// Understands a call, or says what is wrong with it.
pub(crate) fn read(
    access: &Access,
    held: &Grants,
    name: &str,
    arguments: Value,
) -> Result<ToolCall, ToolAnswer> {
    let Some(tool) = MetaTool::named(name) else { return Err(ToolAnswer::refused(unknown(name))) };
    if let Err(denied) = access.may(tool.row().verb) {
        return Err(ToolAnswer::refused(format!("`{name}`: {denied}")));
    }
    if !tool.is_offered(access, held.brain) {
        let text = format!(
            "`{name}` needs the grant `brain=\"propose\"`, which the function that offers it does not hold"
        );
        return Err(ToolAnswer::refused(text));
    }
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        Value::Null => Map::new(),
        other => {
            let given = one_line(&other.to_string(), 80);
            return Err(ToolAnswer::refused(format!(
                "the arguments of `{name}` must be an object, not {given}"
            )));
        }
    };
    let wrong = |problem: String| ToolAnswer::refused(format!("`{name}`: {problem}"));
    tool.check(&arguments).map_err(|error| wrong(error.to_string()))?;
    typed(tool, arguments).map_err(wrong)
}

/// The arguments are as the schema says.
fn typed(tool: MetaTool, mut arguments: Map<String, Value>) -> Result<ToolCall, String> {
    let mut text = |key: &str| arguments.remove(key).and_then(|value| value.as_str().map(str::to_owned));
    let entry = |name: Option<String>| -> Result<EntryName, String> {
        name.unwrap_or_default().parse().map_err(|error| format!("`name`: {error}"))
    };
    Ok(match tool {
        MetaTool::Search => ToolCall::Search {
            query: text("query").unwrap_or_default(),
            limit: arguments.get("limit").and_then(Value::as_u64).unwrap_or(reading::SHOWN) as usize,
        },
        MetaTool::Describe => ToolCall::Describe { name: entry(text("name"))? },
        MetaTool::Run => ToolCall::Run { name: entry(text("name"))?, input: object(&mut arguments, "input") },
        MetaTool::RunCode => ToolCall::RunCode {
            code: text("code").unwrap_or_default(),
            input: object(&mut arguments, "input"),
            grants: object(&mut arguments, "grants").into_iter().collect(),
        },
        MetaTool::Draft => match (text("source"), text("from_run"), text("name")) {
            (Some(source), None, name) => ToolCall::Draft { source, name },
            (None, Some(run), Some(name)) => ToolCall::Promote { run, name },
            (None, Some(_), None) => {
                return Err("`from_run` needs `name`, the name of the new function".to_owned());
            }
            _ => return Err("give either `source`, or `from_run` and `name`".to_owned()),
        },
        MetaTool::Check => ToolCall::Check,
        MetaTool::Propose => ToolCall::Propose { title: text("title").unwrap_or_default() },
        MetaTool::Ask => {
            let question = text("question").unwrap_or_default();
            ToolCall::Ask { question, options: arguments.remove("options") }
        }
    })
}

fn object(arguments: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match arguments.remove(key) {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Answers a call at once. Those that take a Run or a person are not answered here.
pub(crate) async fn execute(
    ctx: &Ctx,
    access: &Access,
    caller: &Caller<'_>,
    call: ToolCall,
) -> Result<ToolAnswer, Error> {
    let answer = match call {
        ToolCall::Search { query, limit } => reading::search(ctx, access, caller, &query, limit).await,
        ToolCall::Describe { name } => reading::describe(ctx, access, caller, &name).await,
        ToolCall::Draft { source, name } => drafting::draft(ctx, access, caller, &source, name).await,
        ToolCall::Promote { run, name } => promoting::promote(ctx, access, caller, &run, &name).await,
        ToolCall::Check => drafting::check(ctx, access, caller).await,
        ToolCall::Propose { title } => drafting::propose(ctx, access, caller, &title).await,
        ToolCall::Run { .. } | ToolCall::RunCode { .. } | ToolCall::Ask { .. } => {
            Ok(ToolAnswer::refused("this tool is not available here"))
        }
    };
    answer.or_else(ToolAnswer::of_error)
}

/// What a person said.
pub(crate) fn answered(value: &Value) -> ToolAnswer {
    use model::meta_tools::text::{MOST_SHOWN, fenced_value};
    let text = format!("the person answered:\n{}", fenced_value(value, MOST_SHOWN));
    ToolAnswer::of(text, json!({ "answer": value }))
}

/// A script was drafted from what was recorded, and its source is in the answer: that is what is drafted when the Run goes on.
pub(crate) fn drafted_source(data: &Value) -> Option<(String, Option<String>)> {
    let text = |key: &str| data["data"][key].as_str().map(str::to_owned);
    Some((text("source")?, text("name")))
}
