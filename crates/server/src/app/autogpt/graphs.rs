//! Graphs and templates: list, show, create, replace, and make another version active.

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::GraphContent;
use model::graph::block::BlockSignature;
use model::graph::exchange::{
    self, Format, ImportReport, Imported, What, crossing_link, is_template, set_template,
};
use model::name::EntryName;
use model::version::{Version, VersionNumber};
use serde_json::{Map, Value, json};

use super::library::library;
use super::shapes;
use crate::app::changesets::drafts::{Expected, Intent, Proposal};
use crate::app::changesets::{Applied, Breakage, register};
use crate::app::functions::{self, Which, version};
use crate::ctx::Ctx;
use crate::error::Error;

/// Graphs may be large, so few are read at a time.
const PAGE: u32 = 50;

/// So many names are tried for a graph before one is made up.
const NAMES: u32 = 50;

/// What a graph is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    ToRun,
    /// To be copied.
    Template,
}

pub(super) fn key(name: &EntryName) -> EntryKey {
    EntryKey::new(EntryKind::Graph, name.clone())
}

/// Those that are live, by name.
pub(crate) async fn list(ctx: &Ctx, access: &Access, purpose: Purpose) -> Result<Vec<Value>, Error> {
    access.may(Verb::ReadFunctions)?;
    let (mut found, mut after) = (Vec::new(), None::<String>);
    loop {
        let kind = EntryKind::Graph;
        let page = ctx.store.live_versions(kind, after.as_deref(), PAGE, access.only()).await?;
        for version in &page {
            if let Content::Graph(content) = &version.content
                && purpose.is_of(content)
            {
                found.push(Value::Object(shapes::meta(version, content, true)));
            }
        }
        let Some(last) = page.last().filter(|_| page.len() >= PAGE as usize) else { return Ok(found) };
        after = Some(last.head.key.name.to_string());
    }
}

/// The active version, or another.
pub(crate) async fn show(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    purpose: Purpose,
    number: Option<VersionNumber>,
) -> Result<Value, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    let (live, content) = live(ctx, access, name, purpose).await?;
    match number {
        Some(number) if number != live.head.number => {
            let other = version(ctx, access, &key(name), Which::Number(number)).await?;
            let content = graph_of(&other)?;
            Ok(shapes::graph(&other, content, false))
        }
        _ => Ok(shapes::graph(&live, &content, true)),
    }
}

/// The newest first.
pub(crate) async fn versions(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    purpose: Purpose,
) -> Result<Vec<Value>, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    live(ctx, access, name, purpose).await?;
    let mut shown = Vec::new();
    for line in functions::versions(ctx, access, &key(name)).await?.iter().rev() {
        let found = version(ctx, access, &key(name), Which::Number(line.head.number)).await?;
        shown.push(shapes::graph(&found, graph_of(&found)?, line.live));
    }
    Ok(shown)
}

/// A new one, under a name that is derived from its title.
pub(crate) async fn create(
    ctx: &Ctx,
    access: &Access,
    file: Map<String, Value>,
    purpose: Purpose,
) -> Result<Value, Error> {
    access.may(Verb::ApplyChangeset)?;
    let wanted = file.get("name").and_then(Value::as_str).map(EntryName::new);
    let mut imported = read(ctx, access, file, purpose).await?;
    if let Some(Ok(wanted)) = wanted {
        rename(&mut imported, &wanted);
    }
    let name = free_name(ctx, access, &imported.graphs[0].name).await?;
    rename(&mut imported, &name);
    let expected = imported.graphs.iter().map(|graph| (key(&graph.name), Expected::Absent)).collect();
    let proposal = Proposal { expected, ..proposal(format!("create graph {name}"), &imported) };
    let applied = register(ctx, access, &proposal).await?;
    shown(ctx, access, &name, purpose, &applied, &imported.report).await
}

