//! What one Trigger does for one Event.

use std::sync::Arc;

use jiff::Timestamp;
use model::access::Access;
use model::access::actor::Actor;
use model::event::Event;
use model::ids::{EntryId, RunId};
use model::run::Run;
use model::run::chain::Chain;
use model::trigger::TriggerContent;
use model::trigger::decision::{Decision, History, Mismatch};
use store::{Firing, Firings};

use super::debounce::Past;
use super::notice;
use crate::app::runs::{self, StartRun, Target};
use crate::app::triggers::decision::decided;
use crate::app::triggers::payload::{completed, input};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::live::LiveTrigger;

/// Adds what all Triggers do about an Event.
pub(super) async fn fire(ctx: &Ctx, event: &Event, firings: &mut Firings) -> Result<(), Error> {
    notice::add(ctx, event, firings).await?;
    let listening = ctx.triggers.listening(ctx, event).await?;
    if listening.is_empty() {
        return Ok(());
    }
    let event = &completed(ctx, event.clone()).await?;
    for live in listening {
        let past = Past::of(ctx, &live, event, firings).await?;
        let mut firing =
            Firing { entry_id: live.entry, seq: event.seq, run_id: None, stopped: None, at: ctx.clock.now() };
        match decide(ctx, &live.content, event, &past).await {
            Decision::Fire => match start(ctx, &live, event, None, firings).await? {
                Ok(run) => firing.run_id = Some(run),
                Err(why) => firing.stopped = Some(why),
            },
            Decision::Debounced { until } => match start(ctx, &live, event, Some(until), firings).await? {
                Ok(run) => {
                    past.withdraw_run(event, firings);
                    firing.run_id = Some(run);
                }
                Err(why) => firing.stopped = Some(why),
            },
            // Neither concerns it, so there is nothing to tell.
            Decision::NotMatching(Mismatch::Condition { .. }) | Decision::Disabled => continue,
            stopped => firing.stopped = Some(stopped.to_string()),
        }
        if let Some(why) = &firing.stopped {
            tracing::warn!(trigger.name = %live.name, event.seq, "trigger `{}` started nothing: {why}", live.name);
        }
        firings.firings.push(firing);
    }
    Ok(())
}

async fn decide(ctx: &Ctx, content: &TriggerContent, event: &Event, past: &Past) -> Decision {
    let fired = past.fired();
    let history = History { now: ctx.clock.now(), fired: &fired, held_since: past.held_since() };
    decided(&ctx.expressions, content, event, history).await
}

/// Queues the Run, or says why there is none.
async fn start(
    ctx: &Ctx,
    live: &LiveTrigger,
    event: &Event,
    due_at: Option<Timestamp>,
    firings: &mut Firings,
) -> Result<Result<RunId, String>, Error> {
    let chain = match chain(ctx, live.entry, event, firings).await? {
        Ok(chain) => chain,
        Err(end) => return Ok(Err(end)),
    };
    match run(ctx, live, event, due_at, chain).await {
        Ok(run) => {
            let id = run.run_id;
            firings.runs.push(run);
            Ok(Ok(id))
        }
        // The database is not the Trigger's fault; the Events are handled later.
        Err(error @ Error::Store(_)) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// The chain that an Event continues by starting something for an entry, or why it ends there.
pub(super) async fn chain(
    ctx: &Ctx,
    entry: EntryId,
    event: &Event,
    firings: &Firings,
) -> Result<Result<Chain, String>, Error> {
    let Actor::Run(upstream) = event.fact.actor else { return Ok(Ok(Chain::default())) };
    let before = ctx.store.run(upstream).await?.map(|run| run.chain).unwrap_or_default();
    let root = before.root.unwrap_or(upstream);
    let queued = firings.runs.iter().filter(|run| run.chain.root == Some(root)).count() as u64;
    let runs = ctx.store.chain_runs(root).await? + queued;
    let next = before.next(upstream, entry, runs, &ctx.engine.config.chain);
    Ok(next.map_err(|end| end.to_string()))
}

async fn run(
    ctx: &Ctx,
    live: &LiveTrigger,
    event: &Event,
    due_at: Option<Timestamp>,
    chain: Chain,
) -> Result<Run, Error> {
    let input = input(ctx, &live.content, event).await?;
    let target = Target::Live(live.content.target.clone());
    let request = StartRun { chain, event_seq: Some(event.seq), due_at, ..StartRun::of(target, input) };
    let access = Access { actor: Actor::Trigger(live.entry), authority: Arc::clone(&live.authority) };
    runs::recorded(ctx, &access, request).await
}
