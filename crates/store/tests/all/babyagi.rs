//! Reading what BabyAGI left behind: its tables as they are, and clear words about files that are something else.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};
use store::babyagi::{BabyagiError, is_sqlite, read};
use tempfile::TempDir;

/// The tables of functionz 0.1.4, as SQLAlchemy creates them.
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

fn file(folder: &TempDir, rows: &str) -> PathBuf {
    let path = folder.path().join("funztionz.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    connection.execute_batch(rows).unwrap();
    path
}

#[test]
fn every_table_is_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        &folder,
        r#"insert into functions values (1, 'dep'), (2, 'main');
        insert into function_versions values
            (10, 2, 2, 'def main(): return 2', '{"description": "two"}', 1, '2024-10-02 08:00:00.000001', '[]', '[]', '["dep"]'),
            (11, 2, 1, 'def main(): return 1', null, 0, '2024-10-01 08:00:00', null, null, null),
            (12, 1, 1, null, 'no json', null, null, null, null, '{"not": "a list"}');
        insert into function_dependency values (10, 1), (11, 99);
        insert into imports values (1, 'slugify', 'python-slugify', 'external'), (2, 'json', null, 'external');
        insert into function_version_imports values (10, 2), (10, 1);
        insert into logs values
            (1, 'main', 'Execution started.', '2024-10-02 09:00:00', '{"a": [1, null]}', 'null', 0.25, 'success', null, null),
            (2, null, null, null, null, 'NaN', null, null, 1, 1),
            (3, 'main', '', '2024-10-02 09:00:00', '7', '2.5', 1, 'success', null, null);
        insert into secret_keys values (1, 'k', x'67414141');"#,
    );
    let brain = read(&path).unwrap();
    let names: Vec<&str> = brain.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["dep", "main"]);

    let dep = &brain.functions[0].versions[0];
    assert_eq!((dep.code.as_str(), dep.is_active, &dep.created), ("", false, &None));
    assert_eq!((&dep.metadata, dep.triggers.len()), (&json!("no json"), 0));
    let main = &brain.functions[1].versions;
    assert_eq!(
        [main[0].code.as_str(), main[1].code.as_str()],
        ["def main(): return 1", "def main(): return 2"]
    );
    assert_eq!((main[0].is_active, main[1].is_active), (false, true));
    assert_eq!((&main[0].dependencies, &main[1].dependencies), (&vec![], &vec!["dep".to_owned()]));
    assert_eq!(main[1].triggers, ["dep"]);
    assert_eq!(main[1].metadata["description"], "two");
    let imports: Vec<_> =
        main[1].imports.iter().map(|import| (import.name.as_str(), import.package.as_deref())).collect();
    assert_eq!(imports, [("slugify", Some("python-slugify")), ("json", None)]);

    assert_eq!((&brain.logs[0].params, &brain.logs[0].output), (&json!({"a": [1, null]}), &Value::Null));
    assert_eq!((brain.logs[0].seconds, brain.logs[0].kind.as_str()), (Some(0.25), "success"));
    assert_eq!((brain.logs[1].parent, brain.logs[1].triggered_by), (Some(1), Some(1)));
    assert_eq!(brain.logs[1].output, json!("NaN"));
    // SQLite made numbers of these when they were written.
    assert_eq!((&brain.logs[2].params, &brain.logs[2].output), (&json!(7), &json!(2.5)));
    assert_eq!(brain.secrets[0].encrypted, b"gAAA");
    assert!(!format!("{:?}", brain.secrets).contains("gAAA"));
}

#[test]
fn reading_leaves_the_file_and_its_folder_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "insert into functions values (1, 'a');");
    let before = std::fs::read(&path).unwrap();
    read(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_something_else_is_named_with_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("other.db");
    Connection::open(&foreign).unwrap().execute_batch("create table functions (id integer)").unwrap();
    let error = read(&foreign).unwrap_err();
    assert!(matches!(error, BabyagiError::Foreign { table: "function_versions", .. }), "{error}");
    assert!(error.to_string().contains("other.db"), "{error}");

    for (name, bytes) in
        [("text.txt", b"not a database at all, but long enough to be looked at".as_slice()), ("empty", b"")]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    assert!(matches!(read(Path::new("/nowhere/at/all.db")), Err(BabyagiError::Open { .. })));
    assert!(read(folder.path()).is_err());
}

#[test]
fn a_table_of_other_columns_is_not_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("functions.db");
    let tables = [
        "functions",
        "function_versions",
        "function_dependency",
        "imports",
        "function_version_imports",
        "logs",
        "secret_keys",
    ];
    let connection = Connection::open(&path).unwrap();
    for table in tables {
        connection.execute_batch(&format!("create table {table} (x integer)")).unwrap();
    }
    let error = read(&path).unwrap_err();
    assert!(!matches!(error, BabyagiError::Damaged { .. }), "{error}");
}

#[test]
fn a_truncated_file_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (1..500).map(|n| format!("insert into functions values ({n}, 'function_{n:040}');")).collect();
    let path = file(&folder, &rows);
    let whole = std::fs::read(&path).unwrap();
    assert!(is_sqlite(&whole));
    for length in [whole.len() - 4096, whole.len() / 2, 5000, 100] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, BabyagiError::Damaged { .. }), "cut to {length}: {error}");
    }
}
