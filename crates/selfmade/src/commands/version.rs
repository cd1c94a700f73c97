//! `selfmade version`.

use serde_json::json;

use crate::error::{Error, Exit};
use crate::session::Session;

pub(crate) fn run(session: &Session) -> Result<Exit, Error> {
    let version = env!("CARGO_PKG_VERSION");
    session.output.answer(&json!({ "version": version }), |_| format!("selfmade {version}\n"))?;
    Ok(Exit::Done)
}
