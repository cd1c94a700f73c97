//! Triggers.

use jiff::Timestamp;
use model::event::EventKind;
use model::name::EntryName;
use model::trigger::TriggerContent;
use serde::Serialize;
use serde_json::Value;
use server::app::changesets::Applied;
use server::app::triggers::{
    FiringLine, FiringPage, Rehearsal, Trial, TriggerLine, TriggerPage, TriggerView,
};

use super::Brain;
use super::paging::listed;
use crate::error::Error;

/// The Event a Trigger is tried with.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TrialEvent {
    Event { seq: u64 },
    MadeUp { kind: EventKind, source: String, data: Value },
}

impl Brain {
    /// By name.
    pub(crate) async fn triggers(&self, after: Option<&str>, limit: u32) -> Result<TriggerPage, Error> {
        let list = listed(|| self.at(&["triggers"]).maybe("after", after), limit).await?;
        let next = list.last().map(|last: &TriggerLine| last.name.clone());
        Ok(TriggerPage { triggers: list.items, next })
    }

    pub(crate) async fn trigger(&self, name: &EntryName) -> Result<TriggerView, Error> {
        self.at(&["triggers", name.as_str()]).get().await
    }

    pub(crate) async fn put_trigger(
        &self,
        name: &EntryName,
        content: &TriggerContent,
    ) -> Result<Applied, Error> {
        self.at(&["triggers", name.as_str()]).json(content).put().await
    }

    pub(crate) async fn remove_trigger(&self, name: &EntryName) -> Result<Applied, Error> {
        self.at(&["triggers", name.as_str()]).delete().await
    }

    pub(crate) async fn enable_trigger(&self, name: &EntryName, enabled: bool) -> Result<Applied, Error> {
        let verb = if enabled { "enable" } else { "disable" };
        self.at(&["triggers", name.as_str(), verb]).post().await
    }

    /// Newest first.
    pub(crate) async fn firings(
        &self,
        name: &EntryName,
        before: Option<u64>,
        limit: u32,
    ) -> Result<FiringPage, Error> {
        let list = || self.at(&["triggers", name.as_str(), "firings"]).maybe("before", before);
        let list = listed(list, limit).await?;
        let next = list.last().map(|last: &FiringLine| last.seq);
        Ok(FiringPage { firings: list.items, next })
    }

    /// What it would have fired on since then.
    pub(crate) async fn rehearse(&self, name: &EntryName, since: Timestamp) -> Result<Rehearsal, Error> {
        self.at(&["triggers", name.as_str(), "dry-run"]).query("since", since).get().await
    }

    /// What it would do about one Event.
    pub(crate) async fn try_trigger(&self, name: &EntryName, event: &TrialEvent) -> Result<Trial, Error> {
        self.at(&["triggers", name.as_str(), "trial"]).json(event).post().await
    }
}
