//! Which cell a Run gets: one of its own, or one that ran the same code before.

use model::function::run_options;
use model::python::Dialect;
use model::run::Run;
use sandbox::{Isolation, JobLimits};

use crate::prepare::PreparedFunction;

/// The limits are part of the key, because those of a process cannot be raised again.
pub(super) fn of(run: &Run, function: &PreparedFunction, limits: &JobLimits) -> Isolation {
    match function.content.running.isolation {
        run_options::Isolation::Warm => Isolation::Warm { key: key(run) },
        // What is handed a secret that is not recorded is not resumable.
        run_options::Isolation::Usual if run.how.is_node && run.how.resumable && is_pure(function) => {
            match run.parent {
                Some(graph) => {
                    Isolation::Shared { owner: graph.to_string(), key: format!("{} {limits:?}", key(run)) }
                }
                None => Isolation::Fresh,
            }
        }
        run_options::Isolation::Usual | run_options::Isolation::Fresh => Isolation::Fresh,
    }
}

/// Whether it reaches nothing beyond its cell except through Steps, and loads nothing but the standard library. Packages keep more in
/// memory than can be put back, and BabyAGI's functions may hold on to what they are handed.
fn is_pure(function: &PreparedFunction) -> bool {
    let content = &function.content;
    content.dialect == Dialect::Selfmade && function.requirements.is_empty() && function.reaches_nothing()
}

/// A cell that is used again belongs to one closure and to one authority: code that ran in it for someone could tell them what others
/// pass in later, and could answer for it.
fn key(run: &Run) -> String {
    let closure = run.closure.map(|hash| hash.to_string()).unwrap_or_default();
    // Written out whole, so that only equal ones are the same.
    format!("{closure} {:?}", run.authority)
}
