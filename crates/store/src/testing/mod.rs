//! Fresh databases for tests, one of each kind, removed when the test ends.
//!
//! [`on_both!`](crate::on_both) runs one test body on both; this is how every guarantee of the store is tested.

mod gate;
mod older;
mod probe;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::Connection;
use tempfile::TempDir;
use tokio_postgres::{Config, NoTls};

pub use self::gate::{AtGate, Gate, Passage};
pub use self::probe::Fault;
pub(crate) use self::probe::{Intercepted, Probe};
use crate::Location;

/// The URL of a database on a PostgreSQL server where tests may create others.
const SERVER: &str = "SELFMADE_TEST_POSTGRES";

/// A database nobody has used before. Dropping it removes it.
pub struct TestDatabase {
    location: Location,
    kind: Kind,
}

enum Kind {
    Sqlite { _folder: TempDir },
    Postgres { server: Box<Config>, name: String },
}

impl TestDatabase {
    /// A file that does not exist yet, in a folder of its own.
    pub fn sqlite() -> TestDatabase {
        let folder = tempfile::tempdir().expect("tests may create temporary folders");
        let location = Location::Sqlite(folder.path().join("selfmade.db"));
        TestDatabase { location, kind: Kind::Sqlite { _folder: folder } }
    }

    /// The same in memory, where the system has a folder there: for tests of many small databases.
    pub fn sqlite_in_memory() -> TestDatabase {
        let memory = Path::new("/dev/shm");
        if !memory.is_dir() {
            return TestDatabase::sqlite();
        }
        let folder = tempfile::tempdir_in(memory).expect("tests may create temporary folders");
        let location = Location::Sqlite(folder.path().join("selfmade.db"));
        TestDatabase { location, kind: Kind::Sqlite { _folder: folder } }
    }

    /// Another one with the same content, in memory. SQLite only; nobody may have it open.
    pub fn copied(&self) -> TestDatabase {
        let copy = TestDatabase::sqlite_in_memory();
        std::fs::copy(self.path(), copy.path()).expect("a database that nobody uses can be copied");
        copy
    }

    /// A new, empty database on the server named by `SELFMADE_TEST_POSTGRES`.
    pub async fn postgres() -> TestDatabase {
        let url = server_url();
        let server: Config = url.parse().expect("SELFMADE_TEST_POSTGRES is a PostgreSQL URL");
        // It can be copied while others are connected anywhere, `template1` cannot.
        TestDatabase::created(server, "template0").await
    }

    async fn created(server: Config, template: &str) -> TestDatabase {
        let (url, name) = (server_url(), unused_name());
        // A run that was killed may have left a database of this name behind.
        let dropped = format!("drop database if exists {name} with (force)");
        execute(&server, &[dropped, format!("create database {name} template {template}")]).await;
        TestDatabase {
            location: Location::Postgres(beside(&url, &name)),
            kind: Kind::Postgres { server: Box::new(server), name },
        }
    }

    /// Another one of the same kind.
    pub async fn another(&self) -> TestDatabase {
        match self.kind {
            Kind::Sqlite { .. } => TestDatabase::sqlite(),
            Kind::Postgres { .. } => TestDatabase::postgres().await,
        }
    }

    /// Another one of the same kind, with the same content. Nobody may have this one open.
    pub async fn another_copied(&self) -> TestDatabase {
        match &self.kind {
            Kind::Sqlite { .. } => self.copied(),
            Kind::Postgres { server, name } => TestDatabase::created(Config::clone(server), name).await,
        }
    }

    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The file, for tests that are about files.
    pub fn path(&self) -> PathBuf {
        match &self.location {
            Location::Sqlite(path) => path.clone(),
            Location::Postgres(_) => panic!("only SQLite has a file"),
        }
    }

    /// Runs SQL past the store, for tests that need the database to be as no store leaves it. PostgreSQL only.
    pub async fn execute(&self, sql: &str) {
        match &self.kind {
            Kind::Postgres { server, name } => {
                execute(Config::clone(server).dbname(name), &[sql.to_owned()]).await;
            }
            Kind::Sqlite { .. } => panic!("open SQLite's file instead"),
        }
    }

    /// Every row of every table, read past the store, sorted: what "nothing was written" is compared by. Each line
    /// begins with its table.
    pub async fn dump(&self) -> Vec<String> {
        let mut lines = match &self.location {
            Location::Sqlite(path) => dump_sqlite(path).expect("the file can be read"),
            Location::Postgres(url) => dump_postgres(url).await.expect("the test server answers"),
        };
        lines.sort();
        assert!(lines.iter().any(|line| line.starts_with("counters: ")), "the tables were not found");
        lines
    }

