//! When each schedule is due next. Until then nothing is read for it, however many there are.

use std::sync::Arc;

use jiff::Timestamp;
use model::content::Content;
use model::entry::EntryKind;
use model::schedule::ScheduleContent;

use crate::ctx::Ctx;
use crate::error::Error;
use crate::live::{List, LiveList};

pub struct Agenda {
    live: LiveList<ScheduleContent>,
    /// Those it was made for, and when each is due; one that never ticks again is not.
    list: List<ScheduleContent>,
    due: Vec<Option<Timestamp>>,
}

impl Default for Agenda {
    fn default() -> Agenda {
        let content = |content| match content {
            Content::Schedule(content) => Some(content),
            _ => None,
        };
        let live = LiveList::new(EntryKind::Schedule, content);
        Agenda { live, list: Arc::default(), due: Vec::new() }
    }
}

impl Agenda {
    /// Starts all that is due, and says when the next tick is.
    pub async fn round(&mut self, ctx: &Ctx) -> Result<Option<Timestamp>, Error> {
        let list = self.live.all(ctx).await?;
        if !Arc::ptr_eq(&list, &self.list) {
            self.due = vec![Some(Timestamp::MIN); list.len()];
            self.list = list;
        }
        for (schedule, due) in self.list.iter().zip(&mut self.due) {
            if due.is_some_and(|due| due <= ctx.clock.now()) {
                *due = schedule.tick(ctx).await?;
            }
        }
        Ok(self.due.iter().flatten().min().copied())
    }
}
