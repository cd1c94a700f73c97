//! A zygote: one warm interpreter for one environment, from which cells are forked. Starting it and asking it to fork are
//! here; what a cell does is in `cell`, and when to fork in `pool`.

mod codes;
mod control;
mod plan;

use std::collections::HashMap;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::doctor::Layers;
use crate::environment::Environment;
use crate::error::Error;
use crate::python::Program;
use crate::stage1::plan::STAGE1_ARGUMENT;
use crate::zygote::codes::Codes;
use crate::zygote::control::{Control, FromZygote, ToZygote};

/// How long the orderly end of a zygote and its cells may take.
const STOP: Duration = Duration::from_secs(5);

/// How a cell ended, as its parent saw it: an exit status or a negative signal; nothing if it was killed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reaped {
    pub(crate) status: Option<i32>,
    pub(crate) cpu_us: u64,
}

/// A cell that was just forked and has not spoken yet.
pub(crate) struct ForkedCell {
    pub(crate) number: u64,
    pub(crate) pidfd: OwnedFd,
    pub(crate) life: AliveGuard,
}

/// Counts a cell for as long as someone holds it.
pub(crate) struct AliveGuard(Arc<AtomicUsize>);

impl AliveGuard {
    fn begin(alive: &Arc<AtomicUsize>) -> AliveGuard {
        alive.fetch_add(1, Ordering::Relaxed);
        AliveGuard(Arc::clone(alive))
    }
}

impl Drop for AliveGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Waiting {
    forks: HashMap<u64, oneshot::Sender<Result<OwnedFd, String>>>,
    listens: HashMap<u64, oneshot::Sender<Result<OwnedFd, String>>>,
    reaps: HashMap<u64, oneshot::Sender<Reaped>>,
}

pub(crate) struct Zygote {
    pub(crate) environment: Arc<Environment>,
    /// Whether its cells live in namespaces of their own.
    pub(crate) namespaces: bool,
    control: Arc<Control>,
    waiting: Arc<Mutex<Waiting>>,
    next: AtomicU64,
    alive: Arc<AtomicUsize>,
    /// Cancelled when it has gone.
    pub(crate) gone: CancellationToken,
    reader: AbortHandle,
    child: Mutex<Option<Child>>,
    /// Writable memory its cells are born with.
    heritage: OnceLock<u64>,
    pub(crate) codes: Codes,
}

impl Zygote {
    pub(crate) async fn start(
        config: &Config,
        stage1: &Path,
        layers: Layers,
        environment: &Arc<Environment>,
        certificates: Option<&File>,
    ) -> Result<Zygote, Error> {
        let failed = |why: String| Error::Zygote { environment: environment.id.clone(), why };
        let (control, theirs) = Control::pair()?;
        let mut child = spawn(stage1, theirs).map_err(|error| failed(error.to_string()))?;
        let stderr = child.stderr.take();
        let plan = plan::plan(config, layers, environment, certificates.is_some());
        let attached: Vec<BorrowedFd<'_>> = certificates.iter().map(|file| file.as_fd()).collect();
        control.send(&plan, &attached).await?;
        // If it has gone already, what it said before it went tells more than that this could not be sent.
        let _ = control.send(&Program::new(config, layers, environment), &[]).await;
        let booted = tokio::time::timeout(config.boot, control.receive()).await;
        match booted {
            Ok(Ok(Some((FromZygote::Booted { skipped }, _)))) => {
                if !skipped.is_empty() {
                    tracing::warn!(
                        environment.id,
                        "environment `{}` cannot preload {}",
                        environment.id,
                        skipped.join(", ")
                    );
                }
            }
            Ok(Ok(Some((FromZygote::Stage1Failed(why), _)))) => return Err(failed(why)),
            Ok(_) => return Err(failed(startup_failure(stderr).await)),
            Err(_) => return Err(failed(format!("it was not ready after {} s", config.boot.as_secs()))),
        }
        Ok(Zygote::of(environment, layers, config.code_bytes, control, child, stderr))
    }

    fn of(
        environment: &Arc<Environment>,
        layers: Layers,
        code_bytes: usize,
        control: Control,
        child: Child,
        stderr: Option<ChildStderr>,
    ) -> Zygote {
        let control = Arc::new(control);
        let waiting = Arc::new(Mutex::new(Waiting::default()));
        let gone = CancellationToken::new();
        let reader = tokio::spawn(read(Arc::clone(&control), Arc::clone(&waiting), gone.clone(), stderr));
        Zygote {
            environment: Arc::clone(environment),
            namespaces: layers.namespaces,
            control,
            waiting,
            next: AtomicU64::new(1),
            alive: Arc::default(),
            gone,
            reader: reader.abort_handle(),
            child: Mutex::new(Some(child)),
            heritage: OnceLock::new(),
            codes: Codes::new(code_bytes),
        }
    }

