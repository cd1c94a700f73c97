//! `selfmade runs replay`: a Run again with the answers it got then, to see whether it goes the same way.

use model::changeset::diff::Diff;
use model::phrase::list;
use server::app::runs::ids::short;
use server::app::runs::replay::{Ended, Replayed};

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::counted;
use crate::views::diff;
use crate::views::run::{self, Live};

/// Execute a run again with its recorded answers, and compare
///
/// The exact versions it loaded are executed; every step is answered from its journal, and nothing is done or
/// written. What it prints goes to standard error. Exit code 1 means that it diverged; both ways are shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade runs replay 391ab633")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let mut events = brain.replay(id).await?;
    let replayed: Replayed = Live::new(&session.output).shown(brain, &mut events).await?;
    session.output.answer(&replayed, |_| difference(&replayed))?;
    if replayed.same {
        session.output.note(format!(
            "run {} replayed identically: {}",
            short(id),
            replayed.recorded.state.as_str()
        ));
        return Ok(Exit::Done);
    }
    session.output.warning(format!("run {} did not replay identically", short(id)));
    if let Some(diverged) = &replayed.diverged {
        session.output.note(diverged);
    }
    if replayed.steps_left > 0 {
        session.output.note(format!("it did not reach the last {}", counted(replayed.steps_left, "step")));
    }
    if !replayed.secrets.is_empty() {
        let names: Vec<String> = replayed.secrets.iter().map(|name| format!("`{name}`")).collect();
        let names = list(&names, "and");
        session
            .output
            .note(format!("a replay gets no values of secrets: instead of {names} it read `[secret NAME]`"));
    }
    Ok(Exit::InPart)
}

/// How it ended then and now.
fn difference(replayed: &Replayed) -> String {
    let diff = Diff::between(&text(&replayed.recorded), &text(&replayed.replayed));
    if diff.is_empty() { String::new() } else { diff::render("recorded", "replayed", &diff) }
}

fn text(ended: &Ended) -> String {
    let mut lines = vec![ended.state.as_str().to_owned()];
    lines.extend(ended.output.as_ref().map(run::value).unwrap_or_default());
    lines.extend(ended.error.as_ref().map(|error| format!("{}: {}", error.type_name, error.message)));
    lines.iter().map(|line| format!("{line}\n")).collect()
}
