//! Expressions and templates that people and agents write, evaluated with limits.
//!
//! minijinja counts instructions, not the memory and time that one instruction may take: `a ~ a` in a loop doubles a text each time,
//! and one `sort` may take a second. So whatever is not plainly harmless (`plain`) is evaluated by a process of its own (`worker`),
//! which has limits on memory and processor time and is replaced when it exceeds one. [`Expressions`] is what people hold.

mod evaluate;
mod frames;
mod plain;
mod process;
pub(crate) mod worker;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use self::evaluate::evaluate;
use self::plain::is_plain;
use self::process::Processes;

pub use self::evaluate::{SyntaxError, check, looked_at};

/// Evaluated at the same time, of those that are not plain.
const AT_ONCE: usize = 2;
/// What one process may use, with the values that it is given.
const MEMORY_BYTES: u64 = 256 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// One expression, whose value keeps its type. What is missing is undefined.
    Expression,
    /// A text with expressions in it. What is missing may be looked into and may not be printed.
    Template,
    /// The same, and what is missing may not be used at all, but by `default`.
    StrictTemplate,
}

/// Something to evaluate, and the values it may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub kind: Kind,
    pub text: String,
    pub scope: Map<String, Value>,
}

/// Evaluates questions.
pub struct Expressions {
    /// None where the running program cannot be started again, as in tests.
    processes: Option<Processes>,
    places: Semaphore,
}

impl Expressions {
    /// `program` is a binary whose `main` begins with [`crate::stage1::enter_if_asked`]; absent is the running one. Nothing is started
    /// until it is needed.
    pub fn new(program: Option<PathBuf>) -> Expressions {
        Expressions { processes: Some(Processes::new(program)), places: Semaphore::new(AT_ONCE) }
    }

    /// Without limits on memory and time: for tests, which are not a program that can be started again.
    pub fn in_this_process() -> Expressions {
        Expressions { processes: None, places: Semaphore::new(AT_ONCE) }
    }

    /// The value, or none if it is undefined; or why there is none, without quoting values.
    pub async fn evaluate(&self, question: &Question) -> Result<Option<Value>, String> {
        match self.evaluate_plain(question) {
            Some(evaluated) => evaluated,
            None => self.evaluate_elsewhere(question).await,
        }
    }

    /// The same for one that is harmless and takes no time; otherwise nothing.
    pub fn evaluate_plain(&self, question: &Question) -> Option<Result<Option<Value>, String>> {
        (self.processes.is_none() || is_plain(&question.text)).then(|| evaluate(question))
    }

    async fn evaluate_elsewhere(&self, question: &Question) -> Result<Option<Value>, String> {
        let Some(processes) = &self.processes else { return evaluate(question) };
        // It is never closed.
        let _place = self.places.acquire().await.map_err(|closed| closed.to_string())?;
        processes.evaluate(question).await
    }
}
