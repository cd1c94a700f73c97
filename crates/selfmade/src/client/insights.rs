//! How Functions do.

use jiff::Timestamp;
use model::name::EntryName;
use server::app::insights::Insight;

use super::Brain;
use crate::error::Error;

impl Brain {
    /// Of one Function.
    pub(crate) async fn insight(&self, name: &EntryName, since: Timestamp) -> Result<Insight, Error> {
        self.at(&["insights", name.as_str()]).query("since", since).get().await
    }

    /// Of all that ran.
    pub(crate) async fn insights(&self, since: Timestamp) -> Result<Vec<Insight>, Error> {
        self.at(&["insights"]).query("since", since).get().await
    }
}
