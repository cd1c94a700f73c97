//! `selfmade graph show`: one Version of a Graph, or its draft.

use model::graph::GraphContent;
use model::graph::check::Problem;
use model::version::VersionNumber;
use server::app::functions::EntryView;
use server::app::graphs::drafts::DraftView;

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, GOOD, TITLE, paint};
use crate::views::fields::Fields;
use crate::views::{graph, graph_problems};

/// Show a graph: its pins, nodes and links, and what is wrong with it
///
/// With --json it prints the graph as `graph add` takes it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph show news
  selfmade graph show news --version 2
  selfmade graph show news --draft       as it is edited
  selfmade graph show news --json > news.json")]
pub(crate) struct Arguments {
    name: String,
    /// This version, instead of the live one
    #[arg(long, value_name = "N", conflicts_with = "draft")]
    version: Option<VersionNumber>,
    /// Its draft
    #[arg(long)]
    draft: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    if arguments.draft {
        let view = brain.graph_draft(&name).await?;
        session.output.answer(&view.graph, |screen| draft(&view, screen))?;
        return Ok(Exit::Done);
    }
    let view = brain.graph(&name, arguments.version).await?;
    let Some(content) = content(&view) else {
        session.output.answer(&view, |_| String::new())?;
        return Ok(Exit::Done);
    };
    let problems =
        if session.output.json { Vec::new() } else { brain.check_graph(Some(&name), content).await? };
    session.output.answer(content, |screen| version(&view, content, &problems, screen))?;
    Ok(Exit::Done)
}

pub(super) fn content(view: &EntryView) -> Option<&GraphContent> {
    match &view.version.content {
        model::content::Content::Graph(graph) => Some(graph),
        _ => None,
    }
}

fn version(view: &EntryView, content: &GraphContent, problems: &[Problem], screen: &Screen) -> String {
    let head = &view.version.head;
    let live = if view.live { paint(GOOD, "live") } else { paint(DIM, "not live") };
    let mut fields =
        Fields::of(head.key.name.as_str(), &head.number.to_string(), &live, &content.description);
    graph::describe(&mut fields, content);
    let names = |keys: &[model::entry::EntryKey]| -> String {
        keys.iter().map(|key| key.name.to_string()).collect::<Vec<_>>().join(", ")
    };
    fields.add("called by", names(&view.dependents));
    fields.add("started by", names(&view.started_by));
    fields.add("written", format!("{} by {}", screen.time(head.written_at), view.who));
    fields.add("hash", head.content_hash.short());
    fields.above(&parts(content, problems, screen))
}

fn draft(view: &DraftView, screen: &Screen) -> String {
    let base = match view.base {
        Some(base) => format!("begun with version {base}"),
        None => "of a new graph".to_owned(),
    };
    let state = paint(DIM, format!("edit {}, {base}", view.edit));
    let mut fields = Fields::of(view.name.as_str(), "draft", &state, &view.graph.description);
    graph::describe(&mut fields, &view.graph);
    if view.base != view.live {
        let live = view.live.map_or("none".to_owned(), |live| live.to_string());
        fields.add("live", format!("{live}; `selfmade graph rebase {}` moves the draft there", view.name));
    }
    let pinned: Vec<&str> = view.pins.keys().map(String::as_str).collect();
    fields.add("pinned", pinned.join(", "));
    fields.add("edited", screen.time(view.updated_at));
    fields.above(&parts(&view.graph, &view.problems, screen))
}

/// What it is made of, and what is wrong.
fn parts(content: &GraphContent, problems: &[Problem], screen: &Screen) -> String {
    let problems = graph_problems::lines(problems);
    let problems =
        if problems.is_empty() { problems } else { format!("{}\n{problems}", paint(TITLE, "Problems")) };
    let parts = [graph::nodes(&content.nodes, screen), graph::links(&content.links, screen), problems];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}
