//! `selfmade changes apply | reject | revert | rebase`: what happens to a Changeset.

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The number of the changeset, or rREVISION
    #[arg(value_name = "N")]
    pub(super) changeset: Reference,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Application {
    #[command(flatten)]
    which: Arguments,
    /// Apply it even if stored callers, triggers, schedules or graphs no longer fit
    #[arg(long)]
    force: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Rejection {
    #[command(flatten)]
    which: Arguments,
    /// What has to be different; a run that waits for the decision gets it
    #[arg(long, short, value_name = "TEXT")]
    comment: Option<String>,
}

pub(super) async fn apply(session: &Session, brain: &Brain, arguments: Application) -> Result<Exit, Error> {
    let number = arguments.which.changeset.number(brain).await?;
    let done = applied::checked(&session.output, brain.apply(number, arguments.force)).await?;
    applied::show(&session.output, &done)?;
    Ok(Exit::Done)
}

pub(super) async fn reject(session: &Session, brain: &Brain, arguments: Rejection) -> Result<Exit, Error> {
    let number = arguments.which.changeset.number(brain).await?;
    let view = brain.reject(number, arguments.comment.as_deref()).await?;
    session.output.answer(&view, |_| String::new())?;
    session.output.note(format!("changeset {number} is rejected"));
    Ok(Exit::Done)
}

pub(super) async fn revert(session: &Session, brain: &Brain, arguments: Application) -> Result<Exit, Error> {
    let number = arguments.which.changeset.number(brain).await?;
    let done = applied::checked(&session.output, brain.revert(number, arguments.force)).await?;
    applied::show(&session.output, &done)?;
    Ok(Exit::Done)
}

pub(super) async fn rebase(session: &Session, brain: &Brain, changeset: Reference) -> Result<Exit, Error> {
    let number = changeset.number(brain).await?;
    let view = brain.rebase(number).await?;
    applied::proposed(&session.output, &session.settings.program, &view)
}
