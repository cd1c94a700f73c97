//! What is wrong with a Graph: where, and what to do about it.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::changeset::check::{Severity, nearest};
use crate::graph::Link;
use crate::graph::block::Pin;
use crate::graph::builtin::{Builtin, UnknownBuiltin};
use crate::graph::pin_path::PathError;
use crate::graph::resolve::Missing;
use crate::phrase::{cut, list};
use crate::version::VersionNumber;

/// More names than this are not listed, nor searched for one that is alike.
const NAMED: usize = 12;
const SEARCHED: usize = 2_000;
/// With so many problems no more names are searched for one that is alike: that takes long.
const SUGGESTED: usize = 20;

/// Whether the next problem may still say what was meant.
pub(in crate::graph) fn suggests(problems: &[Problem]) -> bool {
    problems.len() < SUGGESTED
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    pub severity: Severity,
    pub code: Code,
    /// The id of the node; absent if it is about the whole graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// As it is written in the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// The link, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Box<LinkEnds>>,
    /// What is wrong and what to do, without the node.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LinkEnds {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub from: String,
    pub from_pin: String,
    pub to: String,
    pub to_pin: String,
}

/// Codes are stable: programs tell problems apart by them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// More nodes, links or bytes than a graph may have.
    TooLarge,
    EmptyId,
    DuplicateNode,
    DuplicateLink,
    LinkToNowhere,
    UnknownBlock,
    UnknownVersion,
    UnknownPin,
    /// A pin path that is not one.
    BadPin,
    /// A link to a pin that only takes a constant.
    ConstantPin,
    /// Paths that make a list and an object of one value.
    PinConflict,
    MissingInput,
    WrongConstant,
    /// Seconds that an execution cannot be given.
    WrongTimeout,
    CannotFit,
    NothingToStart,
    /// A node that waits for what never comes.
    NeverStarts,
    CycleWithoutBudget,
    CollectInCycle,
    ContainsItself,
    /// What a node calls is only a draft.
    OnlyDraft,
}

impl Problem {
    pub(in crate::graph) fn new(code: Code, message: impl Into<String>) -> Problem {
        let message = message.into();
        Problem { severity: Severity::Error, code, node: None, pin: None, link: None, message }
    }

    pub(in crate::graph) fn warning(code: Code, message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, ..Problem::new(code, message) }
    }

    pub(in crate::graph) fn at(self, node: &str) -> Problem {
        Problem { node: Some(node.to_owned()), ..self }
    }

    pub(in crate::graph) fn pin(self, pin: &str) -> Problem {
        Problem { pin: Some(pin.to_owned()), ..self }
    }

    pub(in crate::graph) fn link(self, link: &Link) -> Problem {
        let [from, from_pin, to, to_pin] = link.ends().map(str::to_owned);
        let ends = LinkEnds { id: link.id.clone(), from, from_pin, to, to_pin };
        Problem { link: Some(Box::new(ends)), ..self }
    }

    /// What a node calls exists as a draft, so both have to be applied together.
    pub fn only_draft(node: &str, graph: &str, called: &str) -> Problem {
        let message = format!(
            "`{called}` is only a draft; apply both with `selfmade graph apply {graph} --edit N --with {called}@N`"
        );
        Problem::warning(Code::OnlyDraft, message).at(node)
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    pub(in crate::graph) fn unknown_builtin(unknown: &UnknownBuiltin) -> Problem {
        let advice = match unknown.near {
            Some(near) => format!("did you mean `@{near}`?"),
            None => {
                format!("they are {}", quoted(Builtin::ALL.into_iter().map(|one| format!("@{}", one.name()))))
            }
        };
        Problem::new(
            Code::UnknownBlock,
            format!("`@{}` is not a built-in block; {advice}", cut(&unknown.name, 60)),
        )
    }

    pub(in crate::graph) fn unknown_block(
        name: &str,
        version: Option<VersionNumber>,
        missing: Missing,
        similar: Option<String>,
    ) -> Problem {
        let shown = cut(name, 60);
        match (missing, version, similar) {
            (Missing::Version, Some(version), _) => Problem::new(
                Code::UnknownVersion,
                format!("`{shown}` has no version {version}; name one that it has, or leave the version out"),
            ),
            (_, _, Some(similar)) => Problem::new(
                Code::UnknownBlock,
                format!("no function or graph is named `{shown}`; did you mean `{similar}`?"),
            ),
            _ => Problem::new(
                Code::UnknownBlock,
                format!("no function or graph is named `{shown}`; add it before, or in the same changeset"),
            ),
        }
    }

    pub(in crate::graph) fn unknown_pin(side: &str, pin: &str, pins: &[Pin], search: bool) -> Problem {
        let known: Vec<String> = pins.iter().take(SEARCHED).map(|pin| pin.name.clone()).collect();
        let near = if search { nearest(pin, &known) } else { None };
        let advice = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => format!("it has no {side} pins"),
            None => format!("its {side} pins are {}", quoted(known.into_iter().take(NAMED))),
        };
        Problem::new(Code::UnknownPin, format!("the block has no {side} pin `{}`; {advice}", cut(pin, 60)))
    }

    pub(in crate::graph) fn bad_pin(error: &PathError) -> Problem {
        Problem::new(Code::BadPin, error.to_string())
    }

    pub(in crate::graph) fn link_to_nowhere(
        link: &Link,
        id: &str,
        nodes: &HashMap<&str, usize>,
        search: bool,
    ) -> Problem {
        let searched = if search { SEARCHED } else { 0 };
        let mut known: Vec<String> = nodes.keys().take(searched).map(|id| (*id).to_owned()).collect();
        known.sort();
        let advice = match nearest(id, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "add the node or remove the link".to_owned(),
        };
        let message =
            format!("a link names the node `{}`, which the graph does not have; {advice}", cut(id, 60));
        Problem::new(Code::LinkToNowhere, message).at(id).link(link)
    }
}

pub(super) fn quoted(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{}`", cut(&name, 60))).collect();
    list(&names, "and")
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.node, &self.pin) {
            (Some(node), Some(pin)) => write!(f, "node `{}`, pin `{}`: ", cut(node, 60), cut(pin, 60))?,
            (Some(node), None) => write!(f, "node `{}`: ", cut(node, 60))?,
            _ => {}
        }
        f.write_str(&self.message)
    }
}
