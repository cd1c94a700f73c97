//! Changesets.

use model::changeset::ChangesetState;
use model::entry::EntryKind;
use model::graph::GraphContent;
use model::name::EntryName;
use model::revision::Revision;
use serde::Serialize;
use serde_json::json;
use server::app::changesets::{Applied, ChangesetLine, ChangesetView};

use super::Brain;
use super::paging::listed;
use super::request::RequestBuilder;
use crate::error::Error;

/// One change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    Function {
        name: Option<EntryName>,
        source: String,
        /// For messages.
        file: String,
        description: Option<String>,
    },
    Graph {
        name: EntryName,
        graph: Box<GraphContent>,
    },
    Delete {
        name: EntryName,
        kind: EntryKind,
    },
}

/// Changes that are made together.
#[derive(Debug, Serialize)]
pub(crate) struct Changes {
    pub(crate) title: Option<String>,
    pub(crate) changes: Vec<Change>,
}

impl Brain {
    pub(crate) async fn register(&self, changes: &Changes, force: bool) -> Result<Applied, Error> {
        self.at(&["changesets", "register"]).maybe("force", force.then_some(true)).json(changes).post().await
    }

    pub(crate) async fn propose(&self, changes: &Changes) -> Result<ChangesetView, Error> {
        self.at(&["changesets"]).json(changes).post().await
    }

    /// Newest first.
    pub(crate) async fn changesets(
        &self,
        state: Option<ChangesetState>,
        applied: bool,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ChangesetLine>, Error> {
        let list = || {
            let asked = self.at(&["changesets"]).query("applied", applied);
            asked.maybe("state", state.map(ChangesetState::as_str)).maybe("before", before)
        };
        Ok(listed(list, limit).await?.items)
    }

    pub(crate) async fn changeset(&self, number: u64) -> Result<ChangesetView, Error> {
        self.changeset_at(number, None).get().await
    }

    /// The one that made a revision.
    pub(crate) async fn changeset_of(&self, revision: Revision) -> Result<ChangesetView, Error> {
        self.at(&["revisions", &revision.to_string()]).get().await
    }

    pub(crate) async fn apply(&self, number: u64, force: bool) -> Result<Applied, Error> {
        self.changeset_at(number, Some("apply")).maybe("force", force.then_some(true)).post().await
    }

    pub(crate) async fn revert(&self, number: u64, force: bool) -> Result<Applied, Error> {
        self.changeset_at(number, Some("revert")).maybe("force", force.then_some(true)).post().await
    }

    pub(crate) async fn reject(&self, number: u64, comment: Option<&str>) -> Result<ChangesetView, Error> {
        self.changeset_at(number, Some("reject")).json(&json!({ "comment": comment })).post().await
    }

    pub(crate) async fn rebase(&self, number: u64) -> Result<ChangesetView, Error> {
        self.changeset_at(number, Some("rebase")).post().await
    }

    fn changeset_at(&self, number: u64, verb: Option<&str>) -> RequestBuilder<'_> {
        let number = number.to_string();
        let mut path = vec!["changesets", number.as_str()];
        path.extend(verb);
        self.at(&path)
    }
}
