//! Which classes are blocks, and what their constructors state.

use std::collections::HashMap;

use ruff_python_ast::{Expr, ExprCall, Stmt, StmtClassDef, StmtFunctionDef};

use super::fields::Field;
use super::values::Values;
use super::{class_named, not_literal, refused};
use crate::python::error::SourceError;
use crate::python::pack::collect::Module;
use crate::python::types::last_segment;

/// Packages whose blocks are read; what they offer is provided, and not imported.
const FRAMEWORKS: &[&str] = &["autogpt_libs", "autogpt_server", "backend"];
/// A chain of classes is not longer than this.
const MAX_BASES: usize = 16;

/// What a block becomes.
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) inputs: Vec<Field>,
    pub(super) outputs: Vec<Field>,
    /// Whether any secret is read.
    pub(super) reads_secrets: bool,
}

/// What the constructor of a block passes on, and where its parts are.
pub(super) struct Stated<'a> {
    pub(super) class: &'a StmtClassDef,
    pub(super) id: String,
    pub(super) description: String,
    pub(super) input: &'a StmtClassDef,
    pub(super) output: &'a StmtClassDef,
    pub(super) run: &'a StmtFunctionDef,
    pub(super) is_disabled: bool,
    pub(super) arguments: HashMap<&'a str, &'a Expr>,
}

/// Whether a dotted path leads into a framework.
pub(super) fn is_framework(path: &str) -> bool {
    path.split('.').next().is_some_and(|root| FRAMEWORKS.contains(&root))
}

/// The blocks at the top level, in order. A class whose name ends in `Base` is there for others.
pub(super) fn blocks<'a>(module: &Module<'a>) -> Vec<&'a StmtClassDef> {
    let classes = module.parsed.syntax().body.iter().filter_map(|statement| match statement {
        Stmt::ClassDef(class) => Some(class),
        _ => None,
    });
    classes.filter(|class| !class.name.as_str().ends_with("Base") && is_block(module, class)).collect()
}

fn is_block(module: &Module<'_>, class: &StmtClassDef) -> bool {
    lineage(module, class).iter().flat_map(|class| class.bases()).any(|base| {
        let path = module.types.path(base).unwrap_or_default();
        is_framework(&path) && last_segment(&path) == "Block"
    })
}

/// The class and those of the file that it descends from, nearest first.
pub(super) fn lineage<'a>(module: &Module<'a>, class: &'a StmtClassDef) -> Vec<&'a StmtClassDef> {
    let mut found = vec![class];
    let mut at = 0;
    while at < found.len() && found.len() < MAX_BASES {
        let bases = found[at].bases().iter().filter_map(|base| module.types.path(base));
        let local: Vec<_> = bases.filter_map(|path| class_named(module, &path)).collect();
        for base in local {
            if !found.iter().any(|known| std::ptr::eq(*known, base)) {
                found.push(base);
            }
        }
        at += 1;
    }
    found
}

pub(super) fn stated<'a>(module: &Module<'a>, class: &'a StmtClassDef) -> Result<Stated<'a>, SourceError> {
    let name = class.name.as_str();
    let lineage = lineage(module, class);
    for class in &lineage {
        check_definition(module, class)?;
    }
    let Some(init) = method(&lineage[..1], "__init__") else {
        let message = format!("`{name}` has no constructor that says what it is");
        let hint = "write `def __init__(self): super().__init__(id=…, input_schema=…, output_schema=…)`";
        return Err(refused(module, &class.name, message, hint));
    };
    let arguments = constructor(module, init)?;
    let values = Values::new(module);
    let text = |key: &str| match arguments.get(key) {
        None => Ok(None),
        Some(expr) => {
            let value = values.of(expr).map_err(|at| not_literal(module, at, &format!("`{key}`")))?;
            Ok(value.as_str().map(str::to_owned))
        }
    };
    let Some(id) = text("id")?.filter(|id| !id.is_empty()) else {
        let hint = "every block has an id that never changes, such as a new UUID";
        return Err(refused(module, init, format!("`{name}` has no `id`"), hint));
    };
    let is_disabled = match arguments.get("disabled") {
        Some(expr) => {
            let stated = values.of(expr).map_err(|at| not_literal(module, at, "`disabled`"))?;
            stated.as_bool().unwrap_or(false)
        }
        None => false,
    };
    let schema = |key: &str, usual: &str| {
        let found = match arguments.get(key) {
            Some(expr) => schema_class(module, expr),
            None => nested(&lineage, usual),
        };
        let hint = "define it as a class of the file, such as `class Input(BlockSchema)` inside of the block";
        found.ok_or_else(|| refused(module, init, format!("the `{key}` of `{name}` is not known"), hint))
    };
    let Some(run) = method(&lineage, "run") else {
        return Err(refused(module, &class.name, format!("`{name}` has no method `run`"), "write one"));
    };
    check_run(module, run)?;
    Ok(Stated {
        class,
        id,
        description: text("description")?.unwrap_or_default(),
        input: schema("input_schema", "Input")?,
        output: schema("output_schema", "Output")?,
        run,
        is_disabled,
        arguments,
    })
}

