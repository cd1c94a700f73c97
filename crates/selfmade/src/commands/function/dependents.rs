//! `selfmade fn dependents`: what may break when a Function changes.

use model::entry::EntryKind;
use model::function::dependency::Role;
use model::name::EntryName;
use server::app::functions::dependents::{Dependent, Impact};

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME, WARNING, counted};
use crate::terminal::table::{Cell, Table};

/// Show what may break if a function is changed
///
/// Everything that calls it, directly or indirectly, with the number of its tests, and the triggers and schedules that start
/// or watch one of them. Nearest first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn dependents shout
  selfmade test shout --dependents     run the tests of all of them")]
pub(crate) struct Arguments {
    name: EntryName,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let impact = brain.dependents(&arguments.name).await?;
    session.output.answer(&impact, |screen| table(&impact.dependents, screen))?;
    session.output.note(summary(&impact));
    let tests = impact.dependents.iter().filter_map(|one| one.tests).sum::<usize>();
    if tests > 0 {
        let program = &session.settings.program;
        session.output.hint(format!("`{program} test {} --dependents` runs their tests", impact.function));
    }
    Ok(Exit::Done)
}

fn table(dependents: &[Dependent], screen: &Screen) -> String {
    let mut table = Table::new(&["dependent", "kind", "how", "tests"], 2);
    for one in dependents {
        let tests = match one.tests {
            Some(0) => Cell::painted(WARNING, "none"),
            Some(count) => count.to_string().into(),
            None => "".into(),
        };
        table.row(vec![
            Cell::painted(NAME, one.key.name.as_str()),
            one.key.kind.as_str().into(),
            Cell::painted(DIM, how(one)),
            tests,
        ]);
    }
    table.render(screen)
}

fn how(one: &Dependent) -> String {
    let verb = match one.role {
        Role::Calls => "calls",
        Role::Starts => "starts",
        Role::Watches => "runs after",
    };
    format!("{verb} {}", one.on.name)
}

fn summary(impact: &Impact) -> String {
    let name = &impact.function;
    let count = |kind: EntryKind| impact.dependents.iter().filter(|one| one.key.kind == kind).count();
    let counts: Vec<String> = EntryKind::ALL
        .into_iter()
        .filter(|kind| count(*kind) > 0)
        .map(|kind| counted(count(kind), kind.as_str()))
        .collect();
    if counts.is_empty() {
        return format!("nothing depends on `{name}`");
    }
    let untested = impact.dependents.iter().filter(|one| one.tests == Some(0)).count();
    let untested = if untested == 0 { String::new() } else { format!("; {untested} without tests") };
    format!("{} may be affected by a change of `{name}`{untested}", counts.join(", "))
}
