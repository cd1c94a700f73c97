//! URLs of servers: what is refused before anything is sent, and what is never repeated.

use std::fs;

use super::SCHEMA;
use crate::db::Db;
use crate::testing::TestDatabase;
use crate::{Error, Location};

async fn refused(url: &str) -> Error {
    let error = Db::open(&Location::parse(url), SCHEMA).await.err().unwrap();
    assert!(!format!("{error} {error:?} {}", Location::parse(url)).contains("hunter2"), "{error:?}");
    error
}

#[tokio::test]
async fn a_url_that_cannot_be_read_is_refused_without_repeating_it() {
    for url in [
        "postgres://u:hunter2@host:port/db",
        "postgres://u:hunter2@host/db?sslmode=perhaps",
        "postgres://host/db?password=hunter2&colour=green",
        "postgres://u:hunter2@/db",
        "postgres://",
    ] {
        let error = refused(url).await;
        assert!(matches!(error, Error::Url { .. }), "{url}: {error:?}");
    }
}

#[tokio::test]
async fn encryption_without_knowing_whom_to_trust_is_refused() {
    for mode in ["require", "verify-ca", "verify-full"] {
        let error = refused(&format!("postgres://u:hunter2@127.0.0.1:1/db?sslmode={mode}")).await;
        assert!(matches!(error, Error::NoCertificates { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn certificates_that_are_missing_or_none_are_named() {
    let file = TestDatabase::sqlite().path();
    let url = format!("postgres://u:hunter2@127.0.0.1:1/db?sslmode=require&sslrootcert={}", file.display());
    assert!(matches!(refused(&url).await, Error::Certificates { .. }));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ca.pem"), "no certificate").unwrap();
    let url = format!("postgres://127.0.0.1:1/db?sslrootcert={}/ca.pem", folder.path().display());
    let error = refused(&url).await;
    assert!(error.to_string().contains("it holds no certificate"), "{error}");
}

#[test]
fn a_location_is_a_server_or_a_file() {
    assert!(matches!(Location::parse("postgres://h/d"), Location::Postgres(_)));
    assert!(matches!(Location::parse("postgresql://h/d"), Location::Postgres(_)));
    assert!(matches!(Location::parse("/var/lib/selfmade.db"), Location::Sqlite(_)));
}
