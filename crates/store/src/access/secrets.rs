//! Secrets: encrypted before they get here; the store never sees a value.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::audit::AuditRecord;
use model::access::secret::Secret;
use model::event::NewEvent;
use model::ids::SecretId;

use super::audit::push_audit;
use crate::db::{Batch, Durability, Row};
use crate::error::Error;
use crate::events::push_events;
use crate::runs::optional_json;
use crate::store::Store;

/// A Secret with its value under seal.
#[derive(Clone, Debug, PartialEq)]
pub struct SealedSecret {
    pub secret: Secret,
    pub sealed: Vec<u8>,
}

/// A new value for a Secret, under seal.
#[derive(Clone, Debug, PartialEq)]
pub struct SecretChange {
    /// For one that is new.
    pub secret_id: SecretId,
    pub name: String,
    pub sealed: Vec<u8>,
    /// As they were, where nothing is said.
    pub hosts: Option<BTreeSet<String>>,
    pub at: Timestamp,
    pub by: Actor,
}

/// Differs after each change of any Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretsStamp(u64);

impl Store {
    /// What to compare before using Secrets that were opened earlier.
    pub async fn secrets_stamp(&self) -> Result<SecretsStamp, Error> {
        let sql = "select coalesce(max(seq), 0) from events where kind = 'secret.changed'";
        self.db.one(sql, [], |row| row.unsigned(0)).await.map(SecretsStamp)
    }

    /// Adds a Secret, or gives one of that name a new value; its id and birthday stay.
    pub async fn put_secret(
        &self,
        new: &SecretChange,
        event: &NewEvent,
        audit: &AuditRecord,
    ) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.push(
            "insert into secrets (secret_id, name, sealed, created_at, updated_at, updated_by, hosts)
             values ($1, $2, $3, $4, $4, $5, coalesce(cast($6 as text), '[]'))
             on conflict (name) do update
             set sealed = excluded.sealed, updated_at = excluded.updated_at, updated_by = excluded.updated_by,
                hosts = coalesce(cast($6 as text), secrets.hosts)",
            [
                new.secret_id.0.into(),
                new.name.as_str().into(),
                new.sealed.clone().into(),
                new.at.into(),
                new.by.to_string().into(),
                optional_json(new.hosts.as_ref())?,
            ],
        );
        push_audit(&mut batch, audit);
        push_events(&mut batch, std::slice::from_ref(event));
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    pub async fn secrets(&self) -> Result<Vec<Secret>, Error> {
        self.db
            .query(
                "select secret_id, name, created_at, updated_at, updated_by, hosts from secrets order by name",
                [],
                secret_from_row,
            )
            .await
    }

    pub async fn sealed_secret(&self, name: &str) -> Result<Option<SealedSecret>, Error> {
        self.db
            .optional(
                "select secret_id, name, created_at, updated_at, updated_by, hosts, sealed
                 from secrets where name = $1",
                [name.into()],
                |row| Ok(SealedSecret { secret: secret_from_row(row)?, sealed: row.blob(6)? }),
            )
            .await
    }

    /// Whether there was one to remove.
    pub async fn remove_secret(
        &self,
        name: &str,
        event: &NewEvent,
        audit: &AuditRecord,
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard("delete from secrets where name = $1", [name.into()], "the secret exists");
        push_audit(&mut batch, audit);
        push_events(&mut batch, std::slice::from_ref(event));
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }
}

fn secret_from_row(row: &Row) -> Result<Secret, Error> {
    Ok(Secret {
        secret_id: SecretId(row.uuid(0)?),
        name: row.text(1)?,
        created_at: row.timestamp(2)?,
        updated_at: row.timestamp(3)?,
        updated_by: row.word(4)?,
        hosts: row.json(5)?,
    })
}
