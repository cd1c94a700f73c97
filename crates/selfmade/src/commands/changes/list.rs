//! `selfmade changes list`: Changesets in any state, newest first.

use clap::ValueEnum;
use model::changeset::ChangesetState;
use serde_json::json;
use server::app::changesets::ChangesetLine;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, GOOD, NAME, WARNING};
use crate::terminal::table::{Cell, Table};

/// List changesets, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade changes list
  selfmade changes list --state checked    those waiting for a decision")]
pub(crate) struct Arguments {
    /// Only changesets in this state
    #[arg(long)]
    state: Option<State>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Only changesets before this one
    #[arg(long, value_name = "NUMBER")]
    before: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct State(ChangesetState);

impl ValueEnum for State {
    fn value_variants<'a>() -> &'a [State] {
        const ALL: [State; ChangesetState::ALL.len()] = {
            let mut all = [State(ChangesetState::Draft); ChangesetState::ALL.len()];
            let mut index = 0;
            while index < all.len() {
                all[index] = State(ChangesetState::ALL[index]);
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
    let state = arguments.state.map(|state| state.0);
    let list = brain.changesets(state, false, arguments.before, arguments.limit).await?;
    session.output.answer(&json!({ "changesets": list }), |screen| table(&list, screen))?;
    if list.is_empty() {
        session.output.note("there are none");
    }
    Ok(Exit::Done)
}

fn table(list: &[ChangesetLine], screen: &Screen) -> String {
    let mut table = Table::new(&["changeset", "state", "changes", "when", "who", "title"], 5);
    for changeset in list {
        let style = match changeset.summary.state {
            ChangesetState::Draft | ChangesetState::Checked => WARNING,
            ChangesetState::Applied => GOOD,
            ChangesetState::Rejected | ChangesetState::Reverted => DIM,
            ChangesetState::Conflicted => BAD,
        };
        table.row(vec![
            Cell::painted(NAME, changeset.summary.number.to_string()),
            Cell::painted(style, changeset.summary.state.as_str()),
            changeset.summary.changes.to_string().into(),
            Cell::painted(DIM, screen.time(changeset.summary.created_at)),
            Cell::painted(DIM, &changeset.who),
            (&changeset.summary.title).into(),
        ]);
    }
    table.render(screen)
}
