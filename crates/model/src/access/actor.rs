//! Who did it. Every record names one.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ids::{EntryId, RunId, SessionId, TokenId};
use crate::input::text_schema::text_schema;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Actor {
    /// A person at this machine's command line.
    CommandLine,
    Token(TokenId),
    /// A browser that has signed in.
    Session(SessionId),
    Run(RunId),
    Trigger(EntryId),
    Schedule(EntryId),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not an actor; expected `command_line`, `token:ID`, `session:ID`, `run:ID`, `trigger:ID` or `schedule:ID`"
)]
pub struct ActorError(String);

text_schema!(
    Actor,
    "Actor",
    "Who did it: `command_line`, or `token:ID`, `session:ID`, `run:ID`, `trigger:ID` or `schedule:ID`.",
    "command_line"
);

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::CommandLine => f.write_str("command_line"),
            Actor::Token(id) => write!(f, "token:{id}"),
            Actor::Session(id) => write!(f, "session:{id}"),
            Actor::Run(id) => write!(f, "run:{id}"),
            Actor::Trigger(id) => write!(f, "trigger:{id}"),
            Actor::Schedule(id) => write!(f, "schedule:{id}"),
        }
    }
}

impl FromStr for Actor {
    type Err = ActorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || ActorError(text.to_owned());
        if text == "command_line" {
            return Ok(Actor::CommandLine);
        }
        let (kind, id) = text.split_once(':').ok_or_else(unknown)?;
        let id = id.parse().map_err(|_| unknown())?;
        match kind {
            "token" => Ok(Actor::Token(TokenId(id))),
            "session" => Ok(Actor::Session(SessionId(id))),
            "run" => Ok(Actor::Run(RunId(id))),
            "trigger" => Ok(Actor::Trigger(EntryId(id))),
            "schedule" => Ok(Actor::Schedule(EntryId(id))),
            _ => Err(unknown()),
        }
    }
}

impl TryFrom<String> for Actor {
    type Error = ActorError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Actor> for String {
    fn from(actor: Actor) -> String {
        actor.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn an_actor_reads_back_as_it_was_written() {
        let id = Uuid::from_u128(7);
        for actor in [
            Actor::CommandLine,
            Actor::Token(TokenId(id)),
            Actor::Session(SessionId(id)),
            Actor::Run(RunId(id)),
            Actor::Trigger(EntryId(id)),
            Actor::Schedule(EntryId(id)),
        ] {
            assert_eq!(actor.to_string().parse(), Ok(actor));
        }
    }

    #[test]
    fn a_stranger_is_not_taken_for_an_actor() {
        assert!("robot:1".parse::<Actor>().is_err());
        assert!("".parse::<Actor>().is_err());
    }
}
