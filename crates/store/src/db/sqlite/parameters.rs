//! Which value of a statement belongs to which of its parameters.
//!
//! In SQLite `$7` is a name, and names are numbered in the order of their appearance. So a value is matched by the number in
//! the name, never by position. SQLite finds a name by a linear search, so each statement is inspected once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::Statement;

use super::fault::Fault;

/// Where the text of a statement lies and how long it is: cheaper to look up than the text.
type Known = (usize, usize);

/// For each statement asked so far, the values of its parameters.
#[derive(Default)]
pub(super) struct Parameters(RefCell<HashMap<Known, Arc<[usize]>>>);

impl Parameters {
    /// For each place the index of its value.
    pub(super) fn of(&self, statement: &Statement<'_>, sql: &'static str) -> Result<Arc<[usize]>, Fault> {
        let known: Known = (sql.as_ptr().addr(), sql.len());
        if let Some(parameters) = self.0.borrow().get(&known) {
            return Ok(Arc::clone(parameters));
        }
        let parameters: Arc<[usize]> = (1..=statement.parameter_count())
            .map(|index| parameter(statement, sql, index))
            .collect::<Result<_, _>>()?;
        self.0.borrow_mut().insert(known, Arc::clone(&parameters));
        Ok(parameters)
    }
}

fn parameter(statement: &Statement<'_>, sql: &'static str, index: usize) -> Result<usize, Fault> {
    let number =
        statement.parameter_name(index).and_then(|name| name.strip_prefix('$')?.parse::<usize>().ok());
    number.and_then(|number| number.checked_sub(1)).ok_or_else(|| Fault::Binding {
        sql,
        detail: "it has a parameter that is not `$1`, `$2`, …".to_owned(),
    })
}
