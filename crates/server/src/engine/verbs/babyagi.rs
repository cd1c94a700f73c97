//! `babyagi`: what BabyAGI's `func` asks for inside a cell. Unlike `brain`, it shows the brain as it is and not as it was when the
//! Run started, because functions in BabyAGI's form call what they have just added.
//!
//! What changes the brain goes the way of every proposal of a Run: checks, then the policy.

use model::changeset::ChangesetState;
use model::check::{Severity, Verdict};
use model::entry::EntryKey;
use model::name::EntryName;
use model::step::Step;
use model::version::VersionNumber;
use sandbox::Arguments;
use serde_json::{Value as Json, json};

use super::stop::Stop;
use super::{Answer, Given, Refusal, Reply, finish, run};
use crate::app::changesets;
use crate::app::drafts::{Intent, Proposal};
use crate::app::error::Error;
use crate::app::functionz::stating::{Stated, registration, update};
use crate::app::functionz::{functions, triggers};
use crate::app::runs::{By, Target};
use crate::engine::host::Inner;

/// What one answer lists at most.
const LISTED: u32 = 200;

/// Runs the live version of another function.
pub(super) async fn run(host: &Inner, step: Step, mut arguments: Arguments) -> Result<Answer, Error> {
    match run::named(host, &mut arguments, "babyagi.run") {
        Ok(name) => run::start(host, step, Target::Live(name), arguments, By::Name).await,
        Err(refusal) => finish(host, step, Err(refusal)).await,
    }
}

pub(super) async fn carry_out(host: &Inner, step: &Step, arguments: Arguments) -> Reply {
    let done = match step.verb.strip_prefix("babyagi.").unwrap_or_default() {
        "get_functions" => page(host, arguments).await,
        "get_all_imports" => {
            functions::all_imports(&host.ctx, &host.access()).await.map(Json::from).map_err(Stop::from)
        }
        "add_function" => add(host, step, arguments).await,
        "update_function" => change(host, step, arguments).await,
        "activate_function_version" => activate(host, step, arguments).await,
        "add_trigger" => add_trigger(host, step, arguments).await,
        "remove_function" => remove(host, step, arguments).await,
        verb => read(host, &step.verb, verb, arguments).await,
    };
    done.map_err(Stop::into_refusal)
}

/// Verbs that take a name and change nothing.
async fn read(host: &Inner, whole: &str, verb: &str, arguments: Arguments) -> Result<Json, Stop> {
    let name = Given::new(whole, &["name"], arguments)?.required_text("name")?;
    let (ctx, access) = (&host.ctx, &host.access());
    Ok(match verb {
        "get_function" => functions::get(ctx, access, &name).await?.unwrap_or_default(),
        "get_function_versions" => functions::versions(ctx, access, &name).await?.into(),
        "get_function_imports" => functions::imports(ctx, access, &name).await?.into(),
        "get_triggers" => json!(triggers::of(ctx, access, &name).await?),
        "get_triggered" => json!(triggers::after(ctx, access, &name).await?),
        _ => return Err(Refusal::Refused(format!("there is no verb `{whole}`")).into()),
    })
}

async fn page(host: &Inner, arguments: Arguments) -> Result<Json, Stop> {
    let after = Given::new("babyagi.get_functions", &["after"], arguments)?.text("after")?;
    Ok(functions::page(&host.ctx, &host.access(), after.as_deref(), LISTED).await?.into())
}

async fn add(host: &Inner, step: &Step, arguments: Arguments) -> Result<Json, Stop> {
    let (name, stated) = stated(host, "babyagi.add_function", arguments)?;
    let proposal = registration(&host.ctx, &host.access(), name, stated).await?;
    propose(host, step, proposal).await
}

async fn change(host: &Inner, step: &Step, arguments: Arguments) -> Result<Json, Stop> {
    let (name, stated) = stated(host, "babyagi.update_function", arguments)?;
    let proposal = update(&host.ctx, &host.access(), name, stated).await?;
    propose(host, step, proposal).await
}

fn stated(host: &Inner, verb: &str, arguments: Arguments) -> Result<(EntryName, Stated), Stop> {
    let mut given = Given::new(verb, &["name", "stated"], arguments)?;
    let name: EntryName = given.open_text("name", host)?.parse().map_err(Error::from)?;
    let stated = given.value("stated").unwrap_or_default();
    if host.redaction.json(stated.clone()) != stated {
        let text = format!("what `{verb}` is given holds the value of a secret, and it would be stored");
        return Err(Refusal::Refused(text).into());
    }
    let stated = serde_json::from_value(stated)
        .map_err(|error| Refusal::Refused(format!("`{verb}` cannot read what is stated: {error}")))?;
    Ok((name, stated))
}

async fn activate(host: &Inner, step: &Step, arguments: Arguments) -> Result<Json, Stop> {
    let mut given = Given::new("babyagi.activate_function_version", &["name", "version"], arguments)?;
    let name: EntryName = given.open_text("name", host)?.parse().map_err(Error::from)?;
    let number = given.number("version")?.filter(|number| (1.0..1e9).contains(number));
    let number =
        number.ok_or_else(|| Refusal::Refused("`version` has to be the number of a version".to_owned()))?;
    let number = VersionNumber(number as u32);
    let title = format!("use version {number} of {name}");
    let intent = Intent::Use(EntryKey::function(name), number);
    propose(host, step, Proposal::of(title, vec![intent])).await
}

async fn add_trigger(host: &Inner, step: &Step, arguments: Arguments) -> Result<Json, Stop> {
    let mut given = Given::new("babyagi.add_trigger", &["triggered", "triggering"], arguments)?;
    let target: EntryName = given.open_text("triggered", host)?.parse().map_err(Error::from)?;
    let source = given.text("triggering")?;
    let proposal = triggers::addition(&host.ctx, &host.access(), target, source.as_deref()).await?;
    propose(host, step, proposal).await
}

async fn remove(host: &Inner, step: &Step, arguments: Arguments) -> Result<Json, Stop> {
    let mut given = Given::new("babyagi.remove_function", &["name"], arguments)?;
    let name: EntryName = given.open_text("name", host)?.parse().map_err(Error::from)?;
    let title = format!("delete {name}");
    propose(host, step, Proposal::of(title, vec![Intent::Delete(EntryKey::function(name))])).await
}

/// Says whether it is part of the brain now and, if not, why. Named after the Step, so that a Step that is carried out again
/// finds what it proposed before.
async fn propose(host: &Inner, step: &Step, proposal: Proposal) -> Result<Json, Stop> {
    let once = Some(format!("step:{}:{}", step.run_id, step.position));
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
