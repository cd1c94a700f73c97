//! What travels with a function out of its file. In selfmade's dialect these are the imports and types that it uses,
//! and only those; in BabyAGI's nothing does.

use std::collections::{BTreeSet, HashSet};

use ruff_python_ast::{Expr, Stmt, StmtImport, StmtImportFrom};
use ruff_text_size::{Ranged, TextRange};

use super::collect::{Found, Module};
use crate::python::decorators::{Dialect, dialect};
use crate::python::error::{SourceError, SourceErrorKind};
use crate::python::function::Analysis;
use crate::python::imports;
use crate::python::layout;
use crate::python::parse;
use crate::python::scope;
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

/// The imports and types that the function uses, in the order of the file.
fn preamble(module: &Module<'_>, found: &Found<'_>) -> Vec<Piece> {
    let needed = needed(module, found);
    let mut pieces = Vec::new();
    for statement in &module.travellers {
        let line = module.text.position(statement.range().start().to_usize()).0;
        let written = match statement {
            Stmt::Import(import) => plain(import, &needed),
            Stmt::ImportFrom(import) => from(import, &needed),
            statement => match module.types.definition(statement) {
                Some((name, _)) if needed.contains(name) => {
                    Some(module.text.as_str()[statement.range().to_std_range()].to_owned())
                }
                _ => None,
            },
        };
        for (content, line) in written.iter().flat_map(|written| written.split('\n')).zip(line..) {
            pieces.push(Piece { content: content.to_owned(), line, removed: 0 });
        }
    }
    if let Some(line) = pieces.last().map(|piece| piece.line) {
        pieces.extend([line, line].map(|line| Piece { content: String::new(), line, removed: 0 }));
    }
    pieces
}

/// The names that the function uses from outside, and those that the types among them use.
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
        for statement in module.definitions.get(name.as_str()).into_iter().flatten() {
            waiting.extend(used(statement, &[]));
        }
    }
    needed
}

/// The free names of a statement, those in its string annotations included.
pub(super) fn used(statement: &Stmt, forgotten: &[TextRange]) -> BTreeSet<String> {
    let statements = std::slice::from_ref(statement);
    let mut scopes = scope::walk(statements);
    scopes.forget(forgotten);
    let mut names = scopes.free();
    for text in scope::quoted_annotations(statement) {
        if let Some(expr) = parse::annotation(text) {
            names.extend(names_in(&expr));
        }
    }
    names
}

fn names_in(expr: &Expr) -> BTreeSet<String> {
    scope::walk_expr(expr).free()
}

/// `import a.b, c as d`, with those of its names that are needed.
pub(super) fn plain(import: &StmtImport, needed: &HashSet<String>) -> Option<String> {
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
        let Some(offset) = module.names.get(name) else { continue };
        if module.registered.contains(name) || provided.contains(name) {
            continue;
        }
        let line = module.text.position(*offset).0;
        let function = &analysis.name;
        return Err(SourceError {
            kind: SourceErrorKind::DoesNotTravel,
            line: free.line,
            column: free.column,
            message: format!(
                "`{name}`, defined on line {line}, is not stored with `{function}`, which uses it"
            ),
            hint: Some(format!(
                "a function is stored alone: move `{name}` inside `{function}`, pass it as a parameter, or make it a function of the pack"
            )),
        });
    }
    Ok(())
}
