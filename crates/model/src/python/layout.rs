//! What may stand in the source of a stored function, where, and which of its lines are kept.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Decorator, Expr, ModModule, Stmt, StmtFunctionDef};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange};

use super::decorators;
use super::error::{SourceError, SourceErrorKind};
use super::plain::{self, Definitions};
use super::text::Text;
use super::types::Types;

/// The parts of a stored function's source.
pub(super) struct Layout<'a> {
    /// Imports, types and plain definitions above the function.
    pub(super) preamble: &'a [Stmt],
    pub(super) function: &'a StmtFunctionDef,
    /// Both of them.
    pub(super) kept: &'a [Stmt],
}

/// The function is the last one; what stands above it has to be used by it.
pub(super) fn of<'a>(text: &Text, body: &'a [Stmt]) -> Result<Layout<'a>, SourceError> {
    let mut functions = body.iter().enumerate().rev().filter_map(|(index, statement)| match statement {
        Stmt::FunctionDef(function) => Some((index, function)),
        _ => None,
    });
    let Some((index, function)) = functions.next() else { return Err(no_function(text, body)) };
    let preamble = &body[..index];
    let types = Types::read(preamble);
    let above: Vec<&Stmt> = preamble.iter().collect();
    let plain = Definitions::read(&body[..=index].iter().collect::<Vec<_>>(), &types);
    let used = used(&body[index], function.name.as_str(), &above, &types, &plain);
    for (at, statement) in preamble.iter().enumerate() {
        let is_used =
            || plain.has(statement) && plain::defined(statement).is_some_and(|name| used.contains(name));
        let is_module_docstring = at == 0 && is_docstring(statement);
        if is_module_docstring || may_precede(statement, &types) || is_used() {
            continue;
        }
        return Err(match statement {
            Stmt::FunctionDef(other) => second_function(text, other, function),
            statement => beside(text, statement, function, &plain),
        });
    }
    if let Some(statement) = body[index + 1..].iter().find(|statement| !is_main_block(statement)) {
        return Err(beside(text, statement, function, &plain));
    }
    Ok(Layout { preamble, function, kept: &body[..=index] })
}

/// Whether every statement of a file of several functions may be there. `function` is the first of them.
pub(super) fn check_file(
    text: &Text,
    body: &[&Stmt],
    types: &Types<'_>,
    plain: &Definitions<'_>,
    function: &StmtFunctionDef,
) -> Result<(), SourceError> {
    let may_stand = |(at, statement): (usize, &&Stmt)| {
        at == 0 && is_docstring(statement)
            || may_precede(statement, types)
            || matches!(statement, Stmt::FunctionDef(_))
            || plain.has(statement)
            || is_main_block(statement)
    };
    match body.iter().enumerate().find(|one| !may_stand(*one)) {
        Some((_, statement)) => Err(beside(text, statement, function, plain)),
        None => Ok(()),
    }
}

/// The names that a function uses, and those that the definitions above it use which it uses.
fn used(
    function: &Stmt,
    user: &str,
    above: &[&Stmt],
    types: &Types<'_>,
    plain: &Definitions<'_>,
) -> HashSet<String> {
    let free = |statement: &Stmt| plain::used(statement, &[]);
    let mut used = HashSet::new();
    let mut waiting: Vec<String> = free(function).into_iter().collect();
    // Types may stand above whether they are used or not, and use what they like.
    waiting.extend(above.iter().filter(|one| types.definition(one).is_some()).flat_map(|one| free(one)));
    while let Some(name) = waiting.pop() {
        waiting.extend(plain.plain(&name, user).filter(|_| !used.contains(&name)).into_iter().flat_map(free));
        used.insert(name);
    }
    used
}

/// `from __future__ import …`.
pub(super) fn is_future(statement: &Stmt) -> bool {
    let Stmt::ImportFrom(import) = statement else { return false };
    import.module.as_ref().is_some_and(|module| module.as_str() == "__future__")
}

pub(super) fn is_docstring(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(expr) if expr.value.is_string_literal_expr())
}

fn may_precede<'a>(statement: &'a Stmt, types: &Types<'a>) -> bool {
    matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_)) || types.definition(statement).is_some()
}

/// `if __name__ == "__main__":`, which a stored function never reaches.
pub(super) fn is_main_block(statement: &Stmt) -> bool {
    let Stmt::If(block) = statement else { return false };
    let Expr::Compare(comparison) = &*block.test else { return false };
    matches!(&*comparison.left, Expr::Name(name) if name.id.as_str() == "__name__")
}

fn no_function(text: &Text, body: &[Stmt]) -> SourceError {
    let offset = body.first().map_or(0, |statement| statement.range().start().to_usize());
    text.error(SourceErrorKind::NoFunction, offset, "the source has no function")
        .hint("write one `def name(...):` at the top level")
}

fn second_function(text: &Text, first: &StmtFunctionDef, second: &StmtFunctionDef) -> SourceError {
    let offset = second.name.range().start().to_usize();
    let line = text.position(first.name.range().start().to_usize()).0;
    let (first, second) = (first.name.as_str(), second.name.as_str());
    if first == second {
        return text
            .error(
                SourceErrorKind::DuplicateFunction,
                offset,
                format!("`{first}` is already defined on line {line}"),
            )
            .hint("keep one of the two; the later one would silently replace the earlier");
    }
    text.error(
        SourceErrorKind::SeveralFunctions,
        offset,
        format!("`{second}` is a second function next to `{first}`"),
    )
    .hint(format!(
        "`{second}` does not use `{first}`: store them as two functions, which call each other by their names"
    ))
}

