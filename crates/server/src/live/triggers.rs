//! All live Triggers, and how far they have read.

use std::sync::Arc;

use model::content::Content;
use model::entry::EntryKind;
use model::event::Event;
use model::trigger::TriggerContent;

use super::list::{List, Live, LiveList};
use super::progress::Progress;
use crate::ctx::Ctx;
use crate::error::Error;

pub(crate) type LiveTrigger = Live<TriggerContent>;

#[derive(Clone)]
pub(crate) struct Triggers {
    pub(crate) progress: Progress,
    live: Arc<LiveList<TriggerContent>>,
}

impl Default for Triggers {
    fn default() -> Triggers {
        let content = |content| match content {
            Content::Trigger(content) => Some(content),
            _ => None,
        };
        Triggers { progress: Progress::default(), live: Arc::new(LiveList::new(EntryKind::Trigger, content)) }
    }
}

impl Triggers {
    /// Those that listen to an Event and whose appliers may see it, by name. The list is read again only at Events that tell of a
    /// change of the brain: whoever looks at all Events, in order, sees those.
    pub(crate) async fn listening(&self, ctx: &Ctx, event: &Event) -> Result<Vec<LiveTrigger>, Error> {
        let all = match self.live.known() {
            Some(list) if !event.fact.kind.is_change_of_brain() => list,
            _ => self.all(ctx).await?,
        };
        let listens = |live: &&LiveTrigger| {
            live.content.listens_to(event)
                && live.since.seq < event.seq
                && event.is_visible_to(&live.authority.only)
        };
        Ok(all.iter().filter(listens).cloned().collect())
    }

    pub(crate) async fn all(&self, ctx: &Ctx) -> Result<List<TriggerContent>, Error> {
        self.live.all(ctx).await
    }
}
