//! The brain as commands use it: a client of the API. One file a noun, one method a verb; each makes a request and reads the answer
//! into the types that the server made it from. Where the request goes is [`local`] or [`remote`].

mod address;
mod attention;
mod changesets;
mod decoded;
mod events;
mod folder;
mod functions;
mod graphs;
mod insights;
mod live;
mod local;
mod models;
mod packs;
mod paging;
mod presets;
mod remote;
mod request;
mod run_tests;
mod runs;
mod schedules;
mod search;
mod secrets;
mod sessions;
mod tokens;
mod triggers;
mod warming;

use axum::body::Body;
use axum::http::{Request, Response};
use server::http::{BrainView, CallerView};

pub(crate) use self::changesets::{Change, Changes};
pub(crate) use self::events::Events;
pub(crate) use self::folder::FolderImport;
pub(crate) use self::functions::Listed;
pub(crate) use self::graphs::{GraphImport, GraphSource};
pub(crate) use self::live::StreamUpdate;
pub(crate) use self::local::Local;
pub(crate) use self::packs::PackLoad;
pub(crate) use self::remote::Remote;
pub(crate) use self::runs::{CodeRun, FunctionRun, Release, RunQuery, Start};
pub(crate) use self::tokens::NewToken;
pub(crate) use self::triggers::TrialEvent;
use crate::error::Error;

/// A brain, wherever it is.
pub(crate) enum Brain {
    /// Opened by this process.
    Local(Box<Local>),
    /// Asked of a server.
    Remote(Box<Remote>),
}

impl Brain {
    /// The brain itself, if this process has it.
    pub(crate) fn local(&self) -> Option<&Local> {
        match self {
            Brain::Local(local) => Some(local),
            Brain::Remote(_) => None,
        }
    }

    pub(crate) fn is_remote(&self) -> bool {
        matches!(self, Brain::Remote(_))
    }

    /// Where its API is, or will be when it is served as it is configured.
    pub(crate) fn url(&self) -> Option<String> {
        match self {
            Brain::Local(local) => local.url(),
            Brain::Remote(remote) => Some(remote.base()),
        }
    }

    async fn send(&self, request: Request<Body>, keeps_open: bool) -> Result<Response<Body>, Error> {
        match self {
            Brain::Local(local) => Ok(local.ask(request).await),
            Brain::Remote(remote) => remote.ask(request, keeps_open).await,
        }
    }

    /// What it holds.
    pub(crate) async fn holds(&self) -> Result<BrainView, Error> {
        self.at(&["brain"]).get().await
    }

    /// Who we are to it.
    pub(crate) async fn caller(&self) -> Result<CallerView, Error> {
        self.at(&["caller"]).get().await
    }

    /// Waits for what is being written.
    pub(crate) async fn close(self) {
        if let Brain::Local(local) = self {
            local.ctx.close().await;
        }
    }
}
