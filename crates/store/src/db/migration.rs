//! One step of the schema. How steps are applied is in `sqlite/migrate.rs` and `postgres/migrate.rs`.

/// The n-th migration of the list takes the schema from n - 1 to n. Each is applied once, alone in a transaction.
///
/// Foreign keys must not be `deferrable`: they would be checked only when SQLite commits a whole group of batches, and
/// one batch's mistake would undo its neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Migration {
    pub(crate) name: &'static str,
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// The schema a list of migrations leads to.
pub(super) fn newest(migrations: &[Migration]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}
