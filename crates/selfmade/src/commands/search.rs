//! `selfmade search`: functions and graphs by name and by what they say they do.

use serde_json::json;
use server::search::Hit;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::progress::Progress;
use crate::terminal::style::NAME;
use crate::terminal::table::{Cell, Table};

/// Find functions and graphs by name and by what they do
///
/// Best match first. Parts of names, prefixes of words and small typos match too.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade search greet
  selfmade search \"split a text into words\" --limit 5
  selfmade search --rebuild              delete the index and build it again")]
pub(crate) struct Arguments {
    #[arg(required_unless_present = "rebuild")]
    words: Vec<String>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: u32,
    /// Rebuild the index first
    #[arg(long)]
    rebuild: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    if arguments.rebuild {
        {
            let _progress = Progress::start(&session.output, "building the search index");
            brain.rebuild_search().await?;
        }
        session.output.note("the search index was rebuilt");
        if arguments.words.is_empty() {
            session.output.answer(&json!({ "rebuilt": true }), |_| String::new())?;
            return Ok(Exit::Done);
        }
    }
    let query = arguments.words.join(" ");
    let hits = {
        let _progress = Progress::start(&session.output, "searching");
        brain.search(&query, arguments.limit).await?
    };
    let document: Vec<_> = hits
        .iter()
        .map(|hit| json!({ "kind": hit.kind, "name": hit.name, "description": hit.description, "score": hit.score }))
        .collect();
    session.output.answer(&json!({ "hits": document }), |screen| table(&hits, screen))?;
    if hits.is_empty() {
        session.output.note(format!("nothing matches `{query}`"));
    }
    Ok(Exit::Done)
}

fn table(hits: &[Hit], screen: &Screen) -> String {
    let mut table = Table::new(&["name", "kind", "description"], 2);
    for hit in hits {
        table.row(vec![Cell::painted(NAME, &hit.name), hit.kind.as_str().into(), (&hit.description).into()]);
    }
    table.render(screen)
}
