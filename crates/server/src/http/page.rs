//! Lists come a page at a time; each says where the next one begins.
//!
//! That place is an opaque cursor: clients hand it back as it is. It names its list, so that it is not mistaken for a place in another,
//! and its version, so that what it holds may change. Whoever knows where they want to begin says so with `after` or `before`.

use std::fmt::Display;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::problem::Problem;

/// How much of a list by name is asked for.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageQuery {
    /// `next` of the page before.
    cursor: Option<String>,
    /// Those after this name; `cursor` goes before it.
    after: Option<String>,
    /// At most so many, up to 1,000.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u32>,
}

impl PageQuery {
    pub(super) fn limit(&self) -> u32 {
        limit(self.limit)
    }

    pub(super) fn after(self, list: List) -> Result<Option<String>, Problem> {
        list.begin(self.cursor.as_deref(), self.after)
    }
}

pub(super) fn limit(asked: Option<u32>) -> u32 {
    asked.unwrap_or(100).clamp(1, 1_000)
}

/// Part of a list.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The `cursor` of the next page, to be handed back as it is. Absent on the last page.
    pub next: Option<String>,
}

/// What is listed, in an order of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum List {
    Functions,
    Changesets,
    Runs,
    Logs,
    Triggers,
    Firings,
    Schedules,
}

/// The version of what a cursor holds.
const VERSION: &str = "1";

impl List {
    fn name(self) -> &'static str {
        match self {
            List::Functions => "functions",
            List::Changesets => "changesets",
            List::Runs => "runs",
            List::Logs => "logs",
            List::Triggers => "triggers",
            List::Firings => "firings",
            List::Schedules => "schedules",
        }
    }

    pub(super) fn page<T>(self, items: Vec<T>, last: Option<impl Display>) -> Page<T> {
        Page { items, next: last.map(|last| self.cursor(last)) }
    }

    /// The place behind this item.
    pub(super) fn cursor(self, last: impl Display) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(format!("{VERSION} {} {last}", self.name()))
    }

    /// Where a page begins: at the cursor, or else at the place that was stated.
    pub(super) fn begin<T: FromStr>(
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
        let message = format!("the cursor `{cursor}` is not one of the list of {}", self.name());
        Problem::of("bad_query", message)
            .hint("use the `next` of the page before as it is, or leave `cursor` out to begin at the front")
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
