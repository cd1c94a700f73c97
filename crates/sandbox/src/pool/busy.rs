//! How many cells of each warm key are in use. Those that are being made for a waiting caller count too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::pool::lock;
use crate::pool::warm::WarmKey;

#[derive(Default)]
pub(super) struct Busy(Mutex<HashMap<Arc<WarmKey>, usize>>);

/// Counts as one cell of its key until it is dropped. It goes with the cell from job to job.
pub(crate) struct Hold {
    all: Arc<Busy>,
    pub(super) key: Arc<WarmKey>,
}

impl Busy {
    pub(super) fn hold(self: &Arc<Self>, key: &Arc<WarmKey>) -> Hold {
        *lock(&self.0).entry(Arc::clone(key)).or_default() += 1;
        Hold { all: Arc::clone(self), key: Arc::clone(key) }
    }

    /// Nothing where so many are held already.
    pub(super) fn hold_unless_full(self: &Arc<Self>, key: &Arc<WarmKey>, most: usize) -> Option<Hold> {
        let mut held = lock(&self.0);
        let count = held.entry(Arc::clone(key)).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Hold { all: Arc::clone(self), key: Arc::clone(key) })
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = lock(&self.all.0);
        if let Some(count) = held.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::environment::Environment;

    pub(in crate::pool) fn key(name: &str) -> Arc<WarmKey> {
        let environment = Environment {
            id: "bare".to_owned(),
            python: "python3".into(),
            shown: Vec::new(),
            site_packages: Vec::new(),
            preload: Vec::new(),
        };
        Arc::new(WarmKey {
            environment: Arc::new(environment),
            key: name.to_owned(),
            owner: None,
            way_out: false,
        })
    }

    #[test]
    fn each_key_is_counted_apart_and_nothing_is_kept_of_one_that_is_not_held() {
        let (busy, a, b) = (Arc::new(Busy::default()), key("a"), key("b"));
        let first = busy.hold(&a);
        let second = busy.hold_unless_full(&a, 2).unwrap();
        assert!(busy.hold_unless_full(&a, 2).is_none());
        assert!(busy.hold_unless_full(&b, 1).is_some());
        drop(first);
        assert!(busy.hold_unless_full(&a, 2).is_some());
        drop(second);
        assert!(lock(&busy.0).is_empty());
    }
}
