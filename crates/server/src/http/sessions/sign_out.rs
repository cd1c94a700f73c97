//! Signing out: a browser ends its own Session.

use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};

use crate::app::sessions;
use crate::http::edge::proxies::is_https;
use crate::http::problem::Problem;
use crate::http::request::cookie;
use crate::http::state::Door;

/// Whoever has no session any more is signed out already.
pub(crate) async fn sign_out(State(door): State<Door>, request: Request) -> Result<Response, Problem> {
    let by_https = is_https(request.extensions());
    if let Some(text) = cookie::session(request.headers(), by_https)
        && let Some(session) = sessions::recognise(door.ctx(), &text).await?
    {
        sessions::sign_out(door.ctx(), &session).await?;
    }
    let mut response = Redirect::to("/").into_response();
    // Of both names: a browser may have signed in before HTTPS was in front of this server.
    let cleared = [Some(by_https), by_https.then_some(false)].into_iter().flatten();
    for cookie in cleared.filter_map(cookie::cleared) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
