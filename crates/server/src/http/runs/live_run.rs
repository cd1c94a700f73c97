//! A Run that its caller follows: `begun` with its id, `printed` and `making` as they happen, `state` whenever it waits for
//! a person or a time, `done` with its end.

use axum::response::Response;
use model::run::RunState;
use serde_json::json;

use crate::app::runs::{self, StartRun};
use crate::http::problem::Problem;
use crate::http::request::caller::Caller;
use crate::http::state::Door;
use crate::http::streams::progress;

pub(crate) async fn stream_run(door: &Door, caller: &Caller, request: StartRun) -> Result<Response, Problem> {
    let (ctx, access) = (door.ctx().clone(), caller.access().clone());
    progress::stream(door, caller, move |progress| async move {
        let watching = progress.clone();
        let request = request.watched(move |_, happened| watching.report_run(&happened));
        let begun = runs::begin(&ctx, &access, request).await?;
        progress.report("begun", &json!({ "run_id": begun.run_id }));
        let mut run = begun.ended(&ctx).await?;
        while run.state == RunState::Waiting {
            progress.report("state", &run);
            run = tokio::select! {
                past = runs::wait_past(&ctx, &access, &run) => past?,
                // It may wait for days, and is carried on without us.
                () = progress.abandoned() => break,
            };
        }
        Ok(runs::seen_run(&access, run))
    })
    .await
}
