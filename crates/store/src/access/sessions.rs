//! Sessions: found by the hash of their cookie; only the hash is stored.

use jiff::Timestamp;
use model::access::audit::AuditRecord;
use model::access::session::Session;
use model::ids::SessionId;

use super::audit::push_audit;
use crate::db::{Batch, Durability, Row, Value};
use crate::error::Error;
use crate::store::Store;

/// What [`session_from_row`] reads, in its order.
macro_rules! session_columns {
    () => {
        "session_id, name, access, created_at, created_by, expires_at"
    };
}

impl Store {
    /// Those that are over by the time it begins are forgotten. A name that is taken answers [`Error::Unique`].
    pub async fn add_session(
        &self,
        session: &Session,
        hash: &[u8; 32],
        audit: &AuditRecord,
    ) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.push("delete from sessions where expires_at <= $1", [session.created_at.into()]);
        batch.push(
            "insert into sessions (session_id, name, hash, access, created_at, created_by, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7)",
            [
                session.session_id.0.into(),
                session.name.as_str().into(),
                hash.as_slice().into(),
                Value::json(&session.authority)?,
                session.created_at.into(),
                session.created_by.to_string().into(),
                session.expires_at.into(),
            ],
        );
        push_audit(&mut batch, audit);
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// Those that are not over.
    pub async fn sessions(&self, now: Timestamp) -> Result<Vec<Session>, Error> {
        self.db
            .query(
                concat!("select ", session_columns!(), " from sessions where expires_at > $1 order by name"),
                [now.into()],
                session_from_row,
            )
            .await
    }

    /// Unless it is over.
    pub async fn session_by_hash(&self, hash: &[u8; 32], now: Timestamp) -> Result<Option<Session>, Error> {
        self.db
            .optional(
                concat!("select ", session_columns!(), " from sessions where hash = $1 and expires_at > $2"),
                [hash.as_slice().into(), now.into()],
                session_from_row,
            )
            .await
    }

    /// Whether there was one to end.
    pub async fn remove_session(&self, name: &str, audit: &AuditRecord) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard("delete from sessions where name = $1", [name.into()], "the session exists");
        push_audit(&mut batch, audit);
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }
}

fn session_from_row(row: &Row) -> Result<Session, Error> {
    Ok(Session {
        session_id: SessionId(row.uuid(0)?),
        name: row.text(1)?,
        authority: row.json(2)?,
        created_at: row.timestamp(3)?,
        created_by: row.word(4)?,
        expires_at: row.timestamp(5)?,
    })
}
