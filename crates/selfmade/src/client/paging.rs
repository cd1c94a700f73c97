//! Lists, which come page by page.

use serde::de::DeserializeOwned;
use server::http::Page;

use super::request::RequestBuilder;
use crate::error::Error;

/// No page is longer.
const LONGEST: u32 = 1_000;

/// The front of a list.
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    has_more: bool,
}

impl<T> Listed<T> {
    /// The last item, if there are more behind it: people go on after what they have seen.
    pub(super) fn last(&self) -> Option<&T> {
        self.items.last().filter(|_| self.has_more)
    }
}

/// The first so many, and whether there are more.
pub(super) async fn listed<'a, T: DeserializeOwned>(
    list: impl Fn() -> RequestBuilder<'a>,
    limit: u32,
) -> Result<Listed<T>, Error> {
    let mut items: Vec<T> = Vec::new();
    let mut next = None;
    loop {
        let left = limit.saturating_sub(u32::try_from(items.len()).unwrap_or(limit));
        let asked = list().query("limit", left.clamp(1, LONGEST)).maybe("cursor", next);
        let page: Page<T> = asked.get().await?;
        items.extend(page.items);
        next = page.next;
        if next.is_none() || items.len() >= limit as usize {
            return Ok(Listed { items, has_more: next.is_some() });
        }
    }
}
