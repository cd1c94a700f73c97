//! What requests about entries of every kind have in common: which version, and what is believed to be live.

use axum::http::{HeaderMap, HeaderValue, header};
use model::revision::Revision;
use model::version::VersionNumber;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::app::changesets::drafts::Expected;
use crate::app::functions::Which;
use crate::http::problem::Problem;

/// Which entries are listed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntriesQuery {
    /// The brain as it was at this revision.
    pub(crate) revision: Option<u64>,
    /// Only entries of this pack.
    pub(crate) pack: Option<String>,
}

/// Which version of an entry.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WhichQuery {
    /// This version; the live one if neither is given.
    version: Option<u32>,
    /// The version that was live at this revision.
    revision: Option<u64>,
}

impl WhichQuery {
    pub(crate) fn which(&self) -> Result<Which, Problem> {
        match (self.version, self.revision) {
            (None, None) => Ok(Which::Live),
            (Some(number), None) => Ok(Which::Number(VersionNumber(number))),
            (None, Some(revision)) => Ok(Which::AsOf(Revision(revision))),
            (Some(_), Some(_)) => Err(Problem::bad_request("`version` and `revision` cannot be combined")),
        }
    }
}

/// Between which versions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DiffQuery {
    old: u32,
    /// The live version if absent.
    new: Option<u32>,
}

impl DiffQuery {
    pub(crate) fn versions(&self) -> (Which, Which) {
        let which = |number| Which::Number(VersionNumber(number));
        (which(self.old), self.new.map_or(Which::Live, which))
    }
}

/// The version to make live.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveBody {
    pub(crate) version: VersionNumber,
}

/// What the caller believes to be live.
pub(crate) fn expected(headers: &HeaderMap) -> Result<Option<Expected>, Problem> {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or_default().trim());
    match (text(header::IF_MATCH), text(header::IF_NONE_MATCH)) {
        (None, None) => Ok(None),
        (None, Some("*")) => Ok(Some(Expected::Absent)),
        (Some("*"), None) => Ok(Some(Expected::Present)),
        (Some(tag), None) => match tag.trim_matches('"').parse() {
            Ok(number) => Ok(Some(Expected::Version(VersionNumber(number)))),
            Err(_) => Err(Problem::bad_request(format!("`If-Match: {tag}` is not a version"))
                .hint("send the `ETag` of the entry as it was read")),
        },
        _ => Err(Problem::bad_request("`If-Match` and `If-None-Match` cannot be combined")),
    }
}
