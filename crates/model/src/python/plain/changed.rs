//! What the statements of a file change after it was defined: `TABLE[key] = 1`, `NAMES.append(name)`.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};

pub(super) fn collect<'a>(statement: &'a Stmt, into: &mut HashSet<&'a str>) {
    Changes { into }.visit_stmt(statement);
}

struct Changes<'c, 'a> {
    into: &'c mut HashSet<&'a str>,
}

impl<'a> Visitor<'a> for Changes<'_, 'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            // What these do happens when they are called.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => return,
            Stmt::Expr(expr) => {
                if let Expr::Call(call) = &*expr.value {
                    self.changes(&call.func);
                }
            }
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| self.changes(target)),
            Stmt::AugAssign(assign) => self.changes(&assign.target),
            Stmt::AnnAssign(assign) => self.changes(&assign.target),
            Stmt::For(block) => self.changes(&block.target),
            Stmt::Delete(deleted) => deleted.targets.iter().for_each(|target| self.changes(target)),
            _ => {}
        }
        walk_stmt(self, statement);
    }
}

impl<'a> Changes<'_, 'a> {
    /// Notes the name that a part is reached through; a name alone is assigned to, not changed.
    fn changes(&mut self, target: &'a Expr) {
        let mut at = match target {
            Expr::Attribute(attribute) => &*attribute.value,
            Expr::Subscript(subscript) => &*subscript.value,
            Expr::Tuple(tuple) => return tuple.elts.iter().for_each(|one| self.changes(one)),
            _ => return,
        };
        loop {
            at = match at {
                Expr::Attribute(attribute) => &attribute.value,
                Expr::Subscript(subscript) => &subscript.value,
                Expr::Name(name) => {
                    self.into.insert(name.id.as_str());
                    return;
                }
                _ => return,
            };
        }
    }
}
