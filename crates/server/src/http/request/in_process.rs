//! Requests from within this process, without a socket. Whoever can open the database may do everything with it anyway, so
//! such a request needs no token and its Actor is the command line.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use sandbox::CancellationToken;
use tower::ServiceExt;

use crate::ctx::Ctx;
use crate::http::state::{Door, HttpConfig};
use crate::http::{openapi, problem};

/// Says that a request was made in this process. Nothing that comes over a socket can carry it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insider;

/// Nobody within is cut off.
const FOREVER: Duration = Duration::from_secs(86_400 * 365);

/// The API, for this process alone.
#[derive(Clone, Debug)]
pub struct Inside(Router);

impl Inside {
    pub fn new(ctx: Ctx) -> Inside {
        let config = HttpConfig { body_timeout: FOREVER, upload_bytes: usize::MAX, ..HttpConfig::default() };
        let door = Door::new(ctx, config, CancellationToken::new());
        let (api, _) = openapi::routes().split_for_parts();
        let api = api
            .fallback(problem::no_such_place)
            .method_not_allowed_fallback(problem::no_such_method)
            .layer(axum::extract::DefaultBodyLimit::disable());
        Inside(api.with_state(door))
    }

    pub async fn ask(&self, mut request: Request<Body>) -> Response {
        request.extensions_mut().insert(Insider);
        let answered: Result<Response, Infallible> = self.0.clone().oneshot(request).await;
        answered.unwrap_or_else(|never| match never {})
    }
}
