//! All live entries of a kind, keyed by revision.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use model::access::Authority;
use model::content::Content;
use model::entry::EntryKind;
use model::ids::EntryId;
use model::name::EntryName;
use model::revision::Revision;
use store::{LiveEntry, LiveSince};

use crate::ctx::Ctx;
use crate::error::Error;

const PAGE: u32 = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Live<T> {
    pub(crate) entry: EntryId,
    pub(crate) name: EntryName,
    pub(crate) content: T,
    /// Of who applied it: what it starts may do no more.
    pub(crate) authority: Arc<Authority>,
    /// Since when it is as it is: what happened before does not concern it. The time is one of this server's clock as far as that
    /// can be known.
    pub(crate) since: LiveSince,
}

/// By name.
pub(crate) type List<T> = Arc<Vec<Live<T>>>;

pub(crate) struct LiveList<T> {
    kind: EntryKind,
    content: fn(Content) -> Option<T>,
    kept: Mutex<Option<ListSnapshot<T>>>,
}

struct ListSnapshot<T> {
    revision: Revision,
    list: List<T>,
    /// When the brain was known to be at that revision.
    at: Timestamp,
}

impl<T> Clone for ListSnapshot<T> {
    fn clone(&self) -> ListSnapshot<T> {
        ListSnapshot { list: Arc::clone(&self.list), ..*self }
    }
}

impl<T> LiveList<T> {
    pub(crate) fn new(kind: EntryKind, content: fn(Content) -> Option<T>) -> LiveList<T> {
        LiveList { kind, content, kept: Mutex::new(None) }
    }

    /// The list as it was when it was asked for last.
    pub(crate) fn known(&self) -> Option<List<T>> {
        self.lock().as_ref().map(|kept| Arc::clone(&kept.list))
    }

    /// The same list as before if none of them has changed.
    pub(crate) async fn all(&self, ctx: &Ctx) -> Result<List<T>, Error> {
        let at = ctx.clock.now();
        let now = ctx.store.revision().await?;
        let kept = self.lock().clone();
        if let Some(kept) = &kept {
            if kept.revision == now {
                return Ok(self.keep(ListSnapshot { at, ..kept.clone() }));
            }
            let (now, moved) = ctx.store.moved_since(self.kind, kept.revision).await?;
            if moved.is_empty() {
                return Ok(self.keep(ListSnapshot { revision: now, at, list: Arc::clone(&kept.list) }));
            }
        }
        let (revision, entries) = self.read(ctx).await?;
        let list = self.list(entries, kept.as_ref(), ctx.clock.now());
        Ok(self.keep(ListSnapshot { revision, at, list: Arc::new(list) }))
    }

    /// Unless somebody else has read a newer one meanwhile. Answers the newest.
    fn keep(&self, read: ListSnapshot<T>) -> List<T> {
        let mut kept = self.lock();
        match kept.as_mut() {
            Some(kept) if kept.revision > read.revision => {}
            Some(kept) if kept.revision == read.revision => kept.at = kept.at.max(read.at),
            _ => *kept = Some(read.clone()),
        }
        kept.as_ref().map_or(read.list, |kept| Arc::clone(&kept.list))
    }

    /// All of one revision.
    async fn read(&self, ctx: &Ctx) -> Result<(Revision, Vec<LiveEntry>), Error> {
        let mut read: Option<(Revision, Vec<LiveEntry>)> = None;
        loop {
            let after = read.as_ref().and_then(|(_, entries)| entries.last());
            let after = after.map(|last| last.version.head.key.name.to_string());
            let (revision, page) = ctx.store.live_entries(self.kind, after.as_deref(), PAGE).await?;
            let is_last = page.len() < PAGE as usize;
            match &mut read {
                // The brain changed between two pages.
                Some((known, _)) if *known != revision => {
                    read = None;
                    continue;
                }
                Some((_, entries)) => entries.extend(page),
                None => read = Some((revision, page)),
            }
            if is_last {
                return Ok(read.unwrap_or_default());
            }
        }
    }

    fn list(
        &self,
        entries: Vec<LiveEntry>,
        before: Option<&ListSnapshot<T>>,
        now: Timestamp,
    ) -> Vec<Live<T>> {
        let known: HashMap<EntryId, LiveSince> = before
            .into_iter()
            .flat_map(|before| before.list.iter())
            .map(|live| (live.entry, live.since))
            .collect();
        let mut list = Vec::with_capacity(entries.len());
        for LiveEntry { version, since, authority } in entries {
            let Some(content) = (self.content)(version.content) else { continue };
            let head = version.head;
            if authority.is_none() {
                let key = &head.key;
                tracing::warn!(
                    "it is unknown who applied {key}, so it starts nothing; add it again to fix that"
                );
            }
            let authority = Arc::new(authority.unwrap_or_else(|| Authority::unknown(head.written_by)));
            let same = known.get(&head.entry_id).filter(|known| known.revision == since.revision);
            let since = same.copied().unwrap_or_else(|| by_this_clock(since, before, now));
            list.push(Live { entry: head.entry_id, name: head.key.name, content, authority, since });
        }
        list
    }

    fn lock(&self) -> MutexGuard<'_, Option<ListSnapshot<T>>> {
        // It is replaced as a whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clock of the server that applied a Changeset may be wrong. Its revision was read by now, and an earlier one was read before
/// that, so it was applied between the two, by this server's clock.
fn by_this_clock<T>(since: LiveSince, before: Option<&ListSnapshot<T>>, now: Timestamp) -> LiveSince {
    let earliest = before.filter(|before| before.revision < since.revision).map(|before| before.at);
    let at = since.at.max(earliest.unwrap_or(Timestamp::MIN)).min(now);
    LiveSince { at, ..since }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn kept(revision: u64, second: i64) -> ListSnapshot<()> {
        ListSnapshot { revision: Revision(revision), at: at(second), list: Arc::default() }
    }

    #[test]
    fn an_older_list_does_not_replace_a_newer_one() {
        let live: LiveList<()> = LiveList::new(EntryKind::Trigger, |_| Some(()));
        let (older, newer) = (kept(4, 10), kept(5, 20));
        let list = live.keep(newer.clone());
        assert!(Arc::ptr_eq(&live.keep(older), &list), "who read the older one is given the newer one");
        assert!(Arc::ptr_eq(&live.known().unwrap(), &newer.list));
        let newest = kept(6, 30);
        assert!(Arc::ptr_eq(&live.keep(newest.clone()), &newest.list));
    }

    #[test]
    fn an_entry_is_live_since_a_time_between_the_revisions_that_were_read() {
        let since = |second| LiveSince { revision: Revision(5), seq: 9, at: at(second) };
        let check = |said: i64, before: Option<ListSnapshot<()>>, expected: i64| {
            assert_eq!(by_this_clock(since(said), before.as_ref(), at(100)).at, at(expected), "{said}");
        };
        check(95, Some(kept(4, 90)), 95);
        check(30, Some(kept(4, 90)), 90);
        check(500, Some(kept(4, 90)), 100);
        check(30, None, 30);
        check(500, None, 100);
        check(30, Some(kept(5, 90)), 30);
    }
}
