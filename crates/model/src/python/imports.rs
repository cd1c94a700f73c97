//! What import statements bind and load.

use std::collections::HashSet;

use ruff_python_ast::{Alias, Expr, Stmt, StmtImport, StmtImportFrom, StmtWith};
use ruff_text_size::Ranged;
use serde::{Deserialize, Serialize};

use super::error::{SourceError, SourceErrorKind};
use super::scope::Scopes;
use super::text::Text;
use super::types::Types;

/// A module that a source imports from outside itself. selfmade's own module is the host's and never listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Import {
    /// The top-level import name, `google` of `google.cloud.storage`.
    pub module: String,
    /// As much of the dotted path as the statement names: `from google.cloud import storage` is
    /// `google.cloud.storage`. The last part may be a name inside the module.
    pub path: String,
    pub line: u32,
    pub column: u32,
}

/// A name that an import statement binds.
pub(super) struct Binding<'a> {
    pub(super) name: &'a str,
    /// What the name stands for.
    pub(super) path: String,
    pub(super) alias: &'a Alias,
}

/// The module of host verbs.
pub(super) const HOST: &str = "selfmade";

/// The names that a statement binds by importing; none for any other statement.
pub(super) fn bindings(statement: &Stmt) -> Vec<Binding<'_>> {
    match statement {
        Stmt::Import(import) => plain(import),
        Stmt::ImportFrom(import) => from(import),
        _ => Vec::new(),
    }
}

/// `import a.b` binds `a`; `import a.b as c` binds `c` to `a.b`.
fn plain(import: &StmtImport) -> Vec<Binding<'_>> {
    let names = import.names.iter();
    names
        .map(|alias| {
            let path = match &alias.asname {
                Some(_) => alias.name.as_str(),
                None => top_level(alias.name.as_str()),
            };
            let name = alias.asname.as_ref().map_or(path, |asname| asname.as_str());
            Binding { name, path: path.to_owned(), alias }
        })
        .collect()
}

fn from(import: &StmtImportFrom) -> Vec<Binding<'_>> {
    let module = import.module.as_ref().map_or("", |module| module.as_str());
    let dots = ".".repeat(import.level as usize);
    import
        .names
        .iter()
        .map(|alias| Binding {
            name: alias.asname.as_ref().unwrap_or(&alias.name).as_str(),
            path: format!("{dots}{module}.{}", alias.name.as_str()),
            alias,
        })
        .collect()
}

/// The statements of a file, with those inside `with selfmade.imports():` in its place.
pub(super) fn flattened(body: &[Stmt]) -> Vec<&Stmt> {
    let types = Types::read(body);
    let mut statements = Vec::new();
    for statement in body {
        match statement {
            Stmt::With(block) if is_imports(block, &types) => statements.extend(&block.body),
            statement => statements.push(statement),
        }
    }
    statements
}

/// Whether it is `with selfmade.imports():` around nothing else.
fn is_imports(block: &StmtWith, types: &Types<'_>) -> bool {
    let is_call = |expr: &Expr| match expr {
        Expr::Call(call) => types.path(&call.func).is_some_and(|path| path == "selfmade.imports"),
        _ => false,
    };
    block.items.iter().all(|item| is_call(&item.context_expr))
        && block.body.iter().all(|statement| matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_)))
}

pub(super) fn top_level(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// The modules from outside that import statements load, by first appearance.
pub(super) fn outside(statements: &[&Stmt], text: &Text) -> Result<Vec<Import>, SourceError> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for statement in statements {
        check(statement, text)?;
        for (path, alias) in paths(statement) {
            let module = top_level(&path);
            if module == HOST || module == "__future__" || !seen.insert(path.clone()) {
                continue;
            }
            let (line, column) = text.position(alias.range().start().to_usize());
            found.push(Import { module: module.to_owned(), path, line, column });
        }
    }
    Ok(found)
}

/// The full dotted paths that a statement names.
fn paths(statement: &Stmt) -> Vec<(String, &Alias)> {
    match statement {
        Stmt::Import(import) => {
            import.names.iter().map(|alias| (alias.name.as_str().to_owned(), alias)).collect()
        }
        Stmt::ImportFrom(import) => from(import).into_iter().map(|bound| (bound.path, bound.alias)).collect(),
        _ => Vec::new(),
    }
}

/// A stored function has no package around it, and no name may come from nowhere.
pub(super) fn check(statement: &Stmt, text: &Text) -> Result<(), SourceError> {
    let Stmt::ImportFrom(import) = statement else { return Ok(()) };
    let refuse = |message: &str, hint: &str| {
        let offset = import.range().start().to_usize();
        Err(text.error(SourceErrorKind::Import, offset, message).hint(hint))
    };
    if import.level > 0 {
        return refuse(
            "a relative import means nothing in a stored function",
            "call the stored function by its name, or import the package by its full name",
        );
    }
    if import.names.iter().any(|alias| alias.name.as_str() == "*") {
        return refuse("`import *` hides which names the function needs", "import them by name");
    }
    Ok(())
}

/// The host verbs that a source names, those imported by name first: `from selfmade import run`, or `selfmade.run`.
pub(super) fn verbs(scopes: &Scopes<'_>) -> Vec<String> {
    let (mut found, mut modules) = (Vec::new(), HashSet::new());
    for binding in scopes.imports.iter().flat_map(|statement| bindings(statement)) {
        match binding.path.strip_prefix(HOST) {
            Some("") => drop(modules.insert(binding.name)),
            Some(verb) if verb.starts_with('.') => found.push(top_level(&verb[1..]).to_owned()),
            _ => {}
        }
    }
    found.extend(scopes.attributes_of(&modules).map(str::to_owned));
    let mut seen = HashSet::new();
    found.retain(|verb| seen.insert(verb.clone()));
    found
}
