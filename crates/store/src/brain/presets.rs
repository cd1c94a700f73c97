//! Presets: named inputs, by the name of the Function or Graph that they are for.

use model::access::audit::AuditRecord;
use model::access::scope::Scope;
use model::event::NewEvent;
use model::name::EntryName;
use model::preset::Preset;

use crate::access::audit::push_audit;
use crate::access::scope::{in_scope, scope_value};
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::events::push_events;
use crate::store::Store;

/// Which presets.
#[derive(Clone, Debug, Default)]
pub struct PresetFilter {
    /// Of these Functions and Graphs; of all if there are none.
    pub callables: Vec<String>,
    /// Those after this callable and name.
    pub after: Option<(String, String)>,
    pub scope: Scope,
}

macro_rules! preset_columns {
    () => {
        "callable, name, input, created_at, updated_at, updated_by"
    };
}

macro_rules! presets {
    ($database:ident, $callables:literal) => {
        concat!(
            "select ",
            preset_columns!(),
            " from presets where (cast($1 as text) is null or callable in (",
            $callables,
            ")) and (cast($2 as text) is null or (callable, name) > ($2, $3)) and (cast($4 as text) is null or ",
            in_scope!($database, "callable", "$4"),
            ") order by callable, name limit $5"
        )
    };
}

impl Store {
    pub async fn preset(&self, callable: &EntryName, name: &str) -> Result<Option<Preset>, Error> {
        let sql = concat!("select ", preset_columns!(), " from presets where callable = $1 and name = $2");
        self.db.optional(sql, [callable.as_str().into(), name.into()], preset_from_row).await
    }

    /// By callable and name.
    pub async fn presets(&self, filter: &PresetFilter, limit: u32) -> Result<Vec<Preset>, Error> {
        let sql = Sql {
            sqlite: presets!(sqlite, "select value from json_each($1)"),
            postgres: presets!(postgres, "select value from jsonb_array_elements_text($1::text::jsonb)"),
        };
        let callables = match filter.callables.is_empty() {
            true => Value::Null,
            false => Value::json(&filter.callables)?,
        };
        let (callable, name) = filter.after.as_ref().map(|(callable, name)| (callable, name)).unzip();
        let values = [
            callables,
            callable.map(String::as_str).into(),
            name.map(String::as_str).into(),
            scope_value(&filter.scope)?,
            limit.into(),
        ];
        self.db.query(sql, values, preset_from_row).await
    }

    /// Adds a preset, or replaces what one states; when it was created stays.
    pub async fn put_preset(
        &self,
        preset: &Preset,
        event: &NewEvent,
        audit: &AuditRecord,
    ) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.push(
            "insert into presets (callable, name, input, created_at, updated_at, updated_by)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (callable, name) do update
             set input = excluded.input, updated_at = excluded.updated_at, updated_by = excluded.updated_by",
            [
                preset.callable.as_str().into(),
                preset.name.as_str().into(),
                Value::json(&preset.input)?,
                preset.created_at.into(),
                preset.updated_at.into(),
                preset.updated_by.to_string().into(),
            ],
        );
        push_audit(&mut batch, audit);
        push_events(&mut batch, std::slice::from_ref(event));
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// Whether there was one to remove.
    pub async fn remove_preset(
        &self,
        callable: &EntryName,
        name: &str,
        event: &NewEvent,
        audit: &AuditRecord,
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard(
            "delete from presets where callable = $1 and name = $2",
            [callable.as_str().into(), name.into()],
            "the preset exists",
        );
        push_audit(&mut batch, audit);
        push_events(&mut batch, std::slice::from_ref(event));
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }
}

fn preset_from_row(row: &Row) -> Result<Preset, Error> {
    Ok(Preset {
        callable: row.word(0)?,
        name: row.text(1)?,
        input: row.json(2)?,
        created_at: row.timestamp(3)?,
        updated_at: row.timestamp(4)?,
        updated_by: row.word(5)?,
    })
}
