//! `selfmade secret list`: which Secrets there are.

use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// List the names of secrets
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade secret list")]
pub(crate) struct Arguments {}

pub(crate) async fn run(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    let secrets = brain.secrets().await?;
    session.output.answer(&json!({ "secrets": secrets }), |screen| {
        let mut table = Table::new(&["name", "sealed for", "updated", "who"], 0);
        for secret in &secrets {
            table.row(vec![
                Cell::painted(NAME, &secret.name),
                Vec::from_iter(secret.hosts.iter().map(String::as_str)).join(", ").into(),
                Cell::painted(DIM, screen.time(secret.updated_at)),
                Cell::painted(DIM, secret.updated_by.to_string()),
            ]);
        }
        table.render(screen)
    })?;
    if secrets.is_empty() {
        session.output.note("there are none");
    }
    Ok(Exit::Done)
}
