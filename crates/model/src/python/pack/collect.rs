//! Finds the functions of a pack file that are to be stored.

use std::collections::{BTreeSet, HashMap, HashSet};

use ruff_python_ast::{Decorator, ExceptHandler, ModModule, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange};

use super::Notice;
use crate::python::decorators::{Dialect, dialect};
use crate::python::error::SourceError;
use crate::python::imports;
use crate::python::layout;
use crate::python::parse;
use crate::python::plain::Definitions;
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
    /// The statements at the top level, with those of `with selfmade.imports():` in its place.
    pub(super) body: Vec<&'a Stmt>,
    /// The imports, types and plain definitions at the top level, which may travel with a function.
    pub(super) travellers: Vec<&'a Stmt>,
    /// Which of them give a name, and those that change how the file is compiled.
    providers: HashMap<String, Vec<usize>>,
    future: Vec<usize>,
    /// The types among them, by name.
    definitions: HashMap<&'a str, Vec<&'a Stmt>>,
    /// The classes at the top level, by name; of several, the last, as Python has it.
    pub(super) classes: HashMap<&'a str, &'a StmtClassDef>,
    pub(super) plain: Definitions<'a>,
    pub(super) strings: Vec<TextRange>,
}

/// A function that is to be stored.
pub(super) struct Found<'a> {
    pub(super) statement: &'a Stmt,
    pub(super) function: &'a StmtFunctionDef,
    /// The one that registers it, where it needs one.
    pub(super) decorator: Option<&'a Decorator>,
    pub(super) dialect: Dialect,
}

impl<'a> Module<'a> {
    /// A file whose functions are registered by decorators.
    pub(super) fn read(text: &'a Text, parsed: &'a Parsed<ModModule>) -> Module<'a> {
        let mut module = Module::of(text, parsed);
        for (_, function) in definitions(&parsed.syntax().body) {
            if function.decorator_list.iter().any(|decorator| dialect(decorator, &module.types).is_some()) {
                module.registered.insert(function.name.as_str());
            }
        }
        module
    }

    /// A file without decorators, of which these functions are stored.
    pub(super) fn bare(
        text: &'a Text,
        parsed: &'a Parsed<ModModule>,
        functions: &[&'a StmtFunctionDef],
    ) -> Module<'a> {
        let registered = functions.iter().map(|function| function.name.as_str()).collect();
        Module { registered, ..Module::of(text, parsed) }
    }

    fn of(text: &'a Text, parsed: &'a Parsed<ModModule>) -> Module<'a> {
        let body = imports::flattened(&parsed.syntax().body);
        let types = Types::read(body.iter().copied());
        let mut names = HashMap::new();
        for statement in &body {
            for name in scope::walk(std::slice::from_ref(*statement)).module_names() {
                names.entry(name).or_insert(statement.range().start().to_usize());
            }
        }
        let mut definitions: HashMap<&str, Vec<&Stmt>> = HashMap::new();
        for statement in body.iter().copied() {
            if let Some((name, _)) = types.definition(statement) {
                definitions.entry(name).or_default().push(statement);
            }
        }
        let classes = body.iter().filter_map(|statement| match *statement {
            Stmt::ClassDef(class) => Some((class.name.as_str(), class)),
            _ => None,
        });
        let classes = classes.collect();
        let plain = Definitions::read(&body, &types);
        let is_traveller = |statement: &&Stmt| {
            matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_))
                || types.definition(statement).is_some()
                || plain.has(statement)
        };
        let travellers: Vec<&Stmt> = body.iter().copied().filter(is_traveller).collect();
        let mut providers: HashMap<String, Vec<usize>> = HashMap::new();
        let mut future = Vec::new();
        for (index, statement) in travellers.iter().enumerate() {
            if layout::is_future(statement) {
                future.push(index);
            }
            for name in scope::walk(std::slice::from_ref(*statement)).module_names() {
                providers.entry(name).or_default().push(index);
            }
        }
        let strings = parse::strings(parsed);
        let registered = HashSet::new();
        Module {
            text,
            parsed,
            types,
            names,
            registered,
            body,
            travellers,
            providers,
            future,
            definitions,
            classes,
            plain,
            strings,
        }
    }

    /// What of the file may have to travel to give these names, in its order.
    pub(super) fn travellers_for(&self, needed: &HashSet<String>) -> impl Iterator<Item = &'a Stmt> {
        let named = needed.iter().filter_map(|name| self.providers.get(name)).flatten();
        let indices: BTreeSet<usize> = named.chain(&self.future).copied().collect();
        indices.into_iter().map(|index| self.travellers[index])
    }

    /// What defines a name and can be stored with the function `user`.
    pub(super) fn definitions_of(&self, name: &str, user: &str) -> impl Iterator<Item = &'a Stmt> {
        let types = self.definitions.get(name).into_iter().flatten().copied();
        let is_stored_itself = self.registered.contains(name);
        types.chain(self.plain.plain(name, user).filter(|_| !is_stored_itself))
    }

    /// The functions to store, and those to pass over.
    pub(super) fn functions(&self) -> Result<(Vec<Found<'a>>, Vec<Notice>), SourceError> {
        let (mut found, mut skipped) = (Vec::new(), Vec::new());
        let mut others = Vec::new();
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
                    let decorator = Some(decorator);
                    found.push(Found { statement: place.statement, function, decorator, dialect });
                }
                None => others.push(function),
            }
        }
        // In selfmade's dialect, what the file uses is stored with what uses it, or was never meant to be stored.
        let used = match found.iter().any(|found| found.dialect == Dialect::Selfmade) {
            true => self.used(),
            false => HashSet::new(),
        };
        others.retain(|function| !used.contains(function.name.as_str()));
        let without = |function| self.notice(function, "it has no decorator that registers it".to_owned());
        skipped.extend(others.into_iter().map(without));
        skipped.sort_by_key(|notice| notice.line);
        Ok((found, skipped))
    }

    /// The names that some statement of the top level uses and another one defines.
    fn used(&self) -> HashSet<String> {
        self.body.iter().flat_map(|statement| scope::walk(std::slice::from_ref(*statement)).free()).collect()
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
