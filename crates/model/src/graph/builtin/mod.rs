//! Built-in Blocks: a closed set, written `@` and a name, which no Function can have.
//!
//! | block | does |
//! |---|---|
//! | `@input`, `@output` | the pins of the graph itself |
//! | `@store` | passes a value on and keeps it for every later execution |
//! | `@condition` | compares two values and sends on one of two outputs |
//! | `@iterate`, `@collect` | takes a list apart; makes one list of all that comes |
//! | `@template` | fills a text; the renderer is passed in |
//! | `@wait`, `@ask`, `@call` | effects, which the engine executes: see [`Effect`] |
//! | `@note`, `@placeholder` | never run: a text, and a block that is not installed |

mod compare;
mod effect;
mod execute;
mod pins;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use self::effect::{Effect, WaitTime};
pub use self::execute::{Answer, Output, execute};
use crate::changeset::check::nearest;

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Builtin {
    Input,
    Output,
    Store,
    Condition,
    Iterate,
    Collect,
    Template,
    Wait,
    Ask,
    Call,
    Note,
    /// Stands for a block that is not installed, such as one of an imported file. Whatever its pins are, it has them.
    Placeholder,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`@{name}` is not a built-in block")]
pub struct UnknownBuiltin {
    pub name: String,
    /// One of much the same name.
    pub near: Option<&'static str>,
}

impl Builtin {
    pub const ALL: [Builtin; 12] = [
        Self::Input,
        Self::Output,
        Self::Store,
        Self::Condition,
        Self::Iterate,
        Self::Collect,
        Self::Template,
        Self::Wait,
        Self::Ask,
        Self::Call,
        Self::Note,
        Self::Placeholder,
    ];

    /// Its name without the `@`.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Input => "input",
            Builtin::Output => "output",
            Builtin::Store => "store",
            Builtin::Condition => "condition",
            Builtin::Iterate => "iterate",
            Builtin::Collect => "collect",
            Builtin::Template => "template",
            Builtin::Wait => "wait",
            Builtin::Ask => "ask",
            Builtin::Call => "call",
            Builtin::Note => "note",
            Builtin::Placeholder => "placeholder",
        }
    }

    /// What it does, in a sentence.
    pub fn description(self) -> &'static str {
        match self {
            Builtin::Input => "An input of the graph: callers state it by its name.",
            Builtin::Output => "An output of the graph, under its name.",
            Builtin::Store => "Passes a value on and keeps it for every later execution.",
            Builtin::Condition => "Compares two values and sends one on, on one of two outputs.",
            Builtin::Iterate => "Takes a list or an object apart, an item at a time.",
            Builtin::Collect => "Makes one list of all values that come.",
            Builtin::Template => "Fills a text with values.",
            Builtin::Wait => "Waits for a number of seconds or until a time, and passes a value on.",
            Builtin::Ask => "Asks a person and passes the answer on.",
            Builtin::Call => "Calls a function or graph whose name is a value.",
            Builtin::Note => "A text for people; it never runs.",
            Builtin::Placeholder => "Stands for a block that is not installed; it never runs.",
        }
    }

    pub fn from_name(name: &str) -> Result<Builtin, UnknownBuiltin> {
        let found = Builtin::ALL.into_iter().find(|builtin| builtin.name() == name);
        found.ok_or_else(|| {
            let known = Builtin::ALL.map(|builtin| builtin.name().to_owned());
            let near = nearest(name, &known);
            let near = Builtin::ALL.into_iter().map(Builtin::name).find(|known| Some(*known) == near);
            UnknownBuiltin { name: name.to_owned(), near }
        })
    }

    /// Whether it never runs.
    pub fn is_inert(self) -> bool {
        matches!(self, Builtin::Note | Builtin::Placeholder)
    }

    /// Whether executing it needs more than its input, so that its result is recorded and not worked out again.
    pub fn is_effect(self) -> bool {
        matches!(self, Builtin::Wait | Builtin::Ask | Builtin::Call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::EntryName;

    #[test]
    fn no_built_in_block_can_be_the_name_of_a_function() {
        for builtin in Builtin::ALL {
            assert_eq!(Builtin::from_name(builtin.name()), Ok(builtin));
            assert!(EntryName::new(&format!("@{}", builtin.name())).is_err());
        }
        assert_eq!(Builtin::from_name("conditions").unwrap_err().near, Some("condition"));
    }
}
