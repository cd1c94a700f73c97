//! `selfmade graph drafts`: which Graphs are edited.

use serde_json::json;
use server::app::graphs::drafts::DraftLine;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// List the drafts of graphs by name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph drafts
  selfmade graph show news --draft")]
pub(crate) struct Arguments {
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let mut drafts = brain.graph_drafts(arguments.limit.saturating_add(1)).await?;
    let has_more = drafts.len() > arguments.limit as usize;
    drafts.truncate(arguments.limit as usize);
    session.output.answer(&json!({ "drafts": drafts }), |screen| table(&drafts, screen))?;
    if drafts.is_empty() {
        session.output.note("there are none");
    } else if has_more {
        session.output.note(format!("there are more; `--limit {}` shows them", arguments.limit * 2));
    }
    Ok(Exit::Done)
}

fn table(drafts: &[DraftLine], screen: &Screen) -> String {
    let mut table = Table::new(&["name", "edit", "of version", "nodes", "edited"], 0);
    for draft in drafts {
        table.row(vec![
            Cell::painted(NAME, draft.name.as_str()),
            draft.edit.to_string().into(),
            draft.base.map_or("new".to_owned(), |base| base.to_string()).into(),
            draft.nodes.to_string().into(),
            Cell::painted(DIM, screen.time(draft.updated_at)),
        ]);
    }
    table.render(screen)
}
