//! `selfmade sign-in`: one more link that signs a browser in to the running server.

use serde_json::json;
use server::serve::control;

use super::find;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Print a link that signs one browser in to the running server
///
/// It works once, within a day. The browser gets its own session; `session list` shows it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade sign-in")]
pub(crate) struct Arguments {}

pub(crate) async fn run(session: &Session) -> Result<Exit, Error> {
    let running = find(session)?.ok_or(Error::NotRunning)?;
    let url = control::sign_in_url(&session.http_client()?, &running).await.map_err(Error::Control)?;
    session.output.answer(&json!({ "sign_in": url }), |_| format!("{url}\n"))?;
    session.output.note("it works once, within a day");
    Ok(Exit::Done)
}
