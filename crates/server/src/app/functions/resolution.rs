//! Whether the packages of a Function can be installed, found out when it is added: a misspelt one is told then, and not by the
//! first run. Where the index cannot be asked that is a warning, because the first run may be able to.

use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use model::changeset::check::{Finding, Outcome, nearest};
use model::content::Content;
use model::entry::EntryKey;
use model::python::known_packages;
use sandbox::environment::{Error as EnvironmentError, Problem, ProblemKind};
use tokio::time::Instant;

use super::test_results::TestResults;
use crate::ctx::Ctx;
use crate::engine::ExecutionError;

/// Nobody waits longer than this for an index when they add functions, however many.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(20);
/// Resolving waits for an index more than it works.
const AT_ONCE: usize = 4;

/// Whether some packages can be installed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    Possible,
    /// Not with this index, these versions or this policy.
    Impossible {
        why: String,
        near: Option<String>,
    },
    Unknown {
        why: String,
    },
}

/// What is to be said of the packages of Functions that a Changeset writes.
pub(crate) async fn findings(ctx: &Ctx, outcomes: &[Outcome<'_>], results: &mut TestResults) -> Vec<Finding> {
    if !ctx.engine.config.resolve_on_add {
        return Vec::new();
    }
    let needed = outcomes.iter().filter_map(|outcome| Some((outcome.key, packages(outcome.after?)?)));
    let needed: Vec<(&EntryKey, Vec<String>)> = needed.collect();
    results.resolve(ctx, needed.iter().map(|(_, packages)| packages)).await;
    let found = |(key, packages): &(&EntryKey, Vec<String>)| finding(key, results.resolution(packages)?);
    needed.iter().filter_map(found).collect()
}

fn packages(content: &Content) -> Option<Vec<String>> {
    let requirements = &content.as_function()?.requirements;
    let mut packages: Vec<String> =
        requirements.iter().map(|requirement| requirement.package.clone()).collect();
    packages.sort();
    (!packages.is_empty()).then_some(packages)
}

fn finding(key: &EntryKey, resolution: &Resolution) -> Option<Finding> {
    match resolution {
        Resolution::Possible => None,
        Resolution::Impossible { why, near } => {
            let declare =
                "declare packages that are called otherwise than what they provide: `requirements=[…]`";
            let hint = match near {
                Some(near) => format!("did you mean `{near}`? {declare}"),
                None => declare.to_owned(),
            };
            Some(Finding::error(key.clone(), why.clone()).hint(hint))
        }
        Resolution::Unknown { why } => {
            let finding =
                Finding::warning(key.clone(), format!("its packages cannot be resolved now: {why}"));
            Some(finding.hint("they are resolved when it is first run, or by `selfmade warm`"))
        }
    }
}

/// Each of these sets, all of them before the time is up.
pub(super) async fn resolve_all(ctx: &Ctx, sets: Vec<Vec<String>>) -> Vec<(Vec<String>, Resolution)> {
    let end = Instant::now() + RESOLVE_TIMEOUT;
    let each = sets.into_iter().map(|packages| async move {
        let resolution = resolve(ctx, &packages, end).await;
        (packages, resolution)
    });
    stream::iter(each).buffer_unordered(AT_ONCE).collect().await
}

async fn resolve(ctx: &Ctx, packages: &[String], end: Instant) -> Resolution {
    // It goes on when nobody waits for it any more: the first run finds what it has found.
    let resolving = tokio::spawn(ctx.engine.executor.resolve(packages.to_vec()));
    match tokio::time::timeout_at(end, resolving).await {
        Ok(Ok(Ok(()))) => Resolution::Possible,
        Ok(Ok(Err(error))) => judged(&error),
        Ok(Err(error)) => Resolution::Unknown { why: error.to_string() },
        Err(_) => {
            Resolution::Unknown { why: format!("it takes longer than {} seconds", RESOLVE_TIMEOUT.as_secs()) }
        }
    }
}

fn judged(error: &ExecutionError) -> Resolution {
    let impossible = |near| Resolution::Impossible { why: error_text(error), near };
    match error {
        ExecutionError::Environment(EnvironmentError::Failed { problem, .. }) => match problem.kind {
            ProblemKind::UnknownPackage => impossible(near(problem)),
            ProblemKind::NoMatchingVersion | ProblemKind::NoWheel | ProblemKind::TooYoung => impossible(None),
            _ => Resolution::Unknown { why: error_text(error) },
        },
        ExecutionError::Environment(
            EnvironmentError::Requirement { .. } | EnvironmentError::Refused { .. },
        ) => impossible(None),
        _ => Resolution::Unknown { why: error_text(error) },
    }
}

/// Without saying that an environment cannot be built: nobody asked for one.
fn error_text(error: &ExecutionError) -> String {
    match error {
        ExecutionError::Environment(error) => error.to_string(),
        other => other.to_string(),
    }
}

fn near(problem: &Problem) -> Option<String> {
    let known: Vec<String> = known_packages().into_iter().map(str::to_owned).collect();
    nearest(problem.package.as_deref()?, &known).map(str::to_owned)
}
