//! Calls: the record of what functions of the closure called each other, checked before anyone believes it.

use std::collections::HashMap;

use crate::job::Closure;
use crate::protocol::{CallArguments, CallEnd, CallEntry, Calls};
use crate::value::Value;

/// What is told about a Call while it happens.
#[derive(Clone, Debug, PartialEq)]
pub enum CallRecord {
    Begun {
        /// From 1, in the order of beginning.
        position: u32,
        /// The Call it was made from; absent means the entry.
        parent: Option<u32>,
        /// Its place in the closure.
        function: usize,
        /// A dict of arguments by name, bounded.
        arguments: Value,
        /// Since the job started in the cell.
        at_us: u64,
    },
    Finished {
        position: u32,
        duration_us: u64,
        result: Result<Value, CallError>,
    },
}

impl CallRecord {
    /// What stays of a Call when the record of a job has become too long.
    pub(crate) fn leave_out_values(&mut self) {
        let left_out = || Value::Described { type_name: "object".to_owned(), text: "left out".to_owned() };
        match self {
            CallRecord::Begun { arguments, .. } => *arguments = left_out(),
            CallRecord::Finished { result: Ok(output), .. } => *output = left_out(),
            CallRecord::Finished { result: Err(error), .. } => {
                *error = CallError { type_name: "Exception".to_owned(), message: "left out".to_owned() };
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    pub type_name: String,
    pub message: String,
}

/// More than the Python side ever records.
const MAX_CALLS: usize = 100_001;
/// Half a year. No Call begins later or takes longer, and those who add up all of them need not fear for the sum.
const MAX_US: u64 = 1 << 44;

/// Knows which Calls are open, so that a record which cannot be true is noticed.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// By the number the cell gave them. Its threads may tell theirs in any order.
    calls: Vec<State>,
    begun: u32,
    /// Names of parameters by the place of the function.
    parameters: HashMap<usize, Vec<String>>,
}

/// With the position it has in the order of beginning.
#[derive(Clone, Copy, Debug)]
enum State {
    Unknown,
    Open(u32),
    Finished(u32),
}

impl Trace {
    /// What the batch says: all that began, then all that finished.
    pub(crate) fn accept(&mut self, calls: Calls, closure: &Closure) -> Result<Vec<CallRecord>, String> {
        for (function, names) in calls.parameters {
            if function >= closure.functions.len() || self.parameters.insert(function, names).is_some() {
                return Err(format!("function {function} is not known or was introduced before"));
            }
        }
        let mut records = Vec::with_capacity(2 * calls.begun.len() + calls.finished.len());
        let mut ends = Vec::with_capacity(calls.begun.len());
        for mut entry in calls.begun {
            ends.extend(entry.end.take());
            records.push(self.begin(entry)?);
        }
        for end in ends.into_iter().chain(calls.finished) {
            records.push(self.finish(end)?);
        }
        Ok(records)
    }

    fn begin(&mut self, entry: CallEntry) -> Result<CallRecord, String> {
        let CallEntry { number, parent, .. } = entry;
        let parent = match parent.checked_sub(1).map(|place| self.calls.get(place as usize)) {
            None => None,
            Some(Some(State::Open(position) | State::Finished(position))) => Some(*position),
            Some(_) => return Err(format!("call {number} comes from call {parent}, which has not begun")),
        };
        let unknown = || format!("call {number} is of no known function");
        let names = self.parameters.get(&entry.function).ok_or_else(unknown)?;
        let arguments = arguments(names, entry.arguments);
        let at_us = time(number, entry.at_us)?;
        let position = self.begun + 1;
        let state = self.state(number)?;
        if !matches!(state, State::Unknown) {
            return Err(format!("call {number} began twice"));
        }
        *state = State::Open(position);
        self.begun = position;
        Ok(CallRecord::Begun { position, parent, function: entry.function, arguments, at_us })
    }

    fn finish(&mut self, end: CallEnd) -> Result<CallRecord, String> {
        let duration_us = time(end.number, end.duration_us)?;
        let state = self.state(end.number)?;
        let State::Open(position) = *state else {
            return Err(format!("call {} finished without being open", end.number));
        };
        *state = State::Finished(position);
        let result = match end.error {
            None => Ok(end.output),
            Some(error) => Err(CallError { type_name: error.type_name, message: error.message }),
        };
        Ok(CallRecord::Finished { position, duration_us, result })
    }

    fn state(&mut self, number: u32) -> Result<&mut State, String> {
        let place = (number as usize).checked_sub(1).filter(|place| *place < MAX_CALLS);
        let place = place.ok_or_else(|| format!("there can be no call {number}"))?;
        if place >= self.calls.len() {
            self.calls.resize(place + 1, State::Unknown);
        }
        Ok(&mut self.calls[place])
    }
}

fn time(number: u32, us: u64) -> Result<u64, String> {
    if us <= MAX_US { Ok(us) } else { Err(format!("call {number} tells of {us} microseconds")) }
}

/// Arguments by name; those beyond the parameters are a list under `*`.
fn arguments(names: &[String], CallArguments { mut positional, named }: CallArguments) -> Value {
    let rest = positional.split_off(names.len().min(positional.len()));
    let mut pairs = Vec::with_capacity(positional.len() + named.len() + 1);
    pairs.extend(names.iter().cloned().zip(positional));
    if !rest.is_empty() {
        pairs.push(("*".to_owned(), Value::List(rest)));
    }
    pairs.extend(named);
    Value::Map(pairs)
}
