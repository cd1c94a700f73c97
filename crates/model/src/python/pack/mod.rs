//! Pack files: Python modules whose decorated functions and block classes become Functions. They are read without running
//! them, so what a decorator or a constructor says must be literal. Loading what was read into the brain is not here.

mod babyagi;
mod bare;
mod block;
mod collect;
mod declared;
mod selfmade;
mod travel;

use std::collections::{HashMap, HashSet};

use ruff_text_size::Ranged;
use serde::{Deserialize, Serialize};

pub use self::babyagi::stated_imports as babyagi_imports;
pub use self::bare::read_bare;
use self::collect::{Found, Module};
pub use self::declared::{Declared, DeclaredDependency};
use super::decorators::Dialect;
use super::error::{SourceError, SourceErrorKind};
use super::function::{self, Analysis};
use super::scope::FreeName;
use super::text::{MAX_SOURCE_BYTES, Text};

/// The most that the functions of one file take.
const MAX_STORED_BYTES: usize = 8 * MAX_SOURCE_BYTES;

/// What a pack file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct PackFile {
    /// In the order of the file.
    pub functions: Vec<PackFunction>,
    /// Functions of the file that are not taken, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Notice>,
}

/// A function of a pack file, ready to be stored. Positions are those of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct PackFunction {
    pub name: String,
    /// The function alone, without the decorators that register it. In selfmade's dialect the imports, types
    /// and plain definitions of the file that it uses stand above it.
    pub source: String,
    pub dialect: Dialect,
    pub declared: Declared,
    pub analysis: Analysis,
    /// Free names that neither the dialect nor a declaration provides: other functions, or mistakes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<FreeName>,
    /// The line of the `def`.
    pub line: u32,
}

/// Something in a pack file that is skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub struct Notice {
    pub name: String,
    pub line: u32,
    pub reason: String,
}

/// Reads a pack file.
pub fn read_pack(source: &str) -> Result<PackFile, SourceError> {
    let text = Text::new(source)?;
    let parsed = super::parse::module(&text)?;
    let module = Module::read(&text, &parsed);
    let (found, mut skipped) = module.functions()?;
    check_names(&text, &found)?;
    let mut size = Size::default();
    let mut functions = Vec::new();
    for found in &found {
        functions.push(size.add(&module, read(&module, found)?)?);
    }
    let (blocks, disabled) = block::read(&module)?;
    if functions.is_empty() && !blocks.is_empty() {
        // Functions beside classes are there for these, and stored with them.
        skipped.clear();
    }
    functions.extend(blocks);
    skipped.extend(disabled);
    Ok(PackFile { functions, skipped })
}

/// How much the functions of a file take together: each has what it uses of the file, so many small ones may take much more than it.
#[derive(Default)]
struct Size(usize);

impl Size {
    fn add(&mut self, module: &Module<'_>, function: PackFunction) -> Result<PackFunction, SourceError> {
        self.0 += function.source.len();
        if self.0 <= MAX_STORED_BYTES {
            return Ok(function);
        }
        let message = format!(
            "the functions of this file take more than {MAX_STORED_BYTES} bytes with what they use of it"
        );
        let offset = module.text.line_start(function.line.saturating_sub(1) as usize);
        Err(module
            .text
            .error(SourceErrorKind::TooLarge, offset, message)
            .hint("split it, or make functions of the definitions that many of them use"))
    }
}

fn check_names(text: &Text, found: &[Found<'_>]) -> Result<(), SourceError> {
    let mut lines: HashMap<&str, u32> = HashMap::new();
    for Found { function, .. } in found {
        let offset = function.name.range().start().to_usize();
        let name = function.name.as_str();
        if let Some(first) = lines.insert(name, text.position(offset).0) {
            let message = format!("`{name}` is already defined on line {first}");
            return Err(text
                .error(SourceErrorKind::DuplicateFunction, offset, message)
                .hint("a file defines each name once: rename or remove one of the two"));
        }
    }
    Ok(())
}

fn read(module: &Module<'_>, found: &Found<'_>) -> Result<PackFunction, SourceError> {
    let declared = match (found.decorator, found.dialect) {
        (None, _) => Declared::default(),
        (Some(decorator), Dialect::Selfmade) => selfmade::declared(module.text, decorator)?,
        (Some(decorator), Dialect::Babyagi) => {
            babyagi::declared(module.text, decorator, found.function.name.as_str())?
        }
    };
    let analysis = function::of_text(travel::alone(module, found))?;
    let mut provided: HashSet<&str> = declared.dependency_names().collect();
    match found.dialect {
        Dialect::Selfmade => {
            travel::check(module, &analysis, &provided)?;
            travel::check_assigned(module, found)?;
            travel::check_redefined(module, found)?;
        }
        Dialect::Babyagi => provided.extend(babyagi::provided(&declared)),
    }
    let is_unresolved = |free: &&FreeName| !provided.contains(free.name.as_str());
    Ok(PackFunction {
        name: analysis.name.clone(),
        source: analysis.source.clone(),
        dialect: found.dialect,
        unresolved: analysis.free_names.iter().filter(is_unresolved).cloned().collect(),
        line: analysis.line,
        analysis,
        declared,
    })
}
