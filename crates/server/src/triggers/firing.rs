//! What one Trigger does about one Event.

use std::time::Duration;

use jiff::Timestamp;
use model::actor::Actor;
use model::chain::Chain;
use model::event::Event;
use model::ids::RunId;
use model::run::{Run, RunState};
use model::trigger::TriggerContent;
use model::trigger::decision::{Decision, History};
use serde::Serialize;
use store::{Firing, Firings};

use super::expression;
use super::index::Live;
use crate::app::error::Error;
use crate::app::runs::{self, StartRun, Target};
use crate::ctx::Ctx;

/// Adds what all Triggers do about an Event.
pub(super) async fn fire(ctx: &Ctx, event: &Event, firings: &mut Firings) -> Result<(), Error> {
    for live in ctx.triggers.listening(ctx, event).await? {
        let earlier = firings.firings.iter().filter(|firing| firing.entry_id == live.entry);
        let fired = history(ctx, &live, earlier.cloned().collect()).await?;
        let mut firing =
            Firing { entry_id: live.entry, seq: event.seq, run_id: None, stopped: None, at: ctx.clock.now() };
        match decide(ctx, &live.content, event, &fired) {
            Decision::Fire => match start(ctx, &live, event, None, firings).await? {
                Ok(run) => firing.run_id = Some(run),
                Err(why) => firing.stopped = Some(why),
            },
            Decision::Debounced { until } => {
                hold_back(ctx, &fired, firings).await?;
                match start(ctx, &live, event, Some(until), firings).await? {
                    Ok(run) => firing.run_id = Some(run),
                    Err(why) => firing.stopped = Some(why),
                }
            }
            // Neither concerns it, so there is nothing to tell.
            Decision::NotMatching(model::trigger::decision::Mismatch::Condition { .. })
            | Decision::Disabled => continue,
            stopped => firing.stopped = Some(stopped.to_string()),
        }
        if let Some(why) = &firing.stopped {
            tracing::warn!(trigger.name = %live.name, event.seq, "trigger `{}` started nothing: {why}", live.name);
        }
        firings.firings.push(firing);
    }
    Ok(())
}

/// What a Trigger would do about an Event, without doing it.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    pub seq: u64,
    pub at: Timestamp,
    pub kind: String,
    pub source: String,
    pub fires: bool,
    pub why: String,
}

/// For a dry run: `fired` is when it would have fired before.
pub fn judge(ctx: &Ctx, content: &TriggerContent, event: &Event, fired: &[Timestamp]) -> Verdict {
    let history = History { now: event.fact.at, fired, held_since: None };
    let decision = content.fires(event, history, |text| expression::holds(text, &event.view()));
    let _ = ctx;
    Verdict {
        seq: event.seq,
        at: event.fact.at,
        kind: event.fact.kind.to_string(),
        source: event.fact.source.clone(),
        fires: matches!(decision, Decision::Fire | Decision::Debounced { .. }),
        why: decision.to_string(),
    }
}

/// When it fired, the newest first, with what this batch adds.
async fn history(ctx: &Ctx, live: &Live, mut batch: Vec<Firing>) -> Result<Vec<Firing>, Error> {
    let limit = live.content.rate_limit.map_or(0, |limit| limit.seconds);
    let debounce = live.content.debounce_ms.unwrap_or(0).saturating_mul(20).div_ceil(1000);
    let back = limit.max(debounce);
    if back == 0 {
        return Ok(Vec::new());
    }
    let since = ctx.clock.now() - Duration::from_secs(back);
    batch.reverse();
    batch.extend(ctx.store.firings(live.entry, since).await?);
    Ok(batch.into_iter().filter(|firing| firing.run_id.is_some()).collect())
}

fn decide(ctx: &Ctx, content: &TriggerContent, event: &Event, fired: &[Firing]) -> Decision {
    let times: Vec<Timestamp> = fired.iter().map(|firing| firing.at).collect();
    let history =
        History { now: ctx.clock.now(), fired: &times, held_since: held_since(content, &times, event) };
    content.fires(event, history, |text| expression::holds(text, &event.view()))
}

/// The first of the Events that follow each other so closely that they are one burst.
fn held_since(content: &TriggerContent, times: &[Timestamp], event: &Event) -> Option<Timestamp> {
    let pause = Duration::from_millis(content.debounce_ms?);
    let mut first = event.fact.at;
    for time in times {
        if first.duration_since(*time).unsigned_abs() > pause {
            break;
        }
        first = *time;
    }
    (first != event.fact.at).then_some(first)
}

/// Takes back the Run that waits for the burst to end.
async fn hold_back(ctx: &Ctx, fired: &[Firing], firings: &mut Firings) -> Result<(), Error> {
    let Some(held) = fired.first().and_then(|firing| firing.run_id) else { return Ok(()) };
    if let Some(place) = firings.runs.iter().position(|run| run.run_id == held) {
        firings.runs.remove(place);
        return Ok(());
    }
    let run = ctx.store.run(held).await?;
    if run.is_some_and(|run| run.state == RunState::Queued) {
        // It may have been claimed this very moment; then it runs, and so does the next.
        runs::cancel(ctx, &Actor::CommandLine, held).await.ok();
    }
    Ok(())
}

/// Queues the Run, or says why there is none.
async fn start(
    ctx: &Ctx,
    live: &Live,
    event: &Event,
    due_at: Option<Timestamp>,
    firings: &mut Firings,
) -> Result<Result<RunId, String>, Error> {
    let chain = match chain(ctx, live, event, firings).await? {
        Ok(chain) => chain,
        Err(end) => return Ok(Err(end)),
    };
    match run(ctx, live, event, due_at, chain).await {
        Ok(run) => {
            let id = run.run_id;
            firings.runs.push(run);
            Ok(Ok(id))
        }
        // The database is not the Trigger's fault; the Events are dealt with later.
        Err(error @ Error::Store(_)) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

async fn chain(
    ctx: &Ctx,
    live: &Live,
    event: &Event,
    firings: &Firings,
) -> Result<Result<Chain, String>, Error> {
    let Actor::Run(upstream) = event.fact.actor else { return Ok(Ok(Chain::default())) };
    let before = ctx.store.run(upstream).await?.map(|run| run.chain).unwrap_or_default();
    let root = before.root.unwrap_or(upstream);
    let queued = firings.runs.iter().filter(|run| run.chain.root == Some(root)).count() as u64;
    let runs = ctx.store.chain_runs(root).await? + queued;
    let next = before.next(upstream, live.entry, runs, &ctx.engine.config.chain);
    Ok(next.map_err(|end| end.to_string()))
}

async fn run(
    ctx: &Ctx,
    live: &Live,
    event: &Event,
    due_at: Option<Timestamp>,
    chain: Chain,
) -> Result<Run, Error> {
    let target = Target::Live(live.content.target.clone());
    let parameters = runs::parameters(ctx, &target).await?;
    let mut evaluate = |ask: model::trigger::mapping::Ask<'_>| expression::evaluate(ask, &event.view());
    let input = live.content.input_for(event, &parameters, &mut evaluate).map_err(|error| Error::Input {
        problem: error.to_string(),
        hint: "change how the trigger makes its input".to_owned(),
    })?;
    let request = StartRun { chain, event_seq: Some(event.seq), due_at, ..StartRun::of(target, input) };
    runs::recorded(ctx, &Actor::Trigger(live.entry), request).await
}
