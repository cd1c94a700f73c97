//! What a docstring says: its text as `inspect.cleandoc` gives it, its first line, and what it tells about each
//! parameter in the three styles that people use.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, Stmt};

/// The docstring of a body, cleaned; empty if there is none.
pub(super) fn of_body(body: &[Stmt]) -> String {
    match body.first() {
        Some(Stmt::Expr(statement)) => match &*statement.value {
            Expr::StringLiteral(literal) => clean(literal.value.to_str()),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

pub(super) fn first_line(docstring: &str) -> String {
    docstring.lines().next().unwrap_or_default().trim().to_owned()
}

/// Takes off the indentation of all lines but the first, and blank lines around the text.
fn clean(text: &str) -> String {
    let text = text.replace('\t', "        ");
    let lines: Vec<&str> = text.split('\n').collect();
    let indents = lines.iter().skip(1).filter(|line| !line.trim().is_empty()).map(|line| indent(line));
    let margin = indents.min().unwrap_or(0);
    let rest = lines.iter().skip(1).map(|line| line.get(margin.min(indent(line))..).unwrap_or_default());
    let cleaned: Vec<&str> = lines.first().map(|line| line.trim_start()).into_iter().chain(rest).collect();
    let from = cleaned.iter().position(|line| !line.trim().is_empty()).unwrap_or(cleaned.len());
    let to = cleaned.iter().rposition(|line| !line.trim().is_empty()).map_or(from, |last| last + 1);
    cleaned[from..to].iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The descriptions of parameters by name, from a cleaned docstring.
pub(super) fn parameters(docstring: &str) -> BTreeMap<String, String> {
    let lines: Vec<&str> = docstring.lines().collect();
    let mut found = BTreeMap::new();
    let mut index = 0;
    while index < lines.len() {
        if let Some((name, text)) = sphinx(lines[index]) {
            let end = paragraph_end(&lines, index + 1, indent(lines[index]));
            insert(&mut found, name, text, &lines[index + 1..end]);
            index = end;
        } else if is_heading(lines[index]) {
            let underlined = lines.get(index + 1).is_some_and(|line| is_underline(line));
            index = section(&lines, index + if underlined { 2 } else { 1 }, indent(lines[index]), &mut found);
        } else {
            index += 1;
        }
    }
    found
}

/// `:param name: text` or `:param type name: text`.
fn sphinx(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix(":param ").or(line.trim_start().strip_prefix(":parameter "))?;
    let (names, text) = rest.split_once(':')?;
    let name = names.split_whitespace().next_back()?;
    Some((name.trim_start_matches('*'), text.trim()))
}

fn is_heading(line: &str) -> bool {
    let word = line.trim().trim_end_matches(':').to_ascii_lowercase();
    matches!(
        word.as_str(),
        "args"
            | "arguments"
            | "parameters"
            | "params"
            | "keyword args"
            | "keyword arguments"
            | "other parameters"
    )
}

fn is_underline(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

/// Reads the entries below a heading; returns the index of the first line that is none of them.
fn section(lines: &[&str], from: usize, heading: usize, found: &mut BTreeMap<String, String>) -> usize {
    let Some(first) = lines.get(from).filter(|line| !line.trim().is_empty()) else { return from };
    let margin = indent(first);
    if margin < heading {
        return from;
    }
    let mut index = from;
    while index < lines.len() && !lines[index].trim().is_empty() && indent(lines[index]) == margin {
        let Some((name, text)) = entry(lines[index]) else { return index };
        let end = paragraph_end(lines, index + 1, margin);
        for name in name.split(',') {
            insert(found, name.trim().trim_start_matches('*'), text, &lines[index + 1..end]);
        }
        index = end;
        // Blank lines may stand between entries.
        let next = (index..lines.len()).find(|at| !lines[*at].trim().is_empty());
        if let Some(next) = next.filter(|next| indent(lines[*next]) == margin && margin > heading) {
            index = next;
        }
    }
    index
}

/// The lines after an entry that are indented deeper than it, up to a blank line.
fn paragraph_end(lines: &[&str], from: usize, margin: usize) -> usize {
    let ends = |line: &str| line.trim().is_empty() || indent(line) <= margin;
    lines[from..].iter().position(|line| ends(line)).map_or(lines.len(), |offset| from + offset)
}

/// `name: text`, `name (type): text`, `- name: text`, or numpy's `name : type`, whose text is below it.
fn entry(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_start_matches(['-', '•']).trim_start();
    let is_name = |name: &str| {
        let word = |part: &str| {
            let part = part.trim().trim_start_matches('*');
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        name.split(',').all(word)
    };
    if let Some((name, _)) = line.split_once(" : ").filter(|(name, _)| is_name(name)) {
        return Some((name.trim(), ""));
    }
    let Some((head, text)) = split_type(line) else { return is_name(line).then_some((line, "")) };
    is_name(head).then_some((head, text))
}

/// Splits `name (type, default: 3): text` at the colon after the parenthesis.
fn split_type(line: &str) -> Option<(&str, &str)> {
    let colon = match line.find('(') {
        Some(open) if line[..open].find(':').is_none() => line[open..].find("):").map(|at| open + at + 1)?,
        _ => line.find(':')?,
    };
    let head = line[..colon].split('(').next().unwrap_or_default();
    Some((head.trim().trim_matches('`'), line[colon + 1..].trim()))
}

fn insert(found: &mut BTreeMap<String, String>, name: &str, text: &str, more: &[&str]) {
    let parts = std::iter::once(text).chain(more.iter().map(|line| line.trim()));
    let text = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    if !name.is_empty() && !text.is_empty() {
        found.entry(name.to_owned()).or_insert(text);
    }
}
