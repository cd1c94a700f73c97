//! Scripts: statements that are executed as the body of a function that nobody has stored. The result is what they `return`, or
//! their last expression.

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{ModModule, Stmt};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange, TextSize};
use serde_json::{Map, Value};

use super::error::{SourceError, SourceErrorKind};
use super::function::{Analysis, analyse};
use super::parse;
use super::text::{Text, count};
use super::words::{is_identifier, is_keyword};

const INDENTATION: &str = "    ";
const RETURN: &str = "return ";

/// A script as the function that executes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// Places in it are those of the function, whose first line is not of the script.
    pub analysis: Analysis,
    /// Where its last expression begins, in the script.
    returns_at: Option<(u32, u32)>,
}

impl Script {
    /// How many lines of the function stand above the script.
    pub const LINES_ABOVE: u32 = 1;

    /// Whether a key of the input can be the name of a variable.
    pub fn is_variable(name: &str) -> bool {
        is_identifier(name) && !is_keyword(name)
    }

    /// The function `name` whose body is the script, with a parameter for each key of the input.
    pub fn read(script: &str, name: &str, input: &Map<String, Value>) -> Result<Script, SourceError> {
        let text = parse::dedented(Text::new(script)?)?;
        let parsed = parse::statements(&text)?;
        let Some(last) = parsed.syntax().body.last() else {
            return Err(text
                .error(SourceErrorKind::NoFunction, 0, "the script has no statements")
                .hint("write statements; the last expression, or what `return` gives, is the result"));
        };
        let returned = matches!(last, Stmt::Expr(_)).then(|| last.range().start());
        let returns_at = returned.map(|at| text.position(at.to_usize()));
        let source = function(&text, &parsed, returned, name, input);
        let located = |error: SourceError| {
            let (line, column) = place(returns_at, error.line, error.column);
            SourceError { line, column, ..error }
        };
        let analysis = analyse(&source).map_err(located)?;
        if analysis.signature.kind.is_generator() {
            return Err(text
                .error(SourceErrorKind::Syntax, 0, "a script gives one value and cannot `yield`")
                .hint("collect the values in a list and return that"));
        }
        Ok(Script { analysis, returns_at })
    }

    /// A place in the function, as one in the script.
    pub fn place(&self, line: u32, column: u32) -> (u32, u32) {
        place(self.returns_at, line, column)
    }
}

fn place(returns_at: Option<(u32, u32)>, line: u32, column: u32) -> (u32, u32) {
    let line = line.saturating_sub(Script::LINES_ABOVE).max(1);
    let column = column.saturating_sub(count(INDENTATION.len())).max(1);
    match returns_at {
        Some((returns, at)) if line == returns && column > at => {
            (line, column.saturating_sub(count(RETURN.len())).max(at))
        }
        _ => (line, column),
    }
}

fn function(
    text: &Text,
    parsed: &Parsed<ModModule>,
    returned: Option<TextSize>,
    name: &str,
    input: &Map<String, Value>,
) -> String {
    let strings = strings(parsed);
    let parameters: Vec<String> = input.iter().map(|(name, value)| parameter(name, value)).collect();
    let mut source = format!("def {name}({}):\n", parameters.join(", "));
    for index in 0..text.line_count() {
        let (start, line) = (text.line_start(index), text.line(index));
        let is_in_string =
            strings.iter().any(|range| range.start().to_usize() < start && start < range.end().to_usize());
        if !is_in_string && !line.trim().is_empty() {
            source.push_str(INDENTATION);
        }
        let at = returned.map(|at| at.to_usize()).filter(|at| (start..=start + line.len()).contains(at));
        let (before, after) = line.split_at(at.map_or(0, |at| at - start));
        source.push_str(before);
        source.push_str(if at.is_some() { RETURN } else { "" });
        source.push_str(after);
        source.push('\n');
    }
    source
}

/// Everything that is a string to whoever writes it, also where expressions are inside: no line that begins in one is indented.
fn strings(parsed: &Parsed<ModModule>) -> Vec<TextRange> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for token in parsed.tokens() {
        match token.kind() {
            TokenKind::String => found.push(token.range()),
            TokenKind::FStringStart | TokenKind::TStringStart => open.push(token.start()),
            TokenKind::FStringEnd | TokenKind::TStringEnd => {
                found.extend(open.pop().map(|start| TextRange::new(start, token.end())));
            }
            _ => {}
        }
    }
    found
}