/// A graph of its own with what a template has.
pub(crate) async fn copy(
    ctx: &Ctx,
    access: &Access,
    template: &EntryName,
    number: Option<VersionNumber>,
) -> Result<Value, Error> {
    access.may(Verb::ApplyChangeset)?;
    match show(ctx, access, template, Purpose::Template, number).await? {
        Value::Object(file) => create(ctx, access, file, Purpose::ToRun).await,
        _ => Err(absent(template)),
    }
}

/// Another version of a graph, which becomes the active one.
pub(crate) async fn replace(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    purpose: Purpose,
    file: Map<String, Value>,
) -> Result<Value, Error> {
    access.may_touch(Verb::ApplyChangeset, name.as_str())?;
    let (current, content) = live(ctx, access, name, purpose).await?;
    let stated = |field: &str| file.get(field).filter(|value| !value.is_null() && **value != json!(""));
    if stated("id").is_some_and(|id| *id != json!(current.head.entry_id)) {
        return Err(wrong(
            "the `id` in the body is not that of the address",
            "send the id that the graph has",
        ));
    }
    if stated("is_template").is_some_and(|is| *is != json!(purpose == Purpose::Template)) {
        return Err(wrong("`is_template` cannot be changed", "create a graph from the template instead"));
    }
    let mut imported = read(ctx, access, file, purpose).await?;
    rename(&mut imported, name);
    keep(&mut imported.graphs[0].content, &content);
    let applied = register(ctx, access, &proposal(format!("change graph {name}"), &imported)).await?;
    shown(ctx, access, name, purpose, &applied, &imported.report).await
}

/// Makes another version the active one.
pub(crate) async fn activate(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    number: VersionNumber,
) -> Result<(), Error> {
    access.may_touch(Verb::ApplyChangeset, name.as_str())?;
    live(ctx, access, name, Purpose::ToRun).await?;
    functions::point(ctx, access, &key(name), number, Breakage::Refused).await.map(drop)
}

/// JSON Schema of what a run of the active version takes.
pub(crate) async fn input_schema(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<Value, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    let (_, content) = live(ctx, access, name, Purpose::ToRun).await?;
    Ok(BlockSignature::of_graph(&content).input_schema())
}

impl Purpose {
    fn is_of(self, content: &GraphContent) -> bool {
        is_template(content) == (self == Purpose::Template)
    }
}

/// A graph is no template and a template no graph, whoever asks for either.
pub(super) async fn live(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    purpose: Purpose,
) -> Result<(Version, GraphContent), Error> {
    let live = version(ctx, access, &key(name), Which::Live).await?;
    let content = graph_of(&live)?.clone();
    if purpose.is_of(&content) { Ok((live, content)) } else { Err(absent(name)) }
}

pub(super) fn graph_of(version: &Version) -> Result<&GraphContent, Error> {
    match &version.content {
        Content::Graph(content) => Ok(content),
        _ => Err(absent(&version.head.key.name)),
    }
}

pub(super) fn absent(name: &EntryName) -> Error {
    Error::NotFound { key: key(name), near: None }
}

fn wrong(problem: impl Into<String>, hint: &str) -> Error {
    Error::Input { problem: problem.into(), hint: hint.to_owned() }
}

/// Reads what is sent. A file is repaired where that loses nothing; what a client states wrong is refused.
async fn read(
    ctx: &Ctx,
    access: &Access,
    mut file: Map<String, Value>,
    purpose: Purpose,
) -> Result<Imported, Error> {
    // They are told with each version, and are no part of its content.
    for field in ["id", "version", "is_active", "notes"] {
        file.shift_remove(field);
    }
    for part in ["nodes", "links"] {
        name_parts(ctx, file.get_mut(part));
    }
    let file = Value::Object(file);
    if file["nodes"].as_array().is_some_and(Vec::is_empty) {
        return Err(no_start());
    }
    if let Some(problem) = crossing_link(&file) {
        return Err(wrong(problem, "link nodes of one subgraph, or put an input block between them"));
    }
    let library = library(ctx, access, &file).await?;
    let read = exchange::read(file.to_string().as_bytes(), &library);
    let mut imported =
        read.map_err(|error| wrong(error.to_string(), "send a graph as `GET /graphs/{id}` shows one"))?;
    if imported.format == Format::Selfmade {
        return Err(wrong("the nodes of the graph have no `block_id`", "`GET /blocks` lists the blocks"));
    }
    refuse(&imported.report)?;
    set_template(&mut imported.graphs[0].content, purpose == Purpose::Template);
    Ok(imported)
}

