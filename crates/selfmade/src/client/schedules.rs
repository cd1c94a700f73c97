//! Schedules.

use model::name::EntryName;
use model::schedule::ScheduleContent;
use server::app::changesets::Applied;
use server::app::schedules::{ScheduleLine, SchedulePage, ScheduleView};

use super::Brain;
use super::paging::listed;
use crate::error::Error;

impl Brain {
    /// By name.
    pub(crate) async fn schedules(&self, after: Option<&str>, limit: u32) -> Result<SchedulePage, Error> {
        let list = listed(|| self.at(&["schedules"]).maybe("after", after), limit).await?;
        let next = list.last().map(|last: &ScheduleLine| last.name.clone());
        Ok(SchedulePage { schedules: list.items, next })
    }

    pub(crate) async fn schedule(&self, name: &EntryName, times: usize) -> Result<ScheduleView, Error> {
        self.at(&["schedules", name.as_str()]).query("times", times).get().await
    }

    pub(crate) async fn put_schedule(
        &self,
        name: &EntryName,
        content: &ScheduleContent,
    ) -> Result<Applied, Error> {
        self.at(&["schedules", name.as_str()]).json(content).put().await
    }

    pub(crate) async fn remove_schedule(&self, name: &EntryName) -> Result<Applied, Error> {
        self.at(&["schedules", name.as_str()]).delete().await
    }

    pub(crate) async fn pause_schedule(&self, name: &EntryName, paused: bool) -> Result<Applied, Error> {
        let verb = if paused { "pause" } else { "resume" };
        self.at(&["schedules", name.as_str(), verb]).post().await
    }
}
