//! The folder of the index on disk: who may write in it, whether it changed, and what is in it.
//!
//! Several processes may share it. `writer.lock` is held by the one that writes; readers look at the metadata of
//! tantivy's `meta.json`, which every commit replaces. Every write opens the index again, since tantivy lists the files it
//! has to clean up in memory and would forget those of other processes.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use tantivy::{Index, IndexReader, ReloadPolicy, Searcher, TantivyError};

use super::{Error, Position, fields::Fields, position};

/// Name of the folder's own lock file, outside the part that is thrown away.
const LOCK: &str = "writer.lock";
/// Name of the sub-folder with tantivy's files.
const INDEX: &str = "index";

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

/// Tells one commit from the next. The file is replaced by renaming, so any of these differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// The content as of one commit, or a later one that came while it was opened: never older than the position.
pub(super) struct Content {
    pub(super) searcher: Searcher,
    pub(super) position: Option<Position>,
}

/// The right to write, given up when dropped or when the process ends.
pub(super) struct WriteLock(#[allow(dead_code, reason = "held, never read")] File);

impl Folder {
    /// Makes the folder if it is missing, for its owner's eyes only.
    pub(super) fn make(path: &Path) -> Result<Folder, Error> {
        let folder = Folder { path: path.to_owned() };
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|source| folder.error(source))?;
        Ok(folder)
    }

    /// The present commit's stamp; nothing when there is no index.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        let meta = fs::metadata(self.index_path().join("meta.json")).ok()?;
        Some(Stamp {
            inode: meta.ino(),
            size: meta.len(),
            seconds: meta.mtime(),
            nanoseconds: meta.mtime_nsec(),
        })
    }

    pub(super) fn lock(&self) -> Result<WriteLock, Error> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(self.path.join(LOCK)).map_err(|source| self.error(source))?;
        match file.try_lock() {
            Ok(()) => Ok(WriteLock(file)),
            Err(TryLockError::WouldBlock) => Err(Error::Busy),
            Err(TryLockError::Error(source)) => Err(self.error(source)),
        }
    }

    /// Reads what is there. Fails when there is no index, or one that is damaged or of another format.
    pub(super) fn content(&self) -> Result<Content, Error> {
        let index = self.open()?;
        // The position is read first: content that is newer than its position is only brought up to date again,
        // while content that is older would stay so.
        let position = position_of(&index)?;
        let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        open_all_fields(&searcher)?;
        Ok(Content { searcher, position })
    }

    /// The index to write to: the one that is there if it is sound, otherwise a new one in its place.
    pub(super) fn sound_or_new(&self, _lock: &WriteLock) -> Result<(Index, Option<Position>), Error> {
        if let Ok(content) = self.content() {
            return Ok((self.open()?, content.position));
        }
        self.discard().map_err(|source| self.error(source))?;
        let index = Index::create_in_dir(self.index_path(), Fields::schema().0)?;
        Fields::register_analyzers(&index);
        Ok((index, None))
    }

    fn open(&self) -> Result<Index, Error> {
        let index = Index::open_in_dir(self.index_path())?;
        if index.schema() != Fields::schema().0 {
            return Err(TantivyError::SchemaError("written with other fields".to_owned()).into());
        }
        Fields::register_analyzers(&index);
        Ok(index)
    }

    fn discard(&self) -> io::Result<()> {
        match fs::remove_dir_all(self.index_path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        DirBuilder::new().mode(0o700).create(self.index_path())
    }

    fn index_path(&self) -> PathBuf {
        self.path.join(INDEX)
    }

    fn error(&self, source: io::Error) -> Error {
        Error::Folder { path: self.path.clone(), source }
    }
}

fn position_of(index: &Index) -> Result<Option<Position>, Error> {
    let Some(payload) = index.load_metas()?.payload else {
        return Ok(None);
    };
    let position = position::from_payload(&payload);
    position.map(Some).ok_or_else(|| TantivyError::SchemaError("written in another format".to_owned()).into())
}

/// Tantivy opens some files of a segment only when a field is searched; a damaged one is to be found before that.
fn open_all_fields(searcher: &Searcher) -> Result<(), Error> {
    for segment in searcher.segment_readers() {
        for (field, _) in searcher.schema().fields().filter(|(_, entry)| entry.is_indexed()) {
            segment.inverted_index(field)?;
        }
    }
    Ok(())
}
