//! How far the log of Events has been read.
//!
//! The cursor in the store moves with firings. Events that match no Trigger, which are nearly all where there are few
//! Triggers, are only remembered as read: a write for each would cost as much as the Run that it reports. After a crash they
//! are read again, which changes nothing, because a Trigger ignores what happened before it was written.

use std::sync::{Arc, Mutex, PoisonError};

use store::{Durability, Firings};

use crate::ctx::Ctx;
use crate::error::Error;

const CURSOR: &str = "triggers";
/// The cursor stays behind by so many Events at most.
const BEHIND: u64 = 1_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Where the cursor is, unless someone else moved it.
    stored: u64,
    /// The last Event that was looked at.
    pub(crate) looked_at: u64,
}

#[derive(Clone, Default)]
pub(crate) struct Progress {
    kept: Arc<Mutex<Option<Reached>>>,
}

impl Progress {
    pub(crate) async fn reached(&self, ctx: &Ctx) -> Result<Reached, Error> {
        if let Some(reached) = *self.lock() {
            return Ok(reached);
        }
        let stored = ctx.store.cursor(CURSOR).await?;
        let reached = Reached { stored, looked_at: stored };
        *self.lock() = Some(reached);
        Ok(reached)
    }

    /// Records what resulted from the Events up to one. False if someone else handled them; then the next look is from where that
    /// one got to.
    pub(crate) async fn record(&self, ctx: &Ctx, from: Reached, firings: &Firings) -> Result<bool, Error> {
        let looked_at = firings.to_seq;
        if firings.is_nothing() && looked_at - from.stored < BEHIND {
            *self.lock() = Some(Reached { looked_at, ..from });
            return Ok(true);
        }
        self.store(ctx, firings).await
    }

    /// Moves the cursor to where the look has got to.
    pub(crate) async fn save_cursor(&self, ctx: &Ctx) -> Result<(), Error> {
        let reached = *self.lock();
        match reached {
            Some(reached) if reached.looked_at > reached.stored => {
                self.store(ctx, &reached.firings(reached.looked_at)).await.map(drop)
            }
            _ => Ok(()),
        }
    }

    async fn store(&self, ctx: &Ctx, firings: &Firings) -> Result<bool, Error> {
        let stored = fire(ctx, firings).await?;
        let reached = Reached { stored: firings.to_seq, looked_at: firings.to_seq };
        *self.lock() = stored.then_some(reached);
        Ok(stored)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Reached>> {
        // It is replaced as a whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A flush makes all that was written before last, too.
async fn fire(ctx: &Ctx, firings: &Firings) -> Result<bool, Error> {
    let (unflushed, durability) = (&ctx.engine.unflushed, firings.durability());
    let waiting = if durability == Durability::Power { unflushed.take() } else { None };
    let fired = ctx.store.fire(firings).await;
    match fired {
        Ok(true) if durability == Durability::Power => {}
        Ok(true) if firings.is_nothing() => {}
        Ok(true) => unflushed.add(ctx.clock.now()),
        Ok(false) | Err(_) => unflushed.put_back(waiting),
    }
    Ok(fired?)
}

impl Reached {
    /// What comes of the Events up to one: nothing yet.
    pub(crate) fn firings(self, to_seq: u64) -> Firings {
        Firings { cursor: CURSOR.to_owned(), from_seq: self.stored, to_seq, ..Firings::default() }
    }
}
