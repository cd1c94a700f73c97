//! From text to syntax tree. The only place that calls the parser on whole sources.

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_ast::{Expr, ModModule};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_expression, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

use super::error::{SourceError, SourceErrorKind};
use super::text::{Piece, Text};
use super::{nesting, syntax};

pub(super) fn module(text: &Text) -> Result<Parsed<ModModule>, SourceError> {
    let parsed = statements(text)?;
    match syntax::first_error(text.as_str(), &parsed.syntax().body) {
        Some((range, reason)) => Err(refusal(text, range, &reason)),
        None => Ok(parsed),
    }
}

/// Statements that are not a module: what may stand among them, such as `return`, depends on where they will be.
pub(super) fn statements(text: &Text) -> Result<Parsed<ModModule>, SourceError> {
    nesting::check(text)?;
    let options = ParseOptions::from(Mode::Module).with_target_version(syntax::NEWEST);
    let parsed = parse_unchecked(text.as_str(), options);
    if let Some(error) = parsed.errors().iter().min_by_key(|error| error.location.start()) {
        let error = refusal(text, error.location, &error.error.to_string());
        return Err(match unclosed(text, parsed.tokens()) {
            Some(hint) => error.hint(hint),
            None => error,
        });
    }
    if let Some(error) = parsed.unsupported_syntax_errors().first() {
        return Err(refusal(text, error.range, &error.to_string()));
    }
    parsed
        .try_into_module()
        .ok_or_else(|| text.error(SourceErrorKind::Syntax, 0, "the source is not a Python module"))
}

/// The expression inside a string annotation; `None` if it is not one.
pub(super) fn annotation(source: &str) -> Option<Expr> {
    // Python strips the text before it compiles it.
    let source = source.trim();
    if !nesting::is_shallow(source) {
        return None;
    }
    parse_expression(source).ok().map(|parsed| *parsed.into_syntax().body)
}

/// A syntax error in the form of our other errors.
fn refusal(text: &Text, range: TextRange, reason: &str) -> SourceError {
    let mut letters = reason.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    let message: String = first.into_iter().chain(letters).collect();
    text.error(SourceErrorKind::Syntax, range.start().to_usize(), message.trim_end_matches('.'))
}

/// The bracket that was left open, as Python goes on inside it to the end of the file and complains there.
fn unclosed(text: &Text, tokens: &[Token]) -> Option<String> {
    let mut open = Vec::new();
    for token in tokens {
        match token.kind() {
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => open.push(token.range()),
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => drop(open.pop()),
            _ => {}
        }
    }
    let bracket = open.last()?;
    let (line, column) = text.position(bracket.start().to_usize());
    Some(format!(
        "`{}` on line {line}, column {column} is never closed",
        &text.as_str()[bracket.to_std_range()]
    ))
}

/// Takes away the indentation that a source has as a whole, as when it was cut out of a class or a block. The
/// contents of strings stay as they are.
pub(super) fn dedented(text: Text) -> Result<Text, SourceError> {
    let is_code = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let Some(first) = (0..text.line_count()).find(|index| is_code(text.line(*index))) else {
        return Ok(text);
    };
    let indentation = indentation(text.line(first)).to_owned();
    if indentation.is_empty() {
        return Ok(text);
    }
    nesting::check(&text)?;
    // The lexer opens a block for the indented beginning, so the strings it finds are the right ones even though
    // the tree is not.
    let parsed = parse_unchecked(text.as_str(), Mode::Module.into());
    let strings: Vec<TextRange> = strings(&parsed);
    let lines = 0..text.line_count();
    Ok(Text::assemble(lines.map(|index| dedented_line(&text, index, &indentation, &strings))))
}

/// The ranges of all parts of strings that span lines.
pub(super) fn strings<T>(parsed: &Parsed<T>) -> Vec<TextRange> {
    let is_string =
        |kind| matches!(kind, TokenKind::String | TokenKind::FStringMiddle | TokenKind::TStringMiddle);
    parsed.tokens().iter().filter(|token| is_string(token.kind())).map(Ranged::range).collect()
}

/// A line without the indentation, as far as it has it, unless it starts inside one of the strings.
pub(super) fn dedented_line(text: &Text, index: usize, indentation: &str, strings: &[TextRange]) -> Piece {
    let start = text.line_start(index);
    let before = strings.partition_point(|range| range.start().to_usize() < start);
    let in_string = before > 0 && strings[before - 1].end().to_usize() > start;
    let shared = text.line(index).bytes().zip(indentation.bytes()).take_while(|(a, b)| a == b).count();
    text.piece(index, if in_string { 0 } else { shared })
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t', '\x0c']).len()]
}
