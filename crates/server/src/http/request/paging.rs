//! Lists are paged; each page says where the next one begins.
//!
//! That position is an opaque cursor: clients send it back unchanged. It contains the name of its list, so that it is not
//! mistaken for a position in another, and a version, so that its content may change. Callers that know where they want to
//! start use `after` or `before`.

use std::fmt::Display;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use model::entry::EntryKind;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::query::Limit;
use crate::http::problem::Problem;

/// How much of a list by name is asked for.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// `next` of the previous page.
    cursor: Option<String>,
    /// Only names after this one; `cursor` takes precedence.
    after: Option<String>,
    /// The maximum number of items, up to 1,000.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
}

impl PageQuery {
    pub(crate) fn limit(&self) -> u32 {
        self.limit.get()
    }

    pub(crate) fn after(self, list: List) -> Result<Option<String>, Problem> {
        list.begin(self.cursor.as_deref(), self.after)
    }
}

/// Part of a list.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The `cursor` of the next page, to be sent back unchanged. Absent on the last page.
    pub next: Option<String>,
}

/// What is listed, in an order of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum List {
    Functions,
    Graphs,
    Drafts,
    Changesets,
    Runs,
    Nodes,
    Logs,
    Triggers,
    Firings,
    Schedules,
    Presets,
}

/// The version of what a cursor holds.
const VERSION: &str = "1";

impl List {
    pub(crate) fn of(kind: EntryKind) -> List {
        match kind {
            EntryKind::Function => List::Functions,
            EntryKind::Graph => List::Graphs,
            EntryKind::Trigger => List::Triggers,
            EntryKind::Schedule => List::Schedules,
        }
    }

    fn name(self) -> &'static str {
        match self {
            List::Functions => "functions",
            List::Graphs => "graphs",
            List::Drafts => "drafts",
            List::Changesets => "changesets",
            List::Runs => "runs",
            List::Nodes => "nodes",
            List::Logs => "logs",
            List::Triggers => "triggers",
            List::Firings => "firings",
            List::Schedules => "schedules",
            List::Presets => "presets",
        }
    }

    pub(crate) fn page<T>(self, items: Vec<T>, last: Option<impl Display>) -> Page<T> {
        Page { items, next: last.map(|last| self.cursor(last)) }
    }

    /// A page of at most `limit` items. Another one may follow if it is full.
    pub(crate) fn page_of<T, P: Display>(
        self,
        items: Vec<T>,
        limit: u32,
        place: impl Fn(&T) -> P,
    ) -> Page<T> {
        let last = items.last().filter(|_| items.len() >= limit as usize).map(place);
        self.page(items, last)
    }

    /// The place behind this item.
    pub(crate) fn cursor(self, last: impl Display) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(format!("{VERSION} {} {last}", self.name()))
    }

    /// Where a page begins: at the cursor, or else at the place that was stated.
    pub(crate) fn begin<T: FromStr>(
        self,
        cursor: Option<&str>,
        stated: Option<T>,
    ) -> Result<Option<T>, Problem> {
        match cursor {
            None => Ok(stated),
            Some(cursor) => self.place(cursor).map(Some).ok_or_else(|| self.not_a_cursor(cursor)),
        }
    }

    fn place<T: FromStr>(self, cursor: &str) -> Option<T> {
        let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let text = text.strip_prefix(VERSION)?.strip_prefix(' ')?;
        text.strip_prefix(self.name())?.strip_prefix(' ')?.parse().ok()
    }

    fn not_a_cursor(self, cursor: &str) -> Problem {
        let message = format!("the cursor `{cursor}` is not a cursor of the list of {}", self.name());
        Problem::of("bad_query", message)
            .hint("use `next` of the previous page unchanged, or omit `cursor` to start from the beginning")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_to_its_place_in_its_own_list_alone() {
        let cursor = List::Changesets.cursor(7);
        assert_eq!(List::Changesets.place(&cursor), Some(7_u64));
        assert_eq!(List::Firings.place::<u64>(&cursor), None);
        assert_eq!(List::Changesets.place::<u64>(&List::Changesets.cursor("seven")), None);
        assert_eq!(List::Changesets.place::<u64>("7"), None);
    }
}
