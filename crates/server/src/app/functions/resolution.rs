//! Whether the packages of a Function can be installed, found out when it is added: a misspelt one is told then, and not by the
//! first run. Where the index cannot be asked that is a warning, because the first run may be able to.

use std::time::Duration;

use model::changeset::check::{Finding, Outcome, nearest};
use model::content::Content;
use model::python::known_packages;
use sandbox::environment::{Error as EnvironmentError, Problem, ProblemKind};

use super::test_results::TestResults;
use crate::ctx::Ctx;
use crate::engine::ExecutionError;

/// Nobody waits longer than this for an index when they add a function.
const PATIENCE: Duration = Duration::from_secs(30);

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
    let mut findings = Vec::new();
    if !ctx.engine.config.resolve_on_add {
        return findings;
    }
    for outcome in outcomes {
        let Some(function) = outcome.after.and_then(Content::as_function) else { continue };
        let mut packages: Vec<String> =
            function.requirements.iter().map(|requirement| requirement.package.clone()).collect();
        packages.sort();
        if packages.is_empty() {
            continue;
        }
        let key = outcome.key.clone();
        findings.extend(match results.resolution(ctx, &packages).await {
            None | Some(Resolution::Possible) => None,
            Some(Resolution::Impossible { why, near }) => {
                let finding = Finding::error(key, why.clone());
                let declare =
                    "declare packages that are called otherwise than what they provide: `requirements=[…]`";
                Some(finding.hint(match near {
                    Some(near) => format!("did you mean `{near}`? {declare}"),
                    None => declare.to_owned(),
                }))
            }
            Some(Resolution::Unknown { why }) => Some(
                Finding::warning(key, format!("its packages cannot be resolved now: {why}"))
                    .hint("they are resolved when it is first run, or by `selfmade warm`"),
            ),
        });
    }
    findings
}

pub(super) async fn resolve(ctx: &Ctx, packages: &[String]) -> Resolution {
    let resolving = ctx.engine.executor.resolve(packages.to_vec());
    match tokio::time::timeout(PATIENCE, resolving).await {
        Ok(Ok(())) => Resolution::Possible,
        Ok(Err(error)) => judged(&error),
        Err(_) => Resolution::Unknown {
            why: format!("the package index did not answer within {} seconds", PATIENCE.as_secs()),
        },
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
