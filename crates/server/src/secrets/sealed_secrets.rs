//! The Secrets that are sealed for hosts, all of the brain: what these hosts answer is searched for them whoever asked. Opened once, and
//! again only when a Secret has changed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::access::secret::{SHORTEST_SEALED_BYTES, Secret, check_sealable};
use model::event::EventKind;
use sandbox::egress::{HostRule, SHORTEST_SEALED, SealedSecret, SecretText};
use secrecy::ExposeSecret;

use crate::ctx::Ctx;
use crate::error::Error;
use crate::secrets::opening;

// What may be stored, the proxy takes.
const _: () = assert!(SHORTEST_SEALED_BYTES >= SHORTEST_SEALED);

#[derive(Clone, Default)]
pub(crate) struct SealedSecrets {
    known: Arc<Mutex<Option<Known>>>,
}

/// The last Event that told of a change, and what is sealed since.
#[derive(Clone)]
struct Known {
    changed: u64,
    sealed: Arc<[(SealedSecret, Vec<HostRule>)]>,
}

impl SealedSecrets {
    /// Those that are for a host which may be reached with this grant, whoever may use them.
    pub(crate) async fn for_network(
        &self,
        ctx: &Ctx,
        network: &BTreeSet<String>,
    ) -> Result<Vec<SealedSecret>, Error> {
        let granted: Vec<HostRule> = network.iter().filter_map(|host| HostRule::read(host)).collect();
        if granted.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.current(ctx).await?;
        let reachable =
            |rules: &[HostRule]| rules.iter().any(|rule| granted.iter().any(|it| it.overlaps(rule)));
        let reachable = known.sealed.iter().filter(|(_, rules)| reachable(rules));
        Ok(reachable.map(|(secret, _)| secret.clone()).collect())
    }

    async fn current(&self, ctx: &Ctx) -> Result<Known, Error> {
        let changed = ctx.store.last_event(&EventKind::SecretChanged).await?;
        if let Some(known) = self.lock().as_ref().filter(|known| known.changed == changed) {
            return Ok(known.clone());
        }
        let mut sealed = Vec::new();
        for secret in ctx.store.secrets().await? {
            if !secret.hosts.is_empty()
                && let Some(secret) = open(ctx, &secret.name).await?
            {
                sealed.push(secret);
            }
        }
        let known = Known { changed, sealed: sealed.into() };
        *self.lock() = Some(known.clone());
        Ok(known)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// None for one that the proxy never sends: it was removed meanwhile, is too short, or its hosts are names that cannot be looked up.
async fn open(ctx: &Ctx, name: &str) -> Result<Option<(SealedSecret, Vec<HostRule>)>, Error> {
    let (mut secret, value) = match opening::open_known(ctx, name).await {
        Err(Error::Absent { .. }) => return Ok(None),
        opened => opened?,
    };
    secret.hosts.retain(|host| HostRule::read(host).is_some());
    let rules: Vec<HostRule> = secret.hosts.iter().filter_map(|host| HostRule::read(host)).collect();
    let sealed = seal(secret, value.expose_secret());
    Ok(sealed.ok().filter(|_| !rules.is_empty()).map(|sealed| (sealed, rules)))
}

/// For the proxy; fails if the value is not fit for it, which one that was stored long ago may be.
pub(crate) fn seal(secret: Secret, value: &[u8]) -> Result<SealedSecret, Error> {
    check_sealable(&secret.name, value)?;
    Ok(SealedSecret {
        // The same each time: a Run that is executed again must ask for the same again.
        placeholder: format!("sealed_{}", secret.secret_id.0.simple()),
        value: SecretText::new(String::from_utf8_lossy(value).into_owned()),
        hosts: Vec::from_iter(secret.hosts),
    })
}
