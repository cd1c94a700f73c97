//! Calls: the record of what functions of the closure called each other, checked before anyone believes it.

use crate::job::Closure;
use crate::protocol::Calls;
use crate::value::Value;

/// What is told about a Call while it happens.
#[derive(Clone, Debug, PartialEq)]
pub enum CallRecord {
    Begun {
        /// From 1, in the order of beginning.
        position: u32,
        /// The Call it was made from; absent means the entry.
        parent: Option<u32>,
        function: String,
        version: String,
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

/// Knows which Calls are open, so that a record which cannot be true is noticed.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Whether each Call, from position 1, has finished.
    finished: Vec<bool>,
}

impl Trace {
    pub(crate) fn accept(&mut self, calls: Calls, closure: &Closure) -> Result<Vec<CallRecord>, String> {
        let mut records = Vec::with_capacity(calls.begun.len() + calls.finished.len());
        for (position, parent, function, at_us, arguments) in calls.begun {
            self.begin(position, parent)?;
            let function = closure
                .functions
                .get(function)
                .ok_or_else(|| format!("call {position} is of no known function"))?;
            records.push(CallRecord::Begun {
                position,
                parent: (parent > 0).then_some(parent),
                function: function.name.clone(),
                version: function.version.clone(),
                arguments,
                at_us,
            });
        }
        for (position, duration_us, output, error) in calls.finished {
            self.finish(position)?;
            let result = match error {
                None => Ok(output),
                Some(error) => Err(CallError { type_name: error.type_name, message: error.message }),
            };
            records.push(CallRecord::Finished { position, duration_us, result });
        }
        Ok(records)
    }

    fn begin(&mut self, position: u32, parent: u32) -> Result<(), String> {
        if position as usize != self.finished.len() + 1 || self.finished.len() >= MAX_CALLS {
            return Err(format!("call {position} is out of order"));
        }
        if parent >= position {
            return Err(format!("call {position} comes from call {parent}, which has not begun"));
        }
        self.finished.push(false);
        Ok(())
    }

    fn finish(&mut self, position: u32) -> Result<(), String> {
        let place = (position as usize).checked_sub(1).and_then(|place| self.finished.get_mut(place));
        match place {
            Some(finished) if !*finished => {
                *finished = true;
                Ok(())
            }
            _ => Err(format!("call {position} finished without being open")),
        }
    }
}
