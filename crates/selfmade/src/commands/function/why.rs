//! `selfmade fn why`: where a Version comes from.

use model::changeset::check::Verdict;
use model::version::VersionNumber;
use server::app::functions::provenance::{CheckOf, Provenance, RequestOf};
use server::app::runs::ids::short;
use server::app::runs::lists::RunLine;

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME, TITLE, paint, printable};

/// So much of the input of a request is shown.
const INPUT: usize = 400;

/// Show why a version exists: the request, the run and the models that wrote it, its checks, who applied it, and its runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn why greet
  selfmade fn why greet@2")]
pub(crate) struct Arguments {
    /// The function, or NAME@VERSION
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let (text, version) = match arguments.name.split_once('@') {
        None => (arguments.name.as_str(), None),
        Some((text, number)) => match number.parse::<VersionNumber>() {
            Ok(number) => (text, Some(number)),
            Err(_) => {
                return Err(Error::Input {
                    problem: format!("`{number}` is not a version number"),
                    hint: "write for example `greet@2`".to_owned(),
                });
            }
        },
    };
    let provenance = brain.provenance(&name(text)?, version).await?;
    session.output.answer(&provenance, |screen| render(&provenance, screen))?;
    Ok(Exit::Done)
}

fn render(of: &Provenance, screen: &Screen) -> String {
    let live = if of.live { paint(DIM, " live") } else { String::new() };
    let mut out = format!("{}{live}\n\n", paint(TITLE, format!("{}@{}", of.function, of.version)));
    let mut field = |name: &str, value: String| {
        out.push_str(&format!("  {}  {value}\n", paint(DIM, format!("{name:<9}"))));
    };
    field("written", format!("{} by {}", screen.time(of.written_at), of.who));
    if let Some(request) = &of.request {
        field("request", asked(request));
    }
    if let Some(run) =
        of.run.as_ref().filter(|run| of.request.as_ref().is_none_or(|first| first.run.run_id != run.run_id))
    {
        field("run", line(run));
    }
    for model in &of.models {
        let tokens = format!("{} tokens in, {} out", model.input_tokens, model.output_tokens);
        field("model", format!("{}, asked {} times, {tokens}", printable(&model.model), model.calls));
    }
    let tests: Vec<String> = of.tests.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    field("tests", if tests.is_empty() { "none".to_owned() } else { tests.join(", ") });
    if let Some(changeset) = &of.changeset {
        field(
            "changeset",
            format!("{} {}: {}", changeset.number, changeset.state.as_str(), printable(&changeset.title)),
        );
        field("checks", changeset.checks.iter().map(check).collect::<Vec<_>>().join(", "));
        if let (Some(who), Some(when)) = (&changeset.decider, changeset.decided_at) {
            field("applied", format!("{} by {who}", screen.time(when)));
        }
    }
    for run in &of.runs {
        field("used", format!("{} {}", screen.time(run.created_at), line(run)));
    }
    out
}

fn asked(request: &RequestOf) -> String {
    let input = request.input.to_string();
    let shown: String = input.chars().take(INPUT).collect();
    let more = if shown.len() < input.len() { "…" } else { "" };
    format!("{} with {}{more}", line(&request.run), printable(&shown))
}

fn line(run: &RunLine) -> String {
    let state = paint(DIM, run.state.as_str());
    format!("{} {} {state} by {}", short(run.run_id), paint(NAME, run.key.name.as_str()), run.who)
}

fn check(check: &CheckOf) -> String {
    let verdict = match check.verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::NotRun => "not run",
        Verdict::Forced => "forced",
        Verdict::Asks => "asked",
    };
    format!("{} {verdict}", check.gate.as_str())
}
