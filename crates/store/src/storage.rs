//! Values that Functions keep beyond their Runs. A change is stored with the Step that asked for it, so it happens once.

use jiff::Timestamp;
use model::access::scope::Scope;
use model::ids::RunId;
use model::name::EntryName;
use model::run::Lease;
use model::run::step::Step;
use model::storage::{MAX_KEYS, StorageOwner};
use serde_json::Value as Json;

use crate::access::scope::{in_scope, scope_value};
use crate::db::{Durability, Sql, Value};
use crate::error::Error;
use crate::runs::steps::{held, push_step};
use crate::store::Store;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StorageChange<'a> {
    Set { value: &'a Json, at: Timestamp },
    Remove,
}

/// What is no longer so if an owner has as many keys as it may have.
const ROOM: &str = "its owner has room for another key";

// The column is named with its table: what the patterns are read from has a `key`, too.
macro_rules! keys {
    ($database:ident) => {
        concat!(
            "select key from storage where owner = $1 and (cast($2 as text) is null or key > $2) and ",
            in_scope!($database, "storage.key", "$3"),
            " order by key limit $4"
        )
    };
}

impl Store {
    pub async fn stored_value(&self, owner: &StorageOwner, key: &str) -> Result<Option<Json>, Error> {
        let sql = "select value from storage where owner = $1 and key = $2";
        self.db.optional(sql, [owner.to_string().into(), key.into()], |row| row.json(0)).await
    }

    /// In order, those that a scope covers.
    pub async fn stored_keys(
        &self,
        owner: &StorageOwner,
        after: Option<&str>,
        limit: u32,
        scope: &Scope,
    ) -> Result<Vec<String>, Error> {
        let sql = Sql { sqlite: keys!(sqlite), postgres: keys!(postgres) };
        let values = [owner.to_string().into(), after.into(), scope_value(scope)?, limit.into()];
        self.db.query(sql, values, |row| row.text(0)).await
    }

    /// Journals a Step together with what it changes. [`Error::is_storage_full`] if a new key is one too many; then neither is
    /// written.
    pub async fn record_step_storing(
        &self,
        step: &Step,
        lease: Lease,
        owner: &StorageOwner,
        key: &str,
        change: StorageChange<'_>,
    ) -> Result<(), Error> {
        let mut batch = held(step.run_id, lease);
        push_step(&mut batch, step)?;
        let owner: Value = owner.to_string().into();
        match change {
            StorageChange::Remove => {
                batch.push("delete from storage where owner = $1 and key = $2", [owner, key.into()]);
            }
            StorageChange::Set { value, at } => batch.guard(
                "insert into storage (owner, key, value, run_id, updated_at)
                 select $1, $2, $3, $4, $5
                 where exists (select 1 from storage where owner = $1 and key = $2)
                    or (select count(*) from storage where owner = $1) < $6
                 on conflict (owner, key) do update
                 set value = excluded.value, run_id = excluded.run_id, updated_at = excluded.updated_at",
                [owner, key.into(), value.into(), step.run_id.0.into(), at.into(), MAX_KEYS.into()],
                ROOM,
            ),
        }
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// The Graph whose Run started this one, directly or through others.
    pub async fn calling_graph(&self, run: RunId) -> Result<Option<EntryName>, Error> {
        let sql = "with recursive above (id, distance) as (
                select parent_run_id, 1 from runs where run_id = $1
                union all
                select runs.parent_run_id, distance + 1 from above join runs on runs.run_id = above.id
            )
            select runs.name from above join runs on runs.run_id = above.id where runs.kind = 'graph'
            order by distance limit 1";
        self.db.optional(sql, [run.0.into()], |row| row.word(0)).await
    }
}

impl Error {
    /// Whether a batch was refused because an owner has as many keys as it may have.
    pub fn is_storage_full(&self) -> bool {
        matches!(self, Error::GuardFailed { guard } if *guard == ROOM)
    }
}
