//! Tells what batches changed, after they were committed: whoever has asked in this process, and other processes by way of the
//! database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use model::ids::NodeId;

use crate::changes::Changes;
use crate::{Error, Store};

type OnChange = Box<dyn Fn(&Changes) + Send + Sync>;

/// Shared by all who use one database.
#[derive(Clone, Default)]
pub(crate) struct Announcer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    listener: OnceLock<Listener>,
    receives_notifications: AtomicBool,
}

struct Listener {
    node: NodeId,
    on_change: OnChange,
}

impl Announcer {
    /// As whom others know this process; nothing if nobody has asked to hear.
    pub(super) fn node(&self) -> Option<NodeId> {
        self.0.listener.get().map(|listener| listener.node)
    }

    pub(super) fn notify(&self, changes: &Changes) {
        if let Some(listener) = self.0.listener.get().filter(|_| !changes.is_empty()) {
            (listener.on_change)(changes);
        }
    }

    pub(super) fn set_receives_notifications(&self, receives: bool) {
        self.0.receives_notifications.store(receives, Ordering::Relaxed);
    }
}

/// Whether a batch that ended like this may have changed something.
pub(super) fn may_be_committed<T>(written: &Result<T, Error>) -> bool {
    matches!(written, Ok(_) | Err(Error::ConnectionLost { .. }))
}

/// A batch that is handed over. Whoever goes away before hearing what became of it leaves the changes told: once too often rather
/// than not at all.
pub(super) struct HandedOver {
    announcer: Announcer,
    changes: Option<Changes>,
}

impl HandedOver {
    pub(super) fn new(announcer: &Announcer, changes: Changes) -> HandedOver {
        HandedOver { announcer: announcer.clone(), changes: Some(changes) }
    }

    pub(super) fn done<T>(mut self, written: &Result<T, Error>) {
        if !may_be_committed(written) {
            self.changes = None;
        }
    }
}

impl Drop for HandedOver {
    fn drop(&mut self) {
        if let Some(changes) = &self.changes {
            self.announcer.notify(changes);
        }
    }
}

impl Store {
    /// From now on `on_change` gets what batches of this store have changed, and while [`Store::listen`] runs, what those of other
    /// processes have. `node` is what others know this process by. Only the first who asks is told.
    pub fn on_change(&self, node: NodeId, on_change: impl Fn(&Changes) + Send + Sync + 'static) {
        let listener = Listener { node, on_change: Box::new(on_change) };
        // Whoever shares the store shares who is told.
        let _ = self.db.announcer.0.listener.set(listener);
    }

    /// Hears what other processes change for as long as it is polled. Where they cannot be heard it returns at once.
    pub async fn listen(&self) {
        self.db.listen().await;
    }

    /// Whether what other processes change is heard now.
    pub fn receives_notifications(&self) -> bool {
        self.db.announcer.0.receives_notifications.load(Ordering::Relaxed)
    }
}
