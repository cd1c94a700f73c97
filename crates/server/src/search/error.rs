//! What can go wrong with the search index.

use std::{io, path::PathBuf};

use super::Position;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot use the search folder `{}`; check that it exists, is yours and has room", .path.display())]
    Folder {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Nothing was changed. What is in the index can still be searched.
    #[error("another writer is updating the search index; search it as it is, or try again later")]
    Busy,
    /// Nothing was changed.
    #[error(
        "the search index is at {}, not at {}; read its position again and apply the changes since then",
        told(*.found), told(*.expected)
    )]
    Moved { expected: Option<Position>, found: Option<Position> },
    #[error("the search index failed; rebuild it")]
    Index(#[from] tantivy::TantivyError),
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Index(error.into())
    }
}

fn told(position: Option<Position>) -> String {
    position.map_or_else(|| "the empty start".to_owned(), |position| position.to_string())
}
