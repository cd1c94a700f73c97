//! `selfmade runs list`: Runs, newest first, by whatever is asked for.

use clap::ValueEnum;
use jiff::Timestamp;
use model::run::RunState;
use server::clock::Clock;

use super::Reference;
use crate::client::{Brain, RunQuery};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::time;
use crate::views::run_lines;

/// List runs, newest first
///
/// Ids are shown by their last eight digits, which every command accepts. Several filters must all match.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs list
  selfmade runs list greet --state failed --since 2h
  selfmade runs list 'mail.*' --error timeout        names that begin with mail.
  selfmade runs list --actor trigger:on_update
  selfmade runs list --limit 100 --before 391ab633   the next page")]
pub(crate) struct Arguments {
    /// Only runs of this function, or of functions whose names begin with 'PREFIX*'
    name: Option<String>,
    /// Only runs in this state; may be repeated
    #[arg(long)]
    state: Vec<State>,
    /// Only runs started since then: a time ago such as 2h or 7d, a date, or a date and time
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only runs started before then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only runs started by command_line, token:NAME, session:NAME, trigger:NAME, schedule:NAME or run:ID
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    /// Only runs whose error type, or the beginning of its message, contains this text; case-insensitive
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    /// Only runs that this run started
    #[arg(long, value_name = "ID")]
    parent: Option<Reference>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Only runs before this one
    #[arg(long, value_name = "ID")]
    before: Option<Reference>,
}

#[derive(Clone, Copy, Debug)]
struct State(RunState);

impl ValueEnum for State {
    fn value_variants<'a>() -> &'a [State] {
        const ALL: [State; RunState::ALL.len()] = {
            let mut all = [State(RunState::Queued); RunState::ALL.len()];
            let mut index = 0;
            while index < all.len() {
                all[index] = State(RunState::ALL[index]);
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.as_str()))
    }
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let limit = arguments.limit;
    let page = brain.runs(&query(brain, arguments).await?, limit).await?;
    session.output.answer(&page, |screen| run_lines::table(&page.runs, screen))?;
    match page.next {
        Some(last) => {
            let last = server::app::runs::ids::short(last);
            session.output.note(format!("there are more; `--before {last}` shows them"));
        }
        None if page.runs.is_empty() => session.output.note("there are none"),
        None => {}
    }
    Ok(Exit::Done)
}

async fn query(brain: &Brain, arguments: Arguments) -> Result<RunQuery, Error> {
    let now = Clock::System.now();
    Ok(RunQuery {
        name: arguments.name,
        states: arguments.state.iter().map(|state| state.0).collect(),
        actor: arguments.actor,
        parent: id(brain, arguments.parent.as_ref()).await?,
        since: arguments.since.as_deref().map(|text| when(text, now)).transpose()?,
        until: arguments.until.as_deref().map(|text| when(text, now)).transpose()?,
        error: arguments.error,
        before: id(brain, arguments.before.as_ref()).await?,
    })
}

async fn id(brain: &Brain, reference: Option<&Reference>) -> Result<Option<model::ids::RunId>, Error> {
    match reference {
        Some(reference) => reference.id(brain).await.map(Some),
        None => Ok(None),
    }
}

/// A time that is over.
pub(crate) fn when(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    time::past(text, now).ok_or_else(|| Error::Input {
        problem: format!("`{text}` is not a time"),
        hint: "write a time ago such as `2h` or `7d`, a date such as `2026-01-31`, or a date and time such as `2026-01-31T12:00:00Z`"
            .to_owned(),
    })
}
