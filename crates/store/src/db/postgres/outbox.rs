//! Notifications for other processes. They are sent after the commit they tell of: within it, the server's lock for notifications
//! would be held until the flush, and all commits that notify would follow each other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::ids::NodeId;
use tokio::sync::Notify;

use super::{Postgres, fault::Fault};
use crate::Error;
use crate::changes::Changes;

/// All processes of a database use it.
pub(super) const CHANNEL: &str = "selfmade";

/// What changes within this time after a notification goes into the next one.
const GATHER: Duration = Duration::from_millis(10);
/// After a notification could not be sent.
const AGAIN: Duration = Duration::from_secs(1);
/// A process that ends waits for its last notification no longer than this; others poll, too.
const LAST: Duration = Duration::from_secs(1);

#[derive(Clone, Default)]
pub(super) struct Outbox(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    emptied: Notify,
}

#[derive(Default)]
struct State {
    changes: Changes,
    /// Whether there is a task that sends what is here.
    has_sender: bool,
    /// Whether what it took is not sent yet.
    is_sending: bool,
}

impl Outbox {
    pub(super) fn add(&self, postgres: &Postgres, node: NodeId, changes: &Changes) {
        let mut state = self.lock();
        state.changes.merge(changes);
        if !std::mem::replace(&mut state.has_sender, true) {
            tokio::spawn(send_all(postgres.clone(), node));
        }
    }

    /// Returns when everything is sent, or takes too long.
    pub(super) async fn emptied(&self) {
        let emptied = async {
            loop {
                let mut emptied = std::pin::pin!(self.0.emptied.notified());
                emptied.as_mut().enable();
                if self.is_empty() {
                    return;
                }
                emptied.await;
            }
        };
        // Whoever is not told polls.
        let _ = tokio::time::timeout(LAST, emptied).await;
    }

    fn is_empty(&self) -> bool {
        let state = self.lock();
        state.changes.is_empty() && !state.is_sending
    }

    /// Nothing if there is nothing to send; then the task is over.
    fn take(&self) -> Option<Changes> {
        let mut state = self.lock();
        state.has_sender = !state.changes.is_empty();
        state.is_sending = state.has_sender;
        state.has_sender.then(|| std::mem::take(&mut state.changes))
    }

    fn sent(&self) {
        self.lock().is_sending = false;
        self.0.emptied.notify_waiters();
    }

    fn put_back(&self, changes: &Changes) {
        self.lock().changes.merge(changes);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that holds the lock can panic half-way through a change.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn send_all(postgres: Postgres, node: NodeId) {
    while let Some(changes) = postgres.outbox.take() {
        let pause = match send(&postgres, node, &changes).await {
            Ok(()) => GATHER,
            // Nobody is left who could send it.
            Err(Error::Closed) => Duration::ZERO,
            Err(error) => {
                tracing::debug!("other servers are not told of changes yet: {error}");
                postgres.outbox.put_back(&changes);
                AGAIN
            }
        };
        postgres.outbox.sent();
        wait(pause).await;
    }
}

/// The commit is not flushed: after a loss of power nobody waits for it.
async fn send(postgres: &Postgres, node: NodeId, changes: &Changes) -> Result<(), Error> {
    const SQL: &str = "select cast(pg_notify($1, $2) as text), set_config('synchronous_commit', 'off', true)";
    let client = postgres.client().await?;
    let text = format!("{} {}", node.0.simple(), changes.to_text());
    let sent = async {
        let statement = client.prepare_cached(SQL).await.map_err(Fault::of(SQL))?;
        client.query(&statement, &[&CHANNEL, &text]).await.map_err(Fault::of(SQL))
    };
    let sent = sent.await;
    postgres.answer(client, sent).map(drop)
}

#[allow(clippy::disallowed_methods, reason = "it is real time that other servers are spared")]
async fn wait(pause: Duration) {
    tokio::time::sleep(pause).await;
}
