//! Drafts of Graphs, and their edits.

use model::access::scope::Scope;
use model::graph::draft::{Draft, Edit};
use model::name::EntryName;
use model::version::VersionNumber;

use crate::access::scope::{in_scope, scope_value};
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// Edits that are kept of each draft.
const KEPT_EDITS: u64 = 10_000;
/// What the kept edits of a draft take together, beside the last one.
const KEPT_BYTES: u64 = 64 << 20;

macro_rules! outgrown {
    ($size:literal) => {
        concat!(
            "delete from graph_draft_edits where name = $1 and number < $2 and number <= (
                select max(number) from (
                    select number, sum(",
            $size,
            ") over (order by number desc) as bytes from graph_draft_edits where name = $1) as sized
                where bytes > $3)"
        )
    };
}

/// Sizes are read without the texts.
const OUTGROWN: Sql =
    Sql { sqlite: outgrown!("octet_length(edit)"), postgres: outgrown!("octet_length(edit)") };

macro_rules! without_patches {
    ($edit:literal) => {
        concat!("select ", $edit, " from graph_draft_edits where name = $1 and number > $2 order by number")
    };
}

const WITHOUT_PATCHES: Sql = Sql {
    sqlite: without_patches!("json_set(edit, '$.patches', json('[]'))"),
    // What is text in JSON may hold a zero character, which `jsonb` refuses.
    postgres: without_patches!("edit"),
};

macro_rules! draft_columns {
    () => {
        "name, base_version, edit, content, created_at, updated_at"
    };
}

macro_rules! drafts {
    ($database:ident) => {
        concat!(
            "select ",
            draft_columns!(),
            " from graph_drafts where (cast($1 as text) is null or name > $1) and (cast($2 as text) is null or ",
            in_scope!($database, "name", "$2"),
            ") order by name limit $3"
        )
    };
}

impl Store {
    pub async fn graph_draft(&self, name: &EntryName) -> Result<Option<Draft>, Error> {
        let sql = concat!("select ", draft_columns!(), " from graph_drafts where name = $1");
        self.db.optional(sql, [name.as_str().into()], draft_from_row).await
    }

    /// By name, those that a scope covers.
    pub async fn graph_drafts(
        &self,
        after: Option<&str>,
        limit: u32,
        scope: &Scope,
    ) -> Result<Vec<Draft>, Error> {
        let sql = Sql { sqlite: drafts!(sqlite), postgres: drafts!(postgres) };
        self.db.query(sql, [after.into(), scope_value(scope)?, limit.into()], draft_from_row).await
    }

    /// A name that has a draft answers [`Error::Unique`].
    pub async fn add_graph_draft(&self, draft: &Draft) -> Result<(), Error> {
        self.add_graph_drafts(std::slice::from_ref(draft)).await
    }

    /// All of them or none; if a name has a draft the answer is [`Error::Unique`].
    pub async fn add_graph_drafts(&self, drafts: &[Draft]) -> Result<(), Error> {
        let mut batch = Batch::new();
        for draft in drafts {
            push_new(&mut batch, draft)?;
        }
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// A draft after one more edit, and perhaps a new draft that the edit made; [`Error::GuardFailed`] if somebody else was quicker.
    pub async fn edit_graph_draft(
        &self,
        draft: &Draft,
        edit: &Edit,
        made: Option<&Draft>,
    ) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.guard(
            "update graph_drafts set base_version = $3, edit = $4, content = $5, updated_at = $6
             where name = $1 and edit = $2",
            [
                draft.name.as_str().into(),
                edit.number.saturating_sub(1).into(),
                draft.base.map(|number| number.0).into(),
                edit.number.into(),
                Value::json(&draft.content)?,
                draft.updated_at.into(),
            ],
            "the draft is as it was",
        );
        batch.push(
            "insert into graph_draft_edits (name, number, edit) values ($1, $2, $3)",
            [draft.name.as_str().into(), edit.number.into(), Value::json(edit)?],
        );
        batch.push(
            "delete from graph_draft_edits where name = $1 and number <= $2",
            [draft.name.as_str().into(), edit.number.saturating_sub(KEPT_EDITS).into()],
        );
        batch.push(OUTGROWN, [draft.name.as_str().into(), edit.number.into(), KEPT_BYTES.into()]);
        if let Some(made) = made {
            push_new(&mut batch, made)?;
        }
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// Those after an edit, in order.
    pub async fn graph_draft_edits(&self, name: &EntryName, after: u64) -> Result<Vec<Edit>, Error> {
        let sql = "select edit from graph_draft_edits where name = $1 and number > $2 order by number";
        self.db.query(sql, [name.as_str().into(), stored(after).into()], |row| row.json(0)).await
    }

    /// The same, without their patches: what each touched.
    pub async fn graph_draft_touched(&self, name: &EntryName, after: u64) -> Result<Vec<Edit>, Error> {
        self.db
            .query(WITHOUT_PATCHES, [name.as_str().into(), stored(after).into()], |row| {
                Ok(Edit { patches: Vec::new(), ..row.json(0)? })
            })
            .await
    }

    /// Whether there was one, and nobody edited it since edit `seen`, if that is stated. Its pins go with it.
    pub async fn remove_graph_draft(&self, name: &EntryName, seen: Option<u64>) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.push(
            "delete from graph_draft_edits where name = $1 and exists (
                select 1 from graph_drafts where name = $1 and (cast($2 as bigint) is null or edit = $2))",
            [name.as_str().into(), seen.into()],
        );
        batch.push(
            "delete from graph_pins where name = $1 and exists (
                select 1 from graph_drafts where name = $1 and (cast($2 as bigint) is null or edit = $2))",
            [name.as_str().into(), seen.into()],
        );
        batch.guard(
            "delete from graph_drafts where name = $1 and (cast($2 as bigint) is null or edit = $2)",
            [name.as_str().into(), seen.into()],
            "the draft is as it was",
        );
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }
}

fn push_new(batch: &mut Batch, draft: &Draft) -> Result<(), Error> {
    batch.push(
        "insert into graph_drafts (name, base_version, edit, content, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6)",
        [
            draft.name.as_str().into(),
            draft.base.map(|number| number.0).into(),
            draft.edit.into(),
            Value::json(&draft.content)?,
            draft.created_at.into(),
            draft.updated_at.into(),
        ],
    );
    Ok(())
}

fn draft_from_row(row: &Row) -> Result<Draft, Error> {
    Ok(Draft {
        name: row.word(0)?,
        base: row.optional_small(1)?.map(VersionNumber),
        edit: row.unsigned(2)?,
        content: row.json(3)?,
        created_at: row.timestamp(4)?,
        updated_at: row.timestamp(5)?,
    })
}

/// No edit has a number above what a column holds, so none comes after it.
fn stored(edit: u64) -> u64 {
    edit.min(i64::MAX.unsigned_abs())
}
