//! Replay: a Run is executed again with its recorded answers. Nothing is written and nothing new is done; the result is
//! compared with the record.

use std::sync::Arc;

use model::access::Access;
use model::access::verb::Verb;
use model::ids::RunId;
use model::run::step::Step;
use model::run::{End, RunError, RunState};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::start::enter;
use crate::app::runs;
use crate::ctx::Ctx;
use crate::engine::{GraphReplay, Replay, RunProgress, replay as execute, replay_graph};
use crate::error::Error;
use crate::prepare::Callable;

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Replayed {
    pub run_id: RunId,
    /// Where it made a different request than in the recorded run.
    pub diverged: Option<String>,
    /// Recorded Steps it did not reach.
    pub steps_left: usize,
    /// Secrets it got without their values: it read `[secret NAME]`, as the record does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// Whether it ended like the recorded run.
    pub same: bool,
    pub recorded: Ended,
    pub replayed: Ended,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Ended {
    pub state: RunState,
    pub output: Option<Value>,
    pub error: Option<RunError>,
}

pub async fn replay(
    ctx: &Ctx,
    access: &Access,
    id: RunId,
    watch: impl Fn(RunId, RunProgress) + Send + Sync + 'static,
) -> Result<Replayed, Error> {
    access.may(Verb::ReplayRun)?;
    let run = runs::recorded_input(runs::touched(ctx, access, id).await?)?;
    let prepared = ctx.engine.closures.for_run(ctx, &run).await?;
    let steps = recorded_steps(ctx.store.steps(id).await?)?;
    let function = prepared.function();
    let secrets = function.map(|function| function.content.grants.secrets.iter().cloned().collect());
    let recorded = Ended { state: run.state, output: run.output.clone(), error: run.error.clone() };
    // It holds a cell like any other that somebody waits for.
    let _place = enter(ctx, access, None).await?;
    let (end, steps_left, diverged) = match &prepared.callable {
        Callable::Graph(graph, _) => {
            let GraphReplay { end, diverged, steps_left } = replay_graph(ctx, &run, graph, steps).await?;
            (end, steps_left, diverged)
        }
        Callable::Function(_) => {
            let prepared = Arc::clone(&prepared);
            let replay = Replay { run, prepared, steps, watch: Arc::new(watch) };
            let (end, steps_left) = execute(ctx, replay).await?;
            let diverged = diverged(&end);
            (end, steps_left, diverged)
        }
    };
    let replayed = Ended { state: end.state, output: end.output, error: end.error };
    let same = diverged.is_none() && steps_left == 0 && is_same(&recorded, &replayed);
    Ok(Replayed {
        run_id: id,
        diverged,
        steps_left,
        secrets: secrets.unwrap_or_default(),
        same,
        recorded,
        replayed,
    })
}

/// Without what a function answered that is not recorded, its caller cannot be executed again.
fn recorded_steps(steps: Vec<Step>) -> Result<Vec<Step>, Error> {
    match steps.iter().find(|step| step.is_forgotten()) {
        None => Ok(steps),
        Some(step) => Err(Error::Input {
            problem: format!(
                "step {} of run {} was not recorded: it ran a function that does not declare `record=\"all\"`",
                step.position, step.run_id
            ),
            hint: "run it again with `selfmade runs rerun`".to_owned(),
        }),
    }
}

fn diverged(end: &End) -> Option<String> {
    let error = end.error.as_ref()?;
    (error.type_name == "replay_diverged").then(|| error.message.clone())
}

/// Tracebacks may differ where the interpreter does; what was raised may not.
fn is_same(recorded: &Ended, replayed: &Ended) -> bool {
    let raised =
        |ended: &Ended| ended.error.as_ref().map(|error| (error.type_name.clone(), error.message.clone()));
    recorded.state == replayed.state
        && recorded.output == replayed.output
        && raised(recorded) == raised(replayed)
}
