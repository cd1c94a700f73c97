//! Executes a recorded Run again, for debugging: results come from the journal, and nothing is written.

use std::sync::Arc;

use model::run::step::Step;
use model::run::{End, Run};
use sandbox::Isolation;

use super::host::{Parts, RunHost, Watch};
use super::injected_secrets::InjectedSecrets;
use super::journal::Journal;
use super::{execute_work, work};
use super::{outcome, returned};
use crate::ctx::Ctx;
use crate::engine::node::owned_runs::{Interrupt, Interruption};
use crate::error::Error;
use crate::prepare::Prepared;
use crate::secrets::redaction::Redaction;

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
    let function = prepared.function().ok_or(Error::ClosureGone)?;
    let mut work = work(ctx, &run, function, InjectedSecrets::redacted(function))?;
    // A replay reaches nothing: what came over the network is not recorded, and asking again is not what happened then.
    work.egress = None;
    // It is someone else's than the Run was, and leaves nothing to later ones.
    work.isolation = Isolation::Fresh;
    let host = RunHost::new(Parts {
        ctx: ctx.clone(),
        journal: Journal::new(run.run_id, steps, ctx.engine.config.bounds),
        run,
        prepared: Arc::clone(&prepared),
        interrupt: interrupt.clone(),
        // It is handed no values of secrets either.
        redaction: Arc::default(),
        lease: None,
        watch: Some(watch),
    });
    let executed = execute_work(ctx, &host, work, &interrupt).await?;
    let end = match interrupt.why() {
        Some(Interruption::Diverged(divergence)) => {
            End::failed("replay_diverged", divergence.to_string(), None)
        }
        _ => {
            let mut end = outcome::end(executed);
            returned::check(&host, function, &Redaction::default(), &mut end);
            end
        }
    };
    host.collected();
    Ok((end, host.0.journal.left()))
}
