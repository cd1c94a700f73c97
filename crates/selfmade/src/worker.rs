//! A worker beside a command that runs something, on a brain that nobody serves: it carries on what waits and is tried again, and
//! what was triggered.

use server::engine::{self, Stop};
use server::{Ctx, triggers};
use tokio::task::JoinHandle;

use crate::error::Error;

pub(crate) struct Worker {
    ctx: Ctx,
    stop: Stop,
    working: JoinHandle<()>,
}

impl Worker {
    pub(crate) fn begin(ctx: &Ctx) -> Worker {
        let stop = Stop::default();
        let working = tokio::spawn(engine::work_until(ctx.clone(), stop.clone()));
        Worker { ctx: ctx.clone(), stop, working }
    }

    /// Starts what was triggered and sees it through. Says how many runs that were.
    pub(crate) async fn triggered(&self) -> Result<usize, Error> {
        Ok(triggers::drain(&self.ctx).await?)
    }

    /// What was queued by others and taken here is carried to its end.
    pub(crate) async fn end(self) {
        self.stop.taking.cancel();
        // One that panicked has been reported; there is nothing more to do for it here.
        let _ = self.working.await;
    }
}
