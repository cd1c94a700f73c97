//! Compares the value that a Function returned with its annotation. What does not fit is an error or a warning in the output of the Run,
//! depending on the Function's option `returns`.

use model::function::run_options::Returns;
use model::run::{End, RunError, RunState};
use sandbox::Stream;

use super::host::RunHost;
use crate::prepare::PreparedFunction;
use crate::secrets::redaction::Redaction;

/// The type of the error.
const WRONG: &str = "WrongReturn";

/// Of a Run that succeeded.
pub(super) fn check(host: &RunHost, function: &PreparedFunction, redaction: &Redaction, end: &mut End) {
    let Some(error) = wrong(function, redaction, end) else { return };
    match function.content.running.returns {
        Returns::Error => fail(end, error),
        Returns::Warn => {
            let line = format!("warning: {}\n", error.message);
            sandbox::Host::output(host, Stream::Stderr, line.as_bytes());
        }
    }
}

/// Of a trial, which has no record to warn in.
pub(super) fn check_trial(function: &PreparedFunction, end: &mut End) {
    if function.content.running.returns == Returns::Error
        && let Some(error) = wrong(function, &Redaction::default(), end)
    {
        fail(end, error);
    }
}

fn fail(end: &mut End, error: RunError) {
    (end.state, end.output, end.error) = (RunState::Failed, None, Some(error));
}

fn wrong(function: &PreparedFunction, redaction: &Redaction, end: &End) -> Option<RunError> {
    let (schema, output) = (function.output.as_ref()?, end.output.as_ref()?);
    // The words quote the value, and might cut a secret in two.
    let problems = match redaction.is_empty() {
        true => schema.check(output).err()?,
        false => schema.check(&redaction.json(output.clone())).err()?,
    };
    let annotation = function.content.signature.returns.as_deref().unwrap_or_default();
    let message = format!("it returned what its annotation `-> {annotation}` does not allow: {problems}");
    Some(RunError { type_name: WRONG.to_owned(), message, traceback: None, hint: None })
}
