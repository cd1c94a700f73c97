//! Pack files: Python modules whose decorated functions become Functions. They are read without running them, so what
//! a decorator says must be literal. Loading what was read into the brain is not here.

mod babyagi;
mod bare;
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
use super::text::Text;

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
    let (found, skipped) = module.functions()?;
    check_names(&text, &found)?;
    let functions = found.iter().map(|found| read(&module, found)).collect::<Result<_, _>>()?;
    Ok(PackFile { functions, skipped })
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
        Dialect::Selfmade => travel::check(module, &analysis, &provided)?,
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
