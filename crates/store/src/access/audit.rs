//! The audit trail: written in the transaction of the action, never changed.

use model::access::audit::AuditRecord;
use model::ids::AuditId;
use uuid::Uuid;

use crate::db::{Batch, Row, Value};
use crate::error::Error;
use crate::store::Store;

impl Store {
    /// The newest deeds, or those before one of them.
    pub async fn audit(&self, before: Option<AuditId>, limit: u32) -> Result<Vec<AuditRecord>, Error> {
        self.db
            .query(
                "select audit_id, at, actor, verb, subject, details from audit
                 where audit_id < $1 order by audit_id desc limit $2",
                [before.map_or(Uuid::max(), |id| id.0).into(), limit.into()],
                record_from_row,
            )
            .await
    }
}

pub(crate) fn push_audit(batch: &mut Batch, record: &AuditRecord) {
    batch.push(
        "insert into audit (audit_id, at, actor, verb, subject, details) values ($1, $2, $3, $4, $5, $6)",
        [
            record.audit_id.0.into(),
            record.at.into(),
            record.actor.to_string().into(),
            record.verb.as_str().into(),
            record.subject.as_str().into(),
            Value::from(&record.details),
        ],
    );
}

fn record_from_row(row: &Row) -> Result<AuditRecord, Error> {
    Ok(AuditRecord {
        audit_id: AuditId(row.uuid(0)?),
        at: row.timestamp(1)?,
        actor: row.word(2)?,
        verb: row.text(3)?,
        subject: row.text(4)?,
        details: row.json(5)?,
    })
}
