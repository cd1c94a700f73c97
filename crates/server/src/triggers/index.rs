//! All live Triggers, in memory, keyed by revision.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use model::content::Content;
use model::entry::EntryKind;
use model::event::Event;
use model::ids::EntryId;
use model::name::EntryName;
use model::revision::Revision;
use model::trigger::TriggerContent;

use super::progress::Progress;
use crate::app::error::Error;
use crate::ctx::Ctx;

const PAGE: u32 = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) entry: EntryId,
    pub(crate) name: EntryName,
    pub(crate) content: TriggerContent,
    /// What happened before does not concern it.
    pub(crate) since: Timestamp,
}

/// The list as of a revision, and how far they have got.
#[derive(Clone, Default)]
pub(crate) struct Triggers {
    pub(crate) progress: Progress,
    kept: Arc<Mutex<Option<Kept>>>,
}

type Kept = (Revision, Arc<Vec<Live>>);

impl Triggers {
    /// Those that listen to an Event, by name. Whoever looks at all Events, in order, sees those that tell of a change of the brain,
    /// and need not ask at the others.
    pub(crate) async fn listening(&self, ctx: &Ctx, event: &Event) -> Result<Vec<Live>, Error> {
        let kept = self.lock().clone();
        let all = match kept {
            Some((_, list)) if !event.fact.kind.is_change_of_brain() => list,
            _ => self.all(ctx).await?,
        };
        let listens = |live: &&Live| live.content.listens_to(event) && live.since <= event.fact.at;
        Ok(all.iter().filter(listens).cloned().collect())
    }

    pub(crate) async fn all(&self, ctx: &Ctx) -> Result<Arc<Vec<Live>>, Error> {
        let now = ctx.store.revision().await?;
        let kept = self.lock().clone();
        if let Some((revision, list)) = kept {
            if revision == now {
                return Ok(list);
            }
            let (now, moved) = ctx.store.moved_since(EntryKind::Trigger, revision).await?;
            if moved.is_empty() {
                *self.lock() = Some((now, Arc::clone(&list)));
                return Ok(list);
            }
        }
        let list = Arc::new(read(ctx).await?);
        *self.lock() = Some((now, Arc::clone(&list)));
        Ok(list)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Kept>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn read(ctx: &Ctx) -> Result<Vec<Live>, Error> {
    let mut list = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = ctx.store.live_versions(EntryKind::Trigger, after.as_deref(), PAGE).await?;
        let since = ctx.store.live_since(EntryKind::Trigger, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(list) };
        after = Some(last.head.key.name.to_string());
        for version in page {
            if let Content::Trigger(content) = version.content {
                let head = version.head;
                let since = since.get(&head.entry_id).copied().unwrap_or(head.written_at);
                list.push(Live { entry: head.entry_id, name: head.key.name, content, since });
            }
        }
    }
}
