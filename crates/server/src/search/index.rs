//! The index itself: brings the folder forward to a revision, and answers searches from its newest commit.

use std::{
    num::NonZero,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use tantivy::{Index, IndexWriter, indexer::IndexWriterOptions};

use super::{
    Change, Document, Error, Hit, Position,
    fields::Fields,
    folder::{Content, Folder, Stamp},
    plan::Plan,
    position, rank,
    words::Cutter,
};

/// The least tantivy accepts. It is a limit, not an allocation: a small change touches little of it.
const SMALL_HEAP: usize = 15_000_000;
/// A rebuild of 100,000 functions stays in few segments with this much for each thread.
const REBUILD_HEAP: usize = 96_000_000;
/// More threads make more segments, which have to be merged afterwards.
const REBUILD_THREADS: usize = 4;

/// A search index in a folder that other processes may use at the same time.
pub struct SearchIndex {
    folder: Folder,
    fields: Fields,
    view: Mutex<View>,
}

/// What this handle last saw in the folder.
#[derive(Default)]
struct View {
    stamp: Option<Stamp>,
    content: Option<Arc<Content>>,
}

impl SearchIndex {
    /// Opens the index in this folder, which is made if missing. What cannot be read there, because it is damaged or of
    /// an older format, is thrown away: the index is then empty and has no position.
    pub fn open(folder: &Path) -> Result<SearchIndex, Error> {
        let folder = Folder::make(folder)?;
        let index = SearchIndex { folder, fields: Fields::schema().1, view: Mutex::default() };
        if index.content().is_none() {
            index.start_over()?;
        }
        Ok(index)
    }

    /// Which brain the index shows, and as of which revision. Nothing when it is empty or can no longer be read:
    /// rebuild it then.
    pub fn position(&self) -> Option<Position> {
        self.content()?.position
    }

    /// Brings the index forward in one commit: all of it is seen, with the new position, or nothing.
    ///
    /// Refuses with [`Error::Moved`] when the index is not at `from`, and with [`Error::Busy`] while another writer is
    /// at work; neither changes anything.
    pub fn update(
        &self,
        from: Option<Position>,
        to: Position,
        changes: impl IntoIterator<Item = Change>,
    ) -> Result<(), Error> {
        let lock = self.folder.lock()?;
        let (index, found) = self.folder.sound_or_new(&lock)?;
        if found != from {
            return Err(Error::Moved { expected: from, found });
        }
        let writer = writer(&index, 1, SMALL_HEAP)?;
        let mut cutter = Cutter::new();
        for change in changes {
            match change {
                Change::Put(document) => {
                    writer.delete_term(self.fields.identity(&document.name));
                    writer.add_document(self.fields.fill(&document, &mut cutter))?;
                }
                Change::Remove(name) => {
                    writer.delete_term(self.fields.identity(&name));
                }
            }
        }
        commit(writer, to)
    }

    /// Replaces everything in one commit; until then the old content is found. The names must be distinct.
    ///
    /// Refuses with [`Error::Busy`] while another writer is at work.
    pub fn rebuild(&self, to: Position, documents: impl Iterator<Item = Document>) -> Result<(), Error> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(REBUILD_THREADS);
        self.rebuild_with(threads, to, documents)
    }

    /// The same, but slower and to the last digit: equal documents in equal order are found in equal order with equal
    /// scores, whatever was there before.
    pub fn rebuild_exactly(
        &self,
        to: Position,
        documents: impl Iterator<Item = Document>,
    ) -> Result<(), Error> {
        // Several threads would share out the documents as chance has it, and what ties would be found in that order.
        self.rebuild_with(1, to, documents)
    }

    fn rebuild_with(
        &self,
        threads: usize,
        to: Position,
        documents: impl Iterator<Item = Document>,
    ) -> Result<(), Error> {
        let lock = self.folder.lock()?;
        let (index, _) = self.folder.sound_or_new(&lock)?;
        let writer = writer(&index, threads, REBUILD_HEAP)?;
        writer.delete_all_documents()?;
        let mut cutter = Cutter::new();
        for document in documents {
            writer.add_document(self.fields.fill(&document, &mut cutter))?;
        }
        commit(writer, to)
    }

    /// The best `limit` entries for a query in words, names or pieces of names. Any text is a query; one without a
    /// single letter or digit finds nothing.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, Error> {
        let Some(content) = self.content() else {
            return Ok(Vec::new());
        };
        let plan = Plan::of(query, &content.searcher, &self.fields)?;
        rank::best(&plan, &content.searcher, &self.fields, limit)
    }

    /// The newest content, read again only when a commit came since.
    fn content(&self) -> Option<Arc<Content>> {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.folder.stamp();
        if stamp != view.stamp {
            view.content = self.folder.content().ok().map(Arc::new);
            view.stamp = stamp;
        }
        view.content.clone()
    }

    /// Puts an empty index in the place of what cannot be read. When another process is writing, what it writes will
    /// be there to read in a moment, and this one starts with nothing to show.
    fn start_over(&self) -> Result<(), Error> {
        match self.folder.lock().and_then(|lock| self.folder.sound_or_new(&lock)) {
            Ok(_) | Err(Error::Busy) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn writer(index: &Index, threads: usize, heap: usize) -> Result<IndexWriter, Error> {
    let options = IndexWriterOptions::builder()
        .num_worker_threads(threads)
        .memory_budget_per_thread(heap)
        .num_merge_threads(1)
        .build();
    Ok(index.writer_with_options(options)?)
}

/// Commits with the position, then lets merges end, so that nothing is written any more when the lock is given up.
fn commit(mut writer: IndexWriter, position: Position) -> Result<(), Error> {
    let mut commit = writer.prepare_commit()?;
    commit.set_payload(&position::to_payload(position));
    commit.commit()?;
    writer.wait_merging_threads()?;
    Ok(())
}
