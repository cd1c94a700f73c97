//! Plain definitions: those that mean the same wherever they are executed, so that they can be stored with a function that uses
//! them. These are constants, functions that change nothing around them, and classes such as dataclasses.

mod changed;
mod rule;

use std::collections::{BTreeSet, HashMap, HashSet};

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::TextRange;

use self::rule::Rule;
use super::parse;
use super::scope;
use super::types::Types;

/// The definitions at the top level of a file, by name.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    found: HashMap<&'a str, Definition<'a>>,
    /// How many statements of the top level give each name.
    bound: HashMap<String, usize>,
    /// The functions that assign to a name of the file, by `global`.
    assigned_by: HashMap<String, Vec<&'a str>>,
    /// Names that an import gives, and a later definition gives anew.
    redefined: HashSet<String>,
}

struct Definition<'a> {
    statement: &'a Stmt,
    /// The reason if it is not.
    is_plain: Result<(), String>,
}

impl<'a> Definitions<'a> {
    /// Reads statements of the top level, those of its blocks included in them.
    pub(super) fn read(statements: &[&'a Stmt], types: &Types<'a>) -> Definitions<'a> {
        let mut definitions = Definitions::default();
        let changed = changed::names(statements);
        let mut imported = HashSet::new();
        let mut last_star = None;
        for (index, statement) in statements.iter().copied().enumerate() {
            if is_star(statement) {
                last_star = Some(index);
            }
            for name in scope::walk(std::slice::from_ref(statement)).module_names() {
                if matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_)) {
                    definitions.redefined.remove(&name);
                    imported.insert(name.clone());
                } else if defined(statement) == Some(name.as_str()) && imported.contains(&name) {
                    definitions.redefined.insert(name.clone());
                }
                match defined(statement) {
                    Some(own) if is_block(statement) && own != name => {
                        definitions.assigned_by.entry(name).or_default().push(own);
                    }
                    _ => *definitions.bound.entry(name).or_default() += 1,
                }
            }
        }
        for (index, statement) in statements.iter().copied().enumerate() {
            let Some(name) = defined(statement) else { continue };
            let is_plain = match definitions.bound.get(name) {
                Some(1) if changed.contains(name) => {
                    Err("the file changes it after its definition".to_owned())
                }
                Some(1) if last_star.is_some_and(|star| star > index) => {
                    Err("an `import *` after it may replace it".to_owned())
                }
                Some(1) => definitions.plain_statement(statement, types),
                _ => Err("it is assigned in more than one place".to_owned()),
            };
            definitions.found.insert(name, Definition { statement, is_plain });
        }
        definitions
    }

    /// The definition of a name, if it is plain for the function `user`: what a function assigns to is its own.
    pub(super) fn plain(&self, name: &str, user: &str) -> Option<&'a Stmt> {
        let is_own = match self.assigned_by(name) {
            [] => true,
            [only] => *only == user,
            _ => false,
        };
        let found = self.found.get(name).filter(|found| is_own && found.is_plain.is_ok());
        found.map(|found| found.statement)
    }

    /// Whether this statement is a definition that is plain for at least one function.
    pub(super) fn has(&self, statement: &Stmt) -> bool {
        let Some(name) = defined(statement) else { return false };
        let is_own = self.assigned_by(name).len() < 2;
        let found = self.found.get(name).filter(|found| is_own && found.is_plain.is_ok());
        found.is_some_and(|found| std::ptr::eq(found.statement, statement))
    }

    pub(super) fn redefines(&self) -> bool {
        !self.redefined.is_empty()
    }

    /// Whether a name is given by an import at first, and by a definition in the end.
    pub(super) fn is_redefined(&self, name: &str) -> bool {
        self.redefined.contains(name)
    }

    /// Why the definition of a name is not plain.
    pub(super) fn reason(&self, name: &str) -> Option<String> {
        let Some(found) = self.found.get(name) else {
            let several = "no `def`, `class` or assignment to it alone defines it at the top level";
            return self.binds(name).then(|| several.to_owned());
        };
        let assigned = || Some(format!("`{}` assigns to it", self.assigned_by(name).first()?));
        found.is_plain.as_ref().err().cloned().or_else(assigned)
    }

    /// Whether a statement other than the `global` of a function gives the name.
    pub(super) fn binds(&self, name: &str) -> bool {
        self.bound.contains_key(name)
    }

    fn assigned_by(&self, name: &str) -> &[&'a str] {
        self.assigned_by.get(name).map_or(&[], Vec::as_slice)
    }

    fn plain_statement(&self, statement: &Stmt, types: &Types<'_>) -> Result<(), String> {
        let rule = Rule { types, file: &self.bound };
        match statement {
            Stmt::FunctionDef(function) => match assigned(statement).first() {
                Some(name) => Err(format!("it assigns to the global `{name}`")),
                None => rule.decorated(&function.decorator_list),
            },
            Stmt::ClassDef(class) => match assigned(statement).first() {
                Some(name) => Err(format!("it assigns to the global `{name}`")),
                None => rule.class(class),
            },
            Stmt::Assign(assign) => rule.value(&assign.value),
            Stmt::AnnAssign(assign) => assign.value.as_deref().map_or(Ok(()), |value| rule.value(value)),
            _ => Err("it is not a definition".to_owned()),
        }
    }
}

fn is_star(statement: &Stmt) -> bool {
    matches!(statement, Stmt::ImportFrom(import) if import.names.iter().any(|alias| &alias.name == "*"))
}

fn is_block(statement: &Stmt) -> bool {
    matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_))
}

/// The names of the file that a function, or a method of a class, assigns to by `global`.
pub(super) fn assigned(statement: &Stmt) -> BTreeSet<String> {
    if !is_block(statement) {
        return BTreeSet::new();
    }
    let own = defined(statement);
    let names = scope::walk(std::slice::from_ref(statement));
    names.module_names().filter(|name| own != Some(name.as_str())).collect()
}

/// The one name that a statement defines.
pub(super) fn defined(statement: &Stmt) -> Option<&str> {
    match statement {
        Stmt::FunctionDef(function) => Some(function.name.as_str()),
        Stmt::ClassDef(class) => Some(class.name.as_str()),
        Stmt::Assign(assign) => match assign.targets.as_slice() {
            [target] => name_of(target),
            _ => None,
        },
        Stmt::AnnAssign(assign) if assign.value.is_some() => name_of(&assign.target),
        _ => None,
    }
}

/// The names that a statement takes from around it, those in its string annotations and those it assigns to included.
pub(super) fn used(statement: &Stmt, forgotten: &[TextRange]) -> BTreeSet<String> {
    let mut scopes = scope::walk(std::slice::from_ref(statement));
    scopes.forget(forgotten);
    let mut names = scopes.free();
    names.extend(assigned(statement));
    for text in scope::quoted_annotations(statement) {
        if let Some(expr) = parse::annotation(text) {
            names.extend(scope::walk_expr(&expr).free());
        }
    }
    names
}

fn name_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}
