//! A brain as a folder of files for git: Functions as Python files, everything else as JSON, without secrets, tokens and
//! runs.

use std::collections::{BTreeMap, HashSet};

use model::access::Access;
use model::access::scope::Scope;
use model::access::verb::Verb;
use model::changeset::document;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::name::EntryName;
use model::revision::Revision;
use model::version::{Version, VersionNumber};
use serde_json::json;
use store::EntryPage;

use super::changesets::drafts::{Expected, Intent, Proposal};
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

/// A brain as files.
#[derive(Debug, Default)]
pub struct Folder {
    pub files: Vec<TextFile>,
    /// Which Version each file is of.
    pub versions: BTreeMap<String, VersionNumber>,
}

/// What to do with the files of a folder.
#[derive(Debug, Default)]
pub struct Import {
    pub files: Vec<TextFile>,
    /// Whether entries without a file are deleted.
    pub prune: bool,
    /// Paths of entries that are deleted.
    pub removed: Vec<String>,
    /// Which Version of an entry, by its path, has to be live; none if it has to be absent.
    pub expected: BTreeMap<String, Option<VersionNumber>>,
    pub breakage: Breakage,
}

/// The files of a brain, now or as of a revision.
pub async fn export(ctx: &Ctx, access: &Access, at: Option<Revision>) -> Result<Folder, Error> {
    access.may_touch_all(Verb::ExportBrain)?;
    let mark = format!("{:#}\n", json!({ "format": FORMAT }));
    let mut folder = Folder::default();
    folder.files.push(TextFile { path: MARK.to_owned(), bytes: mark.into_bytes() });
    for kind in EntryKind::ALL {
        let mut after = None;
        loop {
            let page = EntryPage { kind, pack: None, after: after.take(), limit: PAGE, scope: Scope::All };
            let entries = functions::list(ctx, access, page, at).await?;
            let Some(last) = entries.last() else { break };
            after = Some(last.key.name.to_string());
            for entry in &entries {
                let which = Which::Number(entry.version);
                let file = file_of(&functions::version(ctx, access, &entry.key, which).await?);
                folder.versions.insert(file.path.clone(), entry.version);
                folder.files.push(file);
            }
        }
    }
    Ok(folder)
}

fn file_of(version: &Version) -> TextFile {
    let key = &version.head.key;
    TextFile { path: document::path(key), bytes: document::text(&version.content).into_bytes() }
}

/// Brings the brain to what the files say, as one Changeset. What the files do not have stays, unless it is removed.
pub async fn import(ctx: &Ctx, access: &Access, import: &Import) -> Result<Applied, Error> {
    access.may_touch_all(Verb::ApplyChangeset)?;
    check_mark(&import.files)?;
    let mut intents = Vec::new();
    let mut present = HashSet::new();
    for file in import.files.iter().filter(|file| file.path != MARK) {
        let Some(key) = key_of(&file.path)? else { continue };
        intents.push(intent(&key, file)?);
        present.insert(key);
    }
    for path in &import.removed {
        let key = entry_at(path)?;
        intents.push(Intent::Delete(key.clone()));
        present.insert(key);
    }
    let expected = expected(import, &present)?;
    if import.prune {
        for kind in EntryKind::ALL {
            let names = ctx.store.entry_names(kind, &Scope::All).await?.into_iter();
            let keys =
                names.filter_map(|name| EntryName::new(&name).ok()).map(|name| EntryKey::new(kind, name));
            intents.extend(keys.filter(|key| !present.contains(key)).map(Intent::Delete));
        }
    }
    let proposal =
        Proposal { breakage: import.breakage, expected, ..Proposal::of("import a brain folder", intents) };
    register(ctx, access, &proposal).await
}

/// Only what is changed is looked at, so nothing else can be expected.
fn expected(import: &Import, changed: &HashSet<EntryKey>) -> Result<Vec<(EntryKey, Expected)>, Error> {
    let mut expected = Vec::new();
    for (path, version) in &import.expected {
        let key = entry_at(path)?;
        if !changed.contains(&key) {
            return Err(Error::Input {
                problem: format!(
                    "a version of `{path}` is expected, but it is neither among the files nor removed"
                ),
                hint: "expect versions of what is changed".to_owned(),
            });
        }
        expected.push((key, version.map_or(Expected::Absent, Expected::Version)));
    }
    Ok(expected)
}

/// The entry of a path that has to be of one.
fn entry_at(path: &str) -> Result<EntryKey, Error> {
    key_of(path)?.ok_or_else(|| Error::Input {
        problem: format!("`{path}` is not the path of an entry"),
        hint: "write it as in an exported folder, such as `functions/text/slugify.py` or `graphs/news.json`"
            .to_owned(),
    })
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
