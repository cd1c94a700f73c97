//! A brain that this process has opened: its API, asked without a socket.

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::{Request, Response};
use server::Ctx;
use server::config::ServeConfig;
use server::http::Inside;
use server::serve::announcement;
use store::Location;

pub(crate) struct Local {
    pub(crate) ctx: Ctx,
    inside: Inside,
    pub(crate) location: Location,
    /// As it may be shown: without a password.
    pub(crate) database: String,
    /// How it is to be served.
    pub(crate) serve: ServeConfig,
    /// Whether the database is where it is unless configured.
    pub(crate) is_usual: bool,
    /// Whether the database was made just now.
    pub(crate) is_new: bool,
}

impl Local {
    pub(crate) fn new(
        ctx: Ctx,
        location: Location,
        serve: ServeConfig,
        is_usual: bool,
        is_new: bool,
    ) -> Local {
        let database = Local::shown(&location);
        Local { inside: Inside::new(ctx.clone()), ctx, location, database, serve, is_usual, is_new }
    }

    /// A database as it may be shown.
    pub(crate) fn shown(location: &Location) -> String {
        match location {
            Location::Sqlite(path) => path.display().to_string(),
            server @ Location::Postgres(_) => format!("PostgreSQL at {server}"),
        }
    }

    /// Where it would be served. A port of 0 is chosen only then.
    pub(super) fn url(&self) -> Option<String> {
        let address: SocketAddr = self.serve.listen.parse().ok()?;
        (address.port() != 0).then(|| announcement::url(address))
    }

    pub(super) async fn ask(&self, request: Request<Body>) -> Response<Body> {
        self.inside.ask(request).await
    }
}
