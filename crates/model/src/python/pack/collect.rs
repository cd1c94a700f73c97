//! Finds the functions of a pack file that are to be stored.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::{Decorator, ExceptHandler, ModModule, Stmt, StmtFunctionDef};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange};

use super::Notice;
use crate::python::decorators::{Dialect, dialect};
use crate::python::error::SourceError;
use crate::python::layout;
use crate::python::parse;
use crate::python::scope;
use crate::python::text::Text;
use crate::python::types::Types;

/// A parsed pack file.
pub(super) struct Module<'a> {
    pub(super) text: &'a Text,
    pub(super) parsed: &'a Parsed<ModModule>,
    pub(super) types: Types<'a>,
    /// The offset of the first statement at the top level that binds each name.
    pub(super) names: HashMap<String, usize>,
    /// The names of the functions that are stored.
    pub(super) registered: HashSet<&'a str>,
    /// The imports and types at the top level, which may travel with a function.
    pub(super) travellers: Vec<&'a Stmt>,
    /// The types among them, by name.
    pub(super) definitions: HashMap<&'a str, Vec<&'a Stmt>>,
    pub(super) strings: Vec<TextRange>,
}

/// A function that is to be stored.
pub(super) struct Found<'a> {
    pub(super) statement: &'a Stmt,
    pub(super) function: &'a StmtFunctionDef,
    pub(super) decorator: &'a Decorator,
    pub(super) dialect: Dialect,
}

impl<'a> Module<'a> {
    pub(super) fn read(text: &'a Text, parsed: &'a Parsed<ModModule>) -> Module<'a> {
        let body = &parsed.syntax().body;
        let types = Types::read(body);
        let mut names = HashMap::new();
        for statement in body {
            for name in scope::walk(std::slice::from_ref(statement)).module_names() {
                names.entry(name).or_insert(statement.range().start().to_usize());
            }
        }
        let mut registered = HashSet::new();
        for (_, function) in definitions(body) {
            if function.decorator_list.iter().any(|decorator| dialect(decorator, &types).is_some()) {
                registered.insert(function.name.as_str());
            }
        }
        let mut definitions: HashMap<&str, Vec<&Stmt>> = HashMap::new();
        for statement in body {
            if let Some((name, _)) = types.definition(statement) {
                definitions.entry(name).or_default().push(statement);
            }
        }
        let is_traveller = |statement: &&Stmt| {
            matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_))
                || types.definition(statement).is_some()
        };
        let travellers = body.iter().filter(is_traveller).collect();
        let strings = parse::strings(parsed);
        Module { text, parsed, types, names, registered, travellers, definitions, strings }
    }

    /// The functions to store, and those to pass over.
    pub(super) fn functions(&self) -> Result<(Vec<Found<'a>>, Vec<Notice>), SourceError> {
        let (mut found, mut skipped) = (Vec::new(), Vec::new());
        for (place, function) in definitions(&self.parsed.syntax().body) {
            match self.registration(function)? {
                Some((decorator, Dialect::Selfmade)) if place.is_nested => {
                    let written = &self.text.as_str()[decorator.range().to_std_range()];
                    let name = written.split('(').next().unwrap_or(written);
                    skipped.push(self.notice(
                        function,
                        format!("`{name}` is read at the top level only, not inside `if`, `try` or `with`"),
                    ));
                }
                Some((decorator, dialect)) => {
                    found.push(Found { statement: place.statement, function, decorator, dialect });
                }
                None => {
                    skipped.push(self.notice(function, "it has no decorator that registers it".to_owned()));
                }
            }
        }
        Ok((found, skipped))
    }

    fn registration(
        &self,
        function: &'a StmtFunctionDef,
    ) -> Result<Option<(&'a Decorator, Dialect)>, SourceError> {
        let registering = |decorator: &'a Decorator| Some((decorator, dialect(decorator, &self.types)?));
        let mut all = function.decorator_list.iter().filter_map(registering);
        let first = all.next();
        match all.next() {
            Some((second, _)) => Err(layout::registered_twice(self.text, function, second)),
            None => Ok(first),
        }
    }

    fn notice(&self, function: &StmtFunctionDef, reason: String) -> Notice {
        let line = self.text.position(function.name.range().start().to_usize()).0;
        Notice { name: function.name.as_str().to_owned(), line, reason }
    }
}

/// Where a function stands.
struct Place<'a> {
    statement: &'a Stmt,
    is_nested: bool,
}

/// All functions at the top level and in `if`, `try` and `with` statements there, which a module runs through when it
/// is imported.
fn definitions(body: &[Stmt]) -> Vec<(Place<'_>, &StmtFunctionDef)> {
    let mut found = Vec::new();
    collect(body, false, &mut found);
    found
}

fn collect<'a>(body: &'a [Stmt], is_nested: bool, found: &mut Vec<(Place<'a>, &'a StmtFunctionDef)>) {
    for statement in body {
        let mut inside = |body: &'a [Stmt]| collect(body, true, found);
        match statement {
            Stmt::FunctionDef(function) => found.push((Place { statement, is_nested }, function)),
            Stmt::If(block) => {
                inside(&block.body);
                block.elif_else_clauses.iter().for_each(|clause| inside(&clause.body));
            }
            Stmt::Try(block) => {
                inside(&block.body);
                for ExceptHandler::ExceptHandler(handler) in &block.handlers {
                    inside(&handler.body);
                }
                inside(&block.orelse);
                inside(&block.finalbody);
            }
            Stmt::With(block) => inside(&block.body),
            _ => {}
        }
    }
}
