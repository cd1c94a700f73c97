//! The one writing connection, and its thread, which takes all waiting jobs, commits them together, then replies to each.
//!
//! A commit costs the same for one job as for hundreds, so the busier the store, the cheaper a write. A job that fails
//! undoes only itself: its group is executed again with a savepoint for every job. While nobody else writes, a small job
//! runs on the calling thread, which takes less time than waking another and being woken by it.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use rusqlite::ErrorCode;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{mpsc, oneshot};

use super::fault::Fault;
use super::open::BUSY_TIMEOUT;
use super::session::Session;
use crate::db::announcer::{Announcer, may_be_committed};
use crate::db::{Batch, Durability, Read, Row};
use crate::{Activity, Error};

/// Bounds how long the first job of a group waits for the last.
const GROUP: usize = 512;

/// A caller writes no more rows than this itself: it keeps a thread of the runtime from everything else meanwhile.
const SMALL: usize = 32;

/// The write-ahead log is folded into the file when it has so many pages: SQLite's own measure.
const LONG_LOG: u32 = 1_000;

/// Pages that are given back at once, 4 MB: others wait for a few milliseconds at most.
const GIVE_BACK: &str = "pragma incremental_vacuum(1024)";

type Answer = Result<Vec<Vec<Row>>, Error>;

#[derive(Clone)]
pub(super) struct Writer {
    requests: mpsc::Sender<Request>,
    shared: Arc<Shared>,
}

struct Shared {
    /// Who holds the lock writes. `None` once closed.
    committer: Mutex<Option<Committer>>,
    /// The thread writes or is about to. Callers who write one after the other would keep it from the lock.
    taken: AtomicBool,
    done: Done,
    announcer: Announcer,
}

/// What was committed so far.
#[derive(Default)]
struct Done {
    groups: AtomicU64,
    jobs: AtomicU64,
}

impl Done {
    fn count(&self, jobs: usize) {
        self.groups.fetch_add(1, Ordering::Relaxed);
        self.jobs.fetch_add(jobs as u64, Ordering::Relaxed);
    }
}

enum Request {
    Write(Job),
    /// The log has become long under the hands of callers.
    Fold,
    Maintain(Maintenance, oneshot::Sender<Result<(), Error>>),
    Close(oneshot::Sender<()>),
}

/// Work on the file itself, outside of any batch.
#[derive(Clone, Copy)]
pub(in crate::db) enum Maintenance {
    /// Cuts some free pages off the end of the file.
    GiveBack,
    /// Writes the file again.
    Rewrite,
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

    /// A caller that went away has told nobody what the job changed; it is done all the same.
    fn answer(self, answer: Answer, announcer: &Announcer) {
        if let Err(unheard) = self.answer.send(answer)
            && may_be_committed(&unheard)
        {
            announcer.notify(self.batch.changed());
        }
    }
}

impl Writer {
    pub(super) fn start(session: Session, announcer: Announcer) -> Result<Writer, Error> {
        // Two groups: one is written while the next gathers, and whoever comes after waits to hand over.
        let (requests, receiver) = mpsc::channel(2 * GROUP);
        let path = session.path.clone();
        let thread = thread::Builder::new().name("store-writer".to_owned());
        let committer = Mutex::new(Some(Committer::new(session)?));
        let shared =
            Arc::new(Shared { committer, taken: AtomicBool::new(false), done: Done::default(), announcer });
        let of_thread = Arc::clone(&shared);
        let started: io::Result<_> = thread.spawn(move || serve(&of_thread, receiver));
        started.map_err(|source| Error::CannotOpen { path, source })?;
        Ok(Writer { requests, shared })
    }

    pub(super) fn activity(&self) -> Activity {
        Activity {
            waiting: (self.requests.max_capacity() - self.requests.capacity()) as u64,
            batches: self.shared.done.jobs.load(Ordering::Relaxed),
            commits: self.shared.done.groups.load(Ordering::Relaxed),
        }
    }

    pub(super) async fn write(&self, batch: Batch, durability: Durability) -> Answer {
        if batch.rows() <= SMALL
            && (durability == Durability::Process || may_wait_for_the_disk())
            && let Some(answer) = self.write_here(&batch, durability)
        {
            return answer;
        }
        let (job, answer) = Job::new(batch, durability);
        self.requests.send(Request::Write(job)).await.map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }

    pub(super) async fn maintain(&self, what: Maintenance) -> Result<(), Error> {
        let (answer, done) = oneshot::channel();
        self.requests.send(Request::Maintain(what, answer)).await.map_err(|_| Error::Closed)?;
        done.await.unwrap_or(Err(Error::Closed))
    }

