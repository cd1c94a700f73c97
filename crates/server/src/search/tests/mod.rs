//! The behaviour of the index as its callers see it, and the cutting of words.

mod any_text;
mod damage;
mod keeping;
mod meaning;
mod ranking;
mod scopes;
mod words;

use model::entry::EntryKind;
use tempfile::TempDir;
use uuid::Uuid;

use super::{Change, Document, Position, SearchIndex};

/// An index in a folder of its own.
struct World {
    folder: TempDir,
    index: SearchIndex,
}

impl World {
    fn empty() -> World {
        let folder = TempDir::new().unwrap();
        let index = SearchIndex::open(folder.path()).unwrap();
        World { folder, index }
    }

    /// With documents of these names and descriptions, at revision 1.
    fn with(entries: &[(&str, &str)]) -> World {
        let world = World::empty();
        let documents = entries.iter().map(|(name, description)| document(name, description));
        world.index.rebuild(at(1), documents).unwrap();
        world
    }

    fn holding(documents: Vec<Document>) -> World {
        let world = World::empty();
        world.index.rebuild(at(1), documents.into_iter()).unwrap();
        world
    }

    fn names(&self, query: &str) -> Vec<String> {
        names(&self.index, query)
    }

    fn first(&self, query: &str) -> String {
        self.names(query).into_iter().next().unwrap_or_default()
    }

    /// Another handle on the same folder, as another process would have it.
    fn reopened(&self) -> SearchIndex {
        SearchIndex::open(self.folder.path()).unwrap()
    }
}

fn names(index: &SearchIndex, query: &str) -> Vec<String> {
    index.search(query, 10).unwrap().into_iter().map(|hit| hit.name).collect()
}

fn document(name: &str, description: &str) -> Document {
    Document::new(EntryKind::Function, name, description)
}

fn put(name: &str) -> Change {
    Change::Put(document(name, ""))
}

fn at(revision: u64) -> Position {
    Position { brain: Uuid::from_u128(7), revision }
}
