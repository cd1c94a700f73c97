//! What has to be redacted of what someone passes in: the secrets that they may use. All secrets are opened once, and again only
//! when one has changed.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use secrecy::{ExposeSecret, SecretString};

use super::redaction::Redaction;
use crate::ctx::Ctx;
use crate::error::Error;
use crate::secrets::opening;

/// There are about as many sets as there are kinds of tokens.
const MOST_SETS: usize = 1_000;

#[derive(Clone, Default)]
pub(crate) struct Redactions {
    opened: Arc<Mutex<Option<Opened>>>,
}

/// All secrets as they were after an Event.
struct Opened {
    /// The last Event that told of a change.
    changed: u64,
    values: Vec<(String, SecretString)>,
    by_names: HashMap<BTreeSet<String>, Arc<Redaction>>,
}

impl Redactions {
    /// Of the secrets whose names are wanted, where `changed` is the last Event that told of a change of one.
    pub(crate) async fn of(
        &self,
        ctx: &Ctx,
        changed: u64,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Arc<Redaction>, Error> {
        if let Some(opened) = self.lock().as_mut().filter(|opened| opened.changed == changed) {
            return Ok(opened.redaction(is_wanted));
        }
        let mut opened = Opened { changed, values: Vec::new(), by_names: HashMap::new() };
        for secret in ctx.store.secrets().await? {
            let value = opening::open(ctx, &secret.name).await?;
            let value = String::from_utf8_lossy(value.expose_secret()).into_owned();
            opened.values.push((secret.name, value.into()));
        }
        let redaction = opened.redaction(is_wanted);
        *self.lock() = Some(opened);
        Ok(redaction)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Opened>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opened {
    fn redaction(&mut self, is_wanted: impl Fn(&str) -> bool) -> Arc<Redaction> {
        let names = self.values.iter().map(|(name, _)| name);
        let names: BTreeSet<String> = names.filter(|name| is_wanted(name)).cloned().collect();
        if let Some(redaction) = self.by_names.get(&names) {
            return Arc::clone(redaction);
        }
        let wanted = self.values.iter().filter(|(name, _)| names.contains(name));
        let redaction = Redaction::of(wanted.map(|(name, value)| (name.as_str(), value.expose_secret())));
        let redaction = Arc::new(redaction);
        if self.by_names.len() >= MOST_SETS {
            self.by_names.clear();
        }
        self.by_names.insert(names, Arc::clone(&redaction));
        redaction
    }
}
