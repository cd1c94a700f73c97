//! Calls, from what a cell tells of them to what is recorded and shown: named as the brain names them, without secrets.

use std::time::Duration;

use model::call::Call;
use model::ids::VersionId;
use model::run::{Run, RunError};
use sandbox::CallRecord;

use super::prepared::Prepared;
use crate::redaction::Redaction;

/// All of a Run, each with what is known of its end.
pub(crate) fn all(
    run: &Run,
    prepared: &Prepared,
    records: Vec<CallRecord>,
    redaction: &Redaction,
) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for record in records {
        let begun = read(run, prepared, redaction, record, |position| {
            calls.get_mut((position as usize).checked_sub(1)?)
        });
        calls.extend(begun);
    }
    calls
}

/// Gives the Call that has begun, or tells one of those that are known of its end.
pub(crate) fn read<'a>(
    run: &Run,
    prepared: &Prepared,
    redaction: &Redaction,
    record: CallRecord,
    known: impl FnOnce(u32) -> Option<&'a mut Call>,
) -> Option<Call> {
    match record {
        CallRecord::Begun { position, parent, function, version, arguments, at_us } => Some(Call {
            run_id: run.run_id,
            position,
            parent,
            function: full_name(&prepared.closure.functions, &version).unwrap_or(function),
            version_id: version.parse().ok().map(VersionId),
            input: redaction.json(arguments.to_json()),
            output: None,
            error: None,
            started_at: run.started_at.unwrap_or(run.created_at) + Duration::from_micros(at_us),
            duration_us: None,
        }),
        CallRecord::Finished { position, duration_us, result } => {
            let call = known(position)?;
            call.duration_us = Some(duration_us);
            match result {
                Ok(output) => call.output = Some(redaction.json(output.to_json())),
                Err(error) => {
                    let (type_name, message) = (error.type_name, error.message);
                    call.error = Some(redaction.error(RunError { type_name, message, traceback: None }));
                }
            }
            None
        }
    }
}

/// As the brain knows it: `file` is `name@number`.
fn full_name(functions: &[sandbox::Function], version: &str) -> Option<String> {
    let function = functions.iter().find(|function| function.version == version)?;
    function.file.rsplit_once('@').map(|(name, _)| name.to_owned())
}
