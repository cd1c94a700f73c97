//! Imports a brain of BabyAGI's functionz: functions with all their versions, dependencies, imports and triggers as one
//! Changeset; its log as Runs and Calls; its keys as Secrets. Importing it again changes nothing.

pub(crate) mod history;
pub(crate) mod logs;

use std::path::Path;

use model::access::Access;
use model::access::secret::check_secret;
use model::access::verb::Verb;
use model::changeset::{Change, Live};
use model::pack::Pack;
use secrecy::{ExposeSecret, SecretBox, SecretString};
use serde::Serialize;
use serde_json::Value;
use store::Question;
use store::babyagi::{BabyagiBrain, BabyagiError, OldSecret};

use super::changesets::drafts::{Intent, Proposal};
use super::changesets::{Applied, register};
use super::packs::refuse_owned;
use super::secrets;
use crate::blocking::blocking;
use crate::ctx::Ctx;
use crate::error::Error;
use crate::secrets::opening;

/// What was imported, and what was not.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Imported {
    pub applied: Applied,
    pub functions: usize,
    pub versions: usize,
    pub triggers: usize,
    pub runs: usize,
    pub calls: usize,
    pub secrets: usize,
    /// What could not be taken over as it was, in words.
    pub notes: Vec<String>,
}

/// What happens to the brain's encrypted keys.
#[derive(Debug)]
pub enum Keys {
    /// They are opened with this Fernet key and sealed with ours.
    Open(SecretString),
    /// They stay behind.
    Leave,
    /// Nothing was said: an error if there are any.
    Unsaid,
}

/// Everything is read, decrypted and understood before anything is written.
pub async fn import(ctx: &Ctx, access: &Access, file: &Path, keys: &Keys) -> Result<Imported, Error> {
    access.may_touch_all(Verb::ManageSecrets)?;
    let old = read(file).await?;
    let opened = open_secrets(&old.secrets, keys)?;
    let mut notes = Vec::new();
    let (mut functions, widened) = history::changes(&old, &mut notes);
    let triggers = history::triggers(&old, &functions);

    let name = "babyagi".to_owned();
    let pack = ctx.store.pack(&name).await?;
    let names = functions.iter().map(|change| change.key.clone()).collect();
    refuse_owned(ctx, &name, pack.as_ref().map(|pack| pack.pack_id), names).await?;
    keep_live(ctx, &mut functions).await?;
    let versions = functions.iter().map(|change| change.adds.len()).sum();
    let intents = functions.iter().cloned().map(Intent::Ready);
    let intents = intents.chain(triggers.iter().cloned().map(|(name, content)| Intent::Put(name, content)));
    let proposal = Proposal {
        intents: intents.collect(),
        pack: Some(Pack {
            pack_id: pack.map_or_else(|| ctx.ids.pack(), |pack| pack.pack_id),
            name,
            origin: file.display().to_string(),
            prefix: String::new(),
            loaded_at: ctx.clock.now(),
            live_entries: 0,
        }),
        ..Proposal::of("import a BabyAGI brain", Vec::new())
    };
    if !opened.is_empty() {
        secrets::check_key(ctx).await?;
    }
    let applied = Applied { widened, ..register(ctx, access, &proposal).await? };
    let (runs, calls) = logs::record(ctx, access, &old.logs, &opened, &mut notes).await?;
    let secrets = seal_secrets(ctx, access, &opened, &mut notes).await?;
    Ok(Imported {
        applied,
        functions: functions.len(),
        versions,
        triggers: triggers.len(),
        runs,
        calls,
        secrets,
        notes,
    })
}

/// What someone made live here stays live: importing again brings what is new, and takes no edit back.
async fn keep_live(ctx: &Ctx, functions: &mut [Change]) -> Result<(), Error> {
    let entries = functions.iter().map(|change| change.key.clone()).collect();
    let snapshot = ctx.store.snapshot(&Question { entries, referrers_of: Vec::new() }).await?;
    for change in functions {
        let Some(state) = snapshot.entries.get(&change.key) else { continue };
        let live = state.live.and_then(|number| state.version(number));
        let edited = live.filter(|live| change.adds.iter().all(|add| add.snapshot.hash != live.content_hash));
        if let Some(edited) = edited {
            change.live = Live::Existing(edited.number);
        }
    }
    Ok(())
}

async fn read(file: &Path) -> Result<BabyagiBrain, Error> {
    let path = file.to_owned();
    let read = blocking(move || store::babyagi::read(&path)).await;
    read.map_err(|source: BabyagiError| Error::Babyagi { source })
}

type Opened = Vec<(String, SecretBox<Vec<u8>>)>;

fn open_secrets(sealed: &[OldSecret], keys: &Keys) -> Result<Opened, Error> {
    let key = match keys {
        Keys::Open(key) if !sealed.is_empty() => key,
        Keys::Unsaid if !sealed.is_empty() => {
            return Err(Error::Input {
                problem: format!(
                    "the brain has encrypted keys ({}), but no key to decrypt them was given",
                    sealed.len()
                ),
                hint: "name its key file with `--key encryption_key.json`, or skip its keys with `--no-keys`"
                    .to_owned(),
            });
        }
        _ => return Ok(Vec::new()),
    };
    let wrong = || Error::Input {
        problem: "the given key does not decrypt the brain's encrypted keys".to_owned(),
        hint: "give the `encryption_key.json` that belongs to this database; nothing was imported".to_owned(),
    };
    let fernet = fernet::Fernet::new(key.expose_secret()).ok_or_else(wrong)?;
    let open = |secret: &OldSecret| {
        let token = std::str::from_utf8(&secret.encrypted).map_err(|_| wrong())?;
        let value = fernet.decrypt(token).map_err(|_| wrong())?;
        Ok((secret.name.clone(), SecretBox::new(Box::new(value))))
    };
    sealed.iter().map(open).collect()
}

/// Seals the keys that are not here yet, and answers how many of them are here now.
async fn seal_secrets(
    ctx: &Ctx,
    access: &Access,
    opened: &Opened,
    notes: &mut Vec<String>,
) -> Result<usize, Error> {
    let mut sealed = 0;
    for (name, value) in opened {
        if let Err(error) = check_secret(name, value.expose_secret()) {
            notes.push(format!("key `{name}` was not imported: {error}"));
            continue;
        }
        match opening::open(ctx, name).await {
            Ok(ours) if ours.expose_secret() == value.expose_secret() => {}
            Ok(_) => {
                notes.push(format!(
                    "key `{name}` was not imported: there is already a secret with that name and another value"
                ));
                continue;
            }
            Err(Error::Absent { .. }) => secrets::set(ctx, access, name, value).await?,
            Err(error) => return Err(error),
        }
        sealed += 1;
    }
    Ok(sealed)
}

/// The key in an `encryption_key.json`, or the bare key itself.
pub fn key_of_file(text: &str) -> Option<SecretString> {
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    let key = match &parsed {
        Some(Value::Object(map)) => map.values().find_map(Value::as_str)?,
        Some(Value::String(key)) => key,
        _ => text.trim(),
    };
    Some(key.into())
}