    /// Returns when what a process that was killed had asked of a server is done or given up: the server goes on with it.
    pub async fn settle(&self) {
        if let Location::Postgres(url) = &self.location {
            settle_postgres(url).await.expect("the test's server answers");
        }
    }

    /// How many rows a table has.
    pub async fn count(&self, table: &str) -> usize {
        let start = format!("{table}: ");
        self.dump().await.iter().filter(|line| line.starts_with(&start)).count()
    }
}

async fn settle_postgres(url: &str) -> Result<(), tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    let driver = tokio::spawn(connection);
    let others = "select count(*) from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and state in ('active', 'idle in transaction')";
    while client.query_one(others, &[]).await?.get::<_, i64>(0) > 0 {
        tokio::task::yield_now().await;
    }
    driver.abort();
    Ok(())
}

fn dump_sqlite(path: &Path) -> Result<Vec<String>, rusqlite::Error> {
    let connection = Connection::open(path)?;
    let tables = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'";
    let tables: Vec<String> =
        connection.prepare(tables)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut lines = Vec::new();
    for table in tables {
        let mut statement = connection.prepare(&format!("select * from {table}"))?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let values = (0..columns).map(|column| row.get_ref(column)).collect::<Result<Vec<_>, _>>()?;
            lines.push(format!("{table}: {values:?}"));
        }
    }
    Ok(lines)
}

async fn dump_postgres(url: &str) -> Result<Vec<String>, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    let driver = tokio::spawn(connection);
    let tables = "select table_schema::text, table_name::text from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema')";
    let mut lines = Vec::new();
    for row in client.query(tables, &[]).await? {
        let (schema, table): (String, String) = (row.get(0), row.get(1));
        let rows = client.query(&format!("select line::text from {schema}.{table} as line"), &[]).await?;
        lines.extend(rows.iter().map(|row| format!("{table}: {}", row.get::<_, String>(0))));
    }
    drop(client);
    driver.await.ok();
    Ok(lines)
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Kind::Postgres { server, name } = &self.kind else { return };
        let (server, sql) = (server.clone(), [format!("drop database if exists {name} with (force)")]);
        // `drop` cannot await, and the test's own runtime may be on its way out.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be started").block_on(execute(&server, &sql));
        });
        dropping.join().ok();
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "tests are told where their server is, as `config` is for the rest"
)]
fn server_url() -> String {
    std::env::var(SERVER).expect("run through `cargo xtask test`, which starts a private PostgreSQL")
}

fn unused_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("selfmade_test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

async fn execute(config: &Config, statements: &[String]) {
    let (client, connection) = config.connect(NoTls).await.expect("the test server answers");
    let driver = tokio::spawn(connection);
    for sql in statements {
        client.batch_execute(sql).await.expect("the test server does as told");
    }
    drop(client);
    driver.await.ok();
}

/// The same URL with another database.
fn beside(url: &str, name: &str) -> String {
    let (base, query) =
        url.split_once('?').map_or((url, String::new()), |(base, query)| (base, format!("?{query}")));
    let (server, _) = base.rsplit_once('/').expect("SELFMADE_TEST_POSTGRES names a database");
    format!("{server}/{name}{query}")
}

/// Defines tests that run once on SQLite and once on PostgreSQL, each with a fresh [`TestDatabase`].
///
/// ```ignore
/// on_both! {
///     async fn what_is_written_can_be_read(database: &TestDatabase) { … }
/// }
/// ```
///
/// They are called `what_is_written_can_be_read::sqlite` and `…::postgres`.
#[macro_export]
macro_rules! on_both {
    // One thread for all tasks: when a test yields, every other task has its turn before the test goes on.
    (on one thread; $($(#[$attribute:meta])* async fn $name:ident($database:ident: $type:ty) $body:block)*) => {
        $(
            $(#[$attribute])*
            async fn $name($database: $type) $body

            mod $name {
                #[tokio::test]
                async fn sqlite() {
                    super::$name(&$crate::testing::TestDatabase::sqlite()).await;
                }

                #[tokio::test]
                async fn postgres() {
                    super::$name(&$crate::testing::TestDatabase::postgres().await).await;
                }
            }
        )*
    };
    ($($(#[$attribute:meta])* async fn $name:ident($database:ident: $type:ty) $body:block)*) => {
        $(
            $(#[$attribute])*
            async fn $name($database: $type) $body

            mod $name {
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn sqlite() {
                    super::$name(&$crate::testing::TestDatabase::sqlite()).await;
                }

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres() {
                    super::$name(&$crate::testing::TestDatabase::postgres().await).await;
                }
            }
        )*
    };
}
