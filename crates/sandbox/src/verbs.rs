//! Host verbs as functions see them in a cell: their parameters and what `help` says. Which of them a job may ask for is part of
//! the job; the sandbox itself knows none.

use std::fmt::Write as _;

/// How one verb is called. All of it becomes Python, so it must come from the program and from nobody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerbSignature {
    /// As functions write it after `selfmade.`.
    pub name: &'static str,
    /// As Python declares them: `name: str, data=None`.
    pub parameters: String,
    /// What it returns, in one line.
    pub description: &'static str,
}

/// The source of the module `_cell_verbs`: for each verb a function that does nothing but refuse arguments that do not fit.
pub(crate) fn module(verbs: &[VerbSignature]) -> String {
    let mut source = String::from("signatures = {}\n");
    for VerbSignature { name, parameters, description } in verbs {
        let last = name.rsplit('.').next().unwrap_or(name);
        let doc = serde_json::Value::from(format!("Returns {description}."));
        // Writing to a String cannot fail.
        let _ = write!(
            source,
            "def _({parameters}):\n    {doc}\n_.__name__, _.__qualname__ = \"{last}\", \"{name}\"\nsignatures[\"{name}\"] = _\n"
        );
    }
    source
}
