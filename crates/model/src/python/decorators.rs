//! Which decorators say "store this function", and which may stay on a stored one.

use ruff_python_ast::{Decorator, Expr};
use serde::{Deserialize, Serialize};

use super::types::{Types, last_segment};

/// Whose way of declaring a function a file uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// `@selfmade.function(...)`.
    #[default]
    Selfmade,
    /// `@func.register_function(...)`.
    Babyagi,
}

/// The dialect of a decorator that registers the function below it.
pub(super) fn dialect(decorator: &Decorator, types: &Types<'_>) -> Option<Dialect> {
    let path = types.path(callee(decorator))?;
    match path.as_str() {
        "selfmade.function" | "function" => Some(Dialect::Selfmade),
        path if last_segment(path) == "register_function" => Some(Dialect::Babyagi),
        _ => None,
    }
}

/// `thing` of `@thing` and of `@thing(...)`.
pub(super) fn callee(decorator: &Decorator) -> &Expr {
    match &decorator.expression {
        Expr::Call(call) => &call.func,
        expr => expr,
    }
}

/// Whether the name a decorator begins with is imported above the function, so that it travels with it.
pub(super) fn is_imported(decorator: &Decorator, types: &Types<'_>) -> bool {
    let mut expr = callee(decorator);
    loop {
        match expr {
            Expr::Attribute(attribute) => expr = &attribute.value,
            Expr::Call(call) => expr = &call.func,
            Expr::Name(name) => return types.imports(name.id.as_str()),
            _ => return false,
        }
    }
}
