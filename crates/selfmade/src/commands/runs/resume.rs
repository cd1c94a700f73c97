//! `selfmade runs resume`: a failed run of a graph goes on from where it failed.

use server::app::runs::resume::{Repeated, ResumePlan};

use super::Reference;
use crate::client::{Brain, Start};
use crate::commands::run::execute;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, NAME, counted};
use crate::terminal::table::{Cell, Table};

/// Go on with a failed run of a graph, as a new run that keeps what succeeded
///
/// The nodes that failed or were under way are executed again, and what they did outside before they failed happens again: --plan
/// lists them. The new run uses the versions of the old one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs resume 391ab633 --plan
  selfmade runs resume 391ab633
  selfmade runs resume 391ab633 --newer    call the versions that are live now")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
    /// Call the versions that are live now
    #[arg(long)]
    newer: bool,
    /// Only list what would be executed again
    #[arg(long, conflicts_with = "newer")]
    plan: bool,
    /// Leave the runs that the new run triggers for later
    #[arg(long)]
    no_triggers: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    if arguments.plan {
        let plan = brain.resume_plan(id).await?;
        session.output.answer(&plan, |screen| table(&plan, screen))?;
        let kept = counted(usize::try_from(plan.kept).unwrap_or(usize::MAX), "node execution");
        session.output.note(format!("{kept} would be kept; nothing was run"));
        return Ok(Exit::Done);
    }
    let start = Start::Resume { run: id, newer: arguments.newer };
    execute(session, brain, &start, !arguments.no_triggers).await
}

fn table(plan: &ResumePlan, screen: &Screen) -> String {
    let mut table = Table::new(&["node", "nth", "block", "why"], 3);
    plan.repeated.iter().for_each(|repeated| table.row(row(repeated)));
    table.render(screen)
}

fn row(Repeated { node, number, block, error }: &Repeated) -> Vec<Cell> {
    let why = match error {
        Some(error) => Cell::painted(BAD, error),
        None => "it was under way".into(),
    };
    vec![Cell::painted(NAME, node), number.to_string().into(), block.into(), why]
}
