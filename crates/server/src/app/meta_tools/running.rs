//! `run` and `run_code`: what came of a Run, for a language model. What functions return, print and raise is data.

use std::fmt::Write;

use model::access::Access;
use model::access::verb::Verb;
use model::meta_tools::text::{MOST_SHOWN, fenced, fenced_value, one_line};
use model::name::EntryName;
use model::run::{Run, RunState, traceback};
use serde_json::{Value, json};

use super::ToolAnswer;
use crate::ctx::Ctx;
use crate::error::Error;

/// What a script prints is for whoever reads along; the result is what counts.
const MOST_PRINTED: usize = 2_000;
const MOST_TRACEBACK: usize = 4_000;

/// Of a Run that has ended, for somebody who may see it.
pub(crate) async fn of_run(ctx: &Ctx, access: &Access, run: &Run) -> Result<ToolAnswer, Error> {
    access.may(Verb::StartRun)?;
    let (id, name) = (run.run_id, &run.key.name);
    let mut text = String::new();
    match (run.state, &run.output) {
        (RunState::Succeeded, Some(output)) => {
            let _ = write!(
                text,
                "run {id} of `{name}` returned this data:\n{}",
                fenced_value(output, MOST_SHOWN)
            );
        }
        (RunState::Succeeded, None) => {
            let _ = write!(text, "run {id} of `{name}` succeeded, and what it returned was not kept");
        }
        (state, _) => failure(&mut text, access, run, state),
    }
    // Of others' functions nothing but the answer is shown.
    if run.how.draft.is_some() {
        let printed: String = ctx.store.output(id).await?.into_iter().map(|chunk| chunk.text).collect();
        if !printed.is_empty() {
            let _ = write!(text, "\nit printed:\n{}", fenced("", &printed, MOST_PRINTED));
        }
    }
    let error = run.error.as_ref().map(|error| error.seen(|name| access.covers(name)));
    let data = json!({ "run": id, "state": run.state, "output": run.output, "error": error });
    Ok(ToolAnswer { ok: run.state == RunState::Succeeded, text, data })
}

fn failure(text: &mut String, access: &Access, run: &Run, state: RunState) {
    let (id, name) = (run.run_id, &run.key.name);
    let _ = write!(
        text,
        "run {id} of `{name}` {}",
        if state == RunState::Failed { "failed" } else { "was cancelled" }
    );
    let Some(error) = &run.error else { return };
    let error = error.seen(|name| access.covers(name));
    let _ = write!(text, ": {}", one_line(&error.type_name, 200));
    let told = match &error.traceback {
        Some(frames) => traceback::folded(frames),
        None => error.message.clone(),
    };
    let _ = write!(text, "\n{}", fenced("", &told, MOST_TRACEBACK));
    if let Some(hint) = &error.hint {
        let _ = write!(text, "\nhint: {hint}");
    }
}

/// Of a draft that was tried.
pub(crate) fn of_trial(name: &EntryName, returned: &Value) -> ToolAnswer {
    let text = format!("the draft `{name}` returned this data:\n{}", fenced_value(returned, MOST_SHOWN));
    ToolAnswer::of(text, json!({ "state": "succeeded", "output": returned }))
}
