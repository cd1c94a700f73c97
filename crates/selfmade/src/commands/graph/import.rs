//! `selfmade graph import`: graphs from a file, ours or one of AutoGPT.

use std::path::Path;

use model::graph::exchange::{Format, ImportReport};
use model::name::EntryName;
use server::app::graphs::exchange::{GraphsImported, ImportedGraph};

use super::name;
use crate::client::{Brain, GraphImport};
use crate::error::{Error, Exit};
use crate::files::{self, STDIN};
use crate::session::Session;
use crate::terminal::style::{NAME, WARNING, counted, paint, printable};
use crate::views::{applied, findings};

/// Import the graphs of a file: one of selfmade, or an agent of AutoGPT
///
/// It reads what `graph export` writes, graphs and templates of AutoGPT's server of 2024, and agents that AutoGPT exports today. All graphs
/// of the file become live as one changeset. A block that is not available becomes a placeholder that keeps its values and links; what could
/// not be taken over as it is written is reported.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph import agent.json --dry-run     see what it would become
  selfmade graph import agent.json --name leads
  selfmade graph import agent.json --draft       edit it before it is live: graph patch, graph apply
  selfmade graph export news | selfmade graph import - --name news_copy")]
pub(crate) struct Arguments {
    /// A JSON file; - reads standard input
    file: String,
    /// What the main graph is called [default: what the file says, else its name]
    #[arg(long)]
    name: Option<String>,
    /// Change nothing, and say what the file would become
    #[arg(long)]
    dry_run: bool,
    /// Leave the graphs as drafts
    #[arg(long, conflicts_with = "dry_run")]
    draft: bool,
    /// Apply it even if stored callers, triggers, schedules or graphs no longer fit
    #[arg(long, conflicts_with_all = ["dry_run", "draft"])]
    force: bool,
    /// What the changeset is for
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let file = files::read_graph(&arguments.file)?;
    let import = GraphImport {
        name: arguments.name.as_deref().map(name).transpose()?,
        unnamed: unnamed(&arguments.file),
        title: arguments.title,
        draft: arguments.draft,
        dry_run: arguments.dry_run,
        force: arguments.force,
    };
    let imported = brain.import_graph(file, &import).await?;
    session.output.answer(&imported, |_| text(&imported))?;
    report(session, &imported.report);
    tell(session, &import, &imported);
    Ok(Exit::Done)
}

/// The name of the file, if it can be one.
fn unnamed(file: &str) -> Option<EntryName> {
    let stem = Path::new(file).file_stem().filter(|_| file != STDIN)?;
    EntryName::new(&stem.to_string_lossy()).ok()
}

fn text(imported: &GraphsImported) -> String {
    imported.graphs.iter().map(line).collect()
}

fn line(graph: &ImportedGraph) -> String {
    let replaces = graph.replaces.map(|version| format!(", replaces @{version}")).unwrap_or_default();
    let placeholders = match graph.placeholders {
        0 => String::new(),
        count => paint(WARNING, format!(", {}", counted(count, "placeholder"))),
    };
    format!(
        "graph {}: {}, {}{placeholders}{replaces}\n",
        paint(NAME, graph.name.as_str()),
        counted(graph.nodes, "node"),
        counted(graph.links, "link"),
    )
}

/// What a person has to know of it.
fn report(session: &Session, report: &ImportReport) {
    let missing: Vec<String> = report
        .missing
        .iter()
        .map(|block| {
            let called = block.class.as_deref().unwrap_or(&block.block_id);
            let function = block.function.as_ref();
            let load = function.map(|name| format!("; the function `{name}` would stand for it"));
            let nodes = counted(block.nodes.len(), "node");
            format!("  {} ({nodes}){}\n", printable(called), load.unwrap_or_default())
        })
        .collect();
    findings::section(&session.output, &missing, "block is not available", "blocks are not available");
    let notes: Vec<String> =
        report.notes.iter().map(|note| format!("  {}\n", printable(&note.to_string()))).collect();
    findings::section(&session.output, &notes, "note", "notes");
    for (service, nodes) in &report.services {
        let nodes = counted(nodes.len(), "node");
        session.output.note(format!(
            "{} of {} asks for credentials, which are not in files",
            nodes,
            printable(service)
        ));
    }
}

fn tell(session: &Session, import: &GraphImport, imported: &GraphsImported) {
    let (output, program) = (&session.output, &session.settings.program);
    if imported.format != Format::Selfmade {
        output.aside("exported again, it is the same file as far as it is not edited");
    }
    let Some(main) = imported.graphs.first().map(|graph| &graph.name) else { return };
    if let Some(applied) = &imported.applied {
        applied::tell(output, applied);
        return;
    }
    if import.draft {
        output.note("they are drafts; nothing is live yet");
        let with: String =
            imported.graphs[1..].iter().map(|graph| format!(" --with {}@0", graph.name)).collect();
        output.hint(format!("`{program} graph apply {main} --edit 0{with}` makes them live"));
        return;
    }
    let all: Vec<_> = imported.checks.iter().flat_map(|check| &check.findings).collect();
    let errors: Vec<_> = all
        .into_iter()
        .filter(|finding| finding.severity == model::changeset::check::Severity::Error)
        .collect();
    if !errors.is_empty() {
        output.warning("it would not pass its checks");
        output.report(&findings::errors(&errors));
    }
    output.note("nothing was changed");
}
