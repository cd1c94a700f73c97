//! All indexes of a brain: one of all names, and one for each scope that is searched.
//!
//! Scores, orders and guesses at misspelt words are counted over an index. What a scope is answered must depend on nothing
//! outside of it, so each has an index of its own. Those searched last are kept, the others are made again when needed.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use model::access::scope::Scope;
use sha2::{Digest, Sha256};

use super::{Error, SearchIndex};

/// So many scopes keep their index: more than a brain has narrow tokens that search, as a rule.
pub(super) const MOST_SCOPES: usize = 16;

/// The folder of the scopes, in that of the index of all names.
const SCOPES: &str = "scopes";

pub struct SearchIndexes {
    folder: PathBuf,
    all: Arc<IndexSlot>,
    /// Those of scopes, the one used last at the end. Nothing before the first is asked for.
    scopes: Mutex<Option<Vec<Arc<IndexSlot>>>>,
}

/// Where an index is, and the index itself once it was needed. It stays on disk as long as someone holds this.
pub struct IndexSlot {
    pub folder: PathBuf,
    /// Held by whoever opens it or brings it up to date.
    pub open: tokio::sync::Mutex<Option<Arc<SearchIndex>>>,
    /// Whether what is there is to be made again.
    pub is_stale: AtomicBool,
}

impl SearchIndexes {
    pub fn new(folder: PathBuf) -> SearchIndexes {
        let all = Arc::new(IndexSlot::new(folder.clone()));
        SearchIndexes { folder, all, scopes: Mutex::default() }
    }

    /// The index of a scope. May remove that of another one, which takes a moment, and blocks.
    pub fn slot(&self, scope: &Scope) -> Result<Arc<IndexSlot>, Error> {
        let Some(patterns) = scope.patterns() else { return Ok(Arc::clone(&self.all)) };
        let folder = self.scopes_folder().join(folder_name(patterns));
        let mut scopes = self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = scopes.get_or_insert_with(|| left_in(&self.scopes_folder()));
        let slot = match slots.iter().position(|slot| slot.folder == folder) {
            Some(at) => slots.remove(at),
            None => Arc::new(IndexSlot::new(folder)),
        };
        slots.push(Arc::clone(&slot));
        while slots.len() > MOST_SCOPES {
            let Some(at) = slots.iter().position(is_idle) else { break };
            slots.remove(at).remove()?;
        }
        Ok(slot)
    }

    /// Removes the indexes of all scopes. One that is in use is made again when it is needed next. Blocks.
    pub fn remove_scopes(&self) -> Result<(), Error> {
        let mut scopes = self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = scopes.get_or_insert_with(|| left_in(&self.scopes_folder()));
        slots.iter().for_each(|slot| slot.is_stale.store(true, Ordering::Release));
        slots.extract_if(.., |slot| is_idle(slot)).try_for_each(|slot| slot.remove())
    }

    fn scopes_folder(&self) -> PathBuf {
        self.folder.join(SCOPES)
    }
}

impl IndexSlot {
    fn new(folder: PathBuf) -> IndexSlot {
        IndexSlot { folder, open: tokio::sync::Mutex::default(), is_stale: AtomicBool::new(false) }
    }

    fn remove(&self) -> Result<(), Error> {
        match fs::remove_dir_all(&self.folder) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(Error::Folder { path: self.folder.clone(), source })
            }
            _ => Ok(()),
        }
    }
}

/// Nobody has it or its index, and nobody can get it while the list of slots is locked. What a caller began who stopped
/// waiting goes on with the index alone.
fn is_idle(slot: &Arc<IndexSlot>) -> bool {
    let nobody_has = |index: &Arc<SearchIndex>| Arc::strong_count(index) == 1;
    let is_closed = |open: &Option<Arc<SearchIndex>>| open.as_ref().is_none_or(nobody_has);
    Arc::strong_count(slot) == 1 && slot.open.try_lock().is_ok_and(|open| is_closed(&open))
}

/// The same for the same patterns, in whatever order.
fn folder_name(patterns: &[String]) -> String {
    let mut patterns: Vec<&String> = patterns.iter().collect();
    patterns.sort();
    patterns.dedup();
    let lengths_and_texts = patterns.iter().fold(Sha256::new(), |hash, pattern| {
        hash.chain_update((pattern.len() as u64).to_le_bytes()).chain_update(pattern)
    });
    hex::encode(lengths_and_texts.finalize())
}

/// What is there from before, the one written last at the end.
fn left_in(folder: &Path) -> Vec<Arc<IndexSlot>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let written = |path: &Path| fs::metadata(path.join("index")).and_then(|meta| meta.modified());
    let mut left: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .map(|path| (written(&path).unwrap_or(SystemTime::UNIX_EPOCH), path))
        .collect();
    left.sort();
    left.into_iter().map(|(_, path)| Arc::new(IndexSlot::new(path))).collect()
}
