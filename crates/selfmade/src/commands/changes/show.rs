//! `selfmade changes show`: a Changeset with its checks and what it changes.

use model::changeset::check::{Check, Verdict};
use server::app::changesets::{ChangeView, ChangesetView};

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, GOOD, TITLE, WARNING, paint, printable};
use crate::views::diff;
use crate::views::findings;

/// Show a changeset: its checks, findings and changes
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade changes show 14
  selfmade changes show r12           what revision 12 changed
  selfmade changes show 14 --color always | less -R")]
pub(crate) struct Arguments {
    /// The number of the changeset, or rREVISION
    #[arg(value_name = "N")]
    changeset: Reference,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let number = arguments.changeset.number(brain).await?;
    let view = brain.changeset(number).await?;
    session.output.answer(&view, |screen| render(&view, screen))?;
    Ok(Exit::Done)
}

pub(crate) fn render(view: &ChangesetView, screen: &Screen) -> String {
    let mut out = format!(
        "{} {}  {}\n\n",
        paint(TITLE, format!("changeset {}", view.number)),
        paint(DIM, view.state.as_str()),
        printable(&view.title)
    );
    let mut field = |name: &str, value: String| {
        out.push_str(&format!("  {}  {value}\n", paint(DIM, format!("{name:<8}"))));
    };
    field("based on", format!("revision {}", view.base_revision));
    if let Some(revision) = view.applied_revision {
        field("made", format!("revision {revision}"));
    }
    field("written", format!("{} by {}", screen.time(view.created_at), view.who));
    if let (Some(who), Some(when)) = (&view.decider, view.decided_at) {
        field("decided", format!("{} by {who}", screen.time(when)));
    }
    if let Some(comment) = &view.comment {
        field("comment", printable(comment).replace('\n', "\n            "));
    }
    field("checks", view.checks.iter().map(check).collect::<Vec<_>>().join("  "));
    let found: Vec<_> = view.checks.iter().flat_map(|check| &check.findings).collect();
    if !found.is_empty() {
        out.push_str(&format!("\n{}\n{}", paint(TITLE, "Findings"), findings::errors(&found)));
    }
    if !view.conflicts.is_empty() {
        out.push_str(&format!("\n{}\n{}", paint(TITLE, "Conflicts"), findings::conflicts(&view.conflicts)));
    }
    out.extend(view.changes.iter().map(change));
    out
}

fn check(check: &Check) -> String {
    let gate = check.gate.as_str();
    match check.verdict {
        Verdict::Passed => {
            let by = check.note.as_deref().map(|note| paint(DIM, format!(" ({note})"))).unwrap_or_default();
            format!("{}{by}", paint(GOOD, format!("{gate} passed")))
        }
        Verdict::Failed => paint(BAD, format!("{gate} failed")),
        Verdict::Forced => paint(WARNING, format!("{gate} failed, forced")),
        Verdict::Asks => paint(WARNING, format!("{gate} requires someone else to apply it")),
        Verdict::NotRun => {
            let why = check.note.as_deref().map(|note| format!(" ({note})")).unwrap_or_default();
            paint(DIM, format!("{gate} not run{why}"))
        }
    }
}

fn change(change: &ChangeView) -> String {
    let name = change.key.name.as_str();
    let (old, new) = match change.action.as_str() {
        "add" => ("/dev/null", name),
        "delete" => (name, "/dev/null"),
        _ => (name, name),
    };
    let (added, removed) = change.diff.counts();
    let head = format!("{} {}", change.action, change.key);
    let counts = paint(DIM, format!("+{added} -{removed}"));
    format!("\n{}  {counts}\n{}", paint(TITLE, head), diff::render(old, new, &change.diff))
}
