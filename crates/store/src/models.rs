//! Language models, by name. No key is stored with them.

use jiff::Timestamp;
use model::access::audit::AuditRecord;
use model::event::NewEvent;
use model::llm::{Llm, LlmName, Profile, Role};

use crate::access::audit::push_audit;
use crate::db::{Batch, Durability, Row, Value};
use crate::error::Error;
use crate::events::push_events;
use crate::store::Store;

macro_rules! models {
    ($condition:literal) => {
        concat!(
            "select models.name, protocol, base_url, model_id, key_source, price, profile, probed_at, updated_at, updated_by, role
             from models left join model_roles on model_roles.name = models.name",
            $condition,
            " order by models.name, role"
        )
    };
}

impl Store {
    /// By name.
    pub async fn models(&self) -> Result<Vec<Llm>, Error> {
        let rows = self.db.query(models!(""), [], model_from_row).await?;
        Ok(with_roles(rows))
    }

    pub async fn model(&self, name: &LlmName) -> Result<Option<Llm>, Error> {
        let sql = models!(" where models.name = $1");
        let rows = self.db.query(sql, [name.as_str().into()], model_from_row).await?;
        Ok(with_roles(rows).pop())
    }

    /// Adds a model, or replaces the one of that name. Its roles are taken from whichever had them.
    pub async fn put_model(&self, model: &Llm, event: &NewEvent, audit: &AuditRecord) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.push(
            "insert into models (name, protocol, base_url, model_id, key_source, price, profile, probed_at, updated_at, updated_by)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             on conflict (name) do update
             set protocol = excluded.protocol, base_url = excluded.base_url, model_id = excluded.model_id,
                key_source = excluded.key_source, price = excluded.price, profile = excluded.profile,
                probed_at = excluded.probed_at, updated_at = excluded.updated_at, updated_by = excluded.updated_by",
            [
                model.name.as_str().into(),
                model.protocol.as_str().into(),
                model.base_url.as_str().into(),
                model.model_id.as_str().into(),
                Value::json(&model.key)?,
                Value::json(&model.price)?,
                Value::json(&model.profile)?,
                model.probed_at.into(),
                model.updated_at.into(),
                model.updated_by.to_string().into(),
            ],
        );
        batch.push("delete from model_roles where name = $1", [model.name.as_str().into()]);
        for role in &model.roles {
            batch.push(
                "insert into model_roles (role, name) values ($1, $2) on conflict (role) do update set name = excluded.name",
                [role.as_str().into(), model.name.as_str().into()],
            );
        }
        push_audit(&mut batch, audit);
        push_events(&mut batch, std::slice::from_ref(event));
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// Keeps what was found out about a model, unless it was replaced meanwhile; says which.
    pub async fn put_model_profile(
        &self,
        model: &Llm,
        profile: &Profile,
        at: Timestamp,
        event: &NewEvent,
        audit: &AuditRecord,
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard(
            "update models set profile = $2, probed_at = $3 where name = $1 and updated_at = $4 and base_url = $5 and model_id = $6",
            [
                model.name.as_str().into(),
                Value::json(profile)?,
                at.into(),
                model.updated_at.into(),
                model.base_url.as_str().into(),
                model.model_id.as_str().into(),
            ],
            "the model is as it was",
        );
        push_audit(&mut batch, audit);
        push_events(&mut batch, std::slice::from_ref(event));
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }

    /// Whether there was one to remove.
    pub async fn remove_model(
        &self,
        name: &LlmName,
        event: &NewEvent,
        audit: &AuditRecord,
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.push("delete from model_roles where name = $1", [name.as_str().into()]);
        batch.guard("delete from models where name = $1", [name.as_str().into()], "the model exists");
        push_audit(&mut batch, audit);
        push_events(&mut batch, std::slice::from_ref(event));
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }
}

/// A row for each role, and one for a model without any.
fn with_roles(rows: Vec<(Llm, Option<Role>)>) -> Vec<Llm> {
    let mut models: Vec<Llm> = Vec::new();
    for (model, role) in rows {
        if models.last().is_none_or(|last| last.name != model.name) {
            models.push(model);
        }
        if let (Some(role), Some(last)) = (role, models.last_mut()) {
            last.roles.insert(role);
        }
    }
    models
}

fn model_from_row(row: &Row) -> Result<(Llm, Option<Role>), Error> {
    let model = Llm {
        name: row.word(0)?,
        protocol: row.word(1)?,
        base_url: row.text(2)?,
        model_id: row.text(3)?,
        key: row.json(4)?,
        roles: std::collections::BTreeSet::new(),
        price: row.json(5)?,
        profile: row.json(6)?,
        probed_at: row.optional_timestamp(7)?,
        updated_at: row.timestamp(8)?,
        updated_by: row.word(9)?,
    };
    Ok((model, row.optional_word(10)?))
}
