//! `selfmade fn show`: one Version with what surrounds it.

use model::function::FunctionContent;
use model::function::signature::{DefaultValue, FunctionKind, Parameter, ParameterKind, Signature};
use model::revision::Revision;
use model::version::VersionNumber;
use server::app::functions::{EntryView, Which};

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, GOOD, TITLE, paint, printable};

/// Show a function: its signature, what it calls, and its source
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn show greet
  selfmade fn show greet@2             its version 2
  selfmade fn show greet --at 12       as it was at revision 12
  selfmade fn show greet --source > greet.py")]
pub(crate) struct Arguments {
    /// The function, or NAME@VERSION
    name: String,
    /// The function as it was at this revision
    #[arg(long, value_name = "REVISION")]
    at: Option<Revision>,
    /// Print only its source
    #[arg(long)]
    source: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let (text, which) = which(&arguments)?;
    let view = brain.function(&name(text)?, which).await?;
    match view.version.content.as_function() {
        Some(content) if arguments.source && !session.output.json => session.output.raw(&content.source)?,
        Some(content) => session.output.answer(&view, |screen| render(&view, content, screen))?,
        None => session.output.answer(&view, |_| String::new())?,
    }
    Ok(Exit::Done)
}

fn which(arguments: &Arguments) -> Result<(&str, Which), Error> {
    let bad = |problem: String, hint: &str| Error::Input { problem, hint: hint.to_owned() };
    match (arguments.name.split_once('@'), arguments.at) {
        (Some(_), Some(_)) => {
            Err(bad(format!("`{}` and `--at` both choose a version", arguments.name), "omit one of them"))
        }
        (None, Some(revision)) => Ok((&arguments.name, Which::AsOf(revision))),
        (None, None) => Ok((&arguments.name, Which::Live)),
        (Some((name, number)), None) => match number.parse::<VersionNumber>() {
            Ok(number) => Ok((name, Which::Number(number))),
            Err(_) => Err(bad(format!("`{number}` is not a version number"), "write for example `greet@2`")),
        },
    }
}

fn render(view: &EntryView, content: &FunctionContent, screen: &Screen) -> String {
    let head = &view.version.head;
    let live = if view.live { paint(GOOD, "live") } else { paint(DIM, "not live") };
    let mut out = format!(
        "{}{}  {live}\n",
        paint(TITLE, head.key.name.as_str()),
        paint(DIM, format!("@{}", head.number))
    );
    if !content.description.is_empty() {
        out.push_str(&format!("{}\n", printable(&content.description)));
    }
    out.push('\n');
    let mut field = |name: &str, values: Vec<String>| {
        if !values.is_empty() {
            out.push_str(&format!(
                "  {}  {}\n",
                paint(DIM, format!("{name:<10}")),
                printable(&values.join(", "))
            ));
        }
    };
    field("signature", vec![signature(head.key.name.last(), &content.signature)]);
    field("calls", content.dependencies.iter().map(dependency).collect());
    field("called by", view.dependents.iter().map(|key| key.name.to_string()).collect());
    field("started by", view.started_by.iter().map(ToString::to_string).collect());
    field("needs", content.requirements.iter().map(|requirement| requirement.package.clone()).collect());
    field("may reach", content.grants.lines());
    field("runs", content.running.lines());
    field(
        "tests",
        (!content.tests.is_empty()).then(|| content.tests.len().to_string()).into_iter().collect(),
    );
    field("written", vec![format!("{} by {}", screen.time(head.written_at), view.who)]);
    field("hash", vec![head.content_hash.short()]);
    field("flaw", content.flaw.iter().cloned().collect());
    out.push('\n');
    out.push_str(&printable(&content.source));
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

fn dependency(dependency: &model::function::dependency::Dependency) -> String {
    match dependency.version {
        Some(version) => format!("{}@{version}", dependency.function),
        None => dependency.function.clone(),
    }
}

/// As Python would write it.
fn signature(name: &str, signature: &Signature) -> String {
    let kind = match signature.kind {
        FunctionKind::Sync => "",
        FunctionKind::Async => "async ",
        FunctionKind::Generator => "generator ",
        FunctionKind::AsyncGenerator => "async generator ",
    };
    let returns = signature.returns.as_ref().map(|returns| format!(" -> {returns}")).unwrap_or_default();
    format!("{kind}{name}({}){returns}", parameters(&signature.parameters).join(", "))
}

fn parameters(parameters: &[Parameter]) -> Vec<String> {
    let mut shown = Vec::new();
    let mut previous = None;
    for parameter in parameters {
        let kind = parameter.kind;
        if previous == Some(ParameterKind::PositionalOnly) && kind != ParameterKind::PositionalOnly {
            shown.push("/".to_owned());
        }
        let after_star = matches!(previous, Some(ParameterKind::VarPositional | ParameterKind::KeywordOnly));
        if kind == ParameterKind::KeywordOnly && !after_star {
            shown.push("*".to_owned());
        }
        shown.push(one(parameter));
        previous = Some(kind);
    }
    if previous == Some(ParameterKind::PositionalOnly) {
        shown.push("/".to_owned());
    }
    shown
}

fn one(parameter: &Parameter) -> String {
    let stars = match parameter.kind {
        ParameterKind::VarPositional => "*",
        ParameterKind::VarKeyword => "**",
        _ => "",
    };
    let annotation = parameter.annotation.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    let default = match &parameter.default {
        Some(DefaultValue::Literal(value)) => format!(" = {}", python(value)),
        Some(DefaultValue::Expression(text)) => format!(" = {text}"),
        None => String::new(),
    };
    format!("{stars}{}{annotation}{default}", parameter.name)
}

/// JSON differs from Python in three words.
fn python(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "None".to_owned(),
        serde_json::Value::Bool(true) => "True".to_owned(),
        serde_json::Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}
