//! Files without decorators: their functions, each with what it uses of the file.

use ruff_python_ast::{ModModule, Stmt, StmtFunctionDef};
use ruff_python_parser::Parsed;

use super::collect::{Found, Module};
use super::{Size, check_names, read};
use crate::python::decorators::Dialect;
use crate::python::error::SourceError;
use crate::python::function::{self, Analysis};
use crate::python::layout;
use crate::python::parse;
use crate::python::text::Text;

/// The functions that a file without decorators defines: all whose names do not begin with an underscore, or, if `one` is wanted,
/// the last of them. Other functions of the file are stored with those that use them.
pub fn read_bare(source: &str, one: bool) -> Result<Vec<Analysis>, SourceError> {
    let text = parse::dedented(Text::new(source)?)?;
    let parsed = parse::module(&text)?;
    let functions = functions(&parsed, one);
    if functions.len() < 2 && (functions.is_empty() || layout::of(&text, &parsed.syntax().body).is_ok()) {
        return Ok(vec![function::of_text(text)?]);
    }
    let stored: Vec<&StmtFunctionDef> = functions.iter().map(|found| found.function).collect();
    let module = Module::bare(&text, &parsed, &stored);
    check_names(&text, &functions)?;
    layout::check_file(&text, &module.body, &module.types, &module.plain, stored[0])?;
    let mut size = Size::default();
    functions.iter().map(|found| Ok(size.add(&module, read(&module, found)?)?.analysis)).collect()
}

fn functions(parsed: &Parsed<ModModule>, one: bool) -> Vec<Found<'_>> {
    let all = parsed.syntax().body.iter().filter_map(|statement| match statement {
        Stmt::FunctionDef(function) => Some((statement, function)),
        _ => None,
    });
    let (mut public, private): (Vec<_>, Vec<_>) =
        all.partition(|(_, function)| !function.name.as_str().starts_with('_'));
    if public.is_empty() {
        public = private;
    }
    let taken = if one { public.split_off(public.len().saturating_sub(1)) } else { public };
    let found = taken.into_iter().map(|(statement, function)| Found {
        statement,
        function,
        decorator: None,
        dialect: Dialect::Selfmade,
    });
    found.collect()
}
