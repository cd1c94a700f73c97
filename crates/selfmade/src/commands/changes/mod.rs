//! `selfmade changes …`: Changesets.

mod decide;
mod list;
pub(crate) mod show;

use std::str::FromStr;

use model::revision::Revision;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    /// Apply a proposed changeset
    ///
    /// If entries it is based on have changed since, nothing is applied and the conflicts are listed.
    #[command(after_help = "Examples:\n  selfmade changes apply 14")]
    Apply(decide::Application),
    /// Reject a proposed changeset
    #[command(
        after_help = "Examples:\n  selfmade changes reject 14\n  selfmade changes reject 14 --comment 'an empty list must give 0'"
    )]
    Reject(decide::Rejection),
    /// Undo an applied changeset with a new one
    ///
    /// The entries it changed must not have changed since.
    #[command(
        after_help = "Examples:\n  selfmade changes revert 14\n  selfmade changes revert r12    what revision 12 changed"
    )]
    Revert(decide::Application),
    /// Rebase a changeset onto the current brain, and check it again
    #[command(after_help = "Examples:\n  selfmade changes rebase 14")]
    Rebase(decide::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::List(arguments) => list::run(session, brain, arguments).await,
        Command::Show(arguments) => show::run(session, brain, arguments).await,
        Command::Apply(arguments) => decide::apply(session, brain, arguments).await,
        Command::Reject(arguments) => decide::reject(session, brain, arguments).await,
        Command::Revert(arguments) => decide::revert(session, brain, arguments).await,
        Command::Rebase(arguments) => decide::rebase(session, brain, arguments.changeset).await,
    }
}

/// How a Changeset is named: by its number, or by the revision it made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    Number(u64),
    Revision(Revision),
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Reference, String> {
        let parsed = match text.strip_prefix('r') {
            Some(revision) => revision.parse().ok().map(|number| Reference::Revision(Revision(number))),
            None => text.parse().ok().map(Reference::Number),
        };
        parsed.ok_or_else(|| {
            "expected the number of a changeset, such as `14`, or of a revision, such as `r12`".to_owned()
        })
    }
}

impl Reference {
    async fn number(self, brain: &Brain) -> Result<u64, Error> {
        match self {
            Reference::Number(number) => Ok(number),
            Reference::Revision(revision) => Ok(brain.changeset_of(revision).await?.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changeset_is_named_by_its_number_or_its_revision() {
        assert_eq!("14".parse(), Ok(Reference::Number(14)));
        assert_eq!("r12".parse(), Ok(Reference::Revision(Revision(12))));
        for wrong in ["", "r", "-1", "rr1", "12r", "r-1"] {
            assert!(wrong.parse::<Reference>().is_err(), "{wrong}");
        }
    }
}
