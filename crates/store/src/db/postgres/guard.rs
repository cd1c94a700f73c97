//! Guards that the server checks itself, so that the commit can be sent together with them. Waiting for the result of a
//! guard first would hold every lock of the transaction for one more round trip.

use tokio_postgres::error::SqlState;

/// The statement, failing where it touches no row; nothing for one whose rows are wanted.
pub(super) fn checked(sql: &str) -> Option<String> {
    let returns_rows = sql.trim_start().starts_with("select") || sql.contains("returning");
    (!returns_rows).then(|| format!("with touched as ({sql} returning 1) select 1 / count(*) from touched"))
}

/// Whether this is how a checked statement fails.
pub(super) fn is_unmet(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::DIVISION_BY_ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_returns_rows_is_left_as_it_is() {
        assert_eq!(checked("select 1 from runs"), None);
        assert_eq!(checked("update runs set state = 'queued' returning run_id"), None);
        let expected = "with touched as (delete from runs returning 1) select 1 / count(*) from touched";
        assert_eq!(checked("delete from runs").as_deref(), Some(expected));
    }
}
