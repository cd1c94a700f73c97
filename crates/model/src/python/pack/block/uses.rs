//! What a block uses of its file, and what of the framework.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Alias, Stmt, StmtClassDef, StmtImportFrom};

use super::class::is_framework;
use super::fields::Reader;
use super::refused;
use crate::python::error::SourceError;
use crate::python::pack::collect::Module;
use crate::python::plain;
use crate::python::scope;

/// What stands in for the framework: see `framework.py` and `prelude.py`.
const PROVIDED: &[&str] = &[
    "APIKeyCredentials",
    "Block",
    "BlockCategory",
    "BlockOutput",
    "BlockSchema",
    "BlockSchemaInput",
    "BlockSchemaOutput",
    "BlockSecret",
    "BlockType",
    "ContributorDetails",
    "Credentials",
    "CredentialsField",
    "CredentialsMetaInput",
    "OAuth2Credentials",
    "ProviderName",
    "SchemaField",
    "SecretField",
    "SecretStr",
    "UserPasswordCredentials",
];
/// What of pydantic is provided too, so that plain models do not need the package.
const PROVIDED_PYDANTIC: &[(&str, &str)] =
    &[("BaseModel", "BaseModel"), ("Field", "FieldInfo"), ("SecretStr", "SecretStr")];

pub(super) struct Uses<'a> {
    /// Definitions and imports, in the order of the file; those that the framework provides are not among them.
    pub(super) statements: Vec<&'a Stmt>,
    /// Imports, with the names that are used.
    pub(super) imported: HashSet<String>,
    /// Names of the file and what they are called among the provided things.
    pub(super) provided: Vec<(String, &'static str)>,
    pub(super) needs_pydantic: bool,
}

/// Which names the statements of a file bind, for all of its blocks.
pub(super) struct Definitions<'a> {
    statements: Vec<(&'a Stmt, HashSet<String>)>,
    /// What defines each name, but for imports.
    by_name: HashMap<String, Vec<&'a Stmt>>,
}

impl<'a> Definitions<'a> {
    pub(super) fn of(module: &Module<'a>) -> Definitions<'a> {
        let body: &'a [Stmt] = &module.parsed.syntax().body;
        let statements: Vec<_> = body.iter().map(|statement| (statement, binds(statement))).collect();
        let mut by_name: HashMap<String, Vec<&Stmt>> = HashMap::new();
        for (statement, names) in &statements {
            if !matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_)) {
                for name in names {
                    by_name.entry(name.clone()).or_default().push(statement);
                }
            }
        }
        Definitions { statements, by_name }
    }

    /// The names that the class needs of its file, and what those need.
    fn needed(&self, class: &StmtClassDef) -> HashSet<String> {
        let mut needed = HashSet::new();
        let mut waiting = vec![class.name.as_str().to_owned()];
        while let Some(name) = waiting.pop() {
            let statements = self.by_name.get(&name);
            if needed.insert(name) {
                waiting.extend(statements.into_iter().flatten().flat_map(|one| plain::used(one, &[])));
            }
        }
        needed
    }
}

pub(super) fn of<'a>(
    module: &Module<'a>,
    definitions: &Definitions<'a>,
    class: &'a StmtClassDef,
    reader: &Reader<'_, 'a>,
) -> Result<Uses<'a>, SourceError> {
    let needed = definitions.needed(class);
    let (mut statements, mut provided) = (Vec::new(), Vec::new());
    let mut needs_pydantic = reader.needs_pydantic.get();
    for (statement, bound_names) in &definitions.statements {
        let statement = *statement;
        if let Stmt::ImportFrom(import) = statement {
            check_star(module, import)?;
            let from = import.module.as_ref().map_or("", |module| module.as_str());
            let used: Vec<&Alias> =
                import.names.iter().filter(|alias| needed.contains(bound(alias))).collect();
            if is_framework(from) {
                for alias in used {
                    let Some(name) = PROVIDED.iter().find(|name| **name == alias.name.as_str()) else {
                        let written = alias.name.as_str();
                        let message = format!(
                            "`{written}` of `{from}` is not stored with `{}`, which uses it",
                            class.name
                        );
                        let hint = "write what it does into the file, or take it from a package";
                        return Err(refused(module, alias, message, hint));
                    };
                    provided.push((bound(alias).to_owned(), *name));
                }
                continue;
            }
            if from == "pydantic" {
                needs_pydantic |= used.iter().any(|alias| provided_by_pydantic(alias).is_none());
            }
        }
        let is_used = match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => true,
            _ => bound_names.iter().any(|name| needed.contains(name)),
        };
        if is_used && !is_main(statement) {
            statements.push(statement);
        }
    }
    for statement in &statements {
        Globals { module, found: None }.check(statement)?;
    }
    if !needs_pydantic {
        statements.retain(|statement| !take_pydantic(statement, &needed, &mut provided));
    }
    Ok(Uses { statements, imported: needed, provided, needs_pydantic })
}

/// Looks for `global`, which would mean another scope than in the file.
struct Globals<'m, 'a> {
    module: &'m Module<'a>,
    found: Option<SourceError>,
}

impl Globals<'_, '_> {
    fn check(mut self, statement: &Stmt) -> Result<(), SourceError> {
        self.visit_stmt(statement);
        self.found.map_or(Ok(()), Err)
    }
}

impl<'s> Visitor<'s> for Globals<'_, '_> {
    fn visit_stmt(&mut self, statement: &'s Stmt) {
        if let Stmt::Global(global) = statement {
            let message = "`global` changes the file, and each run has its own".to_owned();
            let hint = "keep what lasts elsewhere, or hand it on as a parameter";
            self.found.get_or_insert_with(|| refused(self.module, global, message, hint));
        }
        walk_stmt(self, statement);
    }
}

/// Which names come by a star is not known without running the file, and a function cannot import by one.
pub(super) fn check_star(module: &Module<'_>, import: &StmtImportFrom) -> Result<(), SourceError> {
    match import.names.iter().find(|alias| alias.name.as_str() == "*") {
        None => Ok(()),
        Some(star) => {
            let from = import.module.as_ref().map_or(".", |module| module.as_str());
            let message = format!("`from {from} import *` does not say which names it is about");
            Err(refused(module, star, message, "import each name that is used"))
        }
    }
}

fn binds(statement: &Stmt) -> HashSet<String> {
    scope::walk(std::slice::from_ref(statement)).module_names().collect()
}

fn bound(alias: &Alias) -> &str {
    alias.asname.as_ref().unwrap_or(&alias.name).as_str()
}

fn provided_by_pydantic(alias: &Alias) -> Option<&'static str> {
    let known = PROVIDED_PYDANTIC.iter().find(|(name, _)| *name == alias.name.as_str());
    known.map(|(_, provided)| *provided)
}

/// Whether it is an import from pydantic, whose names are provided instead.
fn take_pydantic(
    statement: &Stmt,
    needed: &HashSet<String>,
    provided: &mut Vec<(String, &'static str)>,
) -> bool {
    let Stmt::ImportFrom(import) = statement else { return false };
    if import.module.as_ref().is_none_or(|module| module.as_str() != "pydantic") {
        return false;
    }
    for alias in import.names.iter().filter(|alias| needed.contains(bound(alias))) {
        if let Some(name) = provided_by_pydantic(alias) {
            provided.push((bound(alias).to_owned(), name));
        }
    }
    true
}

/// `if __name__ == "__main__":`, which a stored block never reaches.
fn is_main(statement: &Stmt) -> bool {
    crate::python::layout::is_main_block(statement)
}
