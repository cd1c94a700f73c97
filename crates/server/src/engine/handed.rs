//! The Secrets that a cell is handed: values, and for those that are sealed for hosts, placeholders whose values the proxy puts in.

use std::collections::BTreeMap;

use model::secret::Secret;
use sandbox::egress::{SealedSecret, SecretText};
use secrecy::ExposeSecret;

use super::prepared::Prepared;
use crate::app::error::Error;
use crate::app::secrets;
use crate::ctx::Ctx;

#[derive(Default)]
pub(crate) struct Handed {
    /// What the code reads, by name.
    pub(crate) texts: BTreeMap<String, String>,
    /// What the placeholders among them stand for.
    pub(crate) sealed: Vec<SealedSecret>,
}

impl Handed {
    /// All that a Function is granted.
    pub(crate) async fn open(ctx: &Ctx, prepared: &Prepared) -> Result<Handed, Error> {
        let mut handed = Handed::default();
        for name in &prepared.content().grants.secrets {
            let (secret, value) = secrets::open_known(ctx, name).await?;
            handed.add(secret, String::from_utf8_lossy(value.expose_secret()).into_owned());
        }
        Ok(handed)
    }

    /// For a trial: for each a stand-in that tells the name.
    pub(crate) fn stand_ins(prepared: &Prepared) -> Handed {
        let names = prepared.content().grants.secrets.iter();
        let texts = names.map(|name| (name.clone(), format!("secret-{name}"))).collect();
        Handed { texts, sealed: Vec::new() }
    }

    fn add(&mut self, secret: Secret, value: String) {
        if secret.hosts.is_empty() {
            self.texts.insert(secret.name, value);
            return;
        }
        // The same each time: a Run that is executed again must ask for the same again.
        let placeholder = format!("sealed_{}", secret.secret_id.0.simple());
        self.texts.insert(secret.name, placeholder.clone());
        let hosts = Vec::from_iter(secret.hosts);
        self.sealed.push(SealedSecret { placeholder, value: SecretText::new(value), hosts });
    }
}
