//! Builds a BabyAGI brain: the SQLite file of functionz 0.1.4 with its keys under Fernet.

use std::path::PathBuf;

use rusqlite::Connection;
use secrecy::SecretString;
use tempfile::TempDir;

/// The tables as SQLAlchemy creates them.
const SCHEMA: &str = "
    create table functions (id integer primary key, name varchar unique);
    create table function_versions (id integer primary key, function_id integer, version integer, code text,
        function_metadata json, is_active boolean, created_date datetime, input_parameters json,
        output_parameters json, triggers json);
    create table function_dependency (function_version_id integer, dependency_id integer);
    create table imports (id integer primary key, name varchar unique, lib varchar, source varchar);
    create table function_version_imports (function_version_id integer, import_id integer);
    create table logs (id integer primary key, function_name varchar, message varchar, timestamp datetime,
        params json, output json, time_spent float, log_type varchar, parent_log_id integer,
        triggered_by_log_id integer);
    create table secret_keys (id integer primary key, name varchar unique, _encrypted_value blob);";

/// Functions, versions, links, imports and logs of every shape that was seen.
const ROWS: &str = r#"
    insert into functions values (1, 'leaf'), (2, 'main'), (3, 'broken'), (4, 'misnamed'), (5, 'print'), (6, 'dormant');
    insert into function_versions values
        (1, 1, 1, 'def leaf(x):
    return x', '{"description": "A leaf"}', 1, '2024-10-01 08:00:00.000001', '[]', '[]', null),
        (2, 2, 1, 'def main():
    return 1', '{"description": "First"}', 0, '2024-10-01 09:00:00', '[]', '[]', '[]'),
        (3, 2, 2, 'def main():
    return leaf(slugify.slugify(globals()[''api_key'']))', '{"description": "Second", "owner": "me"}', 1, '2024-10-02 09:00:00', '[]', '[]', '["leaf", "function_added_or_updated"]'),
        (4, 2, 3, 'def main():
    return 3', '{"description": "Third"}', 0, '2024-10-03 09:00:00', '[]', '[]', '[]'),
        (5, 3, 1, 'def broken():
    return 1', null, 0, '2024-10-01 08:00:00', null, null, null),
        (6, 3, 2, 'def broken(:', null, 1, '2024-10-02 08:00:00', null, null, null),
        (7, 4, 1, 'def something_else():
    return 1', '{}', 1, '2024-10-01 08:00:00', null, null, null),
        (8, 5, 1, 'def print():
    return 1', '{}', 1, '2024-10-01 08:00:00', null, null, null),
        (9, 6, 1, 'def dormant():
    return 1', '{}', 0, '2024-10-01 08:00:00', null, null, null);
    insert into function_dependency values (3, 1);
    insert into imports values (1, 'slugify', 'python-slugify', 'external'), (2, 'json', null, 'external');
    insert into function_version_imports values (3, 1), (3, 2);
    insert into logs values
        (1, 'main', 'Execution successful.', '2024-10-05 10:00:00.500000', '{"n": 1}', '"done"', 0.25, 'success', null, null),
        (2, 'leaf', 'Execution successful.', '2024-10-05 10:00:00.600000', '{"x": [null, 2.5]}', 'null', 0.1, 'success', 1, null),
        (3, 'deeper', 'Execution failed. Error: boom', '2024-10-05 10:00:00.650000', '{}', 'null', 0.01, 'error', 2, null),
        (4, 'main', 'Execution successful.', '2024-10-05 10:00:01', '{"got": "done"}', '2', 0.3, 'success', 1, 1),
        (5, 'main', 'Execution failed. Error: KeyError: ''k''', '2024-10-05 10:01:00', '{}', 'null', 0.2, 'error', null, null),
        (6, 'main', 'Execution started.', '2024-10-05 10:02:00', '{}', 'null', null, 'started', null, null),
        (7, null, null, null, null, null, null, null, null, null),
        (8, 'leaf', 'Execution successful.', '2024-10-05 10:03:00', '{"x": NaN}', '"NaN"', 0.1, 'success', 99, null);"#;

pub(crate) struct OldBrain {
    pub(crate) folder: TempDir,
    pub(crate) file: PathBuf,
    /// The Fernet key of its keys.
    pub(crate) key: String,
}

impl OldBrain {
    pub(crate) fn new() -> OldBrain {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("funztionz.db");
        let brain = OldBrain { folder, file, key: fernet::Fernet::generate_key() };
        brain.execute(SCHEMA);
        brain.execute(ROWS);
        brain
    }

    pub(crate) fn execute(&self, sql: &str) {
        Connection::open(&self.file).unwrap().execute_batch(sql).unwrap();
    }

    /// Stores a key as BabyAGI does.
    pub(crate) fn keep(&self, name: &str, value: &str) {
        let token = fernet::Fernet::new(&self.key).unwrap().encrypt(value.as_bytes());
        let sql = "insert into secret_keys (name, _encrypted_value) values ($1, $2)";
        Connection::open(&self.file).unwrap().execute(sql, (name, token.as_bytes())).unwrap();
    }

    pub(crate) fn log(&self, function: &str, message: &str, params: &str, output: &str) {
        let sql = "insert into logs (function_name, message, timestamp, params, output, time_spent, log_type)
            values ($1, $2, '2024-10-06 10:00:00', $3, $4, 0.5, 'success')";
        Connection::open(&self.file).unwrap().execute(sql, (function, message, params, output)).unwrap();
    }

    pub(crate) fn keys(&self) -> server::app::babyagi::Keys {
        server::app::babyagi::Keys::Open(SecretString::from(self.key.as_str()))
    }
}