/// Something that cannot be stored with the function.
fn beside(text: &Text, statement: &Stmt, function: &StmtFunctionDef, plain: &Definitions<'_>) -> SourceError {
    let what = describe(statement);
    let function = function.name.as_str();
    let offset = statement.range().start().to_usize();
    let error =
        text.error(SourceErrorKind::TopLevel, offset, format!("{what} is outside the function `{function}`"));
    if plain.has(statement) {
        return error.hint(format!("`{function}` does not use it: remove it"));
    }
    let why = plain::defined(statement).and_then(|name| plain.reason(name));
    let why = why.map(|why| format!("only what is plain is stored with it, and {why}: "));
    let remedy = match statement {
        Stmt::Import(_) | Stmt::ImportFrom(_) => format!("move it above or inside `{function}`"),
        Stmt::Assign(_) | Stmt::AnnAssign(_) | Stmt::AugAssign(_) => {
            format!("move {what} inside `{function}`, or pass it as a parameter")
        }
        Stmt::ClassDef(_) => format!("move {what} inside `{function}`"),
        _ => format!("move it inside `{function}`, or remove it"),
    };
    error.hint(format!("{}{remedy}", why.as_deref().unwrap_or("a function is stored alone: ")))
}

fn describe(statement: &Stmt) -> String {
    let target = |expr: &Expr| match expr {
        Expr::Name(name) => format!("`{}`", name.id.as_str()),
        _ => "an assignment".to_owned(),
    };
    let what = match statement {
        Stmt::Assign(assign) => return assign.targets.first().map_or_else(String::new, target),
        Stmt::AnnAssign(assign) => return target(&assign.target),
        Stmt::AugAssign(assign) => return target(&assign.target),
        Stmt::ClassDef(class) => return format!("class `{}`", class.name.as_str()),
        Stmt::FunctionDef(function) => return format!("function `{}`", function.name.as_str()),
        Stmt::Import(_) | Stmt::ImportFrom(_) => "an import",
        Stmt::For(_) | Stmt::While(_) => "a loop",
        Stmt::If(_) => "an `if` statement",
        Stmt::With(_) => "a `with` statement",
        Stmt::Try(_) => "a `try` statement",
        Stmt::Match(_) => "a `match` statement",
        Stmt::Expr(expr) if expr.value.is_call_expr() => "a call",
        Stmt::Expr(expr) if expr.value.is_string_literal_expr() => "a string",
        _ => "a statement",
    };
    what.to_owned()
}

/// The decorators that are read elsewhere and not stored. Any other must come from an import that is.
pub(super) fn registering_decorators(
    text: &Text,
    function: &StmtFunctionDef,
    types: &Types<'_>,
) -> Result<Vec<TextRange>, SourceError> {
    let mut found = Vec::new();
    for decorator in &function.decorator_list {
        if decorators::dialect(decorator, types).is_some() {
            if !found.is_empty() {
                return Err(registered_twice(text, function, decorator));
            }
            found.push(decorator.range());
        } else if !decorators::is_imported(decorator, types) {
            let written = &text.as_str()[decorators::callee(decorator).range().to_std_range()];
            let offset = decorator.range().start().to_usize();
            let message =
                format!("the decorator `@{written}` is not defined by an import above the function");
            return Err(text
                .error(SourceErrorKind::Decorator, offset, message)
                .hint("remove it, or import what it needs above the function"));
        }
    }
    Ok(found)
}

/// Two decorators that register the same function would contradict each other.
pub(super) fn registered_twice(text: &Text, function: &StmtFunctionDef, second: &Decorator) -> SourceError {
    let message = format!("`{}` is registered by two decorators", function.name.as_str());
    let offset = second.range().start().to_usize();
    text.error(SourceErrorKind::Declaration, offset, message).hint("keep one of them")
}

/// The lines that are stored: all up to the end of the function, without the given decorators.
pub(super) fn stored(
    text: &Text,
    module: &Parsed<ModModule>,
    function: &StmtFunctionDef,
    decorators: &[TextRange],
) -> String {
    let last = function_end(text, module, function.range(), 0);
    let dropped: HashSet<usize> = decorators.iter().flat_map(|range| lines(text, module, *range)).collect();
    let kept = (0..=last).filter(|index| !dropped.contains(index));
    let lines: Vec<&str> = kept.map(|index| text.line(index)).collect();
    let from = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(0);
    lines[from..].join("\n") + "\n"
}

/// The lines of a statement or decorator.
pub(super) fn lines(text: &Text, module: &Parsed<ModModule>, range: TextRange) -> RangeInclusive<usize> {
    text.line_index(range.start().to_usize())..=statement_end(text, module, range)
}

/// The last line of a function that stands at the given indentation, with the comments inside it that follow its last
/// statement.
pub(super) fn function_end(
    text: &Text,
    module: &Parsed<ModModule>,
    range: TextRange,
    indentation: usize,
) -> usize {
    let end = statement_end(text, module, range);
    let is_inner_comment = |line: &str| {
        let inner = line.trim_start();
        line.len() - inner.len() > indentation && inner.starts_with('#')
    };
    let following = (end + 1..text.line_count()).map(|index| (index, text.line(index)));
    let inner = following.take_while(|(_, line)| line.trim().is_empty() || is_inner_comment(line));
    inner.filter(|(_, line)| !line.trim().is_empty()).last().map_or(end, |(index, _)| index)
}

/// The line on which the logical line that ends a statement or decorator ends.
fn statement_end(text: &Text, module: &Parsed<ModModule>, range: TextRange) -> usize {
    let mut after = module.tokens().after(range.end()).iter();
    let newline = after.find(|token| token.kind() == TokenKind::Newline).map(Ranged::range);
    text.line_index(newline.map_or(range.end(), TextRange::start).to_usize())
}
