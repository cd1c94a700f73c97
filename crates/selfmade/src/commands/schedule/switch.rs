//! `selfmade schedule pause` and `resume`.

use super::{in_zone, name};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Pause a schedule, so that it does not tick
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade schedule pause nightly")]
pub(crate) struct Pause {
    pub(super) name: String,
}

/// Resume a schedule; ticks missed while it was paused are not made up for
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade schedule resume nightly")]
pub(crate) struct Resume {
    pub(super) name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, text: &str, paused: bool) -> Result<Exit, Error> {
    let schedule = name(text)?;
    let applied = brain.pause_schedule(&schedule, paused).await?;
    applied::show(&session.output, &applied)?;
    if paused {
        session.output.note("paused: it has no next time until it is resumed");
        return Ok(Exit::Done);
    }
    let line = brain.schedule(&schedule, 1).await?.line;
    session.output.note(match line.next {
        Some(next) => format!("resumed, next at {}", in_zone(next, &line.content.zone)),
        None => "resumed, but it is over: its time has passed".to_owned(),
    });
    Ok(Exit::Done)
}
