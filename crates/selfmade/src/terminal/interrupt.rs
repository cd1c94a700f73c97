//! Ctrl-C: ends the command with exit code 130, unless an editor is open, to which it belongs, or something else is to be
//! ended first; and puts the terminal back as it was if something was being asked without echo.

use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use sandbox::CancellationToken;

use crate::error::Exit;

#[derive(Clone, Default)]
pub(crate) struct Interrupts {
    state: Arc<Mutex<State>>,
}

#[cfg(unix)]
fn signals() -> std::io::Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
}

#[cfg(windows)]
fn signals() -> std::io::Result<tokio::signal::windows::CtrlC> {
    tokio::signal::windows::ctrl_c()
}

#[derive(Default)]
struct State {
    ignored: bool,
    restore: Option<Box<dyn Fn() + Send>>,
    /// What is ended instead of the command, one each time.
    cancel: VecDeque<CancellationToken>,
}

impl State {
    fn interrupted(&mut self) {
        if self.ignored {
            return;
        }
        if let Some(cancel) = self.cancel.pop_front() {
            cancel.cancel();
            return;
        }
        if let Some(restore) = &self.restore {
            restore();
            // The question stands on a line of its own.
            let _ = writeln!(std::io::stderr());
        }
        std::process::exit(Exit::Interrupted as i32);
    }
}

impl Interrupts {
    /// Starts to listen. Needs to be called inside the runtime.
    pub(crate) fn watch() -> Interrupts {
        let interrupts = Interrupts::default();
        let state = Arc::clone(&interrupts.state);
        // From here on the signal no longer just ends the process.
        let Ok(mut signals) = signals() else { return interrupts };
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                let Ok(mut state) = state.lock() else { break };
                state.interrupted();
            }
        });
        interrupts
    }

    /// The next Ctrl-C cancels this; the one after it ends the command.
    pub(crate) fn cancelling(&self) -> CancellationToken {
        let token = CancellationToken::new();
        self.set(|state| state.cancel = VecDeque::from([token.clone()]));
        token
    }

    /// Ctrl-C and the signal by which services are ended cancel these, one each time; after them they end the command.
    pub(crate) fn stopping(&self, tokens: impl Into<VecDeque<CancellationToken>>) {
        self.set(|state| state.cancel = tokens.into());
        #[cfg(unix)]
        self.watch_termination();
    }

    #[cfg(unix)]
    fn watch_termination(&self) {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut signals) = signal(SignalKind::terminate()) else { return };
        let state = Arc::clone(&self.state);
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                let Ok(mut state) = state.lock() else { break };
                state.interrupted();
            }
        });
    }

    /// Does something during which Ctrl-C is someone else's.
    pub(crate) fn ignoring<T>(&self, work: impl FnOnce() -> T) -> T {
        self.set(|state| state.ignored = true);
        let done = work();
        self.set(|state| state.ignored = false);
        done
    }

    /// Does something after which, interrupted or not, the terminal has to be put right.
    pub(crate) fn restoring<T>(
        &self,
        restore: impl Fn() + Send + Clone + 'static,
        work: impl FnOnce() -> T,
    ) -> T {
        let later = restore.clone();
        self.set(|state| state.restore = Some(Box::new(later)));
        let done = work();
        self.set(|state| state.restore = None);
        restore();
        done
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        if let Ok(mut state) = self.state.lock() {
            change(&mut state);
        }
    }
}
