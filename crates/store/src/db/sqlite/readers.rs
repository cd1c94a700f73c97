//! Read-only connections: some used on the calling thread, for look-ups, and two threads for everything that may scan.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::OpenFlags;
use tokio::sync::oneshot;

use super::open::BUSY_TIMEOUT;
use super::session::Session;
use crate::Error;
use crate::db::{Read, Row};

/// A long list or search must not hold up the next one; more threads than this would only compete with the writer.
const THREADS: usize = 2;

#[derive(Clone)]
pub(super) struct Readers {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    /// Connections for look-ups that nobody uses right now. A look-up never awaits, so there are at most as many as
    /// the runtime has threads. `None` once closed.
    idle: Mutex<Option<Vec<Session>>>,
    /// The way to the threads and the threads; `None` once closed.
    pool: Mutex<Option<Pool>>,
}

struct Pool {
    jobs: mpsc::Sender<Job>,
    threads: Vec<JoinHandle<()>>,
}

struct Job {
    reads: Vec<Read>,
    answer: oneshot::Sender<Result<Vec<Vec<Row>>, Error>>,
}

impl Readers {
    pub(super) fn start(path: &Path) -> Result<Readers, Error> {
        let (jobs, receiver) = mpsc::channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let threads =
            (0..THREADS).map(|_| start_thread(path, Arc::clone(&receiver))).collect::<Result<_, _>>()?;
        let pool = Pool { jobs, threads };
        let shared = Shared {
            path: path.to_owned(),
            idle: Mutex::new(Some(Vec::new())),
            pool: Mutex::new(Some(pool)),
        };
        Ok(Readers { shared: Arc::new(shared) })
    }

    /// Answers [`Error::Busy`] instead of waiting, because it would keep a thread of the runtime waiting.
    pub(super) fn inline(&self, read: &Read) -> Result<Vec<Row>, Error> {
        let session = match lock(&self.shared.idle).as_mut() {
            Some(idle) => idle.pop(),
            None => return Err(Error::Closed),
        };
        let session = session.map_or_else(|| connect(&self.shared.path, Duration::ZERO), Ok)?;
        let answer = session.read_one(read).map_err(|fault| fault.to_error(&session.path));
        if let Some(idle) = lock(&self.shared.idle).as_mut() {
            idle.push(session);
        }
        answer
    }

    pub(super) async fn read(&self, reads: Vec<Read>) -> Result<Vec<Vec<Row>>, Error> {
        let (answer, wait) = oneshot::channel();
        match lock(&self.shared.pool).as_ref() {
            Some(pool) => pool.jobs.send(Job { reads, answer }).map_err(|_| Error::Closed)?,
            None => return Err(Error::Closed),
        }
        wait.await.unwrap_or(Err(Error::Closed))
    }

    pub(super) async fn close(&self) {
        lock(&self.shared.idle).take();
        let Some(Pool { jobs, threads }) = lock(&self.shared.pool).take() else { return };
        drop(jobs);
        let ended =
            tokio::task::spawn_blocking(|| threads.into_iter().for_each(|thread| drop(thread.join())));
        ended.await.ok();
    }
}

fn start_thread(path: &Path, jobs: Arc<Mutex<mpsc::Receiver<Job>>>) -> Result<JoinHandle<()>, Error> {
    let session = connect(path, BUSY_TIMEOUT)?;
    let thread = thread::Builder::new().name("store-reader".to_owned());
    thread
        .spawn(move || serve(&session, &jobs))
        .map_err(|source| Error::CannotOpen { path: path.to_owned(), source })
}

fn connect(path: &Path, busy_timeout: Duration) -> Result<Session, Error> {
    Session::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, busy_timeout)
}

fn serve(session: &Session, jobs: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // One thread waits for the next job, the other for its turn to wait.
        let Ok(job) = lock(jobs).recv() else { return };
        if !job.answer.is_closed() {
            let answer = session.read(&job.reads).map_err(|fault| fault.to_error(&session.path));
            job.answer.send(answer).ok();
        }
    }
}

/// What the locks guard is whole between any two of its operations, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