    /// Reads what this connection need not fetch: a commit leaves what other connections know stale, and never what this one
    /// knows. `None` if someone writes or waits to.
    pub(super) fn look_up(&self, read: &Read) -> Option<Result<Vec<Row>, Error>> {
        let mut held = self.idle()?;
        held.as_mut()?.look_up(read)
    }

    /// `None` if someone else writes or waits to; then it is the thread's to do.
    fn write_here(&self, batch: &Batch, durability: Durability) -> Option<Answer> {
        let mut held = self.idle()?;
        let committer = held.as_mut()?;
        let answer = match durability {
            Durability::Process => committer.commit_at_once(batch, durability),
            // The runtime's other tasks go on elsewhere meanwhile.
            Durability::Power => tokio::task::block_in_place(|| committer.commit_at_once(batch, durability)),
        }?;
        self.shared.done.count(1);
        if committer.has_long_log() {
            // If there is no room for the request, the thread is about to look anyway.
            self.requests.try_send(Request::Fold).ok();
        }
        Some(answer)
    }

    /// The connection, if nobody uses it or waits for it.
    fn idle(&self) -> Option<MutexGuard<'_, Option<Committer>>> {
        let waiting = self.requests.max_capacity() - self.requests.capacity();
        if waiting > 0 || self.shared.taken.load(Ordering::Relaxed) {
            return None;
        }
        match self.shared.committer.try_lock() {
            Ok(held) => Some(held),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(super) async fn close(&self) {
        let (closed, wait) = oneshot::channel();
        // Whoever closes second finds nobody to tell, which is what closing is for.
        if self.requests.send(Request::Close(closed)).await.is_ok() {
            wait.await.ok();
        }
    }
}

/// Whether the runtime has other threads for its other tasks.
fn may_wait_for_the_disk() -> bool {
    Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}

fn serve(shared: &Shared, mut requests: mpsc::Receiver<Request>) {
    let mut waiting = Vec::with_capacity(GROUP);
    while requests.blocking_recv_many(&mut waiting, GROUP) > 0 {
        let mut group = Vec::with_capacity(waiting.len());
        let (mut maintaining, mut closing) = (Vec::new(), Vec::new());
        for request in waiting.drain(..) {
            match request {
                Request::Write(job) => group.push(job),
                Request::Fold => {}
                Request::Maintain(what, answer) => maintaining.push((what, answer)),
                Request::Close(closed) => closing.push(closed),
            }
        }
        shared.taken.store(true, Ordering::Relaxed);
        let mut held = lock(&shared.committer);
        let Some(committer) = held.as_mut() else { return };
        if !group.is_empty() {
            // Before those are answered who may look at it next.
            shared.done.count(group.len());
            committer.commit(group, &shared.announcer);
        }
        for (what, answer) in maintaining {
            let done = committer.maintain(what).map_err(|fault| fault.to_error(&committer.session.path));
            answer.send(done).ok();
        }
        if committer.has_long_log() {
            committer.fold_log();
        }
        if !closing.is_empty() {
            held.take();
            drop(requests);
            closing.into_iter().for_each(|closed| closed.send(()).unwrap_or_default());
            return;
        }
        shared.taken.store(false, Ordering::Relaxed);
    }
}

fn lock(committer: &Mutex<Option<Committer>>) -> MutexGuard<'_, Option<Committer>> {
    // A transaction that a panic left open is undone before the next one begins.
    committer.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) struct Committer {
    session: Session,
    /// What a commit survives as the connection is set now.
    synchronous: Durability,
    /// How many pages the log had after the last commit.
    log_pages: Arc<AtomicU32>,
}

