//! A file becomes Graphs: live by one Changeset, or drafts, or nothing but a report of what it would become.

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::changeset::check::Check;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::Blocks;
use model::graph::builtin::Builtin;
use model::graph::draft::Draft;
use model::graph::exchange::{Format, ImportReport, Imported, NamedGraph, read};
use model::name::EntryName;
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};

use super::asked::with_blocks;
use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::changesets::{self, Applied, Breakage};
use crate::ctx::Ctx;
use crate::error::Error;

/// A file, and what is to become of it.
#[derive(Clone, Debug, Default)]
pub struct GraphImport {
    pub file: Vec<u8>,
    /// What the main graph is called instead of what the file says. Those whose names begin with its own follow.
    pub name: Option<EntryName>,
    /// What it is called if the file does not say it.
    pub unnamed: Option<EntryName>,
    pub title: Option<String>,
    pub mode: ImportMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportMode {
    /// Its graphs are made live.
    Apply(Breakage),
    /// Its graphs are left as drafts, to be edited before they are applied.
    Draft,
    /// Nothing is changed.
    DryRun,
}

impl Default for ImportMode {
    fn default() -> ImportMode {
        ImportMode::Apply(Breakage::Refused)
    }
}

/// What became of a file, or would become of it.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct GraphsImported {
    pub format: Format,
    /// The main graph first.
    pub graphs: Vec<ImportedGraph>,
    pub report: ImportReport,
    /// Absent for drafts and dry runs.
    pub applied: Option<Applied>,
    /// What the checks of the changeset say, for a dry run.
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ImportedGraph {
    pub name: EntryName,
    pub nodes: usize,
    pub links: usize,
    /// Nodes that only keep the place of a block that is not available.
    pub placeholders: usize,
    /// The version that was live under this name before.
    pub replaces: Option<VersionNumber>,
}

pub async fn import(ctx: &Ctx, access: &Access, import: GraphImport) -> Result<GraphsImported, Error> {
    let verb = match import.mode {
        ImportMode::Apply(_) => Verb::ApplyChangeset,
        ImportMode::Draft | ImportMode::DryRun => Verb::ProposeChangeset,
    };
    access.may(verb)?;
    let file = import.file;
    let imported = with_blocks(ctx, access, move |blocks: &dyn Blocks| read(&file, blocks)).await??;
    let imported = named(imported, import.name, import.unnamed)?;
    for graph in &imported.graphs {
        access.may_touch(verb, graph.name.as_str())?;
    }
    let graphs = described(ctx, &imported.graphs).await?;
    let Imported { format, graphs: contents, report, .. } = imported;
    let mut done = GraphsImported { format, graphs, report, applied: None, checks: Vec::new() };
    if import.mode == ImportMode::Draft {
        add_drafts(ctx, &done.graphs, contents).await?;
        return Ok(done);
    }
    let title = import.title.unwrap_or_else(|| format!("import graph {}", contents[0].name));
    let put = |graph: NamedGraph| Intent::Put(graph.name, Content::Graph(graph.content));
    let proposal = Proposal::of(title, contents.into_iter().map(put).collect());
    match import.mode {
        ImportMode::Apply(breakage) => {
            let proposal = Proposal { breakage, ..proposal };
            done.applied = Some(changesets::register(ctx, access, &proposal).await?);
        }
        _ => done.checks = changesets::check(ctx, access, &proposal).await?,
    }
    Ok(done)
}

/// Under the names that its graphs are to have here.
fn named(
    mut imported: Imported,
    name: Option<EntryName>,
    unnamed: Option<EntryName>,
) -> Result<Imported, Error> {
    let unnamed = unnamed.filter(|_| !imported.is_named);
    match name.or(unnamed) {
        Some(name) => imported.rename_main(&name)?,
        None if imported.is_named => {}
        None => {
            return Err(Error::Input {
                problem: "the file does not say what its graph is called".to_owned(),
                hint: "state a name".to_owned(),
            });
        }
    }
    Ok(imported)
}

async fn described(ctx: &Ctx, graphs: &[NamedGraph]) -> Result<Vec<ImportedGraph>, Error> {
    let mut described = Vec::with_capacity(graphs.len());
    for NamedGraph { name, content } in graphs {
        let key = EntryKey::new(EntryKind::Graph, name.clone());
        let placeholders =
            content.nodes.iter().filter(|node| node.builtin() == Some(Builtin::Placeholder)).count();
        described.push(ImportedGraph {
            name: name.clone(),
            nodes: content.nodes.len(),
            links: content.links.len(),
            placeholders,
            replaces: ctx.store.live_version(&key).await?.map(|version| version.head.number),
        });
    }
    Ok(described)
}

/// All of them or none.
async fn add_drafts(ctx: &Ctx, described: &[ImportedGraph], graphs: Vec<NamedGraph>) -> Result<(), Error> {
    let now = ctx.clock.now();
    let names: Vec<EntryName> = graphs.iter().map(|graph| graph.name.clone()).collect();
    let live = ctx.store.live_callables(&names).await?;
    if let Some(function) = live.iter().find(|version| version.head.key.kind == EntryKind::Function) {
        return Err(Error::Taken { noun: "function", name: function.head.key.name.to_string() });
    }
    let drafts: Vec<Draft> =
        graphs.into_iter().zip(described).map(|(graph, described)| draft(graph, described, now)).collect();
    match ctx.store.add_graph_drafts(&drafts).await {
        Err(store::Error::Unique { .. }) => Err(taken(ctx, &names).await?),
        added => Ok(added?),
    }
}

fn draft(graph: NamedGraph, described: &ImportedGraph, now: Timestamp) -> Draft {
    Draft {
        name: graph.name,
        base: described.replaces,
        edit: 0,
        content: graph.content,
        created_at: now,
        updated_at: now,
    }
}

async fn taken(ctx: &Ctx, names: &[EntryName]) -> Result<Error, Error> {
    for name in names {
        if ctx.store.graph_draft(name).await?.is_some() {
            return Ok(Error::Taken { noun: "draft of a graph", name: name.to_string() });
        }
    }
    Ok(Error::Contended)
}
