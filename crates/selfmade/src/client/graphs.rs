//! Graphs, their drafts, and the blocks that they place.

use axum::http::{HeaderValue, header};
use model::changeset::diff::Diff;
use model::graph::GraphContent;
use model::graph::check::Problem;
use model::graph::exchange::Format;
use model::graph::patch::Patch;
use model::graph::upgrade::Upgrade;
use model::name::EntryName;
use model::revision::Revision;
use model::version::VersionNumber;
use serde::Deserialize;
use serde_json::{Value, json};
use server::app::changesets::Applied;
use server::app::functions::{EntryView, VersionLine};
use server::app::graphs::blocks::{BuiltinView, CallableView};
use server::app::graphs::drafts::{DraftEdited, DraftLine, DraftView, PinView, SeenDraft, Selection};
use server::app::graphs::estimates::GraphEstimate;
use server::app::graphs::exchange::{GraphExported, GraphsImported};
use store::EntrySummary;

use super::Brain;
use super::paging::listed;
use super::request::RequestBuilder;
use crate::error::Error;

/// Which content of a graph: the live one, a Version, or the draft.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GraphSource {
    pub(crate) version: Option<VersionNumber>,
    pub(crate) draft: bool,
}

/// What is to become of a file.
#[derive(Debug)]
pub(crate) struct GraphImport {
    pub(crate) name: Option<EntryName>,
    pub(crate) unnamed: Option<EntryName>,
    pub(crate) title: Option<String>,
    pub(crate) draft: bool,
    pub(crate) dry_run: bool,
    pub(crate) force: bool,
}

#[derive(Deserialize)]
struct Checked {
    problems: Vec<Problem>,
}

impl Brain {
    /// The first so many, by name.
    pub(crate) async fn graphs(
        &self,
        after: Option<&str>,
        at: Option<Revision>,
        wanted: usize,
    ) -> Result<Vec<EntrySummary>, Error> {
        let list = || self.at(&["graphs"]).maybe("revision", at).maybe("after", after);
        let limit = u32::try_from(wanted).unwrap_or(u32::MAX);
        let mut items: Vec<EntrySummary> = listed(list, limit).await?.items;
        items.truncate(wanted);
        Ok(items)
    }

    /// The live Version, if none is stated.
    pub(crate) async fn graph(
        &self,
        name: &EntryName,
        version: Option<VersionNumber>,
    ) -> Result<EntryView, Error> {
        self.at(&["graphs", name.as_str()]).maybe("version", version).get().await
    }

    /// A new Version, if nobody made another one live meanwhile.
    pub(crate) async fn put_graph(
        &self,
        name: &EntryName,
        graph: &GraphContent,
        live: VersionNumber,
    ) -> Result<Applied, Error> {
        let expected = HeaderValue::from_str(&format!("\"{live}\""));
        // Digits in quotes are always a header.
        let expected = expected.unwrap_or_else(|_| HeaderValue::from_static("*"));
        let asked = self.at(&["graphs", name.as_str()]).json(&json!({ "graph": graph }));
        asked.header(header::IF_MATCH, expected).put().await
    }

    /// Everything that is wrong with it.
    pub(crate) async fn check_graph(
        &self,
        name: Option<&EntryName>,
        graph: &GraphContent,
    ) -> Result<Vec<Problem>, Error> {
        let body = json!({ "name": name, "graph": graph });
        let checked: Checked = self.at(&["graphs", "check"]).json(&body).post().await?;
        Ok(checked.problems)
    }

    /// Oldest first.
    pub(crate) async fn graph_versions(&self, name: &EntryName) -> Result<Vec<VersionLine>, Error> {
        self.at(&["graphs", name.as_str(), "versions"]).get().await
    }

    pub(crate) async fn graph_diff(
        &self,
        name: &EntryName,
        old: VersionNumber,
        new: VersionNumber,
    ) -> Result<Diff, Error> {
        self.at(&["graphs", name.as_str(), "diff"]).query("old", old).query("new", new).get().await
    }

    pub(crate) async fn use_graph_version(
        &self,
        name: &EntryName,
        version: VersionNumber,
    ) -> Result<Applied, Error> {
        self.at(&["graphs", name.as_str(), "live"]).json(&json!({ "version": version })).put().await
    }

    /// By name.
    pub(crate) async fn graph_drafts(&self, limit: u32) -> Result<Vec<DraftLine>, Error> {
        Ok(listed(|| self.at(&["graph-drafts"]), limit).await?.items)
    }

    pub(crate) async fn graph_draft(&self, name: &EntryName) -> Result<DraftView, Error> {
        self.graph_draft_with(name, &[]).await
    }

    /// Checked together with other drafts.
    pub(crate) async fn graph_draft_with(
        &self,
        name: &EntryName,
        with: &[EntryName],
    ) -> Result<DraftView, Error> {
        let with: Vec<&str> = with.iter().map(EntryName::as_str).collect();
        let with = (!with.is_empty()).then(|| with.join(","));
        self.at(&["graphs", name.as_str(), "draft"]).maybe("with", with).get().await
    }

