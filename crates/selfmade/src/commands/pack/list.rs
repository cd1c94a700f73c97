//! `selfmade pack list`: the Packs that were loaded, or those that can be loaded by name.

use model::pack::Pack;
use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::shipped::{self, Shipped};
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// List loaded packs, or the packs that come with selfmade
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade pack list
  selfmade pack list --available
  selfmade fn list --pack text")]
pub(crate) struct Arguments {
    /// List the packs that come with selfmade and are loaded by name
    #[arg(long)]
    available: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    if arguments.available {
        return available(session);
    }
    let packs = brain.packs().await?;
    session.output.answer(&json!({ "packs": packs }), |screen| table(&packs, screen))?;
    if packs.is_empty() {
        session.output.note("no pack has been loaded yet");
    }
    Ok(Exit::Done)
}

fn available(session: &Session) -> Result<Exit, Error> {
    let packs = shipped::PACKS.iter();
    let told = packs.map(
        |pack| json!({ "name": pack.name, "functions": pack.functions(), "description": pack.description }),
    );
    let told: Vec<_> = told.collect();
    session.output.answer(&json!({ "packs": told }), |screen| available_table(&shipped::PACKS, screen))?;
    session.output.note("`selfmade pack load NAME` loads one; docs/packs.md has every function");
    Ok(Exit::Done)
}

fn available_table(packs: &[Shipped], screen: &Screen) -> String {
    let mut table = Table::new(&["name", "functions", "description"], 2);
    for pack in packs {
        table.row(vec![
            Cell::painted(NAME, pack.name),
            pack.functions().to_string().into(),
            Cell::painted(DIM, pack.description),
        ]);
    }
    table.render(screen)
}

fn table(packs: &[Pack], screen: &Screen) -> String {
    let mut table = Table::new(&["name", "live", "prefix", "loaded", "from"], 4);
    for pack in packs {
        table.row(vec![
            Cell::painted(NAME, &pack.name),
            pack.live_entries.to_string().into(),
            (&pack.prefix).into(),
            Cell::painted(DIM, screen.time(pack.loaded_at)),
            Cell::painted(DIM, &pack.origin),
        ]);
    }
    table.render(screen)
}
