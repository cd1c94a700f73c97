//! What has to be struck out at the moment: all secrets of the brain, opened once and again only when one has changed.

use std::sync::{Arc, Mutex, PoisonError};

use model::event::EventKind;
use secrecy::ExposeSecret;

use crate::app::error::Error;
use crate::app::secrets;
use crate::ctx::Ctx;
use crate::redaction::Redaction;

/// The last Event that told of a change, and what has to be struck out since.
type Kept = (u64, Arc<Redaction>);

#[derive(Clone, Default)]
pub(crate) struct Redactions {
    kept: Arc<Mutex<Option<Kept>>>,
}

impl Redactions {
    pub(crate) async fn current(&self, ctx: &Ctx) -> Result<Arc<Redaction>, Error> {
        let changed = ctx.store.last_event(&EventKind::SecretChanged).await?;
        if let Some((known, redaction)) = self.lock().as_ref()
            && *known == changed
        {
            return Ok(Arc::clone(redaction));
        }
        let mut values = Vec::new();
        for secret in ctx.store.secrets().await? {
            let value = secrets::open(ctx, &secret.name).await?;
            values.push((secret.name, String::from_utf8_lossy(value.expose_secret()).into_owned()));
        }
        let redaction = values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let redaction = Arc::new(Redaction::of(redaction));
        *self.lock() = Some((changed, Arc::clone(&redaction)));
        Ok(redaction)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Kept>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