/// What the shape of 2024 has no place for stays as it was.
fn keep(new: &mut GraphContent, old: &GraphContent) {
    new.budget = old.budget.or(new.budget);
    let places = old.positions();
    for node in &mut new.nodes {
        let known = places.get(node.id.as_str()).map(|at| &old.nodes[*at]);
        if let Some(known) = known.filter(|known| known.block == node.block) {
            (node.retries, node.version) = (known.retries, known.version);
            node.timeout.clone_from(&known.timeout);
        }
    }
}

/// Empty ids become new ones.
fn name_parts(ctx: &Ctx, parts: Option<&mut Value>) {
    for part in parts.and_then(Value::as_array_mut).into_iter().flatten() {
        let is_empty = part["id"].is_null() || part["id"] == "";
        if let (true, Value::Object(part)) = (is_empty, part) {
            part.insert("id".to_owned(), json!(ctx.ids.uuid()));
        }
    }
}

/// What a graph that is written now must not have, although files that have it are imported.
fn refuse(report: &ImportReport) -> Result<(), Error> {
    for note in &report.notes {
        match note.what {
            What::Link => {
                let hint = "`GET /blocks` lists the blocks with their pins; `selfmade graph import` takes the file as it is";
                return Err(wrong(note.to_string(), hint));
            }
            What::Added if note.node.is_some() => return Err(no_start()),
            _ => {}
        }
    }
    Ok(())
}

fn no_start() -> Error {
    wrong("the graph has no node to start with", "add an input block, or a node whose pins are not linked")
}

/// The main graph is called so, and those it contains after it.
fn rename(imported: &mut Imported, to: &EntryName) {
    let from = imported.graphs[0].name.clone();
    let names: Vec<EntryName> = imported.graphs.iter().map(|graph| graph.name.clone()).collect();
    for name in names {
        let rest = name.as_str().strip_prefix(from.as_str()).unwrap_or_default();
        if let Ok(new) = EntryName::new(&format!("{to}{rest}")) {
            imported.rename(&name, &new);
        }
    }
}

fn proposal(title: String, imported: &Imported) -> Proposal {
    let put =
        |graph: &exchange::NamedGraph| Intent::Put(graph.name.clone(), Content::Graph(graph.content.clone()));
    Proposal::of(title, imported.graphs.iter().map(put).collect())
}

/// A name that nothing ever had: the id of what was deleted is not that of a new graph.
async fn free_name(ctx: &Ctx, access: &Access, wanted: &EntryName) -> Result<EntryName, Error> {
    for number in 1..=NAMES {
        let name = if number == 1 { wanted.clone() } else { EntryName::new(&format!("{wanted}_{number}"))? };
        access.may_touch(Verb::ApplyChangeset, name.as_str())?;
        let is_new = ctx.store.versions(&key(&name)).await?.is_empty();
        if is_new && ctx.store.live_callables(std::slice::from_ref(&name)).await?.is_empty() {
            return Ok(name);
        }
    }
    let tail = ctx.ids.uuid().simple().to_string();
    Ok(EntryName::new(&format!("{wanted}_{}", &tail[20..]))?)
}

/// What is active now, with what is not as it was sent.
async fn shown(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    purpose: Purpose,
    applied: &Applied,
    report: &ImportReport,
) -> Result<Value, Error> {
    let moved = applied.moves.iter().find(|moved| moved.key == key(name));
    let mut graph = show(ctx, access, name, purpose, moved.and_then(|moved| moved.to)).await?;
    if !report.notes.is_empty() {
        let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
        graph["notes"] = json!(notes);
    }
    Ok(graph)
}
