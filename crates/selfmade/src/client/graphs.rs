//! Graphs, their drafts, and the blocks that they place.

use axum::http::{HeaderValue, header};
use model::changeset::diff::Diff;
use model::graph::GraphContent;
use model::graph::check::Problem;
use model::graph::patch::Patch;
use model::name::EntryName;
use model::revision::Revision;
use model::version::VersionNumber;
use serde::Deserialize;
use serde_json::json;
use server::app::changesets::Applied;
use server::app::functions::{EntryView, VersionLine};
use server::app::graphs::blocks::{BuiltinView, CallableView};
use server::app::graphs::drafts::{DraftEdited, DraftLine, DraftView, Selection};
use store::EntrySummary;

use super::Brain;
use super::paging::listed;
use crate::error::Error;

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
        self.at(&["graphs", name.as_str(), "draft"]).get().await
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
        name: &EntryName,
        with: &[EntryName],
        title: Option<&str>,
    ) -> Result<Applied, Error> {
        let body = json!({ "title": title, "with": with });
        self.at(&["graphs", name.as_str(), "draft", "apply"]).json(&body).post().await
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
