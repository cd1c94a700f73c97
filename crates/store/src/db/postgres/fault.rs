//! Converts PostgreSQL's errors into those of the store.

use std::error::Error as StdError;
use std::io;

use deadpool_postgres::PoolError;
use tokio_postgres::error::{DbError, SqlState};

use crate::Error;

#[derive(Debug)]
pub(super) enum Fault {
    Server {
        sql: &'static str,
        error: tokio_postgres::Error,
    },
    /// The values do not fit the statement; it was not run.
    Binding {
        sql: &'static str,
        detail: String,
    },
    /// The answer has a column of a type we do not read.
    Row(Error),
    Guard {
        what: &'static str,
    },
}

impl Fault {
    pub(super) fn of(sql: &'static str) -> impl FnOnce(tokio_postgres::Error) -> Fault {
        move |error| Fault::Server { sql, error }
    }

    /// The server undid the transaction for no fault of its own.
    pub(super) fn may_be_repeated(&self) -> bool {
        let Fault::Server { error, .. } = self else { return false };
        matches!(error.code(), Some(&SqlState::T_R_DEADLOCK_DETECTED | &SqlState::T_R_SERIALIZATION_FAILURE))
    }

    pub(super) fn into_error(self, server: &str) -> Error {
        match self {
            Fault::Server { sql, error } => match error.as_db_error() {
                Some(answer) => server_error(server, sql, answer),
                None if is_disconnection(&error) => lost(server, whole_story(&error)),
                None => Error::Statement { sql, detail: whole_story(&error) },
            },
            Fault::Binding { sql, detail } => Error::Statement { sql, detail },
            Fault::Row(error) => error,
            Fault::Guard { what } => Error::GuardFailed { guard: what },
        }
    }
}

/// Only the answer's message is used: its detail may quote what is stored.
fn server_error(server: &str, sql: &'static str, answer: &DbError) -> Error {
    let detail = answer.message().to_owned();
    let database = || server.to_owned();
    match *answer.code() {
        SqlState::UNIQUE_VIOLATION => {
            Error::Unique { table: answer.table().unwrap_or_default().to_owned(), detail }
        }
        SqlState::FOREIGN_KEY_VIOLATION | SqlState::RESTRICT_VIOLATION => Error::ForeignKey { detail },
        SqlState::DISK_FULL => Error::DiskFull { database: database() },
        SqlState::READ_ONLY_SQL_TRANSACTION => Error::ReadOnly { database: database() },
        SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::LOCK_NOT_AVAILABLE
        | SqlState::QUERY_CANCELED => Error::Busy { database: database() },
        SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN | SqlState::CANNOT_CONNECT_NOW => {
            lost(server, detail)
        }
        _ if answer.code().code().starts_with("08") => lost(server, detail),
        _ => Error::Statement { sql, detail },
    }
}

fn lost(server: &str, detail: String) -> Error {
    Error::ConnectionLost { server: server.to_owned(), detail }
}

fn is_disconnection(error: &tokio_postgres::Error) -> bool {
    error.is_closed() || error.source().is_some_and(<dyn StdError>::is::<io::Error>)
}

pub(super) fn no_connection(server: &str, error: PoolError) -> Error {
    let detail = match error {
        PoolError::Closed => return Error::Closed,
        PoolError::Timeout(_) => "no connection became free in time".to_owned(),
        PoolError::Backend(error) => {
            error.as_db_error().map_or_else(|| whole_story(&error), |answer| answer.message().to_owned())
        }
        other => other.to_string(),
    };
    Error::Unreachable { server: server.to_owned(), detail }
}

/// The driver's errors say what they were doing and leave the reason to their sources.
fn whole_story(error: &(dyn StdError + 'static)) -> String {
    let sources = std::iter::successors(error.source(), |source| (*source).source());
    sources.fold(error.to_string(), |story, source| format!("{story}: {source}"))
}
