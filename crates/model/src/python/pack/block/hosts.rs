//! The hosts that a block names in addresses in its code: they are what it may reach. Addresses in descriptions and docstrings
//! do not count.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, InterpolatedStringElement, Stmt};
use serde_json::{Value, json};

/// The grant as it is declared; nothing if no address is named.
pub(super) fn granted(statements: &[&Stmt]) -> BTreeMap<String, Value> {
    let mut hosts = Hosts::default();
    for statement in statements {
        hosts.visit_stmt(statement);
    }
    if hosts.found.is_empty() {
        return BTreeMap::new();
    }
    BTreeMap::from([("network".to_owned(), json!(hosts.found))])
}

#[derive(Default)]
struct Hosts {
    found: BTreeSet<String>,
}

impl<'a> Visitor<'a> for Hosts {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            // A docstring.
            Stmt::Expr(expr) if expr.value.is_string_literal_expr() => {}
            // Fields of a schema: their texts are descriptions and examples.
            Stmt::AnnAssign(assign) if assign.value.as_ref().is_some_and(|value| value.is_call_expr()) => {}
            // The constructor states tests and descriptions.
            Stmt::FunctionDef(function) if function.name.as_str() == "__init__" => {}
            statement => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::StringLiteral(text) => self.take(text.value.to_str()),
            Expr::FString(text) => {
                // The host is known if it stands before the first value.
                let first = text.value.elements().next();
                if let Some(InterpolatedStringElement::Literal(first)) = first {
                    self.take_beginning(&first.value, text.value.elements().nth(1).is_none());
                }
                walk_expr(self, expr);
            }
            expr => walk_expr(self, expr),
        }
    }
}

impl Hosts {
    fn take(&mut self, text: &str) {
        self.take_beginning(text, true);
    }

    fn take_beginning(&mut self, text: &str, is_whole: bool) {
        let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
            return;
        };
        let end = rest.find(['/', '?', '#']);
        let host = &rest[..end.unwrap_or(rest.len())];
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
        if (end.is_some() || is_whole) && host.contains('.') && host.chars().all(is_plain) {
            self.found.insert(host.to_ascii_lowercase());
        }
    }
}
