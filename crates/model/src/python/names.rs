//! Which names a Function may have: none that would hide something from the code around it.

use ruff_python_ast::StmtFunctionDef;
use ruff_text_size::Ranged;

use super::builtins::is_builtin;
use super::error::{SourceError, SourceErrorKind};
use super::text::Text;

/// Names that selfmade puts into the scope of functions itself.
const INJECTED: &[&str] = &["babyagi", "func", "parent_log_id", "selfmade"];

pub(super) fn check(function: &StmtFunctionDef, text: &Text) -> Result<(), SourceError> {
    let name = function.name.as_str();
    let reason = if is_builtin(name) {
        "is a Python builtin, which it would shadow in every function that calls it"
    } else if INJECTED.contains(&name) {
        "is a name that selfmade defines for functions"
    } else if name.starts_with("__") && name.ends_with("__") {
        "has the form that Python reserves for itself"
    } else {
        return Ok(());
    };
    let offset = function.name.range().start().to_usize();
    let message = format!("a function cannot be named `{name}`: it {reason}");
    let error = text.error(SourceErrorKind::ReservedName, offset, message);
    Err(error.hint(format!("name it after what it does, such as `{}`", suggestion(name))))
}

fn suggestion(name: &str) -> String {
    match name.trim_matches('_') {
        "" => "my_function".to_owned(),
        word => format!("{word}_value"),
    }
}
