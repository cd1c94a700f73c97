//! What the names in annotations mean: the imports, TypedDict classes and type aliases that stand above a function.
//! Turning an annotation into a schema is [`super::schema`]'s part.

use std::collections::HashMap;

use ruff_python_ast::{Expr, ExprCall, Operator, Stmt, StmtClassDef};

use super::imports;

/// The names that stand above a function.
#[derive(Default)]
pub(super) struct Types<'a> {
    /// Local name to dotted path, `L` to `typing.List`.
    imports: HashMap<&'a str, String>,
    named: HashMap<&'a str, Named<'a>>,
}

/// A type that the source itself defines.
#[derive(Clone, Copy)]
pub(super) enum Named<'a> {
    TypedDictClass(&'a StmtClassDef),
    TypedDictCall(&'a ExprCall),
    Alias(&'a Expr),
    /// A type variable: anything.
    Variable,
}

impl<'a> Types<'a> {
    /// Reads statements in order, as an alias may use an earlier one.
    pub(super) fn read(statements: impl IntoIterator<Item = &'a Stmt>) -> Types<'a> {
        let mut types = Types::default();
        for statement in statements {
            types.take(statement);
        }
        types
    }

    fn take(&mut self, statement: &'a Stmt) {
        for bound in imports::bindings(statement) {
            self.named.remove(bound.name);
            self.imports.insert(bound.name, bound.path);
        }
        if let Some((name, named)) = self.definition(statement) {
            self.imports.remove(name);
            self.named.insert(name, named);
        }
    }

    /// The type that a statement defines, if that is all it does.
    pub(super) fn definition(&self, statement: &'a Stmt) -> Option<(&'a str, Named<'a>)> {
        match statement {
            Stmt::ClassDef(class) => {
                self.is_typed_dict(class).then(|| (class.name.as_str(), Named::TypedDictClass(class)))
            }
            Stmt::TypeAlias(alias) => Some((name_of(&alias.name)?, Named::Alias(&alias.value))),
            Stmt::AnnAssign(assign) => {
                let name = name_of(&assign.target)?;
                let is_alias = self.path(&assign.annotation)?.ends_with("TypeAlias");
                is_alias.then_some((name, Named::Alias(assign.value.as_deref()?)))
            }
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [target] => Some((name_of(target)?, self.assigned(&assign.value)?)),
                _ => None,
            },
            _ => None,
        }
    }

    fn assigned(&self, value: &'a Expr) -> Option<Named<'a>> {
        if let Expr::Call(call) = value {
            return match last_segment(&self.path(&call.func)?) {
                "TypedDict" => Some(Named::TypedDictCall(call)),
                "NewType" => Some(Named::Alias(call.arguments.find_positional(1)?)),
                "TypeVar" | "ParamSpec" | "TypeVarTuple" => Some(Named::Variable),
                _ => None,
            };
        }
        self.is_type(value).then_some(Named::Alias(value))
    }

    /// Whether an expression can only be a type: `int`, `list[str]`, `A | None`. A plain value such as `10` or
    /// `settings` is not, nor is a string, which would be a type only in an annotation.
    fn is_type(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(_) | Expr::Attribute(_) => match self.path(expr) {
                Some(path) => self.named.contains_key(path.as_str()) || super::schema::is_known_type(&path),
                None => false,
            },
            Expr::Subscript(subscript) => self.is_type(&subscript.value),
            Expr::BinOp(union) if union.op == Operator::BitOr => {
                self.is_type_or_none(&union.left) && self.is_type_or_none(&union.right)
            }
            _ => false,
        }
    }

    fn is_type_or_none(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::NoneLiteral(_) | Expr::StringLiteral(_)) || self.is_type(expr)
    }

    fn is_typed_dict(&self, class: &StmtClassDef) -> bool {
        class.bases().iter().any(|base| {
            let Some(path) = self.path(unsubscripted(base)) else { return false };
            last_segment(&path) == "TypedDict"
                || matches!(self.named(&path), Some(Named::TypedDictClass(_) | Named::TypedDictCall(_)))
        })
    }

    pub(super) fn named(&self, name: &str) -> Option<Named<'a>> {
        self.named.get(name).copied()
    }

    /// The dotted path that a name or an attribute stands for, through the imports.
    pub(super) fn path(&self, expr: &Expr) -> Option<String> {
        let mut attributes = Vec::new();
        let mut expr = expr;
        loop {
            match expr {
                Expr::Attribute(attribute) => {
                    attributes.push(attribute.attr.as_str());
                    expr = &attribute.value;
                }
                Expr::Name(name) => {
                    let mut path = self.resolved(name.id.as_str());
                    for attribute in attributes.iter().rev() {
                        path.push('.');
                        path.push_str(attribute);
                    }
                    return Some(path);
                }
                _ => return None,
            }
        }
    }

    fn resolved(&self, name: &str) -> String {
        self.imports.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Whether `name` is bound by an import.
    pub(super) fn imports(&self, name: &str) -> bool {
        self.imports.contains_key(name)
    }
}

pub(super) fn last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// `Generic[T]` is `Generic`.
fn unsubscripted(expr: &Expr) -> &Expr {
    match expr {
        Expr::Subscript(subscript) => &subscript.value,
        expr => expr,
    }
}

fn name_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}
