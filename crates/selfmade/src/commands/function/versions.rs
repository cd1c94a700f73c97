//! `selfmade fn versions`: all Versions of a Function.

use serde_json::json;
use server::app::functions::VersionLine;

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, GOOD, NAME};
use crate::terminal::table::{Cell, Table};

/// List the versions of a function, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn versions greet
  selfmade fn use greet 1        make version 1 live again")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let mut versions = brain.versions(&name(&arguments.name)?).await?;
    versions.reverse();
    session.output.answer(&json!({ "versions": versions }), |screen| table(&versions, screen))?;
    if versions.iter().all(|version| !version.live) {
        session.output.note("none is live: the function was deleted");
    }
    Ok(Exit::Done)
}

pub(crate) fn table(versions: &[VersionLine], screen: &Screen) -> String {
    let mut table = Table::new(&["version", "", "written", "who", "hash"], 3);
    for version in versions {
        table.row(vec![
            Cell::painted(NAME, version.head.number.to_string()),
            Cell::painted(GOOD, if version.live { "live" } else { "" }),
            Cell::painted(DIM, screen.time(version.head.written_at)),
            Cell::painted(DIM, &version.who),
            Cell::painted(DIM, version.head.content_hash.short()),
        ]);
    }
    table.render(screen)
}
