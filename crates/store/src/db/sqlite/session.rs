//! One connection to a database file: binds values, runs statements, collects rows.
//!
//! Its owner decides when to begin and to commit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, Statement, ToSql};

use super::fault::Fault;
use super::parameters::Parameters;
use crate::Error;
use crate::db::batch::{Batch, Values};
use crate::db::{Read, Row, Value};

/// Covers every statement of the store, so each is parsed once for a connection.
const STATEMENT_CACHE: usize = 512;

pub(super) struct Session {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    parameters: Parameters,
}

/// What a statement did: the rows it returned, and how many it returned or changed.
struct Outcome {
    rows: Vec<Row>,
    touched: usize,
}

impl Session {
    /// `busy_timeout` is how long a statement waits for others that hold the lock it needs.
    pub(super) fn connect(path: &Path, flags: OpenFlags, busy_timeout: Duration) -> Result<Session, Error> {
        let tell = |error| Fault::of("open")(error).to_error(path);
        // Our connections never meet two threads at once, so SQLite need not guard them.
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(tell)?;
        connection.busy_timeout(busy_timeout).map_err(tell)?;
        // Otherwise SQLite plans a statement again whenever a value is bound that might change its plan, as a limit, or one that is
        // compared with the column of a partial index: it takes longer than most of our statements.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(tell)?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
        Ok(Session { connection, path: path.to_owned(), parameters: Parameters::default() })
    }

    /// Runs a statement without values.
    pub(super) fn run(&self, sql: &'static str) -> Result<Vec<Row>, Fault> {
        self.execute(sql, &[]).map(|outcome| outcome.rows)
    }

    pub(super) fn read_one(&self, (sql, values): &Read) -> Result<Vec<Row>, Fault> {
        self.execute(sql.sqlite, values).map(|outcome| outcome.rows)
    }

    /// Several reads in one transaction, which in WAL mode means: of one moment.
    pub(super) fn read(&self, reads: &[Read]) -> Result<Vec<Vec<Row>>, Fault> {
        if let [read] = reads {
            return Ok(vec![self.read_one(read)?]);
        }
        self.run("begin")?;
        let answers = reads.iter().map(|read| self.read_one(read)).collect::<Result<_, Fault>>();
        // Said first what failed first: after some faults there is no transaction left to end.
        let ended = self.run("rollback");
        let answers = answers?;
        ended.map(|_| answers)
    }

    /// Runs the steps of a batch up to the first that fails; the caller undoes the rest.
    pub(super) fn run_batch(&self, batch: &Batch) -> Result<Vec<Vec<Row>>, Fault> {
        let mut answers = Vec::with_capacity(batch.steps().len());
        for step in batch.steps() {
            let outcome = match &step.values {
                Values::Single(values) => self.execute(step.sql.sqlite, values)?,
                Values::Bulk(rows) => self.execute_for_each(step.sql.sqlite, rows)?,
            };
            match step.guard {
                Some(what) if outcome.touched == 0 => return Err(Fault::Guard { what }),
                _ => answers.push(outcome.rows),
            }
        }
        Ok(answers)
    }

    fn execute(&self, sql: &'static str, values: &[Value]) -> Result<Outcome, Fault> {
        let mut statement = self.connection.prepare_cached(sql).map_err(Fault::of(sql))?;
        let parameters = self.parameters.of(&statement, sql)?;
        execute(&mut statement, sql, &parameters, values)
    }

    fn execute_for_each(&self, sql: &'static str, rows: &[Vec<Value>]) -> Result<Outcome, Fault> {
        let mut all = Outcome { rows: Vec::new(), touched: 0 };
        let mut statement = self.connection.prepare_cached(sql).map_err(Fault::of(sql))?;
        let parameters = self.parameters.of(&statement, sql)?;
        for values in rows {
            let outcome = execute(&mut statement, sql, &parameters, values)?;
            all.rows.extend(outcome.rows);
            all.touched += outcome.touched;
        }
        Ok(all)
    }
}

fn execute(
    statement: &mut Statement<'_>,
    sql: &'static str,
    parameters: &[usize],
    values: &[Value],
) -> Result<Outcome, Fault> {
    bind(statement, sql, parameters, values)?;
    let width = statement.column_count();
    if width == 0 {
        let touched = statement.raw_execute().map_err(Fault::of(sql))?;
        return Ok(Outcome { rows: Vec::new(), touched });
    }
    let mut rows = Vec::new();
    let mut cursor = statement.raw_query();
    while let Some(row) = cursor.next().map_err(Fault::of(sql))? {
        let values =
            (0..width).map(|column| row.get_ref(column).map_err(Fault::of(sql)).and_then(|v| value(sql, v)));
        rows.push(Row::new(values.collect::<Result<_, Fault>>()?));
    }
    let touched = rows.len();
    Ok(Outcome { rows, touched })
}

fn bind(
    statement: &mut Statement<'_>,
    sql: &'static str,
    parameters: &[usize],
    values: &[Value],
) -> Result<(), Fault> {
    // PostgreSQL refuses superfluous values; so must we, or a mistake would show on one database only.
    let takes = parameters.iter().max().map_or(0, |place| place + 1);
    if takes != values.len() {
        return Err(unfit(sql, format!("it takes {takes} values but got {}", values.len())));
    }
    for (index, place) in parameters.iter().enumerate() {
        let value = &values[*place];
        if let Value::TooLarge(_) = value {
            return Err(unfit(sql, format!("${} cannot be {}", place + 1, value.kind())));
        }
        statement.raw_bind_parameter(index + 1, Parameter(value)).map_err(Fault::of(sql))?;
    }
    Ok(())
}

fn unfit(sql: &'static str, detail: String) -> Fault {
    Fault::Binding { sql, detail }
}

struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null | Value::TooLarge(_) => ValueRef::Null,
            Value::Bool(truth) => ValueRef::Integer(i64::from(*truth)),
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Float(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
            Value::Uuid(id) => ValueRef::Blob(id.as_bytes()),
        }))
    }
}

fn value(sql: &'static str, value: ValueRef<'_>) -> Result<Value, Fault> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Float(number),
        ValueRef::Text(bytes) => match str::from_utf8(bytes) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => return Err(unfit(sql, "it returned text that is not UTF-8".to_owned())),
        },
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_owned()),
    })
}
