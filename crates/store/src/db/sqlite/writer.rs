//! The one thread that writes: it takes all jobs that wait, commits them together, then answers each.
//!
//! A commit costs the same for one job as for hundreds, so the busier the store, the cheaper a write. A job that fails
//! undoes only itself: its group is played again with a savepoint for every job.

use std::io;
use std::thread;

use tokio::sync::{mpsc, oneshot};

use super::fault::Fault;
use super::session::Session;
use crate::Error;
use crate::db::{Batch, Durability, Row};

/// Bounds how long the first job of a group waits for the last.
const GROUP: usize = 512;

type Answer = Result<Vec<Vec<Row>>, Error>;

#[derive(Clone)]
pub(super) struct Writer {
    requests: mpsc::Sender<Request>,
}

enum Request {
    Write(Job),
    Close(oneshot::Sender<()>),
}

pub(super) struct Job {
    batch: Batch,
    durability: Durability,
    answer: oneshot::Sender<Answer>,
}

impl Job {
    pub(super) fn new(batch: Batch, durability: Durability) -> (Job, oneshot::Receiver<Answer>) {
        let (answer, receiver) = oneshot::channel();
        (Job { batch, durability, answer }, receiver)
    }
}

impl Writer {
    pub(super) fn start(session: Session) -> Result<Writer, Error> {
        // Two groups: one is written while the next gathers, and whoever comes after waits to hand over.
        let (requests, receiver) = mpsc::channel(2 * GROUP);
        let path = session.path.clone();
        let thread = thread::Builder::new().name("store-writer".to_owned());
        let committer = Committer { session, synchronous: Durability::Power };
        let started: io::Result<_> = thread.spawn(move || serve(committer, receiver));
        started.map_err(|source| Error::CannotOpen { path, source })?;
        Ok(Writer { requests })
    }

    pub(super) async fn write(&self, batch: Batch, durability: Durability) -> Answer {
        let (job, answer) = Job::new(batch, durability);
        self.requests.send(Request::Write(job)).await.map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }

    pub(super) async fn close(&self) {
        let (closed, wait) = oneshot::channel();
        // Whoever closes second finds nobody to tell, which is what closing is for.
        if self.requests.send(Request::Close(closed)).await.is_ok() {
            wait.await.ok();
        }
    }
}

fn serve(mut committer: Committer, mut requests: mpsc::Receiver<Request>) {
    let mut waiting = Vec::with_capacity(GROUP);
    while requests.blocking_recv_many(&mut waiting, GROUP) > 0 {
        let mut group = Vec::with_capacity(waiting.len());
        let mut closing = Vec::new();
        for request in waiting.drain(..) {
            match request {
                Request::Write(job) => group.push(job),
                Request::Close(closed) => closing.push(closed),
            }
        }
        if !group.is_empty() {
            committer.commit(group);
        }
        if !closing.is_empty() {
            drop(committer);
            drop(requests);
            closing.into_iter().for_each(|closed| closed.send(()).unwrap_or_default());
            return;
        }
    }
}

pub(super) struct Committer {
    session: Session,
    /// What a commit survives as the connection is set now.
    synchronous: Durability,
}

impl Committer {
    #[cfg(test)]
    pub(super) fn new(session: Session) -> Committer {
        Committer { session, synchronous: Durability::Power }
    }

    pub(super) fn commit(&mut self, group: Vec<Job>) {
        match self.transact(&group) {
            Ok(answers) => {
                // Nobody listens any more if the caller went away; the job is done all the same.
                group.into_iter().zip(answers).for_each(|(job, answer)| drop(job.answer.send(answer)));
            }
            Err(fault) => {
                group.into_iter().for_each(|job| drop(job.answer.send(Err(fault.tell(&self.session.path)))));
            }
        }
    }

    /// Answers for each job after a commit that took, or the fault that undid all of them.
    fn transact(&mut self, group: &[Job]) -> Result<Vec<Answer>, Fault> {
        self.survive(group.iter().map(|job| job.durability).max().unwrap_or(Durability::Process))?;
        match self.together(group)? {
            Some(answers) => Ok(answers),
            None => self.apart(group),
        }
    }

    /// Without savepoints, which cost a copy of every page a job writes to. Nothing happens if one of several jobs
    /// fails; that is rare.
    fn together(&self, group: &[Job]) -> Result<Option<Vec<Answer>>, Fault> {
        self.session.run("begin immediate")?;
        let rows = group.iter().map(|job| self.session.run_batch(&job.batch)).collect::<Result<Vec<_>, _>>();
        match (rows, group) {
            (Ok(rows), _) => self.commit_or_undo(rows.into_iter().map(Ok).collect()).map(Some),
            (Err(fault), [_]) => {
                self.undo()?;
                Ok(Some(vec![Err(fault.tell(&self.session.path))]))
            }
            (Err(_), _) => self.undo().map(|()| None),
        }
    }

    /// Each job in its savepoint, so that one that fails undoes only itself.
    fn apart(&self, group: &[Job]) -> Result<Vec<Answer>, Fault> {
        self.session.run("begin immediate")?;
        match group.iter().map(|job| self.run(&job.batch)).collect() {
            Ok(answers) => self.commit_or_undo(answers),
            Err(fault) => self.undo().and(Err(fault)),
        }
    }

    fn commit_or_undo(&self, answers: Vec<Answer>) -> Result<Vec<Answer>, Fault> {
        match self.session.run("commit") {
            Ok(_) => Ok(answers),
            Err(fault) => self.undo().and(Err(fault)),
        }
    }

    /// After some faults there is no transaction left to undo.
    fn undo(&self) -> Result<(), Fault> {
        if self.session.connection.is_autocommit() { Ok(()) } else { self.session.run("rollback").map(drop) }
    }

    /// The pragma is without effect inside a transaction, so it is set before. Going back to `normal` is safe for
    /// commits that were `full`: they are on the disk already.
    fn survive(&mut self, durability: Durability) -> Result<(), Fault> {
        if self.synchronous != durability {
            self.session.run(match durability {
                Durability::Process => "pragma synchronous = normal",
                Durability::Power => "pragma synchronous = full",
            })?;
            self.synchronous = durability;
        }
        Ok(())
    }

    /// One job in its savepoint. The outer result is the group's: it fails when SQLite gave up the whole transaction,
    /// as it may when the disk is full or fails.
    fn run(&self, batch: &Batch) -> Result<Answer, Fault> {
        self.session.run("savepoint job")?;
        match self.session.run_batch(batch) {
            Ok(rows) => {
                self.session.run("release job")?;
                Ok(Ok(rows))
            }
            Err(fault) if self.session.connection.is_autocommit() => Err(fault),
            Err(fault) => {
                self.session.run("rollback to job")?;
                self.session.run("release job")?;
                Ok(Err(fault.tell(&self.session.path)))
            }
        }
    }
}
