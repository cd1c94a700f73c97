//! Executes a changed function on recorded inputs of what it replaces. What it asks for is answered from the journal of the recorded
//! Run, so nothing is done again.

use std::sync::Arc;
use std::time::Duration;

use model::access::Access;
use model::changeset::gates::Judgement;
use model::changeset::gates::answers::{Answer, incomplete};
use model::changeset::gates::evidence::{Compared, Now, judge};
use model::ids::VersionId;
use model::run::{Ending, Run, RunState};
use serde_json::{Map, Value};
use store::RunFilter;

use super::trials::{self, Attempt};
use crate::app::runs;
use crate::ctx::Ctx;
use crate::engine::NOT_RECORDED;
use crate::error::Error;
use crate::prepare::Prepared;

/// So many recorded runs are compared.
const MOST_RUNS: usize = 10;

/// Among so many of the newest.
const LOOKED_AT: u32 = 50;

const ONE_RUN: Duration = Duration::from_secs(5);

/// A Function that replaces a live Version.
pub(crate) struct Evidence {
    pub(crate) prepared: Arc<Prepared>,
    /// Whose eyes see the recorded runs.
    pub(crate) author: Access,
    pub(crate) replaced: VersionId,
}

impl Evidence {
    pub(super) async fn run(self, ctx: &Ctx) -> Result<Judgement, Error> {
        let key = &self.prepared.key;
        let Some(function) = self.prepared.function() else { return Ok(Judgement::default()) };
        let grants = &function.content.grants;
        if !grants.network.is_empty() || !grants.secrets.is_empty() {
            let text = format!("`{}` uses the network or secrets, which no record has", key.name);
            return Ok(Judgement::none(text));
        }
        let filter = RunFilter {
            name: Some(key.name.to_string()),
            states: vec![RunState::Succeeded, RunState::Failed],
            ..RunFilter::default()
        };
        let mut compared = Vec::new();
        for run in runs::list(ctx, &self.author, filter, LOOKED_AT).await? {
            if compared.len() == MOST_RUNS {
                break;
            }
            if run.version_id == Some(self.replaced)
                && let Some((input, recorded)) = whole(&run)
            {
                let now = self.now(ctx, &run, input).await?;
                compared.push(Compared { run: run.run_id, input: run.input, recorded, now });
            }
        }
        Ok(judge(key, &compared))
    }

    async fn now(&self, ctx: &Ctx, run: &Run, input: Map<String, Value>) -> Result<Now, Error> {
        if let Err(error) = self.prepared.schema.check(&input) {
            return Ok(Now::Refused(error.to_string()));
        }
        let steps = ctx.store.steps(run.run_id).await?;
        let attempt = Attempt { recorded: Some(&steps), at_most: Some(ONE_RUN), ..Attempt::of(input) };
        Ok(match trials::execute(ctx, &self.prepared, attempt).await? {
            Err(error) if error.message.starts_with(NOT_RECORDED) => Now::Unknown(error.message),
            answer => Now::Answered(answer),
        })
    }
}

/// Input and outcome of a Run, if all of them was recorded and the code itself decided the outcome.
fn whole(run: &Run) -> Option<(Map<String, Value>, Answer)> {
    let input = run.input.as_object().filter(|_| incomplete(&run.input).is_none())?;
    let outcome = match (run.ending, &run.output, &run.error) {
        (Some(Ending::Returned), Some(output), _) if incomplete(output).is_none() => Ok(output.clone()),
        (Some(Ending::Raised), _, Some(error)) => Err(error.clone()),
        _ => return None,
    };
    Some((input.clone(), outcome))
}
