//! Lists, which come page by page.

use serde::de::DeserializeOwned;
use server::http::Page;

use super::request::Asked;
use crate::error::Error;

/// No page is longer.
const LONGEST: u32 = 1_000;

/// The first so many after the cursor, and where the rest begins.
pub(super) async fn listed<'a, T: DeserializeOwned>(
    list: impl Fn() -> Asked<'a>,
    cursor: Option<impl ToString>,
    limit: u32,
) -> Result<Page<T>, Error> {
    let mut items: Vec<T> = Vec::new();
    let mut next = cursor.map(|cursor| cursor.to_string());
    loop {
        let left = limit.saturating_sub(u32::try_from(items.len()).unwrap_or(limit));
        let asked = list().query("limit", left.clamp(1, LONGEST)).maybe("cursor", next);
        let page: Page<T> = asked.get().await?;
        items.extend(page.items);
        next = page.next;
        if next.is_none() || items.len() >= limit as usize {
            return Ok(Page { items, next });
        }
    }
}
