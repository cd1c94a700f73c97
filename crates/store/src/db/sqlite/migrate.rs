//! Applies migrations to a SQLite file; `user_version` is the number of those applied.

use super::fault::Fault;
use super::open::APPLICATION_ID;
use super::session::Session;
use crate::Error;
use crate::db::Migration;

/// Every step looks at the version again under the write lock, so processes that open a file together apply each
/// migration once between them.
pub(super) fn migrate(session: &Session, migrations: &[Migration]) -> Result<(), Error> {
    let tell = |fault: Fault| fault.to_error(&session.path);
    // Rebuilding a table drops the old one, which must not take the rows that refer to it along; the references are
    // checked at the end of each step instead.
    session.run("pragma foreign_keys = off").map_err(tell)?;
    // The fast path of every ordinary start takes no write lock.
    while (session.header().map_err(tell)?.schema as usize) < migrations.len() {
        session.run("begin immediate").map_err(tell)?;
        let stepped = step(session, migrations);
        if stepped.is_err() {
            session.run("rollback").map_err(tell)?;
        }
        stepped?;
    }
    Ok(())
}

fn step(session: &Session, migrations: &[Migration]) -> Result<(), Error> {
    let tell = |fault: Fault| fault.to_error(&session.path);
    let header = session.header().map_err(tell)?;
    header.accept(&session.path, migrations)?;
    if let Some(migration) = migrations.get(header.schema as usize) {
        apply(session, migration, header.schema + 1).map_err(|fault| Error::Migration {
            database: session.path.display().to_string(),
            migration: migration.name,
            source: Box::new(tell(fault)),
        })?;
    }
    session.run("commit").map(drop).map_err(tell)
}

fn apply(session: &Session, migration: &Migration, schema: u32) -> Result<(), Fault> {
    let connection = &session.connection;
    connection.execute_batch(migration.sqlite).map_err(Fault::of(migration.name))?;
    connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(Fault::of(migration.name))?;
    connection.pragma_update(None, "user_version", schema).map_err(Fault::of(migration.name))?;
    let dangling = session.run("pragma foreign_key_check")?;
    if dangling.is_empty() {
        return Ok(());
    }
    let detail = format!("it left {} rows that refer to missing ones", dangling.len());
    Err(Fault::Binding { sql: migration.name, detail })
}
