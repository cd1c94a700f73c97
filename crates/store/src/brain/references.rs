//! References: which live entries name which others.

use model::access::scope::Scope;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;

use crate::access::scope::{in_scope, scope_value};
use crate::db::{Batch, Read, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

impl Store {
    /// The live entries of a scope that name one of the given ones: what is named, how, by whom.
    pub async fn referrers(
        &self,
        kind: EntryKind,
        names: &[String],
        scope: &Scope,
    ) -> Result<Vec<(EntryKey, Role, EntryKey)>, Error> {
        if let ([name], Scope::All) = (names, scope) {
            let values = [kind.as_str().into(), name.as_str().into()];
            let mut found = self.db.few(FEW_REFERRING, values, referrer_from_row).await?;
            if found.len() < FEW {
                found.sort_by(|(_, _, one), (_, _, other)| one.name.as_str().cmp(other.name.as_str()));
                return Ok(found);
            }
        }
        let (sql, values) = referrers_question(kind, names, scope)?;
        self.db.query(sql, values, referrer_from_row).await
    }
}

/// Who refers to names, of a list of them and with what is to follow.
macro_rules! referring {
    ($names:literal, $end:expr) => {
        concat!(
            "select content_references.kind, content_references.name, role, entries.kind, entries.name
             from content_references
             join versions on versions.content_hash = content_references.content_hash
             join entries on entries.live_version_id = versions.version_id
             where content_references.name in ",
            $names,
            " and content_references.kind = $1 ",
            $end
        )
    };
    (in $database:ident) => {
        concat!(
            "and ",
            in_scope!($database, "entries.name", "$3"),
            " order by content_references.name, entries.name"
        )
    };
}

/// More than these are not looked for on the calling thread.
const FEW: usize = 50;
/// In no order, so that it ends as soon as it has so many.
const FEW_REFERRING: &str = referring!("($2)", "limit 50");
const REFERRING: Sql = Sql {
    sqlite: referring!("(select value from json_each($2))", referring!(in sqlite)),
    postgres: referring!("(select jsonb_array_elements_text($2::text::jsonb))", referring!(in postgres)),
};

pub(crate) fn referrers_question(kind: EntryKind, names: &[String], scope: &Scope) -> Result<Read, Error> {
    Ok((REFERRING, vec![kind.as_str().into(), Value::json_texts(names)?, scope_value(scope)?]))
}

pub(crate) fn referrer_from_row(row: &Row) -> Result<(EntryKey, Role, EntryKey), Error> {
    Ok((EntryKey::new(row.word(0)?, row.word(1)?), row.word(2)?, EntryKey::new(row.word(3)?, row.word(4)?)))
}

/// Contents with what they name. One that is stored already stays as it is.
pub(crate) fn push_contents<'a>(
    batch: &mut Batch,
    snapshots: impl Iterator<Item = &'a model::content::Snapshot> + Clone,
) {
    let mut seen = std::collections::HashSet::new();
    let snapshots: Vec<_> = snapshots.filter(|snapshot| seen.insert(snapshot.hash)).collect();
    let contents = snapshots.iter().map(|snapshot| {
        vec![
            snapshot.hash.0.as_slice().into(),
            snapshot.content.kind().as_str().into(),
            snapshot.content.description().into(),
            // A body is JSON, in which no character is a bare NUL.
            Value::Text(snapshot.body.clone()),
        ]
    });
    batch.bulk(
        Sql {
            sqlite: "insert into contents (content_hash, kind, description, body) values ($1, $2, $3, $4)
                on conflict (content_hash) do nothing",
            postgres: "insert into contents (content_hash, kind, description, body)
                select * from unnest($1::bytea[], $2::text[], $3::text[], $4::text[])
                on conflict (content_hash) do nothing",
        },
        contents.collect(),
    );
    let references = snapshots.iter().flat_map(|snapshot| {
        snapshot.content.references().into_iter().map(|reference| {
            vec![
                snapshot.hash.0.as_slice().into(),
                reference.role.as_str().into(),
                reference.kind.as_str().into(),
                reference.name.into(),
                reference.version.map_or(0, |number| number.0).into(),
            ]
        })
    });
    batch.bulk(
        Sql {
            sqlite: "insert into content_references (content_hash, role, kind, name, number)
                values ($1, $2, $3, $4, $5) on conflict do nothing",
            postgres: "insert into content_references (content_hash, role, kind, name, number)
                select * from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bigint[])
                on conflict do nothing",
        },
        references.collect(),
    );
}
