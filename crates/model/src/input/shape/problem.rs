//! What is wrong with a value, and where.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::input::depth::MAX_DEPTH;
use crate::input::tagged::describe;

/// One thing that is wrong. Its text is a sentence that names the place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Such as `items[2].price`; empty if it is about the whole.
    pub path: String,
    /// In words: "a number", "one of `a`, `b`", "is required".
    pub expected: String,
    /// In words, bounded; empty if nothing came.
    pub given: String,
    pub message: String,
}

impl Problem {
    pub(crate) fn wrong(path: String, expected: String, given: String) -> Problem {
        let subject = if path.is_empty() { "the input".to_owned() } else { format!("`{path}`") };
        let message = format!("{subject} must be {expected}, not {given}");
        Problem { path, expected, given, message }
    }

    pub(crate) fn too_deep(path: String, value: &Value) -> Problem {
        let expected = format!("nested at most {MAX_DEPTH} levels deep");
        let message = format!("`{path}` is nested deeper than {MAX_DEPTH} levels; pass a flatter value");
        Problem { path, expected, given: describe(value), message }
    }

    pub(crate) fn missing(path: String) -> Problem {
        let message = format!("`{path}` is required");
        Problem { path, expected: "is required".to_owned(), given: String::new(), message }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Gathers problems, and puts only so many of them into words.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) found: Vec<Problem>,
    pub(crate) count: usize,
    most: usize,
}

impl Problems {
    pub(crate) fn up_to(most: usize) -> Problems {
        Problems { most, ..Problems::default() }
    }

    /// Only whether there are any.
    pub(crate) fn counted() -> Problems {
        Problems::up_to(0)
    }

    pub(crate) fn is_counted(&self) -> bool {
        self.most == 0
    }

    /// How many more are put into words.
    pub(crate) fn room(&self) -> usize {
        self.most - self.found.len()
    }

    pub(crate) fn add(&mut self, problem: impl FnOnce() -> Problem) {
        self.count += 1;
        if self.found.len() < self.most {
            self.found.push(problem());
        }
    }
}
