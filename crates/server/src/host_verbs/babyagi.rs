//! `babyagi`: what BabyAGI's `func` asks for inside a cell. Unlike `brain`, it shows the brain as it is and not as it was when the
//! Run started, because functions in BabyAGI's form call what they have just added.
//!
//! What changes the brain goes the way of every proposal of a Run: checks, then the policy.

use model::changeset::ChangesetState;
use model::changeset::check::{Severity, Verdict};
use model::entry::EntryKey;
use model::name::EntryName;
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use model::version::VersionNumber;
use sandbox::Arguments;
use serde_json::{Value as Json, json};

use super::stop::Stop;
use super::{Host, Refusal, Reply, StepReply, VerbArguments, finish, run};
use crate::app::changesets;
use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::functionz::stating::{Stated, registration, update};
use crate::app::functionz::{functions, triggers};
use crate::app::runs::{By, Target};
use crate::error::Error;

/// What one answer lists at most.
const LISTED: u32 = 200;

/// Runs the live version of another function.
pub(super) async fn run(host: &Host<'_>, step: Step, mut arguments: Arguments) -> Result<StepReply, Error> {
    match run::named(host, &mut arguments, HostVerb::FuncRun) {
        Ok(name) => run::start(host, step, Target::Live(name), arguments, By::Name).await,
        Err(refusal) => finish(host, step, Err(refusal)).await,
    }
}

pub(super) async fn execute(host: &Host<'_>, step: &Step, verb: HostVerb, given: VerbArguments) -> Reply {
    let done = match verb {
        HostVerb::FuncGetFunctions => page(host, given).await,
        HostVerb::FuncGetAllImports => {
            functions::all_imports(&host.ctx, &host.access()).await.map(Json::from).map_err(Stop::from)
        }
        HostVerb::FuncAddFunction => add(host, step, given).await,
        HostVerb::FuncUpdateFunction => change(host, step, given).await,
        HostVerb::FuncActivateFunctionVersion => activate(host, step, given).await,
        HostVerb::FuncAddTrigger => add_trigger(host, step, given).await,
        HostVerb::FuncRemoveFunction => remove(host, step, given).await,
        verb => read(host, verb, given).await,
    };
    done.map_err(Stop::into_refusal)
}

/// Verbs that take a name and change nothing.
async fn read(host: &Host<'_>, verb: HostVerb, mut given: VerbArguments) -> Result<Json, Stop> {
    let name = given.required_text("name");
    let (ctx, access) = (&host.ctx, &host.access());
    Ok(match verb {
        HostVerb::FuncGetFunctionVersions => functions::versions(ctx, access, &name).await?.into(),
        HostVerb::FuncGetFunctionImports => functions::imports(ctx, access, &name).await?.into(),
        HostVerb::FuncGetTriggers => json!(triggers::of(ctx, access, &name).await?),
        HostVerb::FuncGetTriggered => json!(triggers::after(ctx, access, &name).await?),
        _ => functions::get(ctx, access, &name).await?.unwrap_or_default(),
    })
}

async fn page(host: &Host<'_>, mut given: VerbArguments) -> Result<Json, Stop> {
    let after = given.text("after");
    Ok(functions::page(&host.ctx, &host.access(), after.as_deref(), LISTED).await?.into())
}

async fn add(host: &Host<'_>, step: &Step, given: VerbArguments) -> Result<Json, Stop> {
    let (name, stated) = stated(host, given)?;
    let proposal = registration(&host.ctx, &host.access(), name, stated).await?;
    propose(host, step, proposal).await
}

async fn change(host: &Host<'_>, step: &Step, given: VerbArguments) -> Result<Json, Stop> {
    let (name, stated) = stated(host, given)?;
    let proposal = update(&host.ctx, &host.access(), name, stated).await?;
    propose(host, step, proposal).await
}

fn stated(host: &Host<'_>, mut given: VerbArguments) -> Result<(EntryName, Stated), Stop> {
    let verb = given.verb.name();
    let name: EntryName = given.open_text("name", host)?.parse().map_err(Error::from)?;
    let stated = given.value("stated").unwrap_or_default();
    if host.redaction.json(stated.clone()) != stated {
        let text = format!("an argument of `{verb}` contains the value of a secret, and it would be stored");
        return Err(Refusal::Refused(text).into());
    }
    let stated = serde_json::from_value(stated)
        .map_err(|error| Refusal::Refused(format!("`{verb}` cannot read its arguments: {error}")))?;
    Ok((name, stated))
}

async fn activate(host: &Host<'_>, step: &Step, mut given: VerbArguments) -> Result<Json, Stop> {
    let name: EntryName = given.open_text("name", host)?.parse().map_err(Error::from)?;
    let number = given.number("version").filter(|number| (1.0..1e9).contains(number));
    let number = number.ok_or_else(|| Refusal::Refused("`version` must be a version number".to_owned()))?;
    let number = VersionNumber(number as u32);
    let title = format!("use version {number} of {name}");
    let intent = Intent::Use(EntryKey::function(name), number);
    propose(host, step, Proposal::of(title, vec![intent])).await
}

async fn add_trigger(host: &Host<'_>, step: &Step, mut given: VerbArguments) -> Result<Json, Stop> {
    let target: EntryName = given.open_text("triggered", host)?.parse().map_err(Error::from)?;
    let source = given.text("triggering");
    let proposal = triggers::addition(&host.ctx, &host.access(), target, source.as_deref()).await?;
    propose(host, step, proposal).await
}

async fn remove(host: &Host<'_>, step: &Step, mut given: VerbArguments) -> Result<Json, Stop> {
    let name: EntryName = given.open_text("name", host)?.parse().map_err(Error::from)?;
    let title = format!("delete {name}");
    propose(host, step, Proposal::of(title, vec![Intent::Delete(EntryKey::function(name))])).await
}

/// Says whether it is part of the brain now and, if not, why. Named after the Step, so that a Step that is executed again
/// finds what it proposed before.
async fn propose(host: &Host<'_>, step: &Step, proposal: Proposal) -> Result<Json, Stop> {
    let once = Some(step.once());
    let proposal = Proposal { once, ..proposal };
    if !changesets::would_change(&host.ctx, &host.access(), &proposal).await? {
        return Ok(json!({ "applied": true }));
    }
    let policy = host.ctx.engine.config.changesets;
    let proposed = changesets::propose_by_policy(&host.ctx, &host.access(), &proposal, policy).await?;
    let failed = proposed.checks.iter().filter(|check| check.verdict == Verdict::Failed);
    let findings = failed.flat_map(|check| &check.findings);
    let problems = findings.filter(|finding| finding.severity == Severity::Error);
    Ok(json!({
        "applied": proposed.state == ChangesetState::Applied,
        "changeset": proposed.number,
        "problems": problems.map(|finding| &finding.message).collect::<Vec<_>>(),
    }))
}
