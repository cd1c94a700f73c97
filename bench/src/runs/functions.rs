//! The functions that are run.

use model::function::FunctionDraft;

pub(crate) const ADD: &str = "def add(a: int, b: int) -> int:\n    return a + b\n";

/// The same, in a cell that is used again.
pub(crate) fn warm_add() -> FunctionDraft {
    warm(FunctionDraft::of_source(ADD.replace("def add", "def warm_add")))
}

pub(super) fn warm(mut draft: FunctionDraft) -> FunctionDraft {
    draft.declared.options.insert("isolation".to_owned(), "warm".into());
    draft
}

/// Calls `leaf` so often.
pub(super) const LOOP: &str =
    "def loop(times: int) -> int:\n    for n in range(times):\n        leaf(n)\n    return times\n";
pub(super) const LEAF: &str = "def leaf(n: int) -> int:\n    return n\n";

/// Functions that each call the next; the first is `{name}_0`.
pub(super) fn chain(name: &str, length: usize) -> Vec<FunctionDraft> {
    let source = |n: usize| {
        let result = if n + 1 < length { format!("{name}_{}(value + 1)", n + 1) } else { "value".to_owned() };
        format!("def {name}_{n}(value: int) -> int:\n    return {result}\n")
    };
    (0..length).map(|n| FunctionDraft::of_source(source(n))).collect()
}

/// Functions that know nothing of each other.
pub(super) fn apart(name: &str, count: usize) -> Vec<FunctionDraft> {
    let source = |n: usize| format!("def {name}_{n}(value: int) -> int:\n    return value + 1\n");
    (0..count).map(|n| FunctionDraft::of_source(source(n))).collect()
}
