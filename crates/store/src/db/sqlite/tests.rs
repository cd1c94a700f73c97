//! Group commit from the inside: what one transaction with many jobs does to each of them.

use std::sync::Barrier;
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::open;
use super::writer::{Committer, Job};
use crate::Error;
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
    Committer::new(open::open(&database.path(), SCHEMA).unwrap())
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
    committer.commit(jobs);
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
    committer.commit(jobs);
    for answer in answers {
        assert!(matches!(answer.blocking_recv().unwrap(), Err(Error::ForeignKey { .. })));
    }
    assert_eq!(count(&database), 0);
    let (job, answer) = insert(3);
    committer.commit(vec![job]);
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
    committer.commit(jobs);
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
        committer.commit(jobs);
        let levels =
            answers.into_iter().map(|answer| answer.blocking_recv().unwrap().unwrap()[0][0].int(0).unwrap());
        levels.collect::<Vec<_>>()
    };
    use Durability::{Power, Process};
    assert_eq!(level(&[Process, Process]), [1, 1]);
    assert_eq!(level(&[Process, Power, Process]), [2, 2, 2]);
    assert_eq!(level(&[Process]), [1]);
}
