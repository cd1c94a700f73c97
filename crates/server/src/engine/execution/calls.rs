//! Converts the reports of a cell to recorded Calls: with the brain's names, without secrets. This happens while the code runs, because there
//! can be many Calls and the end of the Run should not wait for it.

use std::time::Duration;

use model::function::run_options::Record;
use model::run::call::Call;
use model::run::{Run, RunError};
use sandbox::CallRecord;
use serde_json::Value;

use crate::prepare::Prepared;
use crate::secrets::redaction::Redaction;

/// The Calls of a Run, each with what is known of its end.
#[derive(Clone, Default)]
pub(crate) struct Trace {
    /// In the order of their positions, from 1 without a gap.
    calls: Vec<Call>,
    /// What is kept of each.
    records: Vec<Record>,
    /// The index of a Call, each time something was reported about it.
    reported: Vec<usize>,
}

impl Trace {
    /// The Call that has begun or ended; nothing if the record fits none.
    pub(crate) fn record(
        &mut self,
        record: CallRecord,
        run: &Run,
        prepared: &Prepared,
        redaction: &Redaction,
    ) -> Option<&Call> {
        let place = match record {
            CallRecord::Begun { position, parent, function, arguments, at_us } => {
                let called = prepared.function()?.called.get(function)?;
                let is_reported = called.record != Record::None;
                self.records.push(called.record);
                self.calls.push(Call {
                    run_id: run.run_id,
                    position,
                    parent,
                    function: called.name.clone(),
                    version_id: Some(called.version_id),
                    input: if is_reported { redaction.json(arguments.to_json()) } else { Value::Null },
                    output: None,
                    error: None,
                    started_at: run.started_at.unwrap_or(run.created_at) + Duration::from_micros(at_us),
                    duration_us: None,
                });
                self.calls.len() - 1
            }
            CallRecord::Finished { position, duration_us, result } => {
                let place = (position as usize).checked_sub(1)?;
                let call = self.calls.get_mut(place)?;
                call.duration_us = Some(duration_us);
                let is_kept = self.records.get(place)?.keeps(run.run_id, result.is_ok());
                match result {
                    Ok(output) => call.output = Some(redaction.json(output.to_json())),
                    Err(error) => {
                        let (type_name, message) = (error.type_name, error.message);
                        call.error = Some(redaction.error(RunError::of(type_name, message)));
                    }
                }
                if !is_kept {
                    forget(call);
                }
                place
            }
        };
        self.reported.push(place);
        self.calls.get(place)
    }

    /// The Calls about which something was reported after the first `times` reports, as they are now.
    pub(crate) fn reported_since(&self, times: usize) -> impl Iterator<Item = &Call> {
        self.reported.iter().skip(times).filter_map(|place| self.calls.get(*place))
    }

    pub(crate) fn into_calls(self) -> Vec<Call> {
        self.calls
    }
}

/// Of a function that is not recorded it is kept that it was called, how that ended and how long it took.
fn forget(call: &mut Call) {
    (call.input, call.output) = (Value::Null, None);
    if let Some(error) = &mut call.error {
        error.message.clear();
    }
}
