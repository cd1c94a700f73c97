//! A brain as a folder of files for git: Functions as Python files, everything else as JSON, without secrets, tokens and
//! runs.

use std::collections::HashSet;

use model::access::Access;
use model::access::scope::Scope;
use model::access::verb::Verb;
use model::changeset::document;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::name::EntryName;
use model::revision::Revision;
use model::version::Version;
use serde_json::json;
use store::EntryPage;

use super::changesets::drafts::{Intent, Proposal};
use super::changesets::{Applied, Breakage, register};
use super::functions::{self, Which, read_function};
use super::packs::TextFile;
use crate::ctx::Ctx;
use crate::error::Error;

/// Says that a folder is a brain, and in which form.
pub const MARK: &str = "brain.json";

/// Raised when an older selfmade could no longer read the folder.
const FORMAT: u64 = 1;

const PAGE: u32 = 500;

/// The files of a brain, now or as of a revision.
pub async fn export(ctx: &Ctx, access: &Access, at: Option<Revision>) -> Result<Vec<TextFile>, Error> {
    access.may_touch_all(Verb::ExportBrain)?;
    let mark = format!("{:#}\n", json!({ "format": FORMAT }));
    let mut files = vec![TextFile { path: MARK.to_owned(), bytes: mark.into_bytes() }];
    for kind in EntryKind::ALL {
        let mut after = None;
        loop {
            let page = EntryPage { kind, pack: None, after: after.take(), limit: PAGE, scope: Scope::All };
            let entries = functions::list(ctx, access, page, at).await?;
            let Some(last) = entries.last() else { break };
            after = Some(last.key.name.to_string());
            for entry in &entries {
                let which = Which::Number(entry.version);
                files.push(file_of(&functions::version(ctx, access, &entry.key, which).await?));
            }
        }
    }
    Ok(files)
}

fn file_of(version: &Version) -> TextFile {
    let key = &version.head.key;
    TextFile { path: document::path(key), bytes: document::text(&version.content).into_bytes() }
}

/// Brings the brain to what the files say, as one Changeset. What the files do not have stays, unless `prune`.
pub async fn import(
    ctx: &Ctx,
    access: &Access,
    files: &[TextFile],
    prune: bool,
    breakage: Breakage,
) -> Result<Applied, Error> {
    access.may_touch_all(Verb::ApplyChangeset)?;
    check_mark(files)?;
    let mut intents = Vec::new();
    let mut present = HashSet::new();
    for file in files.iter().filter(|file| file.path != MARK) {
        let Some(key) = key_of(&file.path)? else { continue };
        intents.push(intent(&key, file)?);
        present.insert(key);
    }
    if prune {
        for kind in EntryKind::ALL {
            let names = ctx.store.entry_names(kind, &Scope::All).await?.into_iter();
            let keys =
                names.filter_map(|name| EntryName::new(&name).ok()).map(|name| EntryKey::new(kind, name));
            intents.extend(keys.filter(|key| !present.contains(key)).map(Intent::Delete));
        }
    }
    let proposal = Proposal { breakage, ..Proposal::of("import a brain folder", intents) };
    register(ctx, access, &proposal).await
}

fn check_mark(files: &[TextFile]) -> Result<(), Error> {
    let bad = |problem: String| {
        Error::Input {
        problem,
        hint: "name a folder that `selfmade export` wrote; a folder of decorated Python is loaded with `selfmade pack load`".to_owned(),
    }
    };
    let mark = files.iter().find(|file| file.path == MARK);
    let mark =
        mark.ok_or_else(|| bad(format!("the folder has no `{MARK}`, so it is not an exported brain")))?;
    let format = serde_json::from_slice::<serde_json::Value>(&mark.bytes).ok();
    match format.as_ref().and_then(|mark| mark["format"].as_u64()) {
        Some(FORMAT) => Ok(()),
        Some(other) => Err(Error::Input {
            problem: format!("the folder has format {other}, but this selfmade reads format {FORMAT}"),
            hint: "use a newer selfmade".to_owned(),
        }),
        None => Err(bad(format!("`{MARK}` does not state the format of the folder"))),
    }
}

/// Which entry a path is of; none for files that are no entries, such as a README.
fn key_of(path: &str) -> Result<Option<EntryKey>, Error> {
    let Some((folder, rest)) = path.split_once('/') else { return Ok(None) };
    let Some(kind) = EntryKind::ALL.into_iter().find(|kind| format!("{kind}s") == folder) else {
        return Ok(None);
    };
    let ending = if kind == EntryKind::Function { ".py" } else { ".json" };
    match rest.strip_suffix(ending) {
        Some(stem) => Ok(Some(EntryKey::new(kind, EntryName::new(&stem.replace('/', "."))?))),
        None => Ok(None),
    }
}

fn intent(key: &EntryKey, file: &TextFile) -> Result<Intent, Error> {
    if key.kind == EntryKind::Function {
        let text = model::python::decode(&file.bytes)
            .map_err(|source| Error::Source { file: file.path.clone(), source })?;
        return read_function(text, &file.path, Some(&key.name));
    }
    let bad = |problem: String| Error::Input {
        problem: format!("`{}`: {problem}", file.path),
        hint: "correct the file, or export the entry again".to_owned(),
    };
    let content: Content = serde_json::from_slice(&file.bytes).map_err(|error| bad(error.to_string()))?;
    if content.kind() == key.kind {
        Ok(Intent::Put(key.name.clone(), content))
    } else {
        Err(bad(format!("it holds a {}, not a {}", content.kind(), key.kind)))
    }
}
