//! Group commit from the inside: what one transaction with many jobs does to each of them.

use std::pin::pin;
use std::sync::Barrier;
use std::task::{Context, Poll, Waker};
use std::thread;

use rusqlite::{Connection, StatementStatus};
use tokio::sync::oneshot;

use super::writer::{Committer, Job};
use super::{Sqlite, open};
use crate::Error;
use crate::db::announcer::Announcer;
use crate::db::tests::SCHEMA;
use crate::db::{Batch, Durability, Row, Value};
use crate::testing::TestDatabase;

/// The switch to the write-ahead log is where they can lock each other out; the tighter the start, the likelier.
#[test]
fn threads_that_open_a_fresh_file_at_the_same_instant_all_succeed() {
    for _ in 0..20 {
        let database = TestDatabase::sqlite();
        let start = Barrier::new(4);
        thread::scope(|scope| {
            let open = || {
                start.wait();
                open::open(&database.path(), SCHEMA).map(drop)
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
        });
    }
}

type Answer = oneshot::Receiver<Result<Vec<Vec<Row>>, Error>>;

fn committer(database: &TestDatabase) -> Committer {
    Committer::new(open::open(&database.path(), SCHEMA).unwrap()).unwrap()
}

fn job(sql: &'static str, values: Vec<Value>) -> (Job, Answer) {
    let mut batch = Batch::new();
    batch.push(sql, values);
    Job::new(batch, Durability::Process)
}

fn insert(n: i64) -> (Job, Answer) {
    job("insert into things (id, name) values ($1, $2)", vec![Value::Blob(vec![1]), n.to_string().into()])
}

fn count(database: &TestDatabase) -> i64 {
    let connection = Connection::open(database.path()).unwrap();
    connection.query_row("select count(*) from things", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_group_is_one_transaction_and_a_job_that_fails_undoes_only_itself() {
    let database = TestDatabase::sqlite();
    let mut committer = committer(&database);
    let insert = "insert into things (id, name, count) values ($1, $2, (select count(*) from things))";
    let values = |n: i64| vec![Value::Blob(vec![n as u8]), (n % 99).to_string().into()];
    let (jobs, answers): (Vec<_>, Vec<_>) = (0..100).map(|n| job(insert, values(n))).unzip();
    committer.commit(jobs, &Announcer::default());
    let failed = |answer: Answer| matches!(answer.blocking_recv().unwrap(), Err(Error::Unique { .. }));
    let failures: Vec<bool> = answers.into_iter().map(failed).collect();
    assert_eq!(failures.iter().position(|failed| *failed), Some(99));
    assert_eq!(failures.iter().filter(|failed| **failed).count(), 1);
    assert_eq!(count(&database), 99);
}

#[test]
fn everyone_is_told_when_the_commit_itself_fails() {
    let database = TestDatabase::sqlite();
    let mut committer = committer(&database);
    let deferred = "pragma defer_foreign_keys = on";
    let orphan = "insert into parts (part, thing) values (1, x'00')";
    let (jobs, answers): (Vec<_>, Vec<_>) =
        [insert(1), job(deferred, vec![]), job(orphan, vec![]), insert(2)].into_iter().unzip();
    committer.commit(jobs, &Announcer::default());
    for answer in answers {
        assert!(matches!(answer.blocking_recv().unwrap(), Err(Error::ForeignKey { .. })));
    }
    assert_eq!(count(&database), 0);
    let (job, answer) = insert(3);
    committer.commit(vec![job], &Announcer::default());
    answer.blocking_recv().unwrap().unwrap();
    assert_eq!(count(&database), 1);
}

#[test]
fn everyone_is_told_when_a_job_ends_the_whole_transaction() {
    let database = TestDatabase::sqlite();
    let mut committer = committer(&database);
    let (jobs, answers): (Vec<_>, Vec<_>) =
        [insert(1), job("insert or rollback into things (id, name) values (null, null)", vec![]), insert(2)]
            .into_iter()
            .unzip();
    committer.commit(jobs, &Announcer::default());
    for answer in answers {
        assert!(matches!(answer.blocking_recv().unwrap(), Err(Error::Statement { .. })));
    }
    assert_eq!(count(&database), 0);
}

#[test]
fn one_job_that_must_survive_power_loss_takes_its_group_along() {
    let database = TestDatabase::sqlite();
    let mut committer = committer(&database);
    let mut level = |durabilities: &[Durability]| {
        let (jobs, answers): (Vec<_>, Vec<_>) = durabilities
            .iter()
            .map(|durability| {
                let mut batch = Batch::new();
                batch.push("pragma synchronous", []);
                Job::new(batch, *durability)
            })
            .unzip();
        committer.commit(jobs, &Announcer::default());
        let levels =
            answers.into_iter().map(|answer| answer.blocking_recv().unwrap().unwrap()[0][0].int(0).unwrap());
        levels.collect::<Vec<_>>()
    };
    use Durability::{Power, Process};
    assert_eq!(level(&[Process, Process]), [1, 1]);
    assert_eq!(level(&[Process, Power, Process]), [2, 2, 2]);
    assert_eq!(level(&[Process]), [1]);
}

fn put(n: i64) -> Batch {
    let mut batch = Batch::new();
    batch.push(
        "insert into things (id, name) values ($1, $2)",
        [Value::Blob(n.to_be_bytes().to_vec()), n.to_string().into()],
    );
    batch
}

/// Whether a write is done before anyone else has had a chance to do it.
fn at_once(sqlite: &Sqlite, batch: Batch, durability: Durability) -> bool {
    let write = pin!(sqlite.write(batch, durability));
    matches!(write.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(_)))
}

#[tokio::test]
async fn a_small_write_that_is_not_flushed_is_done_on_the_calling_thread() {
    let database = TestDatabase::sqlite();
    let sqlite = Sqlite::open(&database.path(), SCHEMA, &Announcer::default()).await.unwrap();
    assert!(at_once(&sqlite, put(1), Durability::Process));
    assert_eq!(count(&database), 1);
    assert!(!at_once(&sqlite, put(2), Durability::Power), "a flush keeps the only thread waiting");
    let mut large = Batch::new();
    (3..100).for_each(|n| large.append(put(n)));
    assert!(!at_once(&sqlite, large, Durability::Process), "it takes long");
    sqlite.close().await;
    assert_eq!(count(&database), 99, "whoever stops waiting still has it done");
    assert!(matches!(sqlite.write(put(100), Durability::Process).await, Err(Error::Closed)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_write_is_flushed_on_the_calling_thread_where_there_are_others() {
    let database = TestDatabase::sqlite();
    let sqlite = Sqlite::open(&database.path(), SCHEMA, &Announcer::default()).await.unwrap();
    let of_spawned = sqlite.clone();
    let spawned = tokio::spawn(async move { at_once(&of_spawned, put(1), Durability::Power) });
    assert!(spawned.await.unwrap());
    assert!(at_once(&sqlite, put(2), Durability::Power));
    let mut level = Batch::new();
    level.push("pragma synchronous", []);
    let levels = sqlite.write(level, Durability::Power).await.unwrap();
    assert_eq!(levels[0][0].int(0).unwrap(), 2);
    assert_eq!(count(&database), 2);
    sqlite.close().await;
}

#[tokio::test]
async fn a_caller_does_not_wait_for_another_process_itself() {
    let database = TestDatabase::sqlite();
    let sqlite = Sqlite::open(&database.path(), SCHEMA, &Announcer::default()).await.unwrap();
    let other = Connection::open(database.path()).unwrap();
    other.execute_batch("begin immediate").unwrap();
    let mut write = pin!(sqlite.write(put(1), Durability::Process));
    assert!(write.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    other.execute_batch("rollback").unwrap();
    write.await.unwrap();
    assert_eq!(count(&database), 1);
    sqlite.close().await;
}

#[tokio::test]
async fn a_job_of_a_caller_that_fails_leaves_nothing_behind() {
    let database = TestDatabase::sqlite();
    let sqlite = Sqlite::open(&database.path(), SCHEMA, &Announcer::default()).await.unwrap();
    let mut twice = put(1);
    twice.append(put(1));
    assert!(matches!(sqlite.write(twice, Durability::Process).await, Err(Error::Unique { .. })));
    assert_eq!(count(&database), 0);
    assert!(at_once(&sqlite, put(1), Durability::Process));
    sqlite.close().await;
}

#[tokio::test]
async fn the_log_is_folded_however_it_was_written() {
    let database = TestDatabase::sqlite();
    let sqlite = Sqlite::open(&database.path(), SCHEMA, &Announcer::default()).await.unwrap();
    let mut log = database.path().into_os_string();
    log.push("-wal");
    for n in 0..4_000 {
        sqlite.write(put(n), Durability::Process).await.unwrap();
        // The thread is rung and has to get its turn.
        tokio::task::yield_now().await;
    }
    // Each commit adds at least the page of the row and that of its key.
    let unfolded = 2 * 4_000 * 4096;
    assert!(std::fs::metadata(&log).unwrap().len() < unfolded / 2);
    sqlite.close().await;
}

/// SQLite would, to see whether the index fits this time, and whether the limit is a small one.
#[test]
fn a_statement_is_planned_once_whatever_is_bound_to_it() {
    let database = TestDatabase::sqlite();
    let session = open::open(&database.path(), SCHEMA).unwrap();
    session.run("create index few_things on things (name) where count = 3").unwrap();
    for sql in ["select id from things where count = $1", "select id from things limit $1"] {
        for bound in [3i64, 4, 3, 1] {
            session.read_one(&(sql.into(), vec![bound.into()])).unwrap();
        }
        let statement = session.connection.prepare_cached(sql).unwrap();
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{sql}");
    }
}

#[tokio::test]
async fn a_look_up_sees_what_was_written_while_somebody_writes_and_while_nobody_does() {
    let database = TestDatabase::sqlite();
    let sqlite = Sqlite::open(&database.path(), SCHEMA, &Announcer::default()).await.unwrap();
    let count = async || {
        let read = ("select count(*) from things".into(), Vec::new());
        sqlite.look_up(read).await.unwrap()[0].int(0).unwrap()
    };
    for n in 1..=3 {
        sqlite.write(put(n), Durability::Process).await.unwrap();
        assert_eq!(count().await, n);
        // As long as another process writes, it sees what was there before.
        let other = Connection::open(database.path()).unwrap();
        other.execute_batch("begin immediate; delete from things").unwrap();
        assert_eq!(count().await, n);
    }
}
