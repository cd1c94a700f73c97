//! The gates of what a Run writes, which compare what code does: on the tests of mutants, with stored functions, and on recorded
//! runs. What was executed is handed in; here it is judged.

pub mod answers;
pub mod evidence;
pub mod mutants;
pub mod twins;

use super::check::{Check, Finding, Gate, Severity, Verdict};

/// What a gate says about one Function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    pub findings: Vec<Finding>,
    /// Whether a person has to decide where a Run would.
    pub asks: bool,
    /// What it was judged by, if that is worth a word.
    pub note: Option<String>,
}

impl Judgement {
    /// Nothing was judged, for this reason.
    pub fn none(note: impl Into<String>) -> Judgement {
        Judgement { note: Some(note.into()), ..Judgement::default() }
    }

    /// A person has to look, because of this.
    pub fn asking(finding: Finding) -> Judgement {
        Judgement { findings: vec![finding], asks: true, note: None }
    }
}

/// The Check of a gate over all Functions of a Changeset. A Run that wants to apply it may have to ask.
pub fn check(gate: Gate, judgements: Vec<Judgement>, is_run: bool) -> Check {
    if judgements.is_empty() {
        let why = if gate == Gate::Evidence { "no function is replaced" } else { "no function is new" };
        return Check::not_run(gate, why);
    }
    let asks = judgements.iter().any(|judgement| judgement.asks);
    let notes: Vec<String> = judgements.iter().filter_map(|judgement| judgement.note.clone()).collect();
    let findings: Vec<Finding> = judgements.into_iter().flat_map(|judgement| judgement.findings).collect();
    let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    let verdict = match (failed, asks && is_run) {
        (true, _) => Verdict::Failed,
        (false, true) => Verdict::Asks,
        (false, false) => Verdict::Passed,
    };
    Check { gate, verdict, findings, note: (!notes.is_empty()).then(|| notes.join("; ")) }
}