    /// Forks a cell that has the given descriptors as its socket, standard output and standard error. One in a hurry does
    /// not rehearse, because someone waits for it.
    pub(crate) async fn fork(&self, fds: [OwnedFd; 3], hurry: bool) -> Result<ForkedCell, Error> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let failed = |why: String| Error::Cell { environment: self.environment.id.clone(), why };
        let (forked, pidfd) = oneshot::channel();
        lock(&self.waiting).forks.insert(number, forked);
        let borrowed = [fds[0].as_fd(), fds[1].as_fd(), fds[2].as_fd()];
        let life = AliveGuard::begin(&self.alive);
        let alive = self.alive.load(Ordering::Relaxed);
        let sent = self.control.send(&ToZygote::Fork { number, hurry, alive }, &borrowed).await;
        drop(fds);
        if let Err(error) = sent {
            self.gone.cancel();
            return Err(failed(error.to_string()));
        }
        // A sender that is dropped means that the reader stopped, which it does when the zygote is gone.
        let pidfd = pidfd.await.map_err(|_| failed("its zygote died".to_owned()))?.map_err(failed)?;
        Ok(ForkedCell { number, pidfd, life })
    }

    /// Opens a listener on the loopback of a cell.
    pub(crate) async fn listen(&self, number: u64) -> Result<OwnedFd, Error> {
        let failed = |why: String| Error::Egress { why };
        if !self.namespaces {
            return Err(failed(
                "cells have no network of their own here, because this machine supports no namespaces; see `selfmade doctor`"
                    .to_owned(),
            ));
        }
        let (answer, listener) = oneshot::channel();
        lock(&self.waiting).listens.insert(number, answer);
        self.control.send(&ToZygote::Listen(number), &[]).await.map_err(|error| failed(error.to_string()))?;
        listener.await.map_err(|_| failed("its zygote died".to_owned()))?.map_err(failed)
    }

    /// How a cell that is gone has ended.
    pub(crate) async fn reap(&self, number: u64) -> Reaped {
        let (answer, reaped) = oneshot::channel();
        lock(&self.waiting).reaps.insert(number, answer);
        if self.control.send(&ToZygote::Reap(number), &[]).await.is_err() {
            return Reaped::default();
        }
        // A zygote that is gone has taken its cells along.
        reaped.await.unwrap_or_default()
    }

    /// Ends it and all its cells, and waits until they are gone: stage 1 sees the socket close, kills the zygote, and ends
    /// itself only when the zygote's namespace is empty.
    pub(crate) async fn stop(&self) {
        let child = lock(&self.child).take();
        self.control.close();
        if let Some(mut child) = child
            && tokio::time::timeout(STOP, child.wait()).await.is_err()
        {
            // Nothing but its end is wanted, and it may have ended just now.
            let _ = child.kill().await;
        }
    }

    /// Writable memory its cells are born with. They are all alike, so only the first is looked at.
    pub(crate) fn heritage(&self, look: impl FnOnce() -> std::io::Result<u64>) -> std::io::Result<u64> {
        match self.heritage.get() {
            Some(bytes) => Ok(*bytes),
            None => look().map(|bytes| *self.heritage.get_or_init(|| bytes)),
        }
    }

    /// The process that stands for it, for tests of what happens when it dies.
    pub(crate) fn process(&self) -> Option<u32> {
        lock(&self.child).as_ref().and_then(Child::id)
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

fn spawn(stage1: &Path, control: OwnedFd) -> std::io::Result<Child> {
    Command::new(stage1)
        .arg(STAGE1_ARGUMENT)
        .env_clear()
        .stdin(Stdio::from(control))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

async fn startup_failure(stderr: Option<ChildStderr>) -> String {
    let mut text = Vec::new();
    if let Some(stderr) = stderr {
        // Whatever can be read helps; that reading fails too is not worth telling.
        let _ = stderr.take(4096).read_to_end(&mut text).await;
    }
    format!("it ended while starting: {}", String::from_utf8_lossy(&text).trim())
}

/// Hands every answer to whoever waits for it, until the zygote is gone.
async fn read(
    control: Arc<Control>,
    waiting: Arc<Mutex<Waiting>>,
    gone: CancellationToken,
    stderr: Option<ChildStderr>,
) {
    // Dropped with this task: the senders, so that nobody waits for a zygote that is gone; the token, so that all hear of it.
    let _told = gone.drop_guard();
    // Held open so that a package that writes to it is not surprised.
    let _stderr = stderr;
    while let Ok(Some((message, fd))) = control.receive().await {
        deliver(&mut lock(&waiting), message, fd);
    }
    *lock(&waiting) = Waiting::default();
}

fn deliver(waiting: &mut Waiting, message: FromZygote, fd: Option<OwnedFd>) {
    let attached = |fd: Option<OwnedFd>| fd.ok_or_else(|| "the descriptor is missing".to_owned());
    match message {
        FromZygote::Forked(number) => tell(waiting.forks.remove(&number), attached(fd)),
        FromZygote::ForkFailed { number, why } => tell(waiting.forks.remove(&number), Err(why)),
        FromZygote::Listening(number) => tell(waiting.listens.remove(&number), attached(fd)),
        FromZygote::ListenFailed { number, why } => tell(waiting.listens.remove(&number), Err(why)),
        FromZygote::Reaped { number, status, cpu_us } => {
            tell(waiting.reaps.remove(&number), Reaped { status, cpu_us });
        }
        FromZygote::Booted { .. } | FromZygote::Stage1Failed(_) => {}
    }
}

fn tell<T>(to: Option<oneshot::Sender<T>>, answer: T) {
    // Whoever asked may have gone away; then the answer is dropped, and with it a descriptor it may hold.
    if let Some(to) = to {
        let _ = to.send(answer);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
