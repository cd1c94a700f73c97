//! Tokens: found by the hash of their text; only the hash is stored.

use model::access::audit::AuditRecord;
use model::access::token::Token;
use model::ids::TokenId;

use super::audit::push_audit;
use crate::db::{Batch, Durability, Row, Value};
use crate::error::Error;
use crate::store::Store;

/// What [`token_from_row`] reads, in its order.
macro_rules! token_columns {
    () => {
        "token_id, name, role, patterns, created_at, created_by, expires_at, uses, grants"
    };
}

impl Store {
    /// A name that is taken answers [`Error::Unique`].
    pub async fn add_token(&self, token: &Token, hash: &[u8; 32], audit: &AuditRecord) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.push(
            "insert into tokens (token_id, name, hash, role, patterns, created_at, created_by, expires_at, uses, grants)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            [
                token.token_id.0.into(),
                token.name.as_str().into(),
                hash.as_slice().into(),
                token.role.as_str().into(),
                Value::json(&token.patterns)?,
                token.created_at.into(),
                token.created_by.to_string().into(),
                token.expires_at.into(),
                Value::json(&token.uses)?,
                Value::json(&token.grants)?,
            ],
        );
        push_audit(&mut batch, audit);
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    pub async fn tokens(&self) -> Result<Vec<Token>, Error> {
        self.db
            .query(concat!("select ", token_columns!(), " from tokens order by name"), [], token_from_row)
            .await
    }

    pub async fn token_by_hash(&self, hash: &[u8; 32]) -> Result<Option<Token>, Error> {
        self.db
            .optional(
                concat!("select ", token_columns!(), " from tokens where hash = $1"),
                [hash.as_slice().into()],
                token_from_row,
            )
            .await
    }

    /// Whether there was one to remove.
    pub async fn remove_token(&self, name: &str, audit: &AuditRecord) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard("delete from tokens where name = $1", [name.into()], "the token exists");
        push_audit(&mut batch, audit);
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }
}

fn token_from_row(row: &Row) -> Result<Token, Error> {
    Ok(Token {
        token_id: TokenId(row.uuid(0)?),
        name: row.text(1)?,
        role: row.word(2)?,
        patterns: row.json(3)?,
        uses: row.json(7)?,
        grants: row.json(8)?,
        created_at: row.timestamp(4)?,
        created_by: row.word(5)?,
        expires_at: row.optional_timestamp(6)?,
    })
}
