//! What travels with a function out of its file. In selfmade's dialect these are the imports, types and plain definitions that it
//! uses, and only those; in BabyAGI's nothing does.

use std::collections::HashSet;

use ruff_python_ast::{Stmt, StmtImport, StmtImportFrom};
use ruff_text_size::{Ranged, TextRange};

use super::collect::{Found, Module};
use crate::python::decorators::{Dialect, dialect};
use crate::python::error::{SourceError, SourceErrorKind};
use crate::python::function::Analysis;
use crate::python::imports;
use crate::python::layout;
use crate::python::parse;
use crate::python::plain::{self, used};
use crate::python::text::{Piece, Text};

/// The function as a source of its own.
pub(super) fn alone(module: &Module<'_>, found: &Found<'_>) -> Text {
    let mut pieces = match found.dialect {
        Dialect::Selfmade => preamble(module, found),
        Dialect::Babyagi => Vec::new(),
    };
    pieces.extend(function(module, found));
    Text::assemble(pieces)
}

/// The lines of the function without the decorators that are dropped, dedented.
fn function(module: &Module<'_>, found: &Found<'_>) -> Vec<Piece> {
    let text = module.text;
    let range = found.function.range();
    let first = text.line_index(range.start().to_usize());
    let indentation = &text.as_str()[text.line_start(first)..range.start().to_usize()];
    let dropped = dropped_decorators(module, found);
    let last = layout::function_end(text, module.parsed, range, indentation.len());
    (first..=last)
        .filter(|index| !dropped.contains(index))
        .map(|index| parse::dedented_line(text, index, indentation, &module.strings))
        .collect()
}

fn dropped_decorators(module: &Module<'_>, found: &Found<'_>) -> HashSet<usize> {
    let is_dropped = |decorator: &&ruff_python_ast::Decorator| {
        found.dialect == Dialect::Babyagi || dialect(decorator, &module.types).is_some()
    };
    let dropped = found.function.decorator_list.iter().filter(is_dropped);
    dropped.flat_map(|decorator| layout::lines(module.text, module.parsed, decorator.range())).collect()
}

/// The imports, types and plain definitions that the function uses, in the order of the file.
fn preamble(module: &Module<'_>, found: &Found<'_>) -> Vec<Piece> {
    let needed = needed(module, found);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut after_block = false;
    for statement in module.travellers_for(&needed) {
        let written = match statement {
            Stmt::Import(import) => whole(import, &needed).map(|text| written_at(module, statement, &text)),
            Stmt::ImportFrom(import) => {
                from(import, &needed).map(|text| written_at(module, statement, &text))
            }
            statement => defined(module, statement, found.function.name.as_str(), &needed),
        };
        let Some(written) = written else { continue };
        let is_block = is_block(module, statement);
        if let Some(line) = pieces.last().map(|piece| piece.line).filter(|_| is_block || after_block) {
            pieces.extend(blank_lines(line));
        }
        after_block = is_block;
        pieces.extend(written);
    }
    if let Some(line) = pieces.last().map(|piece| piece.line) {
        pieces.extend(blank_lines(line));
    }
    pieces
}

fn blank_lines(line: u32) -> [Piece; 2] {
    [line, line].map(|line| Piece { content: String::new(), line, removed: 0 })
}

/// A function or class that is not only a type, with its comments.
fn is_block(module: &Module<'_>, statement: &Stmt) -> bool {
    matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_))
        && module.types.definition(statement).is_none()
}

/// A type or a plain definition, if it is needed.
fn defined(
    module: &Module<'_>,
    statement: &Stmt,
    user: &str,
    needed: &HashSet<String>,
) -> Option<Vec<Piece>> {
    let name = match module.types.definition(statement) {
        Some((name, _)) => name,
        None => plain::defined(statement)
            .filter(|name| !module.registered.contains(name) && module.plain.plain(name, user).is_some())?,
    };
    if !needed.contains(name) {
        return None;
    }
    let text = module.text;
    if is_block(module, statement) {
        let first = text.line_index(statement.range().start().to_usize());
        let last = layout::function_end(text, module.parsed, statement.range(), 0);
        return Some((first..=last).map(|index| text.piece(index, 0)).collect());
    }
    Some(written_at(module, statement, &text.as_str()[statement.range().to_std_range()]))
}

fn written_at(module: &Module<'_>, statement: &Stmt, text: &str) -> Vec<Piece> {
    let first = module.text.position(statement.range().start().to_usize()).0;
    let lines = text.split('\n').zip(first..);
    lines.map(|(content, line)| Piece { content: content.to_owned(), line, removed: 0 }).collect()
}

