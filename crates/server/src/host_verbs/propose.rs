//! `brain.propose`: the drafts of a Run become a Changeset. The Run goes on with its state, or waits without a cell until somebody has
//! decided.

use model::budget::{Amounts, Spending};
use model::changeset::{Changeset, ChangesetState};
use model::run::Waiting;
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use sandbox::Arguments;
use serde_json::{Value as Json, json};

use super::brain::need_drafts;
use super::stop::Stop;
use super::{Host, Refusal, Reply, StepReply, VerbArguments, begin, budgets, finish, finish_begun};
use crate::app::changesets::{self, workspace};
use crate::error::Error;

pub(super) async fn execute(
    host: &Host<'_>,
    mut step: Step,
    arguments: Arguments,
) -> Result<StepReply, Error> {
    let (title, waits) = match asked(host, arguments) {
        Ok(asked) => asked,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let is_begun = step.result.is_some();
    let new = if is_begun { 0 } else { budgets::new_drafts(host).await? };
    if let Err(refused) = budgets::reserve_functions(host, &step, new).await? {
        return budgets::refuse(host, step, refused).await;
    }
    // A result in a Step that is not finished says what was proposed before it waited.
    let (proposed, is_begun) = match step.result.as_ref().and_then(|begun| begun["changeset"].as_u64()) {
        Some(number) => (changesets::find(&host.ctx, &host.access(), number).await.map_err(Stop::from), true),
        None => (propose(host, &step, &title).await, false),
    };
    match proposed {
        Ok(changeset) if waits && is_undecided(&changeset) => {
            if !is_begun {
                step.result = Some(json!({ "changeset": changeset.number }));
                begin(host, &step).await?;
            }
            Ok(StepReply::Suspended(Waiting::Decision { changeset: changeset.number }))
        }
        proposed => {
            let reply: Reply = proposed.map(|changeset| answer(&changeset)).map_err(Stop::into_refusal);
            if reply.is_ok() {
                host.workspace.clear();
            }
            if is_begun {
                return finish_begun(host, step, reply).await;
            }
            let spent = if reply.is_ok() { Amounts::functions(new) } else { Amounts::default() };
            budgets::finish(host, step, reply, &Spending::unmeasured(spent)).await
        }
    }
}

/// The title, and whether to wait.
fn asked(host: &Host<'_>, arguments: Arguments) -> Result<(String, bool), Refusal> {
    let mut given = VerbArguments::new(HostVerb::BrainPropose, arguments)?;
    let title = given.text("title").unwrap_or_default();
    let waits = match given.value("wait") {
        None | Some(Json::Bool(false)) => false,
        Some(Json::Bool(true)) => true,
        Some(_) => {
            return Err(Refusal::Refused("`wait` of `brain.propose` must be True or False".to_owned()));
        }
    };
    if waits && !host.may_suspend {
        let text = "only a function whose effects are all steps may wait for a decision, because it is executed again with it; \
                    declare it `idempotent=True`, or reach the network from a function it calls";
        return Err(Refusal::Refused(text.to_owned()));
    }
    Ok((host.redaction.text(&title).into_owned(), waits))
}

/// Named after the Step, so that a Step that is executed again finds what it proposed before.
async fn propose(host: &Host<'_>, step: &Step, title: &str) -> Result<Changeset, Stop> {
    need_drafts(host)?;
    Ok(workspace::propose(&host.ctx, &host.access(), host.workspace, title, step.once()).await?)
}

/// Nobody is asked about what does not pass its checks.
fn is_undecided(changeset: &Changeset) -> bool {
    changeset.state == ChangesetState::Checked && changeset.failed_checks().next().is_none()
}

fn answer(changeset: &Changeset) -> Json {
    let Changeset { number, state, checks, comment, .. } = changeset;
    json!({ "changeset": number, "state": state, "checks": checks, "comment": comment })
}
