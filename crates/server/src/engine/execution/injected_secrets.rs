//! The Secrets that a cell gets: values, and, for those that are sealed for hosts, placeholders whose values the proxy
//! inserts.

use std::collections::BTreeMap;

use model::access::secret::Secret;
use sandbox::egress::SealedSecret;
use secrecy::ExposeSecret;

use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::PreparedFunction;
use crate::secrets::opening;
use crate::secrets::redaction::{self, Redaction};
use crate::secrets::sealed_secrets::seal;

#[derive(Default)]
pub(crate) struct InjectedSecrets {
    /// What the code reads, by name.
    pub(crate) texts: BTreeMap<String, String>,
    /// What the placeholders among them stand for.
    pub(crate) sealed: Vec<SealedSecret>,
    /// What hosts that the code may reach could show it, though it was handed to others.
    pub(crate) elsewhere: Vec<SealedSecret>,
}

impl InjectedSecrets {
    /// All that a Function is granted.
    pub(crate) async fn open(ctx: &Ctx, function: &PreparedFunction) -> Result<InjectedSecrets, Error> {
        let grants = &function.content.grants;
        let elsewhere = ctx.sealed_secrets.for_network(ctx, &grants.network).await?;
        let mut handed = InjectedSecrets { elsewhere, ..InjectedSecrets::default() };
        for name in &grants.secrets {
            let (secret, value) = opening::open_known(ctx, name).await?;
            handed.add(secret, value.expose_secret())?;
        }
        Ok(handed)
    }

    /// For a trial: for each a stand-in that tells the name.
    pub(crate) fn stand_ins(function: &PreparedFunction) -> InjectedSecrets {
        let names = function.content.grants.secrets.iter();
        let texts = names.map(|name| (name.clone(), format!("secret-{name}"))).collect();
        InjectedSecrets { texts, ..InjectedSecrets::default() }
    }

    /// For a replay: for each what the record has in its place, so that what was redacted then reads the same now.
    pub(crate) fn redacted(function: &PreparedFunction) -> InjectedSecrets {
        let names = function.content.grants.secrets.iter();
        let texts = names.map(|name| (name.clone(), redaction::in_place_of(name))).collect();
        InjectedSecrets { texts, ..InjectedSecrets::default() }
    }

    /// Redacts the values that the code reads. A sealed one is not in the cell, and the proxy redacts it in what comes back.
    pub(crate) fn redaction(&self) -> Redaction {
        let is_sealed = |text: &str| self.sealed.iter().any(|sealed| sealed.placeholder == text);
        let values = self.texts.iter().filter(|(_, text)| !is_sealed(text));
        Redaction::of(values.map(|(name, text)| (name.as_str(), text.as_str())))
    }

    fn add(&mut self, secret: Secret, value: &[u8]) -> Result<(), Error> {
        let name = secret.name.clone();
        if secret.hosts.is_empty() {
            self.texts.insert(name, String::from_utf8_lossy(value).into_owned());
            return Ok(());
        }
        let sealed = seal(secret, value)?;
        self.texts.insert(name, sealed.placeholder.clone());
        self.sealed.push(sealed);
        Ok(())
    }
}
