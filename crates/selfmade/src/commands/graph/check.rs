//! `selfmade graph check`: everything that is wrong with a graph.

use model::graph::check::Problem;
use serde_json::json;

use super::show::content;
use super::{file, name};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::counted;
use crate::views::graph_problems;

/// Show everything that is wrong with a graph, with node and pin
///
/// Nothing is stored. Exit code 5 means that it has errors, so that it could not be added or applied; warnings do not matter.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph check news            the live version
  selfmade graph check news --draft --with news.fetch
  selfmade graph check news.json       a file")]
pub(crate) struct Arguments {
    /// The graph, or a JSON file; - reads standard input
    #[arg(value_name = "NAME|FILE")]
    graph: String,
    /// Its draft
    #[arg(long)]
    draft: bool,
    /// Together with the draft of this graph; may be repeated
    #[arg(long, value_name = "NAME", requires = "draft")]
    with: Vec<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let problems = problems(brain, arguments).await?;
    let document = json!({ "problems": problems });
    session.output.answer(&document, |_| graph_problems::lines(&problems))?;
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    if problems.is_empty() {
        session.output.note("no problems");
    }
    if errors > 0 {
        session.output.note(format!("{}; the graph cannot be added or applied", counted(errors, "error")));
        return Ok(Exit::Refused);
    }
    Ok(Exit::Done)
}

async fn problems(brain: &Brain, arguments: &Arguments) -> Result<Vec<Problem>, Error> {
    let text = &arguments.graph;
    if file::is_file(text) {
        if arguments.draft {
            return Err(Error::Input {
                problem: format!("`{text}` is a file, which has no draft"),
                hint: "name a graph, or omit `--draft`".to_owned(),
            });
        }
        let graph = file::graph(text)?;
        // Under its name it is seen whether it contains itself.
        return brain.check_graph(file::name_of(text).ok().as_ref(), &graph).await;
    }
    let name = name(text)?;
    if arguments.draft {
        let with = arguments.with.iter().map(|text| super::name(text)).collect::<Result<Vec<_>, Error>>()?;
        return Ok(brain.graph_draft_with(&name, &with).await?.problems);
    }
    let view = brain.graph(&name, None).await?;
    match content(&view) {
        Some(graph) => brain.check_graph(Some(&name), graph).await,
        None => Ok(Vec::new()),
    }
}
