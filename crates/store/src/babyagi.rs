//! Reads the SQLite file of a brain of BabyAGI's functionz, without writing to it.
//!
//! The importer decides what the rows mean.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum BabyagiError {
    #[error("cannot open `{}`", .path.display())]
    Open {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("`{}` is not a BabyAGI brain: it has no table `{table}`; name its `funztionz.db`", .path.display())]
    Foreign { path: PathBuf, table: &'static str },
    #[error("`{}` is not a SQLite database; name BabyAGI's `funztionz.db`", .path.display())]
    NotADatabase { path: PathBuf },
    #[error("`{}` cannot be read to its end: it is damaged or truncated", .path.display())]
    Damaged {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error(
        "`{}` has the tables of a BabyAGI brain, but not as BabyAGI 0.1 writes them, so it cannot be imported", .path.display()
    )]
    OtherShape {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
}

#[derive(Clone, Debug, Default)]
pub struct BabyagiBrain {
    pub functions: Vec<OldFunction>,
    pub logs: Vec<OldLog>,
    pub secrets: Vec<OldSecret>,
}

#[derive(Clone, Debug)]
pub struct OldFunction {
    pub name: String,
    /// Oldest first.
    pub versions: Vec<OldVersion>,
}

#[derive(Clone, Debug)]
pub struct OldVersion {
    pub code: String,
    pub is_active: bool,
    /// As it is written there, in universal time.
    pub created: Option<String>,
    pub metadata: Value,
    /// Names of the functions that trigger this one.
    pub triggers: Vec<String>,
    pub dependencies: Vec<String>,
    pub imports: Vec<OldImport>,
}

#[derive(Clone, Debug)]
pub struct OldImport {
    pub name: String,
    /// The package it comes from, where that was stated.
    pub package: Option<String>,
}

#[derive(Clone, Debug)]
pub struct OldLog {
    pub id: i64,
    pub function: String,
    pub message: String,
    pub at: String,
    pub params: Value,
    pub output: Value,
    pub seconds: Option<f64>,
    /// `started`, `success` or `error`.
    pub kind: String,
    pub parent: Option<i64>,
    pub triggered_by: Option<i64>,
}

#[derive(Clone)]
pub struct OldSecret {
    pub name: String,
    /// A Fernet token.
    pub encrypted: Vec<u8>,
}

impl std::fmt::Debug for OldSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OldSecret({})", self.name)
    }
}

/// Whether a file starts as every SQLite database does.
pub fn is_sqlite(start: &[u8]) -> bool {
    start.starts_with(b"SQLite format 3\0")
}

const TABLES: [&str; 7] = [
    "functions",
    "function_versions",
    "function_dependency",
    "imports",
    "function_version_imports",
    "logs",
    "secret_keys",
];

/// Everything in the file. Blocks.
pub fn read(path: &Path) -> Result<BabyagiBrain, BabyagiError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(|source| BabyagiError::Open { path: path.to_owned(), source })?;
    let failed = |source| failure(path, source);
    for table in TABLES {
        let found: bool = connection
            .query_row(
                "select count(*) > 0 from sqlite_master where type = 'table' and name = $1",
                [table],
                |row| row.get(0),
            )
            .map_err(failed)?;
        if !found {
            return Err(BabyagiError::Foreign { path: path.to_owned(), table });
        }
    }
    Ok(BabyagiBrain {
        functions: functions(&connection).map_err(failed)?,
        logs: logs(&connection).map_err(failed)?,
        secrets: secrets(&connection).map_err(failed)?,
    })
}

fn failure(path: &Path, source: rusqlite::Error) -> BabyagiError {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, SystemIoFailure};
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(NotADatabase) if !starts_as_sqlite(&path) => BabyagiError::NotADatabase { path },
        Some(DatabaseCorrupt | NotADatabase | SystemIoFailure) => BabyagiError::Damaged { path, source },
        _ => BabyagiError::OtherShape { path, source },
    }
}

fn starts_as_sqlite(path: &Path) -> bool {
    let mut start = [0; 16];
    let read =
        std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    read.is_ok() && is_sqlite(&start)
}

fn functions(connection: &Connection) -> Result<Vec<OldFunction>, rusqlite::Error> {
    let mut dependencies = grouped(
        connection,
        "select function_dependency.function_version_id, functions.name from function_dependency
         join functions on functions.id = function_dependency.dependency_id order by functions.id",
        |row| row.get::<_, String>(1),
    )?;
    let mut imports = grouped(
        connection,
        "select function_version_imports.function_version_id, imports.name, imports.lib from function_version_imports
         join imports on imports.id = function_version_imports.import_id order by imports.id",
        |row| Ok(OldImport { name: row.get(1)?, package: row.get(2)? }),
    )?;
    let mut statement = connection.prepare(
        "select functions.name, function_versions.id, code, is_active, created_date, function_metadata, triggers
         from functions join function_versions on function_versions.function_id = functions.id
         order by functions.id, function_versions.version, function_versions.id",
    )?;
    let mut rows = statement.query([])?;
    let mut functions: Vec<OldFunction> = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let id: i64 = row.get(1)?;
        let version = OldVersion {
            code: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            is_active: row.get::<_, Option<bool>>(3)?.unwrap_or_default(),
            created: row.get(4)?,
            metadata: json(row, 5)?,
            triggers: strings(&json(row, 6)?),
            dependencies: dependencies.remove(&id).unwrap_or_default(),
            imports: imports.remove(&id).unwrap_or_default(),
        };
        match functions.last_mut() {
            Some(last) if last.name == name => last.versions.push(version),
            _ => functions.push(OldFunction { name, versions: vec![version] }),
        }
    }
    Ok(functions)
}

fn logs(connection: &Connection) -> Result<Vec<OldLog>, rusqlite::Error> {
    let mut statement = connection.prepare(
        "select id, function_name, message, timestamp, params, output, time_spent, log_type, parent_log_id,
            triggered_by_log_id from logs order by id",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(OldLog {
            id: row.get(0)?,
            function: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            message: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            at: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
            params: json(row, 4)?,
            output: json(row, 5)?,
            seconds: row.get(6)?,
            kind: row.get::<_, Option<String>>(7)?.unwrap_or_default(),
            parent: row.get(8)?,
            triggered_by: row.get(9)?,
        })
    })?;
    rows.collect()
}

fn secrets(connection: &Connection) -> Result<Vec<OldSecret>, rusqlite::Error> {
    let mut statement = connection.prepare("select name, _encrypted_value from secret_keys order by id")?;
    let rows = statement.query_map([], |row| Ok(OldSecret { name: row.get(0)?, encrypted: row.get(1)? }))?;
    rows.collect()
}

fn grouped<T>(
    connection: &Connection,
    sql: &str,
    read: fn(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<HashMap<i64, Vec<T>>, rusqlite::Error> {
    let mut groups: HashMap<i64, Vec<T>> = HashMap::new();
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        groups.entry(row.get(0)?).or_default().push(read(row)?);
    }
    Ok(groups)
}

/// A JSON column; what is no JSON is kept as the text it is. SQLite turns a text that looks like a number into one
/// where the column is declared as `json`.
fn json(row: &Row<'_>, column: usize) -> Result<Value, rusqlite::Error> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into_owned()))
        }
    })
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}
