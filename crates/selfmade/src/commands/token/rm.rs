//! `selfmade token rm`.

use serde_json::json;
use server::app::tokens;

use crate::error::{Error, Exit};
use crate::session::{ACTOR, Brain, Session};

/// Delete a token, which opens nothing from then on
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade token rm ci")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    tokens::remove(&brain.ctx, &ACTOR, name).await?;
    session.output.answer(&json!({ "name": name }), |_| String::new())?;
    session.output.note(format!("token `{name}` is deleted"));
    Ok(Exit::Done)
}
