//! Graph files: a file becomes Graphs of the brain, and a Graph a file, with those that it calls.

mod asked;
mod export;
mod import;

pub use self::export::{GraphExported, export};
pub use self::import::{GraphImport, GraphsImported, ImportMode, ImportedGraph, import};
