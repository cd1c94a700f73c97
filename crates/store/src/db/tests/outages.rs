//! The server goes away, in the middle of things too, and comes back.

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use super::{INSERT, SCHEMA, id, insert, names, only, open, thing, write};
use crate::db::{Batch, Db};
use crate::testing::TestDatabase;
use crate::{Error, Location};

/// Stands between us and the server, so that a test can take the server away and bring it back.
struct Proxy {
    port: u16,
    server: String,
    running: JoinHandle<()>,
}

impl Proxy {
    /// The proxy, and the location of the database through it, with a password to look for in messages.
    async fn before(database: &TestDatabase) -> (Proxy, Location) {
        let Location::Postgres(url) = database.location() else { panic!("only PostgreSQL has a server") };
        let (_, address) = url.split_once('@').unwrap();
        let (server, name) = address.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let running = tokio::spawn(pass_on(listener, server.to_owned()));
        let location = Location::Postgres(format!("postgres://postgres:hunter2@127.0.0.1:{port}/{name}"));
        (Proxy { port, server: server.to_owned(), running }, location)
    }

    /// Ends all connections and refuses new ones.
    async fn cut(&mut self) {
        self.running.abort();
        (&mut self.running).await.ok();
    }

    async fn resume(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
        self.running = tokio::spawn(pass_on(listener, self.server.clone()));
    }
}

async fn pass_on(listener: TcpListener, server: String) {
    let mut connections = JoinSet::new();
    loop {
        let (mut near, _) = listener.accept().await.unwrap();
        let mut far = TcpStream::connect(&server).await.unwrap();
        connections.spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_is_named_without_the_password_and_found_again() {
    let database = TestDatabase::postgres().await;
    let (mut proxy, location) = Proxy::before(&database).await;
    let db = Db::open(&location, SCHEMA).await.unwrap();
    insert(&db, 1, "a", 1).await;
    for n in 2..5 {
        proxy.cut().await;
        let reading = db.query("select 1", [], |row| row.int(0)).await.unwrap_err();
        let writing = write(&db, only(INSERT, thing(n, "lost", 1))).await.unwrap_err();
        for error in [reading, writing] {
            assert!(matches!(error, Error::Unreachable { .. } | Error::ConnectionLost { .. }), "{error:?}");
            let said = format!("{error} {error:?} {location} {location:?}");
            assert!(
                said.contains(&format!("`127.0.0.1:{}`, database `selfmade_test_", proxy.port)),
                "{said}"
            );
            assert!(!said.contains("hunter2"), "{said}");
        }
        proxy.resume().await;
        insert(&db, n, &n.to_string(), 1).await;
        assert_eq!(names(&db).await.len() as u128, n);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_never_there_is_unreachable() {
    let database = TestDatabase::postgres().await;
    let (mut proxy, location) = Proxy::before(&database).await;
    proxy.cut().await;
    let error = Db::open(&location, SCHEMA).await.err().unwrap();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("onnection refused"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_survives_the_death_of_every_idle_connection() {
    let database = TestDatabase::postgres().await;
    let db = open(&database).await;
    insert(&db, 1, "a", 1).await;
    for _ in 0..10 {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                tokio::spawn({
                    let db = db.clone();
                    async move { names(&db).await }
                })
            })
            .collect();
        for reader in readers {
            assert_eq!(reader.await.unwrap(), ["a"]);
        }
        let others = "select pg_terminate_backend(pid) from pg_stat_activity
                      where datname = current_database() and pid <> pg_backend_pid()";
        database.execute(others).await;
        assert_eq!(names(&db).await, ["a"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_cut_off_before_its_commit_is_not_acknowledged_and_leaves_nothing() {
    let database = TestDatabase::postgres().await;
    let (mut proxy, location) = Proxy::before(&database).await;
    let (through, direct) = (Db::open(&location, SCHEMA).await.unwrap(), open(&database).await);
    insert(&direct, 1, "a", 1).await;
    let holder = hold_lock(&database).await;
    let writing = tokio::spawn(async move {
        let mut batch = Batch::new();
        batch.guard("update things set count = 2 where id = $1", [id(1)], "it exists");
        batch.push(INSERT, thing(2, "b", 1));
        write(&through, batch).await
    });
    // The batch waits for the lock now, so it is in the middle of its transaction.
    let waiting =
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    while direct.optional(waiting, [], |row| row.int(0)).await.unwrap().is_none() {}
    proxy.cut().await;
    let error = writing.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::ConnectionLost { .. }), "{error}");
    assert!(error.to_string().contains("was not acknowledged"), "{error}");
    drop(holder);
    // Taking the same lock waits until the server has done with the batch.
    write(&direct, only("lock table things in exclusive mode", [])).await.unwrap();
    assert_eq!(names(&direct).await, ["a"]);
}

/// Keeps everyone from changing `things` until dropped.
async fn hold_lock(database: &TestDatabase) -> tokio_postgres::Client {
    let Location::Postgres(url) = database.location() else { panic!("only PostgreSQL has a server") };
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("begin; lock table selfmade.things in exclusive mode").await.unwrap();
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_that_lock_each_other_out_are_played_again() {
    let database = TestDatabase::postgres().await;
    let Location::Postgres(url) = database.location() else { panic!("only PostgreSQL has a server") };
    let impatient = Location::Postgres(format!("{url}?options=-c%20deadlock_timeout=1ms"));
    let db = Db::open(&impatient, SCHEMA).await.unwrap();
    insert(&db, 1, "a", 0).await;
    insert(&db, 2, "b", 0).await;
    let add = "update things set count = count + 1 where id = $1";
    for _ in 0..50 {
        let both = |first, second| {
            let mut batch = only(add, [id(first)]);
            batch.push("select 1 from generate_series(1, 10000) offset 10000", []);
            batch.push(add, [id(second)]);
            let db = db.clone();
            tokio::spawn(async move { write(&db, batch).await })
        };
        let (one, other) = (both(1, 2), both(2, 1));
        one.await.unwrap().unwrap();
        other.await.unwrap().unwrap();
    }
    assert_eq!(db.query("select count from things", [], |row| row.int(0)).await.unwrap(), [100, 100]);
}
