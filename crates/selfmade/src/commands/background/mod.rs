//! A server in the background: started, looked at, asked for a link, stopped.

pub(crate) mod sign_in;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod stop;

use std::path::PathBuf;

use server::serve::announcement::{self, Announcement};

use crate::error::Error;
use crate::session::Session;

/// The server of the data folder, if there is one.
fn find(session: &Session) -> Result<Option<Announcement>, Error> {
    Ok(announcement::find(&session.settings.home.path)?)
}

/// What a server in the background logs to.
fn log_file(session: &Session) -> PathBuf {
    session.settings.home.path.join("server.log")
}
