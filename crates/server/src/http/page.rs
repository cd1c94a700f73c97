//! Lists come a page at a time; each says where the next one begins.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// How much of a list is asked for.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageQuery {
    /// `next` of the page before.
    pub(super) cursor: Option<String>,
    /// At most so many, up to 1,000.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u32>,
}

impl PageQuery {
    pub(super) fn limit(&self) -> u32 {
        limit(self.limit)
    }
}

pub(super) fn limit(asked: Option<u32>) -> u32 {
    asked.unwrap_or(100).clamp(1, 1_000)
}

/// Part of a list.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Absent on the last page.
    pub next: Option<String>,
}