fn parameter(name: &str, value: &Value) -> String {
    match annotation_of(value) {
        Some(annotation) => format!("{name}: {annotation}"),
        None => name.to_owned(),
    }
}

/// The annotation of a parameter that takes values like this one; none for what may be anything.
pub fn annotation_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(number) if number.is_f64() => "float".to_owned(),
        Value::Number(_) => "int".to_owned(),
        Value::String(_) => "str".to_owned(),
        // What stands for a Python value that JSON does not have.
        Value::Object(fields) if fields.len() == 1 && fields.keys().any(|key| key.starts_with('$')) => {
            return None;
        }
        Value::Object(_) => "dict".to_owned(),
        Value::Array(items) => match element_of(items) {
            Some(element) => format!("list[{element}]"),
            None => "list".to_owned(),
        },
    })
}

/// What all elements are; whole numbers are numbers.
fn element_of(items: &[Value]) -> Option<String> {
    let mut kinds: Vec<Option<String>> = items.iter().map(annotation_of).collect();
    kinds.sort();
    kinds.dedup();
    match kinds.as_slice() {
        [Some(one)] => Some(one.clone()),
        [Some(float), Some(int)] if float == "float" && int == "int" => Some("float".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(script: &str, input: &Value) -> Result<Script, SourceError> {
        Script::read(script, "run_code", input.as_object().unwrap())
    }

    fn source(script: &str, input: &Value) -> String {
        read(script, input).unwrap().analysis.source
    }

    fn refusal(script: &str) -> String {
        read(script, &json!({})).unwrap_err().to_string()
    }

    #[test]
    fn the_last_expression_is_the_result_and_the_input_is_what_the_function_takes() {
        let script = "words = text.split()\nlen(words) * n";
        insta::assert_snapshot!(source(script, &json!({"text": "a b", "n": 2})), @"
        def run_code(text: str, n: int):
            words = text.split()
            return len(words) * n
        ");
        insta::assert_snapshot!(source("if n:\n    return 1\nx = 2  # no result", &json!({"n": null})), @"
        def run_code(n):
            if n:
                return 1
            x = 2  # no result
        ");
        insta::assert_snapshot!(source("a = 1; (a,\n a)", &json!({})), @"
        def run_code():
            a = 1; return (a,
             a)
        ");
    }

    #[test]
    fn no_line_that_begins_in_a_string_is_changed() {
        let script = "a = '''x\n  y\n'''\nb = f'''{a}\n{a\n}\n'''\na + b";
        insta::assert_snapshot!(source(script, &json!({})), @r"
        def run_code():
            a = '''x
          y
        '''
            b = f'''{a}
        {a
        }
        '''
            return a + b
        ");
    }

    #[test]
    fn what_is_wrong_is_told_by_its_place_in_the_script() {
        insta::assert_snapshot!(refusal("x = 1\ny = (2"), @"line 2, column 7: unexpected EOF while parsing");
        insta::assert_snapshot!(refusal("x = 1\nbreak"), @"line 2, column 1: `break` outside loop");
        insta::assert_snapshot!(refusal("  \n# nothing\n"), @"line 1, column 1: the script has no statements");
        insta::assert_snapshot!(refusal("for n in [1]:\n    yield n"), @"line 1, column 1: a script gives one value and cannot `yield`");
        insta::assert_snapshot!(refusal("x = 1\nawait x"), @"line 2, column 1: `await` outside of an asynchronous function");
    }

    #[test]
    fn a_name_of_the_function_is_found_in_the_script() {
        let script = read("x = 1\nfirst(x); second(x)", &json!({})).unwrap();
        let places: Vec<_> =
            script.analysis.free_names.iter().map(|free| script.place(free.line, free.column)).collect();
        assert_eq!(places, [(2, 1), (2, 11)]);
    }

    #[test]
    fn an_annotation_says_what_a_value_is() {
        let annotation = |value: Value| annotation_of(&value).unwrap_or_default();
        assert_eq!(annotation(json!([1, 2.5])), "list[float]");
        assert_eq!(annotation(json!([[1], [2]])), "list[list[int]]");
        assert_eq!(annotation(json!([1, "a"])), "list");
        assert_eq!(annotation(json!([])), "list");
        assert_eq!(annotation(json!({"a": 1})), "dict");
        assert_eq!(annotation(json!({"$bytes": "AA=="})), "");
    }
}