/// What a metaclass or a decorator makes of a class is not known without running it.
pub(super) fn check_definition(module: &Module<'_>, class: &StmtClassDef) -> Result<(), SourceError> {
    let name = class.name.as_str();
    let keywords = class.arguments.as_ref().map_or([].as_slice(), |arguments| &arguments.keywords);
    if let Some(keyword) = keywords.first() {
        let message = format!("`{name}` is made with a keyword, and what that does to it is not known");
        return Err(refused(module, keyword, message, "remove the metaclass or the keyword"));
    }
    if let Some(decorator) = class.decorator_list.first() {
        let message = format!("`{name}` is decorated, and what that makes of it is not known");
        return Err(refused(module, decorator, message, "remove the decorator"));
    }
    Ok(())
}

/// The arguments of `super().__init__(…)`.
fn constructor<'a>(
    module: &Module<'a>,
    init: &'a StmtFunctionDef,
) -> Result<HashMap<&'a str, &'a Expr>, SourceError> {
    let calls = init.body.iter().filter_map(|statement| match statement {
        Stmt::Expr(expr) => expr.value.as_call_expr().filter(|call| is_super(call)),
        _ => None,
    });
    let Some(call) = calls.last() else {
        let message = "the constructor does not call `super().__init__(…)`".to_owned();
        return Err(refused(module, init, message, "say there what the block is, with arguments by name"));
    };
    if let Some(positional) = call.arguments.args.first() {
        let message = "`super().__init__(…)` takes its arguments by name".to_owned();
        return Err(refused(module, positional, message, "write `id=…`"));
    }
    let mut arguments = HashMap::new();
    for keyword in &call.arguments.keywords {
        let Some(name) = &keyword.arg else {
            return Err(not_literal(module, &keyword.value, "an argument of `super().__init__(…)`"));
        };
        arguments.insert(name.as_str(), &keyword.value);
    }
    Ok(arguments)
}

fn is_super(call: &ExprCall) -> bool {
    let Expr::Attribute(attribute) = &*call.func else { return false };
    let Expr::Call(inner) = &*attribute.value else { return false };
    attribute.attr.as_str() == "__init__"
        && matches!(&*inner.func, Expr::Name(name) if name.id.as_str() == "super")
}

fn method<'a>(lineage: &[&'a StmtClassDef], name: &str) -> Option<&'a StmtFunctionDef> {
    // Of several, the last one counts.
    lineage.iter().flat_map(|class| class.body.iter().rev()).find_map(|statement| match statement {
        Stmt::FunctionDef(function) if function.name.as_str() == name => Some(function),
        _ => None,
    })
}

fn nested<'a>(lineage: &[&'a StmtClassDef], name: &str) -> Option<&'a StmtClassDef> {
    lineage.iter().flat_map(|class| class.body.iter().rev()).find_map(|statement| match statement {
        Stmt::ClassDef(class) if class.name.as_str() == name => Some(class),
        _ => None,
    })
}

/// `Input`, or `X.Input`.
pub(super) fn schema_class<'a>(module: &Module<'a>, expr: &Expr) -> Option<&'a StmtClassDef> {
    match expr {
        Expr::Name(name) => class_named(module, name.id.as_str()),
        Expr::Attribute(attribute) => {
            let Expr::Name(outer) = &*attribute.value else { return None };
            nested(&lineage(module, class_named(module, outer.id.as_str())?), attribute.attr.as_str())
        }
        _ => None,
    }
}

/// `run` gets its input and credentials; what else a server of that framework passes in is not known here.
fn check_run(module: &Module<'_>, run: &StmtFunctionDef) -> Result<(), SourceError> {
    let parameters = &run.parameters;
    let named = parameters.args.iter().skip(2).chain(&parameters.kwonlyargs);
    for parameter in named.filter(|parameter| parameter.default.is_none()) {
        let name = parameter.parameter.name.as_str();
        if name != "credentials" {
            let message = format!("`run` wants `{name}`, which is not known here");
            return Err(refused(module, &parameter.parameter, message, "remove it, or give it a default"));
        }
    }
    Ok(())
}

/// `FillTextBlock` is `fill_text`; what would be a reserved name keeps its `block`.
pub(super) fn function_name(class: &str) -> String {
    let short = class.strip_suffix("Block").filter(|short| !short.is_empty()).unwrap_or(class);
    let name = snake(short);
    if crate::python::words::is_builtin(&name) || crate::python::words::is_keyword(&name) {
        snake(class)
    } else {
        name
    }
}

/// `ReadRSSFeed` is `read_rss_feed`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut found = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let begins = letter.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit())
                || (before.is_some_and(char::is_uppercase)
                    && letters.get(at + 1).is_some_and(|next| next.is_lowercase())));
        if begins && before != Some('_') {
            found.push('_');
        }
        found.extend(letter.to_lowercase());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_named_like_functions() {
        let named = |class| function_name(class);
        assert_eq!(named("FillTextTemplateBlock"), "fill_text_template");
        assert_eq!(named("ReadRSSFeedBlock"), "read_rss_feed");
        assert_eq!(named("Base64EncodeBlock"), "base64_encode");
        assert_eq!(named("PrintBlock"), "print_block");
        assert_eq!(named("Block"), "block");
    }
}
