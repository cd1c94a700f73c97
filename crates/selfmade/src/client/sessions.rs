//! Sessions.

use model::access::session::Session;

use super::Brain;
use crate::error::Error;

impl Brain {
    pub(crate) async fn sessions(&self) -> Result<Vec<Session>, Error> {
        self.at(&["sessions"]).get().await
    }

    pub(crate) async fn end_session(&self, name: &str) -> Result<(), Error> {
        self.at(&["sessions", name]).delete().await
    }
}
