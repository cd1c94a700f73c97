//! Plain definitions: those that mean the same wherever they are executed, so that they can be stored with a function that uses
//! them. These are constants, functions that change nothing around them, and classes such as dataclasses.

use std::collections::{BTreeSet, HashMap};

use ruff_python_ast::{Decorator, Expr, Stmt, StmtClassDef};
use ruff_text_size::TextRange;

use super::decorators;
use super::parse;
use super::scope;
use super::types::Types;

/// Calls whose result depends on their arguments alone.
const CONSTRUCTORS: &[&str] = &[
    "bytes",
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
    "fractions.Fraction",
    "frozenset",
    "list",
    "pathlib.PurePath",
    "pathlib.PurePosixPath",
    "property",
    "range",
    "re.compile",
    "set",
    "tuple",
    "zoneinfo.ZoneInfo",
];

/// The definitions at the top level of a file, by name.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    found: HashMap<&'a str, (&'a Stmt, Result<(), String>)>,
}

impl<'a> Definitions<'a> {
    /// Reads statements of the top level, those of its blocks included in them.
    pub(super) fn read(statements: &[&'a Stmt], types: &Types<'a>) -> Definitions<'a> {
        let mut bound: HashMap<String, usize> = HashMap::new();
        for statement in statements {
            for name in scope::walk(std::slice::from_ref(statement)).module_names() {
                *bound.entry(name).or_default() += 1;
            }
        }
        let mut definitions = Definitions::default();
        for statement in statements.iter().copied() {
            let Some(name) = defined(statement) else { continue };
            let is_plain = match bound.get(name) {
                Some(1) => plain(statement, types),
                _ => Err("it is assigned in more than one place".to_owned()),
            };
            definitions.found.insert(name, (statement, is_plain));
        }
        definitions
    }

    /// The definition of a name, if it is plain.
    pub(super) fn plain(&self, name: &str) -> Option<&'a Stmt> {
        self.found.get(name).filter(|(_, is_plain)| is_plain.is_ok()).map(|(statement, _)| *statement)
    }

    /// Whether this statement is a plain definition.
    pub(super) fn has(&self, statement: &Stmt) -> bool {
        let found = defined(statement).and_then(|name| self.plain(name));
        found.is_some_and(|found| std::ptr::eq(found, statement))
    }

    /// Why the definition of a name is not plain.
    pub(super) fn reason(&self, name: &str) -> Option<&str> {
        self.found.get(name)?.1.as_ref().err().map(String::as_str)
    }
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

/// The names that a statement takes from around it, those in its string annotations included.
pub(super) fn used(statement: &Stmt, forgotten: &[TextRange]) -> BTreeSet<String> {
    let mut scopes = scope::walk(std::slice::from_ref(statement));
    scopes.forget(forgotten);
    let mut names = scopes.free();
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

/// The reason if it is not.
fn plain(statement: &Stmt, types: &Types<'_>) -> Result<(), String> {
    match statement {
        Stmt::FunctionDef(function) => {
            let scopes = scope::walk(std::slice::from_ref(statement));
            let changed = scopes.module_names().filter(|name| name != function.name.as_str()).min();
            match changed {
                Some(name) => Err(format!("it changes the global `{name}`")),
                None => decorated(&function.decorator_list, types),
            }
        }
        Stmt::ClassDef(class) => plain_class(class, types),
        Stmt::Assign(assign) => plain_value(&assign.value, types),
        Stmt::AnnAssign(assign) => assign.value.as_deref().map_or(Ok(()), |value| plain_value(value, types)),
        _ => Err("it is not a definition".to_owned()),
    }
}

fn decorated(decorators: &[Decorator], types: &Types<'_>) -> Result<(), String> {
    match decorators.iter().all(|decorator| decorators::is_imported(decorator, types)) {
        true => Ok(()),
        false => Err("its decorator does not come from an import".to_owned()),
    }
}

fn plain_class(class: &StmtClassDef, types: &Types<'_>) -> Result<(), String> {
    decorated(&class.decorator_list, types)?;
    if class.keywords().iter().any(|keyword| keyword.arg.as_ref().is_none_or(|name| name == "metaclass")) {
        return Err("it has a metaclass".to_owned());
    }
    for statement in &class.body {
        match statement {
            Stmt::FunctionDef(_) | Stmt::Pass(_) | Stmt::ClassDef(_) => {}
            Stmt::Expr(expr) if is_text(&expr.value) => {}
            Stmt::Assign(assign) => plain_value(&assign.value, types)?,
            Stmt::AnnAssign(assign) => {
                assign.value.as_deref().map_or(Ok(()), |value| plain_value(value, types))?;
            }
            _ => return Err("its body does more than define".to_owned()),
        }
    }
    Ok(())
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::StringLiteral(_) | Expr::EllipsisLiteral(_))
}

/// A literal, or something that is made of literals and names alone.
fn plain_value(expr: &Expr, types: &Types<'_>) -> Result<(), String> {
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        match expr {
            Expr::NoneLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::Name(_)
            | Expr::Lambda(_) => {}
            Expr::Attribute(attribute) => waiting.push(&attribute.value),
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
            Expr::Call(call) => {
                if !types.path(&call.func).is_some_and(|path| CONSTRUCTORS.contains(&path.as_str())) {
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
