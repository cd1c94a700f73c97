//! Runs the same input again.

use model::access::Access;
use model::access::verb::Verb;
use model::ids::RunId;
use model::run::Run;

use super::read::touched;
use super::{StartRun, Target};
use crate::ctx::Ctx;
use crate::error::Error;

/// What it takes to run the same input again, on the same Version or on the live one.
pub async fn again(ctx: &Ctx, access: &Access, id: RunId, live: bool) -> Result<StartRun, Error> {
    access.may(Verb::StartRun)?;
    let run = recorded_input(touched(ctx, access, id).await?)?;
    let target = match run.version_id {
        Some(version) if !live => Target::Exact(version),
        // What a draft was is stored with its Run.
        None if !live && run.how.draft.is_some() => Target::Recorded(id),
        _ => Target::Live(run.key.name.clone()),
    };
    let input = run.input.as_object().cloned().unwrap_or_default();
    let mut graph = run.how.graph.as_deref().cloned().unwrap_or_default();
    if !graph.recorded.is_empty() {
        // What nodes gave is used again, as if the new Run had read it.
        access.may_continue(id, &run.authority)?;
    }
    // It runs from its beginning.
    graph.resumes = None;
    Ok(StartRun { graph, budget: run.how.budget, ..StartRun::of(target, input) })
}

/// Of a Run that is not kept the input is gone.
pub(crate) fn recorded_input(run: Run) -> Result<Run, Error> {
    if !run.is_forgotten() {
        return Ok(run);
    }
    let (id, name, record) = (run.run_id, &run.key.name, run.how.record.as_str());
    Err(Error::Input {
        problem: format!("the input of run {id} was not recorded: `{name}` declares `record=\"{record}\"`"),
        hint: format!("run `{name}` with an input of your own"),
    })
}
