//! Which definitions are plain.

use std::collections::HashMap;

use ruff_python_ast::{Decorator, Expr, Stmt, StmtClassDef};

use crate::python::decorators;
use crate::python::types::Types;

/// Calls whose result depends on their arguments alone.
const CONSTRUCTORS: &[&str] = &[
    "bytes",
    "collections.Counter",
    "collections.OrderedDict",
    "collections.defaultdict",
    "collections.deque",
    "collections.namedtuple",
    "dataclasses.field",
    "datetime.date",
    "datetime.datetime",
    "datetime.time",
    "datetime.timedelta",
    "datetime.timezone",
    "decimal.Decimal",
    "dict",
    "enum.auto",
    "float",
    "fractions.Fraction",
    "frozenset",
    "int",
    "list",
    "pathlib.PurePath",
    "pathlib.PurePosixPath",
    "property",
    "range",
    "re.compile",
    "set",
    "str",
    "tuple",
    "zoneinfo.ZoneInfo",
];

/// What is another value wherever it is read.
const SURROUNDINGS: &[&str] = &["os.environ", "os.environb", "sys"];

/// What makes a definition plain, in a file that gives these names.
pub(super) struct Rule<'r> {
    pub(super) types: &'r Types<'r>,
    pub(super) file: &'r HashMap<String, usize>,
}

impl Rule<'_> {
    pub(super) fn decorated(&self, decorators: &[Decorator]) -> Result<(), String> {
        match decorators.iter().all(|decorator| decorators::is_imported(decorator, self.types)) {
            true => Ok(()),
            false => Err("its decorator does not come from an import".to_owned()),
        }
    }

    pub(super) fn class(&self, class: &StmtClassDef) -> Result<(), String> {
        let mut waiting = vec![class];
        while let Some(class) = waiting.pop() {
            self.decorated(&class.decorator_list)?;
            if class
                .keywords()
                .iter()
                .any(|keyword| keyword.arg.as_ref().is_none_or(|name| name == "metaclass"))
            {
                return Err("it has a metaclass".to_owned());
            }
            if class.bases().iter().any(|base| self.types.path(unsubscripted(base)).is_none()) {
                return Err("one of its bases is worked out when the file is executed".to_owned());
            }
            for keyword in class.keywords() {
                self.value(&keyword.value)?;
            }
            for statement in &class.body {
                match statement {
                    Stmt::FunctionDef(_) | Stmt::Pass(_) => {}
                    Stmt::ClassDef(class) => waiting.push(class),
                    Stmt::Expr(expr) if is_text(&expr.value) => {}
                    Stmt::Assign(assign) => self.value(&assign.value)?,
                    Stmt::AnnAssign(assign) => {
                        assign.value.as_deref().map_or(Ok(()), |value| self.value(value))?;
                    }
                    _ => return Err("its body does more than define".to_owned()),
                }
            }
        }
        Ok(())
    }

    /// A literal, or something that is made of literals and names alone.
    pub(super) fn value(&self, expr: &Expr) -> Result<(), String> {
        let mut waiting = vec![expr];
        while let Some(expr) = waiting.pop() {
            match expr {
                Expr::NoneLiteral(_)
                | Expr::BooleanLiteral(_)
                | Expr::NumberLiteral(_)
                | Expr::StringLiteral(_)
                | Expr::BytesLiteral(_)
                | Expr::EllipsisLiteral(_)
                | Expr::Lambda(_) => {}
                Expr::Name(_) | Expr::Attribute(_) => self.reference(expr)?,
                Expr::UnaryOp(unary) => waiting.push(&unary.operand),
                Expr::BinOp(operation) => waiting.extend([&*operation.left, &*operation.right]),
                Expr::Starred(starred) => waiting.push(&starred.value),
                Expr::Tuple(tuple) => waiting.extend(&tuple.elts),
                Expr::List(list) => waiting.extend(&list.elts),
                Expr::Set(set) => waiting.extend(&set.elts),
                Expr::Dict(dict) => {
                    waiting.extend(dict.items.iter().filter_map(|item| item.key.as_ref()));
                    waiting.extend(dict.items.iter().map(|item| &item.value));
                }
                Expr::FString(text) => {
                    let parts = text.value.elements().filter_map(|element| element.as_interpolation());
                    waiting.extend(parts.map(|part| &*part.expression));
                }
                Expr::Call(call) => {
                    if !self.is_constructor(&call.func) {
                        return Err("its value is worked out by a call when the file is executed".to_owned());
                    }
                    waiting.extend(&call.arguments.args);
                    waiting.extend(call.arguments.keywords.iter().map(|keyword| &keyword.value));
                }
                _ => return Err("its value is worked out when the file is executed".to_owned()),
            }
        }
        Ok(())
    }

    fn reference(&self, expr: &Expr) -> Result<(), String> {
        let path = self.types.path(expr);
        let is_within = |path: &str, root: &str| {
            path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_around =
            |path: &str| path.starts_with("__") || SURROUNDINGS.iter().any(|root| is_within(path, root));
        match path {
            None => Err("its value is worked out when the file is executed".to_owned()),
            Some(path) if is_around(&path) => Err(format!("`{path}` is another value where it is executed")),
            Some(_) => Ok(()),
        }
    }

    /// A constructor that the file does not define itself, or a method of a text such as `"a b".split()`.
    fn is_constructor(&self, callee: &Expr) -> bool {
        if let Expr::Attribute(method) = callee
            && method.value.is_string_literal_expr()
        {
            return true;
        }
        let Some(path) = self.types.path(callee) else { return false };
        let is_known = |path: &str| CONSTRUCTORS.contains(&path);
        is_known(&path) && (path.contains('.') || !self.file.contains_key(&path))
    }
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::StringLiteral(_) | Expr::EllipsisLiteral(_))
}

/// `Generic[T]` is `Generic`.
fn unsubscripted(expr: &Expr) -> &Expr {
    match expr {
        Expr::Subscript(subscript) => &subscript.value,
        expr => expr,
    }
}
