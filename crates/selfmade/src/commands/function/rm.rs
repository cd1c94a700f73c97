//! `selfmade fn rm`: functions that shall be live no more. Their Versions stay.

use server::app::drafts::{Intent, Proposal};
use server::app::functions::{self, Which};

use super::key;
use crate::applied;
use crate::error::{Error, Exit};
use crate::session::{Brain, Session};

/// Delete functions
///
/// Their versions are kept, so that the changeset can be reverted. Triggers and schedules that start them go with
/// them. A function that others call is not deleted, unless those are deleted too.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn rm greet
  selfmade fn rm greet shout --title \"no more greetings\"
  selfmade changes revert r12           bring back what revision 12 deleted")]
pub(crate) struct Arguments {
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Propose the changeset instead of applying it
    #[arg(long)]
    propose: bool,
    /// What the changeset is for
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let mut intents = Vec::new();
    for name in &arguments.names {
        let key = key(name)?;
        // Deleting what is not there changes nothing; somebody who mistyped a name would not notice.
        functions::version(&brain.ctx, &key, Which::Live).await?;
        intents.push(Intent::Delete(key));
    }
    let proposal = Proposal::of(arguments.title.unwrap_or_default(), intents);
    applied::submit(session, brain, &proposal, arguments.propose).await
}