impl Committer {
    pub(super) fn new(mut session: Session) -> Result<Committer, Error> {
        let log_pages = Arc::new(AtomicU32::new(0));
        let pages = Arc::clone(&log_pages);
        // In place of SQLite's own hook, which would fold the log within a commit, on whatever thread that is.
        let hook = move |_: &mut rusqlite::hooks::Wal, count: std::ffi::c_int| {
            pages.store(count.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        };
        let hooked = session.connection.wal_hook(Some(hook));
        hooked.map_err(|error| Fault::of("open")(error).to_error(&session.path))?;
        Ok(Committer { session, synchronous: Durability::Power, log_pages })
    }

    fn has_long_log(&self) -> bool {
        self.log_pages.load(Ordering::Relaxed) >= LONG_LOG
    }

    /// As far as no reader needs it; what is left is folded later. If it fails nothing is lost, and it is tried again after
    /// the next commit.
    fn fold_log(&self) {
        if self.session.run("pragma wal_checkpoint(passive)").is_ok() {
            self.log_pages.store(0, Ordering::Relaxed);
        }
    }

    /// The file becomes shorter when the log is folded into it.
    fn maintain(&self, what: Maintenance) -> Result<(), Fault> {
        self.undo()?;
        match what {
            Maintenance::GiveBack => {
                self.give_back().map_err(Fault::of(GIVE_BACK))?;
                self.fold_log();
                // The log went through all that was removed, and is as long. Whoever reads it keeps it until the next time.
                self.set_busy_timeout(Duration::ZERO);
                let shortened = self.session.run("pragma wal_checkpoint(truncate)");
                self.set_busy_timeout(BUSY_TIMEOUT);
                shortened.or_else(|fault| {
                    if fault.is(ErrorCode::DatabaseBusy) { Ok(Vec::new()) } else { Err(fault) }
                })?;
            }
            Maintenance::Rewrite => {
                self.session.run("pragma auto_vacuum = incremental")?;
                self.session.run("vacuum")?;
                // All of the new file went through the log.
                self.session.run("pragma wal_checkpoint(truncate)")?;
            }
        }
        Ok(())
    }

    /// SQLite answers a row without columns for each page.
    fn give_back(&self) -> rusqlite::Result<()> {
        let mut statement = self.session.connection.prepare_cached(GIVE_BACK)?;
        let mut pages = statement.raw_query();
        while pages.next()?.is_some() {}
        Ok(())
    }

    /// One job, without waiting for another process that writes: then there is no answer, and nothing was done.
    fn commit_at_once(&mut self, batch: &Batch, durability: Durability) -> Option<Answer> {
        self.set_busy_timeout(Duration::ZERO);
        let rows = self.alone(batch, durability);
        self.set_busy_timeout(BUSY_TIMEOUT);
        match rows {
            Err(fault) if fault.is(ErrorCode::DatabaseBusy) => None,
            rows => Some(rows.map_err(|fault| fault.to_error(&self.session.path))),
        }
    }

    /// Without waiting for another process. `None` where a panic left a transaction open, whose changes nobody may see.
    fn look_up(&self, read: &Read) -> Option<Result<Vec<Row>, Error>> {
        if !self.session.connection.is_autocommit() {
            return None;
        }
        self.set_busy_timeout(Duration::ZERO);
        let rows = self.session.read_one(read);
        self.set_busy_timeout(BUSY_TIMEOUT);
        Some(rows.map_err(|fault| fault.to_error(&self.session.path)))
    }

    fn alone(&mut self, batch: &Batch, durability: Durability) -> Result<Vec<Vec<Row>>, Fault> {
        self.survive(durability)?;
        self.begin()?;
        let done = self.session.run_batch(batch).and_then(|rows| self.session.run("commit").map(|_| rows));
        if done.is_err() {
            self.undo()?;
        }
        done
    }

    fn begin(&self) -> Result<(), Fault> {
        self.undo()?;
        self.session.run("begin immediate").map(drop)
    }

    /// Fails only on a connection that is gone.
    fn set_busy_timeout(&self, busy_timeout: Duration) {
        self.session.connection.busy_timeout(busy_timeout).ok();
    }

    pub(super) fn commit(&mut self, group: Vec<Job>, announcer: &Announcer) {
        match self.transact(&group) {
            Ok(answers) => {
                group.into_iter().zip(answers).for_each(|(job, answer)| job.answer(answer, announcer));
            }
            Err(fault) => {
                group
                    .into_iter()
                    .for_each(|job| job.answer(Err(fault.to_error(&self.session.path)), announcer));
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
        self.begin()?;
        let rows = group.iter().map(|job| self.session.run_batch(&job.batch)).collect::<Result<Vec<_>, _>>();
        match (rows, group) {
            (Ok(rows), _) => self.commit_or_undo(rows.into_iter().map(Ok).collect()).map(Some),
            (Err(fault), [_]) => {
                self.undo()?;
                Ok(Some(vec![Err(fault.to_error(&self.session.path))]))
            }
            (Err(_), _) => self.undo().map(|()| None),
        }
    }

    /// Each job in its savepoint, so that one that fails undoes only itself.
    fn apart(&self, group: &[Job]) -> Result<Vec<Answer>, Fault> {
        self.begin()?;
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
                Ok(Err(fault.to_error(&self.session.path)))
            }
        }
    }
}
