//! Functions.

use model::changeset::diff::Diff;
use model::name::EntryName;
use model::revision::Revision;
use model::version::VersionNumber;
use serde_json::json;
use server::app::changesets::Applied;
use server::app::functions::dependents::Impact;
use server::app::functions::provenance::Provenance;
use server::app::functions::{EntryView, VersionLine, Which};
use store::EntrySummary;

use super::Brain;
use super::paging::listed;
use crate::error::Error;

/// Which Functions are listed.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) after: Option<String>,
    pub(crate) at: Option<Revision>,
    pub(crate) pack: Option<String>,
}

impl Brain {
    /// The first so many of those that fit.
    pub(crate) async fn functions(&self, which: &Listed, wanted: usize) -> Result<Vec<EntrySummary>, Error> {
        let list = || {
            let asked = self.at(&["functions"]).maybe("revision", which.at);
            asked.maybe("pack", which.pack.as_ref()).maybe("after", which.after.as_ref())
        };
        let limit = u32::try_from(wanted).unwrap_or(u32::MAX);
        let mut items: Vec<EntrySummary> = listed(list, limit).await?.items;
        items.truncate(wanted);
        Ok(items)
    }

    pub(crate) async fn function(&self, name: &EntryName, which: Which) -> Result<EntryView, Error> {
        let asked = self.at(&["functions", name.as_str()]);
        match which {
            Which::Live => asked.get().await,
            Which::Number(number) => asked.query("version", number).get().await,
            Which::AsOf(revision) => asked.query("revision", revision).get().await,
        }
    }

    /// Oldest first.
    pub(crate) async fn versions(&self, name: &EntryName) -> Result<Vec<VersionLine>, Error> {
        self.at(&["functions", name.as_str(), "versions"]).get().await
    }

    /// Why a Version is there; the live one if none is named.
    pub(crate) async fn provenance(
        &self,
        name: &EntryName,
        version: Option<VersionNumber>,
    ) -> Result<Provenance, Error> {
        let number = match version {
            Some(number) => number,
            None => self.function(name, Which::Live).await?.version.head.number,
        };
        let number = number.to_string();
        self.at(&["functions", name.as_str(), "versions", &number, "provenance"]).get().await
    }

    pub(crate) async fn diff(
        &self,
        name: &EntryName,
        old: VersionNumber,
        new: VersionNumber,
    ) -> Result<Diff, Error> {
        self.at(&["functions", name.as_str(), "diff"]).query("old", old).query("new", new).get().await
    }

    pub(crate) async fn use_version(
        &self,
        name: &EntryName,
        version: VersionNumber,
        force: bool,
    ) -> Result<Applied, Error> {
        let asked = self.at(&["functions", name.as_str(), "live"]).maybe("force", force.then_some(true));
        asked.json(&json!({ "version": version })).put().await
    }

    pub(crate) async fn dependents(&self, name: &EntryName) -> Result<Impact, Error> {
        self.at(&["functions", name.as_str(), "dependents"]).get().await
    }
}
