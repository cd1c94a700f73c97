//! One function, as it is stored: the rules for what may stand in its source, and everything that can be known about
//! it without running it.

use ruff_text_size::Ranged;
use serde::{Deserialize, Serialize};

use super::error::{SourceError, SourceErrorKind};
use super::imports::{self, Import};
use super::layout::{self, Layout};
use super::scope::{self, FreeCall, FreeName, Scopes};
use super::text::Text;
use super::types::Types;
use super::{docstring, names, parse, signature};
use crate::function::signature::Signature;

/// What a source says about its function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Analysis {
    pub name: String,
    /// The first line of the docstring; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The docstring without its indentation; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub docstring: String,
    pub signature: Signature,
    /// Names that the source uses but does not define, by first appearance: stored Functions, or mistakes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free_names: Vec<FreeName>,
    /// Modules that it imports anywhere, the standard library's included, each path once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<Import>,
    /// The host verbs that it takes from `selfmade`, such as `brain` or `run`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verbs: Vec<String>,
    /// Keys that it reads as `globals()["key"]` or `globals().get("key")`: BabyAGI's way to read a secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub globals_read: Vec<String>,
    /// The source in the form that is stored. Analysing that gives the same again.
    pub source: String,
    /// The line of the `def` in the text that was given.
    pub line: u32,
}

/// Analyses the source of one function.
pub fn analyse(source: &str) -> Result<Analysis, SourceError> {
    of_text(Text::new(source)?)
}

/// The same for the bytes of a file.
pub fn analyse_bytes(bytes: &[u8]) -> Result<Analysis, SourceError> {
    of_text(Text::from_bytes(bytes)?)
}

/// The calls of free names in the source of one function, as it is stored.
pub fn free_calls(source: &str) -> Result<Vec<FreeCall>, SourceError> {
    let text = Text::new(source)?;
    let module = parse::module(&text)?;
    Ok(scope::walk(&module.syntax().body).free_calls(&text))
}

/// Where the stored function begins in its source, with its decorators.
pub fn definition_start(source: &str) -> Option<usize> {
    let is_def =
        |line: &str| line.starts_with("def ") || line.starts_with("async def ") || line.starts_with('@');
    let mut lines = source.split_inclusive('\n').scan(0, |place, line| {
        let start = *place;
        *place += line.len();
        Some((start, line))
    });
    let (first, _) = lines.find(|(_, line)| is_def(line))?;
    if !lines.any(|(_, line)| is_def(line)) {
        return Some(first);
    }
    // Only a parser can tell a definition from a line of a string.
    let text = Text::new(source).ok()?;
    let module = parse::module(&text).ok()?;
    let functions = module.syntax().body.iter().filter(|statement| statement.is_function_def_stmt());
    functions.last().map(|function| function.range().start().to_usize())
}

pub(super) fn of_text(text: Text) -> Result<Analysis, SourceError> {
    let text = parse::dedented(text)?;
    let module = parse::module(&text)?;
    let Layout { preamble, function, kept } = layout::of(&text, &module.syntax().body)?;
    let types = Types::read(preamble);
    let decorators = layout::registering_decorators(&text, function, &types)?;
    names::check(function, &text)?;
    let mut scopes = scope::walk(kept);
    scopes.forget(&decorators);
    check_nonlocals(&scopes, &text)?;
    let docstring = docstring::of_body(&function.body);
    Ok(Analysis {
        name: function.name.as_str().to_owned(),
        description: docstring::first_line(&docstring),
        docstring,
        signature: signature::of(function, text.as_str(), &types, &scopes),
        free_names: scopes.free_names(&text),
        imports: imports::outside(&scopes.imports, &text)?,
        verbs: imports::verbs(&scopes),
        globals_read: scopes.globals_read(),
        source: layout::stored(&text, &module, function, &decorators),
        line: text.position(function.name.range().start().to_usize()).0,
    })
}

fn check_nonlocals(scopes: &Scopes<'_>, text: &Text) -> Result<(), SourceError> {
    let Some((name, offset)) = scopes.unbound_nonlocal() else { return Ok(()) };
    let message = format!("`nonlocal {name}` has no binding in a function around it");
    Err(text.error(SourceErrorKind::Syntax, offset, message))
}
