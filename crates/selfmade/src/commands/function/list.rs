//! `selfmade fn list`: what is there, now or then.

use model::revision::Revision;
use serde_json::json;
use store::EntrySummary;

use crate::client::{Brain, Listed};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// List functions by name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn list
  selfmade fn list --limit 10 --after greet
  selfmade fn list --pack text
  selfmade fn list --at 12           the brain as it was at revision 12")]
pub(crate) struct Arguments {
    /// The brain as it was at this revision
    #[arg(long, value_name = "REVISION")]
    at: Option<Revision>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    /// Only names after this one
    #[arg(long, value_name = "NAME")]
    after: Option<String>,
    /// Only functions of this pack
    #[arg(long, value_name = "NAME")]
    pack: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    // One more than is shown tells whether there are more.
    let wanted = arguments.limit as usize + 1;
    let listed = Listed { after: arguments.after, at: arguments.at, pack: arguments.pack };
    let mut found = brain.functions(&listed, wanted).await?;
    let more = found.len() == wanted;
    found.truncate(arguments.limit as usize);
    let next = more.then(|| found.last().map(|last| last.key.name.to_string())).flatten();

    session.output.answer(&json!({ "functions": found, "next": next }), |screen| table(&found, screen))?;
    match next {
        Some(last) => session.output.note(format!("there are more; `--after {last}` shows them")),
        None if found.is_empty() => session.output.note("there are none"),
        None => {}
    }
    Ok(Exit::Done)
}

pub(crate) fn table(entries: &[EntrySummary], screen: &Screen) -> String {
    let mut table = Table::new(&["name", "version", "description", "pack", "written"], 2);
    for entry in entries {
        table.row(vec![
            Cell::painted(NAME, entry.key.name.as_str()),
            entry.version.to_string().into(),
            (&entry.description).into(),
            entry.pack.as_deref().unwrap_or("").into(),
            Cell::painted(DIM, screen.time(entry.written_at)),
        ]);
    }
    table.render(screen)
}
