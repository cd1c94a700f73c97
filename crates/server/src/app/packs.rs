//! Packs: decorated functions of a file or a folder, read without running them and loaded as one Changeset.

use std::collections::{BTreeMap, HashMap, HashSet};

use model::access::Access;
use model::access::scope::Scope;
use model::access::verb::Verb;
use model::changeset::check::Finding;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::ids::PackId;
use model::name::EntryName;
use model::pack::{Pack, Widened};
use model::python::{Notice, PackFile, PackFunction, SourceError, decode, read_pack};
use model::trigger::TriggerContent;
use serde::{Deserialize, Serialize};
use store::Question;

use super::changesets::drafts::{Intent, Proposal};
use super::changesets::{Applied, Breakage, register};
use super::functions::decorated_intent;
use crate::ctx::Ctx;
use crate::error::{Error, PackProblem};

/// A file as the door read it.
#[derive(Clone, Debug)]
pub struct TextFile {
    /// Relative to what was loaded, with forward slashes.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// What shall be loaded, and how.
#[derive(Clone, Debug)]
pub struct Load {
    pub name: String,
    pub origin: String,
    pub files: Vec<TextFile>,
    /// What is put before each name, such as `airtable.`.
    pub prefix: String,
    /// Whether functions of that name that are there already may be changed.
    pub replace: bool,
    pub breakage: Breakage,
}

/// The result of loading a Pack.
#[derive(Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Loaded {
    pub pack: String,
    pub applied: Applied,
    /// Functions that did not change.
    pub unchanged: u64,
    /// Files and functions that were not loaded.
    pub refused: Vec<Refusal>,
    /// Functions in the files without a decorator.
    pub skipped: Vec<Skipped>,
    /// Functions of an earlier load that are not in this one; they are still live.
    pub left_over: Vec<EntryName>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Refusal {
    pub file: String,
    pub message: String,
    pub hint: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Skipped {
    pub file: String,
    #[serde(flatten)]
    pub notice: Notice,
}

impl Loaded {
    pub fn warnings(&self) -> &[Finding] {
        &self.applied.warnings
    }

    pub fn widened(&self) -> &[Widened] {
        &self.applied.widened
    }
}

pub async fn list(ctx: &Ctx, access: &Access) -> Result<Vec<Pack>, Error> {
    access.may_touch_all(Verb::ReadPacks)?;
    Ok(ctx.store.packs(access.only()).await?)
}

/// The Pack of a name.
pub async fn find(ctx: &Ctx, access: &Access, name: &str) -> Result<Pack, Error> {
    access.may_touch_all(Verb::ReadPacks)?;
    ctx.store.pack(name).await?.ok_or_else(|| Error::Absent { noun: "pack", name: name.to_owned() })
}

pub async fn load(ctx: &Ctx, access: &Access, load: Load) -> Result<Loaded, Error> {
    access.may_touch_all(Verb::ApplyChangeset)?;
    let mut read = Reading::default();
    let only_file = load.files.len() == 1;
    for file in &load.files {
        match parse(file) {
            Ok(functions) => read.take(file, functions, &load.prefix)?,
            Err(source) if only_file => return Err(Error::Source { file: file.path.clone(), source }),
            Err(source) => read.refuse(file, &source),
        }
    }
    if read.functions.is_empty() {
        return Err(nothing_loaded(load.name, read));
    }
    let old = ctx.store.pack(&load.name).await?;
    if !load.replace {
        let names = read.functions.keys().cloned().map(EntryKey::function).collect();
        refuse_owned(ctx, &load.name, old.as_ref().map(|pack| pack.pack_id), names).await?;
    }
    let gone = gone(ctx, old.as_ref(), &read).await?;

    let functions = read.functions.len() as u64;
    let proposal = Proposal {
        title: format!("load pack {}", load.name),
        pack: Some(Pack {
            pack_id: old.map_or_else(|| ctx.ids.pack(), |pack| pack.pack_id),
            name: load.name.clone(),
            origin: load.origin,
            prefix: load.prefix,
            loaded_at: ctx.clock.now(),
            live_entries: 0,
        }),
        intents: read.intents(&gone.triggers)?,
        aliases: read.aliases,
        breakage: load.breakage,
        ..Proposal::default()
    };
    let applied = register(ctx, access, &proposal).await?;
    let moved = applied.moves.iter().filter(|moved| moved.key.kind == EntryKind::Function).count() as u64;
    Ok(Loaded {
        pack: load.name,
        unchanged: functions.saturating_sub(moved),
        applied,
        refused: read.refused,
        skipped: read.skipped,
        left_over: gone.functions,
    })
}

/// What the files say.
#[derive(Default)]
struct Reading {
    /// By full name, with the file each is from.
    functions: BTreeMap<EntryName, (String, PackFunction)>,
    /// From the name in the source to the full name, where a prefix makes them differ.
    aliases: HashMap<String, String>,
    refused: Vec<Refusal>,
    skipped: Vec<Skipped>,
}

fn parse(file: &TextFile) -> Result<PackFile, SourceError> {
    read_pack(decode(&file.bytes)?)
}

impl Reading {
    fn take(&mut self, file: &TextFile, pack: PackFile, prefix: &str) -> Result<(), Error> {
        let skipped = |notice: &Notice| Skipped { file: file.path.clone(), notice: notice.clone() };
        self.skipped.extend(pack.skipped.iter().map(skipped));
        for function in pack.functions {
            let name = EntryName::new(&format!("{prefix}{}", function.name))?;
            if let Some((first, _)) = self.functions.get(&name) {
                self.refused.push(Refusal {
                    file: file.path.clone(),
                    message: format!("`{name}` is already defined in `{first}`"),
                    hint: Some(format!(
                        "rename one of them, or load `{}` alone with `--as PREFIX.`",
                        file.path
                    )),
                });
                continue;
            }
            if !prefix.is_empty() {
                self.aliases.insert(function.name.clone(), name.to_string());
            }
            self.functions.insert(name, (file.path.clone(), function));
        }
        Ok(())
    }

    fn refuse(&mut self, file: &TextFile, source: &SourceError) {
        self.refused.push(Refusal {
            file: file.path.clone(),
            message: source.to_string(),
            hint: source.hint.clone(),
        });
    }

    fn intents(&self, gone: &[EntryKey]) -> Result<Vec<Intent>, Error> {
        let mut intents: Vec<Intent> = gone.iter().cloned().map(Intent::Delete).collect();
        for (name, (file, function)) in &self.functions {
            for (trigger, content) in self.triggers(name, function)? {
                intents.push(Intent::Put(trigger, content));
            }
            intents.push(decorated_intent(function.clone(), Some(name.clone()), file));
        }
        Ok(intents)
    }

    /// BabyAGI declares triggers on the function that is started; with us they are entries of their own.
    fn triggers(
        &self,
        name: &EntryName,
        function: &PackFunction,
    ) -> Result<Vec<(EntryName, Content)>, Error> {
        let mut triggers = Vec::new();
        for upstream in function.declared.triggers.iter().flatten() {
            let upstream = self.aliases.get(upstream).unwrap_or(upstream);
            let content = Content::Trigger(TriggerContent::after(upstream, name.clone()));
            triggers.push((TriggerContent::name_after(upstream, name)?, content));
        }
        Ok(triggers)
    }

    fn keys(&self) -> Result<HashSet<EntryKey>, Error> {
        let mut keys: HashSet<EntryKey> = self.functions.keys().cloned().map(EntryKey::function).collect();
        for (name, (_, function)) in &self.functions {
            let triggers = self.triggers(name, function)?.into_iter();
            keys.extend(triggers.map(|(name, _)| EntryKey::new(EntryKind::Trigger, name)));
        }
        Ok(keys)
    }
}

fn nothing_loaded(pack: String, read: Reading) -> Error {
    match read.refused.into_iter().next() {
        Some(first) => Error::Input {
            problem: format!("`{}`: {}", first.file, first.message),
            hint: first.hint.unwrap_or_else(|| "it contains no other function".to_owned()),
        },
        None => Error::Pack { pack, problem: PackProblem::Empty },
    }
}

/// A name that belongs to someone else is not taken from them.
pub(super) async fn refuse_owned(
    ctx: &Ctx,
    pack: &str,
    own: Option<PackId>,
    entries: Vec<EntryKey>,
) -> Result<(), Error> {
    let snapshot = ctx.store.snapshot(&Question { entries, referrers_of: Vec::new() }).await?;
    let mut taken: Vec<_> = snapshot
        .entries
        .iter()
        .filter(|(_, state)| state.live.is_some() && (state.pack.is_none() || state.pack != own))
        .collect();
    taken.sort_by(|a, b| a.0.cmp(b.0));
    let Some((key, state)) = taken.first() else { return Ok(()) };
    let packs = ctx.store.packs(&Scope::All).await?;
    let owner = match packs.iter().find(|pack| Some(pack.pack_id) == state.pack) {
        Some(owner) => format!("pack `{}`", owner.name),
        None => "hand".to_owned(),
    };
    let problem = PackProblem::Collision { name: key.name.to_string(), owner };
    Err(Error::Pack { pack: pack.to_owned(), problem })
}

#[derive(Default)]
struct Gone {
    triggers: Vec<EntryKey>,
    functions: Vec<EntryName>,
}

/// What an earlier load brought and this one has no more. A trigger is part of its function's declaration and goes;
/// a function others may have come to use stays until someone removes it.
async fn gone(ctx: &Ctx, old: Option<&Pack>, read: &Reading) -> Result<Gone, Error> {
    let mut gone = Gone::default();
    let Some(old) = old else { return Ok(gone) };
    let present = read.keys()?;
    for key in ctx.store.pack_entries(old.pack_id).await? {
        match key.kind {
            _ if present.contains(&key) => {}
            EntryKind::Trigger => gone.triggers.push(key),
            EntryKind::Function => gone.functions.push(key.name),
            EntryKind::Graph | EntryKind::Schedule => {}
        }
    }
    Ok(gone)
}
