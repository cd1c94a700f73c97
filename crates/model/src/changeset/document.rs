//! The text in which an entry is exported, compared and edited: a Function as a decorated Python file, anything else as
//! JSON. Reading the file of a Function again gives the same content.

use serde_json::Value;

use crate::access::grants::{BrainGrant, Grants};
use crate::content::Content;
use crate::entry::{EntryKey, EntryKind};
use crate::function::FunctionContent;
use crate::function::dependency::Dependency;
use crate::python::{Dialect, definition_start};

/// Below this width an argument stays on one line.
const LINE_WIDTH: usize = 100;

pub fn text(content: &Content) -> String {
    match content {
        Content::Function(function) => python_file(function),
        other => {
            let mut json = serde_json::to_string_pretty(other).unwrap_or_default();
            json.push('\n');
            json
        }
    }
}

/// Where an exported brain has it.
pub fn path(key: &EntryKey) -> String {
    let ending = if key.kind == EntryKind::Function { "py" } else { "json" };
    format!("{}s/{}.{ending}", key.kind, key.name.as_str().replace('.', "/"))
}

/// The source with everything that was stated beside it in a decorator.
pub fn python_file(function: &FunctionContent) -> String {
    let arguments = arguments(function);
    let (before, definition) = split_at_definition(&function.source);
    let (future, before) = split_after_future(before);
    let mut out = future.to_owned();
    if !mentions_import(before) {
        out.push_str("import selfmade\n");
        out.push_str(if before.trim().is_empty() { "\n\n" } else { "" });
    }
    out.push_str(if before.trim().is_empty() { "" } else { before });
    if arguments.is_empty() {
        out.push_str("@selfmade.function\n");
    } else {
        out.push_str("@selfmade.function(\n");
        for (name, value) in arguments {
            out.push_str(&format!("    {name}={},\n", literal(&value, 4, LINE_WIDTH - name.len() - 2)));
        }
        out.push_str(")\n");
    }
    out.push_str(definition);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// What stands before the definition: imports, types, and what else is stored with it. Decorators that travel with it belong to
/// the definition.
fn split_at_definition(source: &str) -> (&str, &str) {
    source.split_at(definition_start(source).unwrap_or(0))
}

/// Python takes imports from `__future__` only where nothing but a docstring stands before them.
fn split_after_future(preamble: &str) -> (&str, &str) {
    let lines = preamble.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end, line))
    });
    let last = lines.filter(|(_, line)| line.starts_with("from __future__ ")).last();
    preamble.split_at(last.map_or(0, |(end, _)| end))
}

fn mentions_import(preamble: &str) -> bool {
    preamble.lines().any(|line| line.trim() == "import selfmade")
}

fn arguments(function: &FunctionContent) -> Vec<(&'static str, Value)> {
    let mut arguments: Vec<(&'static str, Value)> = Vec::new();
    let mut add = |name, value: Value| arguments.push((name, value));
    if function.dialect == Dialect::Babyagi {
        add("dialect", "babyagi".into());
    }
    if let Some(description) = &function.stated.description {
        add("description", description.as_str().into());
    }
    if !function.stated.dependencies.is_empty() {
        add("dependencies", function.stated.dependencies.iter().map(dependency).collect());
    }
    if !function.imports.is_empty() {
        add("imports", function.imports.clone().into());
    }
    if !function.stated.requirements.is_empty() {
        add("requirements", function.stated.requirements.iter().map(ToString::to_string).collect());
    }
    grants(&function.grants, &mut add);
    function.running.options().into_iter().for_each(|(name, value)| add(name, value));
    if !function.tests.is_empty() {
        add("tests", serde_json::to_value(&function.tests).unwrap_or_default());
    }
    if !function.metadata.is_empty() {
        add("metadata", Value::Object(function.metadata.clone()));
    }
    arguments
}

fn dependency(dependency: &Dependency) -> String {
    let version = dependency.version.map(|version| format!("@{version}")).unwrap_or_default();
    let alias = if dependency.alias == dependency.function {
        String::new()
    } else {
        format!(" as {}", dependency.alias)
    };
    format!("{}{version}{alias}", dependency.function)
}

fn grants(grants: &Grants, add: &mut impl FnMut(&'static str, Value)) {
    if !grants.network.is_empty() {
        add("network", grants.network.iter().cloned().collect());
    }
    if !grants.secrets.is_empty() {
        add("secrets", grants.secrets.iter().cloned().collect());
    }
    if grants.model {
        add("model", true.into());
    }
    match grants.brain {
        BrainGrant::None => {}
        BrainGrant::Read => add("brain", "read".into()),
        BrainGrant::Propose => add("brain", "propose".into()),
    }
    if grants.files {
        add("files", true.into());
    }
    if let Some(word) = grants.storage.word() {
        add("storage", word.into());
    }
    if let Some(timeout_ms) = grants.limits.timeout_ms {
        add("timeout", (timeout_ms as f64 / 1000.0).into());
    }
    if let Some(bytes) = grants.limits.memory_bytes {
        add("memory", bytes.into());
    }
    if let Some(processes) = grants.limits.processes {
        add("processes", processes.into());
    }
}

/// A JSON value as a Python literal, broken over lines where it is too wide.
fn literal(value: &Value, indent: usize, width: usize) -> String {
    let flat = flat_literal(value);
    if flat.chars().count() + indent <= width {
        return flat;
    }
    let pad = " ".repeat(indent + 4);
    let end = " ".repeat(indent);
    match value {
        Value::Array(list) if !list.is_empty() => {
            let items: Vec<String> =
                list.iter().map(|item| format!("{pad}{},\n", literal(item, indent + 4, width))).collect();
            format!("[\n{}{end}]", items.concat())
        }
        Value::Object(map) if !map.is_empty() => {
            let items: Vec<String> = map
                .iter()
                .map(|(key, item)| format!("{pad}{}: {},\n", quoted(key), literal(item, indent + 4, width)))
                .collect();
            format!("{{\n{}{end}}}", items.concat())
        }
        _ => flat,
    }
}

fn flat_literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(list) => {
            format!("[{}]", list.iter().map(flat_literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, item)| format!("{}: {}", quoted(key), flat_literal(item)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A Python string literal. Whatever does not show is escaped.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || ('\u{2000}'..='\u{206f}').contains(&c) || c == '\u{feff}' => {
                let code = u32::from(c);
                let escape = if code < 0x100 { format!("\\x{code:02x}") } else { format!("\\u{code:04x}") };
                out.push_str(&escape);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
