//! `selfmade session list`: which browsers are signed in.

use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};
use crate::terminal::time;

/// List signed-in browsers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade session list")]
pub(crate) struct Arguments {}

pub(crate) async fn run(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    let sessions = brain.sessions().await?;
    session.output.answer(&json!({ "sessions": sessions }), |screen| {
        let mut table = Table::new(&["name", "role", "signed in", "ends"], 2);
        for one in &sessions {
            table.row(vec![
                Cell::painted(NAME, &one.name),
                one.authority.role.as_str().into(),
                Cell::painted(DIM, screen.time(one.created_at)),
                Cell::painted(DIM, time::exact(one.expires_at)),
            ]);
        }
        table.render(screen)
    })?;
    if sessions.is_empty() {
        session.output.note("there are none");
    }
    Ok(Exit::Done)
}
