//! The store itself: one database, opened once, shared by cheap clones.

use crate::db::{Db, Location, Migration};
use crate::error::Error;
use crate::runs::closures::RecordedClosures;

macro_rules! migrations {
    ($($name:literal),* $(,)?) => {
        &[$(Migration {
            name: $name,
            sqlite: include_str!(concat!("../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

/// Applied in order; each has the same file name in both folders.
pub(crate) const MIGRATIONS: &[Migration] = migrations![
    "0001_brain",
    "0002_access",
    "0003_runs",
    "0004_engine",
    "0005_egress",
    "0006_errors",
    "0007_deliveries",
    "0008_sealed_hosts",
    "0009_authority",
    "0010_sessions",
    "0012_bounds",
    "0013_lanes",
    "0014_signals",
    "0015_graphs",
    "0016_graph_drafts",
    "0017_graph_commands",
    "0018_schedule_failures",
    "0019_presets",
    "0020_storage",
    "0021_models",
    "0022_budgets",
    "0023_gates",
    "0027_steps_of_lanes",
];

#[derive(Clone)]
pub struct Store {
    pub(crate) db: Db,
    pub(crate) closures: RecordedClosures,
}

impl Store {
    /// Opens the database, creating it where there is none, and brings its schema up to date.
    pub async fn open(location: &Location) -> Result<Store, Error> {
        Ok(Store { db: Db::open(location, MIGRATIONS).await?, closures: RecordedClosures::default() })
    }

    /// Waits for what is being written and lets go of the database.
    pub async fn close(self) {
        self.db.close().await;
    }
}

#[cfg(test)]
mod tests {
    use model::run::{How, RunState};
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::RunFilter;
    use crate::db::{Batch, Durability, Sql};
    use crate::on_both;
    use crate::testing::TestDatabase;

    const RUN: Uuid = Uuid::from_u128(7);
    const ENTRY: Uuid = Uuid::from_u128(8);
    const VERSION: Uuid = Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
    const CHANGESET: Uuid = Uuid::from_u128(9);

    /// A Run with two Calls, as they were recorded before Runs were executed here.
    fn old_rows() -> Batch {
        let mut batch = Batch::new();
        batch.push(
            "insert into changesets (changeset_id, number, state, title, base_revision, actor, created_at, checks,
                conflicts) values ($1, 1, 'applied', '', 0, 'command_line', 1, '[]', '[]')",
            [CHANGESET.into()],
        );
        let hash = Sql {
            sqlite: "insert into contents (content_hash, kind, description, body) values (x'00', 'function', '', '')",
            postgres: "insert into contents (content_hash, kind, description, body)
                values ('\\x00', 'function', '', '')",
        };
        batch.push(hash, []);
        batch.push("insert into entries (entry_id, kind, name) values ($1, 'function', 'a')", [ENTRY.into()]);
        let version = Sql {
            sqlite: "insert into versions values ($1, $2, 1, x'00', $3, 'command_line', 1)",
            postgres: "insert into versions values ($1, $2, 1, '\\x00', $3, 'command_line', 1)",
        };
        batch.push(version, [VERSION.into(), ENTRY.into(), CHANGESET.into()]);
        batch.push(
            "insert into runs (run_id, kind, name, revision, state, ending, input, output, actor, created_at)
             values ($1, 'function', 'a', 1, 'succeeded', 'returned', $2, 'null', 'command_line', 5)",
            [RUN.into(), (&json!({ "x": "\u{0}ü" })).into()],
        );
        let call = "insert into calls (run_id, position, parent, function, version_id, input, output, error, started_at,
            duration_us) values ($1, $2, $3, $4, $5, $6, $7, $8, 6, $9)";
        let input = crate::db::Value::from(&json!([1e300, u64::MAX, "\u{0}\"ü"]));
        let null = crate::db::Value::Null;
        batch.push(
            call,
            [
                RUN.into(),
                1.into(),
                null.clone(),
                "grö\"ße".into(),
                VERSION.into(),
                input.clone(),
                "null".into(),
                null.clone(),
                7.into(),
            ],
        );
        let error = crate::db::Value::from(&json!({ "type": "E", "message": "\u{0}" }));
        batch.push(
            call,
            [RUN.into(), 2.into(), 1.into(), "b".into(), null.clone(), input, null.clone(), error, null],
        );
        batch
    }

    on_both! {
        async fn runs_and_calls_of_before_are_kept(database: &TestDatabase) {
            let before = Db::open(database.location(), &MIGRATIONS[..3]).await.unwrap();
            before.write(old_rows(), Durability::Power).await.unwrap();
            before.close().await;
            let store = Store::open(database.location()).await.unwrap();
            let runs = store.runs(&RunFilter::default(), 10).await.unwrap();
            let [run] = runs.as_slice() else { panic!("{runs:?}") };
            assert_eq!((run.run_id.0, run.state, &run.input), (RUN, RunState::Succeeded, &json!({ "x": "\u{0}ü" })));
            assert_eq!((&run.output, run.attempt, &run.how), (&Some(json!(null)), 1, &How::default()));
            let calls = store.calls(run.run_id).await.unwrap();
            let [first, second] = calls.as_slice() else { panic!("{calls:?}") };
            assert_eq!((first.function.as_str(), first.version_id.map(|id| id.0)), ("grö\"ße", Some(VERSION)));
            assert_eq!((&first.input, &first.output), (&json!([1e300, u64::MAX, "\u{0}\"ü"]), &Some(json!(null))));
            assert_eq!((first.parent, first.duration_us, first.started_at.as_microsecond()), (None, Some(7), 6));
            assert_eq!((second.position, second.parent, second.duration_us), (2, Some(1), None));
            assert_eq!((second.error.as_ref().unwrap().message.as_str(), &second.output), ("\u{0}", &None));
        }
    }
}
