//! What the statements of a file change after it was defined: `TABLE[key] = 1`, `NAMES.append(name)`, also through another name and by a
//! function that is called. What `getattr`, `exec` or another object reaches is not noticed.

use std::collections::{BTreeSet, HashMap, HashSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt, StmtFunctionDef};

use crate::python::scope;

/// Methods of lists, dicts and sets that change them, wherever they are called.
const CHANGING: &[&str] = &[
    "add",
    "append",
    "appendleft",
    "clear",
    "difference_update",
    "discard",
    "extend",
    "insert",
    "intersection_update",
    "pop",
    "popitem",
    "popleft",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "symmetric_difference_update",
    "update",
];

/// The names whose values are changed.
pub(super) fn names<'a>(statements: &[&'a Stmt]) -> HashSet<&'a str> {
    let mut changes = Changes::default();
    statements.iter().for_each(|statement| changes.visit_stmt(statement));
    let mut waiting: Vec<&str> = changes.changed.into_iter().collect();
    waiting.extend(by_calls(statements, changes.called));
    let mut changed = HashSet::new();
    while let Some(name) = waiting.pop() {
        if changed.insert(name) {
            waiting.extend(changes.aliases.get(name).into_iter().flatten());
        }
    }
    changed
}

/// What the file's own functions change, of those that its statements call. Decorated ones are no longer what is written here.
fn by_calls<'a>(statements: &[&'a Stmt], mut called: Vec<&'a str>) -> HashSet<&'a str> {
    let functions = statements.iter().filter_map(|statement| match statement {
        Stmt::FunctionDef(function) if function.decorator_list.is_empty() => {
            Some((function.name.as_str(), (*statement, function)))
        }
        _ => None,
    });
    let functions: HashMap<&str, (&'a Stmt, &'a StmtFunctionDef)> = functions.collect();
    let (mut seen, mut changed) = (HashSet::new(), HashSet::new());
    while let Some(name) = called.pop() {
        let Some((statement, function)) = functions.get(name).filter(|_| seen.insert(name)) else { continue };
        let mut changes = Changes::default();
        function.body.iter().for_each(|statement| changes.visit_stmt(statement));
        let outside: BTreeSet<String> = scope::walk(std::slice::from_ref(*statement)).free();
        changed.extend(changes.changed.into_iter().filter(|name| outside.contains(*name)));
        called.extend(changes.called);
    }
    changed
}

#[derive(Default)]
struct Changes<'a> {
    changed: HashSet<&'a str>,
    /// Other names of the same value.
    aliases: HashMap<&'a str, Vec<&'a str>>,
    called: Vec<&'a str>,
}

impl<'a> Visitor<'a> for Changes<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            // What it does happens when it is called.
            Stmt::FunctionDef(_) => return,
            Stmt::ClassDef(class) => {
                return class.body.iter().for_each(|statement| self.visit_stmt(statement));
            }
            Stmt::Expr(expr) => {
                if let Expr::Call(call) = &*expr.value {
                    self.changes(&call.func);
                }
            }
            Stmt::Assign(assign) => {
                assign.targets.iter().for_each(|target| {
                    self.changes(target);
                    self.same(target, &assign.value);
                });
            }
            Stmt::AugAssign(assign) => self.changes(&assign.target),
            Stmt::AnnAssign(assign) => {
                self.changes(&assign.target);
                assign.value.iter().for_each(|value| self.same(&assign.target, value));
            }
            Stmt::For(block) => self.changes(&block.target),
            Stmt::Delete(deleted) => deleted.targets.iter().for_each(|target| self.changes(target)),
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Lambda(_) => return,
            Expr::Call(call) => self.call(call),
            _ => {}
        }
        walk_expr(self, expr);
    }
}

impl<'a> Changes<'a> {
    fn call(&mut self, call: &'a ExprCall) {
        match &*call.func {
            Expr::Attribute(method) if CHANGING.contains(&method.attr.as_str()) => self.changes(&call.func),
            Expr::Name(name) if matches!(name.id.as_str(), "setattr" | "delattr") => {
                call.arguments.args.first().into_iter().for_each(|changed| self.reached(changed));
            }
            Expr::Name(name) => self.called.push(name.id.as_str()),
            _ => {}
        }
    }

    fn same(&mut self, target: &'a Expr, value: &'a Expr) {
        if let (Expr::Name(target), Expr::Name(value)) = (target, value) {
            let (target, value) = (target.id.as_str(), value.id.as_str());
            self.aliases.entry(target).or_default().push(value);
            self.aliases.entry(value).or_default().push(target);
        }
    }

    /// Notes the name that a part is reached through; a name alone is assigned to, not changed.
    fn changes(&mut self, target: &'a Expr) {
        match target {
            Expr::Attribute(attribute) => self.reached(&attribute.value),
            Expr::Subscript(subscript) => self.reached(&subscript.value),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|one| self.changes(one)),
            _ => {}
        }
    }

    fn reached(&mut self, mut at: &'a Expr) {
        loop {
            at = match at {
                Expr::Attribute(attribute) => &attribute.value,
                Expr::Subscript(subscript) => &subscript.value,
                Expr::Name(name) => {
                    self.changed.insert(name.id.as_str());
                    return;
                }
                _ => return,
            };
        }
    }
}
