//! All live entries of a kind, in memory, keyed by revision.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use model::access::Authority;
use model::content::Content;
use model::entry::EntryKind;
use model::ids::EntryId;
use model::name::EntryName;
use model::revision::Revision;
use model::scope::Scope;

use crate::app::error::Error;
use crate::ctx::Ctx;

const PAGE: u32 = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Live<T> {
    pub(crate) entry: EntryId,
    pub(crate) name: EntryName,
    pub(crate) content: T,
    /// Of who applied it: what it starts may do no more.
    pub(crate) authority: Arc<Authority>,
    /// Since when it is as it is: what happened before does not concern it.
    pub(crate) since: Timestamp,
}

/// By name.
pub(crate) type List<T> = Arc<Vec<Live<T>>>;

pub(crate) struct LiveList<T> {
    kind: EntryKind,
    content: fn(Content) -> Option<T>,
    kept: Mutex<Option<(Revision, List<T>)>>,
}

impl<T> LiveList<T> {
    pub(crate) fn new(kind: EntryKind, content: fn(Content) -> Option<T>) -> LiveList<T> {
        LiveList { kind, content, kept: Mutex::new(None) }
    }

    /// The list as it was when it was asked for last.
    pub(crate) fn known(&self) -> Option<List<T>> {
        self.lock().as_ref().map(|(_, list)| Arc::clone(list))
    }

    /// The same list as before if none of them has changed.
    pub(crate) async fn all(&self, ctx: &Ctx) -> Result<List<T>, Error> {
        let now = ctx.store.revision().await?;
        let kept = self.lock().as_ref().map(|(revision, list)| (*revision, Arc::clone(list)));
        if let Some((revision, list)) = kept {
            if revision == now {
                return Ok(list);
            }
            let (now, moved) = ctx.store.moved_since(self.kind, revision).await?;
            if moved.is_empty() {
                *self.lock() = Some((now, Arc::clone(&list)));
                return Ok(list);
            }
        }
        let list = Arc::new(self.read(ctx).await?);
        *self.lock() = Some((now, Arc::clone(&list)));
        Ok(list)
    }

    async fn read(&self, ctx: &Ctx) -> Result<Vec<Live<T>>, Error> {
        let mut list = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let page = ctx.store.live_versions(self.kind, after.as_deref(), PAGE, &Scope::All).await?;
            let since = ctx.store.live_since(self.kind, after.as_deref(), PAGE, &Scope::All).await?;
            let Some(last) = page.last() else { return Ok(list) };
            after = Some(last.head.key.name.to_string());
            let entries: Vec<EntryId> = page.iter().map(|version| version.head.entry_id).collect();
            let mut appliers = ctx.store.appliers(&entries).await?;
            for version in page {
                let Some(content) = (self.content)(version.content) else { continue };
                let head = version.head;
                let since = since.get(&head.entry_id).copied().unwrap_or(head.written_at);
                let applier = appliers.remove(&head.entry_id);
                if applier.is_none() {
                    let key = &head.key;
                    tracing::warn!(
                        "nobody knows who applied {key}, so it starts nothing; put it anew to mend that"
                    );
                }
                let authority = Arc::new(applier.unwrap_or_else(|| Authority::unknown(head.written_by)));
                list.push(Live { entry: head.entry_id, name: head.key.name, content, authority, since });
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Revision, List<T>)>> {
        // It is replaced as a whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
