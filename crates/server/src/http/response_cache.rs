//! Rendered live entries. While the brain is at the same revision they need not be read and rendered again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::access::Access;
use model::access::verb::Verb;
use model::entry::EntryKey;
use model::revision::Revision;

use super::problem::Problem;
use crate::app::functions::{self, EntryView, Which};
use crate::app::operations::status;
use crate::ctx::Ctx;

/// The cache is emptied when it would exceed this: few brains have more text than this, and fewer are read all the time.
const MOST_BYTES: usize = 8 << 20;

/// An entry, ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct CachedResponse {
    tag: HeaderValue,
    body: Bytes,
}

#[derive(Debug, Default)]
pub(crate) struct ResponseCache {
    kept: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    revision: Revision,
    answers: HashMap<EntryKey, CachedResponse>,
    bytes: usize,
}

impl ResponseCache {
    /// What is kept is what everybody sees who may see everything; others are shown less, rendered each time.
    pub(crate) async fn live(
        &self,
        ctx: &Ctx,
        access: &Access,
        key: EntryKey,
    ) -> Result<CachedResponse, Problem> {
        access.may_touch(Verb::ReadFunctions, key.name.as_str())?;
        if !access.only().is_all() {
            return CachedResponse::of(&functions::show(ctx, access, &key, Which::Live).await?);
        }
        // Asked first: should the brain move on meanwhile, then what is read is kept for a revision that nobody asks for again.
        let revision = status::revision(ctx, access).await?;
        if let Some(answer) = self.kept().at(revision).get(&key) {
            return Ok(answer.clone());
        }
        let view = functions::show(ctx, access, &key, Which::Live).await?;
        let answer = CachedResponse::of(&view)?;
        self.kept().keep(revision, key, &answer);
        Ok(answer)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Entries> {
        // Should its count of bytes be wrong after a panic, it forgets all a little sooner or later.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    /// What is kept of this revision. Whoever asks late, for one that is past, finds what is newer, as if asked later.
    fn at(&mut self, revision: Revision) -> &HashMap<EntryKey, CachedResponse> {
        if self.revision < revision {
            *self = Entries { revision, ..Entries::default() };
        }
        &self.answers
    }

    fn keep(&mut self, revision: Revision, key: EntryKey, answer: &CachedResponse) {
        if self.revision != revision {
            return;
        }
        if self.bytes + answer.body.len() > MOST_BYTES {
            *self = Entries { revision, ..Entries::default() };
        }
        if answer.body.len() <= MOST_BYTES && self.answers.insert(key, answer.clone()).is_none() {
            self.bytes += answer.body.len();
        }
    }
}

impl CachedResponse {
    pub(crate) fn of(view: &EntryView) -> Result<CachedResponse, Problem> {
        // A number says which Version it is; that it is live or not is not part of what is shown as the same.
        let tag = HeaderValue::from_str(&format!("\"{}\"", view.version.head.number));
        let body = serde_json::to_vec(view);
        match (tag, body) {
            (Ok(tag), Ok(body)) => Ok(CachedResponse { tag, body: body.into() }),
            _ => Err(Problem::internal()),
        }
    }

    /// Without its body if the caller has it.
    pub(crate) fn to(self, headers: &HeaderMap) -> Response {
        let CachedResponse { tag, body } = self;
        if headers.get(header::IF_NONE_MATCH).is_some_and(|known| *known == tag) {
            return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
        }
        let json = HeaderValue::from_static("application/json");
        ([(header::CONTENT_TYPE, json), (header::ETAG, tag)], body).into_response()
    }
}

#[cfg(test)]
mod tests {
    use model::name::EntryName;

    use super::*;

    fn answer(bytes: usize) -> CachedResponse {
        CachedResponse { tag: HeaderValue::from_static("\"1\""), body: vec![b' '; bytes].into() }
    }

    fn key(name: &str) -> EntryKey {
        EntryKey::function(EntryName::new(name).unwrap())
    }

    #[test]
    fn what_was_kept_is_gone_with_the_next_revision() {
        let mut kept = Entries::default();
        kept.at(Revision(1));
        kept.keep(Revision(1), key("add"), &answer(1));
        assert!(kept.at(Revision(1)).contains_key(&key("add")));
        assert!(kept.at(Revision(2)).is_empty());
        kept.keep(Revision(1), key("add"), &answer(1));
        assert!(kept.at(Revision(2)).is_empty(), "what was read of an older one comes too late");
    }

    #[test]
    fn no_more_is_kept_than_its_measure() {
        let mut kept = Entries::default();
        kept.at(Revision(1));
        for n in 0..20 {
            kept.keep(Revision(1), key(&format!("f{n}")), &answer(MOST_BYTES / 8));
            let bytes: usize = kept.answers.values().map(|answer| answer.body.len()).sum();
            assert!(bytes == kept.bytes && bytes <= MOST_BYTES, "{bytes} of {}", kept.bytes);
        }
        kept.keep(Revision(1), key("giant"), &answer(MOST_BYTES + 1));
        assert!(!kept.answers.contains_key(&key("giant")));
    }
}
