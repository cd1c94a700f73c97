//! Executes a recorded Run once more, for debugging: the journal answers, nothing is written.

use std::sync::Arc;

use model::run::{End, Run};
use model::step::Step;
use sandbox::Isolation;

use super::execution::{execute, work};
use super::handed::Handed;
use super::host::{Parts, RunHost, Watch};
use super::journal::Journal;
use super::outcome;
use super::prepared::Prepared;
use super::running::{Interrupt, Interruption};
use crate::app::error::Error;
use crate::ctx::Ctx;

pub(crate) struct Replay {
    pub(crate) run: Run,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) steps: Vec<Step>,
    pub(crate) watch: Watch,
}

/// How it ended this time, and how many recorded Steps it did not come to.
pub(crate) async fn replay(ctx: &Ctx, replay: Replay) -> Result<(End, usize), Error> {
    let Replay { run, prepared, steps, watch } = replay;
    let interrupt = Interrupt::default();
    let mut work = work(ctx, &run, &prepared, Handed::default())?;
    // A replay reaches nothing: what came over the network is not recorded, and asking again is not what happened then.
    work.egress = None;
    // It is somebody else's than the Run was, and leaves nothing to later ones.
    work.isolation = Isolation::Fresh;
    let host = RunHost::new(Parts {
        ctx: ctx.clone(),
        journal: Journal::new(run.run_id, steps, ctx.engine.config.bounds),
        run,
        prepared,
        interrupt: interrupt.clone(),
        // It is handed no secrets either.
        redaction: Arc::default(),
        lease: None,
        watch: Some(watch),
    });
    let executed = execute(ctx, &host, work, &interrupt).await?;
    let end = match interrupt.why() {
        Some(Interruption::Diverged(divergence)) => {
            End::failed("replay_diverged", divergence.to_string(), None)
        }
        _ => outcome::end(executed),
    };
    host.collected();
    Ok((end, host.0.journal.left()))
}