    pub(crate) async fn pin_node(
        &self,
        name: &EntryName,
        node: &str,
        pinning: &Value,
    ) -> Result<PinView, Error> {
        self.at(&["graphs", name.as_str(), "draft", "pins", node]).json(pinning).put().await
    }

    pub(crate) async fn unpin_node(&self, name: &EntryName, node: &str) -> Result<(), Error> {
        self.at(&["graphs", name.as_str(), "draft", "pins", node]).delete().await
    }

    /// `edit` is the last one that the editor has seen.
    pub(crate) async fn patch_graph(
        &self,
        name: &EntryName,
        patches: &[Patch],
        edit: Option<u64>,
    ) -> Result<DraftEdited, Error> {
        let body = json!({ "edit": edit, "patches": patches });
        self.at(&["graphs", name.as_str(), "draft"]).json(&body).patch().await
    }

    pub(crate) async fn discard_graph_draft(&self, name: &EntryName) -> Result<(), Error> {
        self.at(&["graphs", name.as_str(), "draft"]).delete().await
    }

    pub(crate) async fn pack_nodes(
        &self,
        name: &EntryName,
        selection: &Selection,
        edit: Option<u64>,
    ) -> Result<DraftEdited, Error> {
        let Selection { nodes, node, graph } = selection;
        let body = json!({ "edit": edit, "nodes": nodes, "node": node, "graph": graph });
        self.at(&["graphs", name.as_str(), "draft", "pack"]).json(&body).post().await
    }

    pub(crate) async fn unpack_node(
        &self,
        name: &EntryName,
        node: &str,
        edit: Option<u64>,
    ) -> Result<DraftEdited, Error> {
        let body = json!({ "edit": edit, "node": node });
        self.at(&["graphs", name.as_str(), "draft", "unpack"]).json(&body).post().await
    }

    pub(crate) async fn rebase_graph_draft(&self, name: &EntryName, force: bool) -> Result<DraftView, Error> {
        self.at(&["graphs", name.as_str(), "draft", "rebase"]).json(&json!({ "force": force })).post().await
    }

    pub(crate) async fn apply_graph_draft(
        &self,
        seen: &SeenDraft,
        with: &[SeenDraft],
        title: Option<&str>,
    ) -> Result<Applied, Error> {
        let body = json!({ "edit": seen.edit, "title": title, "with": with });
        self.at(&["graphs", seen.name.as_str(), "draft", "apply"]).json(&body).post().await
    }

    pub(crate) async fn import_graph(
        &self,
        file: Vec<u8>,
        import: &GraphImport,
    ) -> Result<GraphsImported, Error> {
        let given = |given: bool| given.then_some(true);
        let asked = self.at(&["graphs", "import"]).maybe("name", import.name.as_ref());
        let asked = asked.maybe("unnamed", import.unnamed.as_ref()).maybe("title", import.title.as_ref());
        let asked = asked.maybe("draft", given(import.draft)).maybe("dry_run", given(import.dry_run));
        asked.maybe("force", given(import.force)).bytes(file).post().await
    }

    pub(crate) async fn export_graph(
        &self,
        name: &EntryName,
        source: GraphSource,
        format: Format,
    ) -> Result<GraphExported, Error> {
        let format = match format {
            Format::Selfmade => "selfmade",
            Format::Graph2024 => "graph2024",
            Format::Agent => "agent",
        };
        self.of_graph(name, "export", source).query("format", format).get().await
    }

    /// As SVG, or as text of so many columns.
    pub(crate) async fn draw_graph(
        &self,
        name: &EntryName,
        source: GraphSource,
        is_svg: bool,
        columns: usize,
    ) -> Result<String, Error> {
        let asked = self.of_graph(name, "drawing", source);
        match is_svg {
            true => asked.query("format", "svg").get_text().await,
            false => asked.query("format", "text").query("columns", columns).get_text().await,
        }
    }

    pub(crate) async fn estimate_graph(
        &self,
        name: &EntryName,
        source: GraphSource,
    ) -> Result<GraphEstimate, Error> {
        self.of_graph(name, "estimate", source).get().await
    }

    pub(crate) async fn graph_upgrades(
        &self,
        name: &EntryName,
        source: GraphSource,
    ) -> Result<Vec<Upgrade>, Error> {
        self.of_graph(name, "upgrades", source).get().await
    }

    fn of_graph(&self, name: &EntryName, what: &str, source: GraphSource) -> RequestBuilder<'_> {
        let asked = self.at(&["graphs", name.as_str(), what]).maybe("version", source.version);
        asked.maybe("draft", source.draft.then_some(true))
    }

    /// The built-in ones.
    pub(crate) async fn blocks(&self) -> Result<Vec<BuiltinView>, Error> {
        self.at(&["blocks"]).get().await
    }

    /// A Function or Graph of this name.
    pub(crate) async fn callable(
        &self,
        name: &EntryName,
        version: Option<VersionNumber>,
    ) -> Result<CallableView, Error> {
        self.at(&["callables", name.as_str()]).maybe("version", version).get().await
    }
}