/// The names that the function uses from outside, and those that the definitions among them use.
fn needed(module: &Module<'_>, found: &Found<'_>) -> HashSet<String> {
    let registering: Vec<TextRange> = found
        .function
        .decorator_list
        .iter()
        .filter(|decorator| dialect(decorator, &module.types).is_some())
        .map(Ranged::range)
        .collect();
    let mut needed = HashSet::new();
    let mut waiting: Vec<String> = used(found.statement, &registering).into_iter().collect();
    while let Some(name) = waiting.pop() {
        if !needed.insert(name.clone()) {
            continue;
        }
        for statement in module.definitions_of(&name, found.function.name.as_str()) {
            waiting.extend(used(statement, &[]));
        }
    }
    needed
}

/// `import a.b, c as d`, with those of its names that are needed.
pub(super) fn whole(import: &StmtImport, needed: &HashSet<String>) -> Option<String> {
    let kept = import.names.iter().filter(|alias| match &alias.asname {
        Some(asname) => needed.contains(asname.as_str()),
        None => needed.contains(imports::top_level(alias.name.as_str())),
    });
    let written: Vec<String> = kept.map(written).collect();
    (!written.is_empty()).then(|| format!("import {}", written.join(", ")))
}

pub(super) fn from(import: &StmtImportFrom, needed: &HashSet<String>) -> Option<String> {
    let module = import.module.as_ref().map_or("", |module| module.as_str());
    let is_kept = |name: &str| module == "__future__" || needed.contains(name);
    let kept =
        import.names.iter().filter(|alias| is_kept(alias.asname.as_ref().unwrap_or(&alias.name).as_str()));
    let written: Vec<String> = kept.map(written).collect();
    let dots = ".".repeat(import.level as usize);
    (!written.is_empty()).then(|| format!("from {dots}{module} import {}", written.join(", ")))
}

fn written(alias: &ruff_python_ast::Alias) -> String {
    match &alias.asname {
        Some(asname) => format!("{} as {}", alias.name.as_str(), asname.as_str()),
        None => alias.name.as_str().to_owned(),
    }
}

/// A name of the file that is neither a stored function nor one of the things that travel would be missing at run
/// time.
pub(super) fn check(
    module: &Module<'_>,
    analysis: &Analysis,
    provided: &HashSet<&str>,
) -> Result<(), SourceError> {
    for free in &analysis.free_names {
        let name = free.name.as_str();
        if !module.names.contains_key(name) || module.registered.contains(name) || provided.contains(name) {
            continue;
        }
        return Err(does_not_travel(module, &analysis.name, name, (free.line, free.column)));
    }
    Ok(())
}

/// The same for names that the function only assigns to, by `global`, which are not free.
pub(super) fn check_assigned(module: &Module<'_>, found: &Found<'_>) -> Result<(), SourceError> {
    let function = found.function.name.as_str();
    let is_missing =
        |name: &&String| module.plain.binds(name) && module.plain.plain(name, function).is_none();
    match plain::assigned(found.statement).iter().find(is_missing) {
        Some(name) => {
            let at = module.text.position(found.function.range().start().to_usize());
            Err(does_not_travel(module, function, name, at))
        }
        None => Ok(()),
    }
}

/// The same for names that an import gives first: the import would travel, and the definition that replaces it would not.
pub(super) fn check_redefined(module: &Module<'_>, found: &Found<'_>) -> Result<(), SourceError> {
    if !module.plain.redefines() {
        return Ok(());
    }
    let needed = needed(module, found);
    let is_replaced =
        |name: &&String| module.plain.is_redefined(name) && !module.registered.contains(name.as_str());
    match needed.iter().filter(is_replaced).min() {
        Some(name) => {
            let at = module.text.position(found.function.range().start().to_usize());
            Err(does_not_travel(module, found.function.name.as_str(), name, at))
        }
        None => Ok(()),
    }
}

fn does_not_travel(module: &Module<'_>, function: &str, name: &str, at: (u32, u32)) -> SourceError {
    let offset = module.names.get(name).copied().unwrap_or_default();
    let defined = module.text.position(offset).0;
    let because = module.plain.reason(name).map(|why| format!(", because {why}")).unwrap_or_default();
    SourceError {
        kind: SourceErrorKind::DoesNotTravel,
        line: at.0,
        column: at.1,
        message: format!(
            "`{name}`, defined on line {defined}, is not stored with `{function}`, which uses it{because}"
        ),
        hint: Some(format!(
            "move `{name}` inside `{function}`, pass it as a parameter, or decorate it if it is a function"
        )),
    }
}
