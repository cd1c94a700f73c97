//! `selfmade model find`: servers of language models on the machine of the server.

use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// Look for servers of language models on the usual ports of this machine
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade model find")]
pub(crate) struct Arguments {}

pub(crate) async fn run(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    let found = brain.found_models().await?;
    session.output.answer(&json!({ "found": found }), |screen| {
        let mut table = Table::new(&["model", "server", "url"], 2);
        for server in &found {
            for model in &server.models {
                table.row(vec![
                    Cell::painted(NAME, model),
                    Cell::painted(DIM, format!("{}?", server.server)),
                    server.base_url.clone().into(),
                ]);
            }
        }
        table.render(screen)
    })?;
    match found.first() {
        Some(server) => session
            .output
            .note(format!("add one with `selfmade model add NAME --url {} --model MODEL`", server.base_url)),
        None => session.output.note("nothing that lists models answers on the usual ports"),
    }
    Ok(Exit::Done)
}
