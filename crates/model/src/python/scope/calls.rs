//! The calls of free names: what a source passes to the functions that it calls.

use ruff_python_ast::Arguments;

use super::{Scopes, Use};
use crate::python::text::Text;

/// One call of something that the source does not define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeCall {
    /// As it is written: `create_record`, or `airtable.create_record`.
    pub callee: String,
    /// How many arguments are passed by position.
    pub positional: usize,
    /// The names of those that are passed by name.
    pub keywords: Vec<String>,
    /// Whether more may come from `*arguments`.
    pub spreads_positional: bool,
    /// Whether more may come from `**arguments`.
    pub spreads_keywords: bool,
    pub line: u32,
    pub column: u32,
}

impl Scopes<'_> {
    /// In the order of the source.
    pub(in crate::python) fn free_calls(&self, text: &Text) -> Vec<FreeCall> {
        let free = self.uses.iter().filter(|used| used.called_with.is_some() && self.is_free(used));
        let mut calls: Vec<FreeCall> =
            free.filter_map(|used| Some(free_call(used, used.called_with?, text))).collect();
        calls.sort_by_key(|call| (call.line, call.column));
        calls
    }
}

fn free_call(used: &Use<'_>, arguments: &Arguments, text: &Text) -> FreeCall {
    let chain = std::iter::once(used.name.as_ref()).chain(used.attributes.iter().copied());
    let (line, column) = text.position(used.offset);
    let spread = arguments.args.iter().filter(|argument| argument.is_starred_expr()).count();
    let names = arguments.keywords.iter().filter_map(|keyword| keyword.arg.as_ref());
    FreeCall {
        callee: chain.collect::<Vec<_>>().join("."),
        positional: arguments.args.len() - spread,
        keywords: names.map(|name| name.as_str().to_owned()).collect(),
        spreads_positional: spread > 0,
        spreads_keywords: arguments.keywords.iter().any(|keyword| keyword.arg.is_none()),
        line,
        column,
    }
}
