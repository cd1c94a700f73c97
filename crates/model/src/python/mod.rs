//! Python source, read without running it: what a function takes and gives, which names it needs from outside, which
//! packages it imports, and what a pack file declares. The parser's types stay inside this module.
//!
//! Deciding what a free name refers to, or whether a declaration is allowed, is left to those who know the brain.

mod builtins;
mod decorators;
mod docstring;
mod error;
mod function;
mod imports;
mod layout;
mod literal;
mod mutate;
mod names;
mod nesting;
mod pack;
mod packages;
mod parse;
mod pins;
mod plain;
mod schema;
mod scope;
mod script;
mod signature;
mod stdlib;
mod syntax;
mod text;
mod types;
pub(crate) mod words;

pub use self::decorators::Dialect;
pub use self::error::{SourceError, SourceErrorKind};
pub use self::function::{Analysis, analyse, analyse_bytes, definition_start, free_calls};
pub use self::imports::Import;
pub use self::mutate::{Mutant, Mutation, mutants};
pub use self::pack::{
    Declared, DeclaredDependency, Notice, PackFile, PackFunction, babyagi_imports, read_bare, read_pack,
};
pub(crate) use self::packages::import_of;
pub use self::packages::{known_packages, package_of, requirements};
pub use self::scope::{FreeCall, FreeName};
pub use self::script::{Script, annotation_of};
pub use self::stdlib::is_standard_library;
pub use self::text::{MAX_SOURCE_BYTES, decode};
