//! A Run that its caller looks on at: `begun` with its id, `printed` and `making` as they happen, `state` whenever it waits for a
//! person or a time, `done` with its end.

use axum::response::Response;
use model::run::RunState;
use serde_json::json;

use super::caller::Caller;
use super::door::Door;
use super::live;
use super::problem::Problem;
use crate::app::runs::{self, StartRun};

pub(super) async fn carry_out(door: &Door, caller: &Caller, request: StartRun) -> Result<Response, Problem> {
    let (ctx, access) = (door.ctx().clone(), caller.access().clone());
    live::show(door, caller, move |telling| async move {
        let hearing = telling.clone();
        let request = request.watched(move |_, happened| hearing.hear(&happened));
        let begun = runs::begin(&ctx, &access, request).await?;
        telling.tell("begun", &json!({ "run_id": begun.run_id }));
        let mut run = begun.ended(&ctx).await?;
        while run.state == RunState::Waiting {
            telling.tell("state", &run);
            run = tokio::select! {
                past = runs::wait_past(&ctx, &access, &run) => past?,
                // It may wait for days, and is carried on without us.
                () = telling.forsaken() => break,
            };
        }
        Ok(runs::seen_run(&access, run))
    })
    .await
}
