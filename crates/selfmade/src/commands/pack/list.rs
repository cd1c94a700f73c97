//! `selfmade pack list`: the Packs that were loaded.

use model::pack::Pack;
use serde_json::json;
use server::app::packs;

use crate::error::{Error, Exit};
use crate::output::Screen;
use crate::session::{Brain, Session};
use crate::style::{DIM, NAME};
use crate::table::{Cell, Table};

/// List the packs that were loaded
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade pack list
  selfmade fn list --pack text")]
pub(crate) struct Arguments {}

pub(crate) async fn run(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    let packs = packs::list(&brain.ctx).await?;
    session.output.answer(&json!({ "packs": packs }), |screen| table(&packs, screen))?;
    if packs.is_empty() {
        session.output.note("none was loaded yet");
    }
    Ok(Exit::Done)
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
