//! The function that a block becomes, as a text whose lines know where they were in the file.

use std::collections::BTreeSet;

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use super::class::{Definition, Stated};
use super::fields::{Field, Hidden, Reader};
use super::tests::TRIAL;
use super::uses::Uses;
use crate::python::layout;
use crate::python::pack::collect::Module;
use crate::python::pack::travel;
use crate::python::text::{Piece, Text};
use crate::python::words::is_builtin;

const PRELUDE: &str = include_str!("prelude.py");
const PRELUDE_PYDANTIC: &str = include_str!("prelude_pydantic.py");
const FRAMEWORK: &str = include_str!("framework.py");

/// Collects lines. What is not of the file has the line of the class.
struct Writer {
    pieces: Vec<Piece>,
    line: u32,
}

impl Writer {
    fn line(&mut self, indentation: usize, content: &str) {
        let content = match content {
            "" => String::new(),
            content => format!("{:indentation$}{content}", ""),
        };
        self.pieces.push(Piece { content, line: self.line, removed: 0 });
    }

    fn lines(&mut self, indentation: usize, text: &str) {
        text.lines().for_each(|line| self.line(indentation, line));
    }
}

pub(super) fn written(
    module: &Module<'_>,
    stated: &Stated<'_>,
    definition: &Definition,
    reader: &Reader<'_, '_>,
    uses: &Uses<'_>,
    has_trial: bool,
) -> Text {
    let line = module.text.position(stated.class.name.range().start().to_usize()).0;
    let mut writer = Writer { pieces: Vec::new(), line };
    head(&mut writer, module, stated, definition, reader);
    signature(&mut writer, stated, definition, has_trial);
    docstring(&mut writer, definition);
    framework(&mut writer, definition, reader, uses);
    class(&mut writer, module, stated, definition, uses);
    tail(&mut writer, stated, definition, has_trial);
    Text::assemble(writer.pieces)
}

fn visible(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|field| field.hidden.is_none())
}

fn is_async(stated: &Stated<'_>) -> bool {
    stated.run.is_async
}

fn head(
    writer: &mut Writer,
    module: &Module<'_>,
    stated: &Stated<'_>,
    definition: &Definition,
    reader: &Reader<'_, '_>,
) {
    for statement in &module.parsed.syntax().body {
        if let Stmt::ImportFrom(import) = statement
            && import.module.as_ref().is_some_and(|module| module.as_str() == "__future__")
        {
            writer.line(0, &module.text.as_str()[import.range().to_std_range()]);
        }
    }
    let iterator = if is_async(stated) { "AsyncIterator" } else { "Iterator" };
    writer.line(0, &format!("from collections.abc import {iterator}"));
    let models = reader.models.written.borrow();
    let mut typing = BTreeSet::from(["Any"]);
    let fields = visible(&definition.inputs).chain(&definition.outputs);
    let annotations = fields.map(|field| field.annotation.as_str());
    let annotations: Vec<&str> = annotations.chain(models.iter().map(|(_, text)| text.as_str())).collect();
    if annotations.iter().any(|text| text.contains("Literal[")) {
        typing.insert("Literal");
    }
    if !models.is_empty() {
        typing.insert("TypedDict");
    }
    let typing: Vec<&str> = typing.into_iter().collect();
    writer.line(0, &format!("from typing import {}", typing.join(", ")));
    for (_, model) in models.iter() {
        writer.line(0, model);
    }
    writer.line(0, "");
    writer.line(0, "");
}

fn signature(writer: &mut Writer, stated: &Stated<'_>, definition: &Definition, has_trial: bool) {
    let (word, iterator) =
        if is_async(stated) { ("async def", "AsyncIterator") } else { ("def", "Iterator") };
    writer.line(0, &format!("{word} {}(", definition.name));
    let (optional, required): (Vec<&Field>, Vec<&Field>) =
        visible(&definition.inputs).partition(|field| field.default.is_some());
    for field in required.into_iter().chain(optional) {
        let default = field.default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
        writer.line(4, &format!("{}: {}{default},", field.name, field.annotation));
    }
    if has_trial {
        writer.line(4, &format!("{TRIAL}: list[dict[str, Any]] | None = None,"));
    }
    writer.line(0, &format!(") -> {iterator}[tuple[str, Any]]:"));
}

fn docstring(writer: &mut Writer, definition: &Definition) {
    let plain = |text: &str| {
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // Python takes no source with a null character.
        let joined: String = joined.chars().filter(|c| !c.is_control()).collect();
        joined.replace('\\', "\\\\").replace('"', "\\\"")
    };
    let described: Vec<&Field> =
        visible(&definition.inputs).filter(|field| !field.description.is_empty()).collect();
    writer.line(4, &format!("\"\"\"{}", plain(&definition.description)));
    if !described.is_empty() {
        writer.line(0, "");
        writer.line(4, "Args:");
    }
    for field in described {
        writer.line(8, &format!("{}: {}", field.name, plain(&field.description)));
    }
    writer.line(4, "\"\"\"");
}

/// Parameters hide builtins of the same name from what stands below them.
fn builtins(writer: &mut Writer, definition: &Definition) {
    let hidden: Vec<&str> = visible(&definition.inputs)
        .map(|field| field.name.as_str())
        .filter(|name| is_builtin(name))
        .collect();
    if !hidden.is_empty() {
        writer.line(8, &format!("from builtins import {}", hidden.join(", ")));
        writer.line(0, "");
    }
}

fn framework(writer: &mut Writer, definition: &Definition, reader: &Reader<'_, '_>, uses: &Uses<'_>) {
    if !reader.secrets().is_empty() {
        writer.line(4, "from selfmade import secrets as _secrets");
        writer.line(0, "");
    }
    writer.line(4, "def _framework(stored):");
    builtins(writer, definition);
    writer.lines(8, if uses.needs_pydantic { PRELUDE_PYDANTIC } else { PRELUDE });
    writer.lines(8, FRAMEWORK);
    writer.line(0, "");
    writer.line(8, "return locals()");
    writer.line(0, "");
}

fn class(
    writer: &mut Writer,
    module: &Module<'_>,
    stated: &Stated<'_>,
    definition: &Definition,
    uses: &Uses<'_>,
) {
    writer.line(4, "def _load(framework):");
    builtins(writer, definition);
    for (name, provided) in &uses.provided {
        writer.line(8, &format!("{name} = framework[\"{provided}\"]"));
    }
    let mut done = BTreeSet::new();
    for statement in &uses.statements {
        let written = match statement {
            Stmt::Import(import) => travel::whole(import, &uses.imported),
            Stmt::ImportFrom(import) if is_future(import) => continue,
            Stmt::ImportFrom(import) => travel::from(import, &uses.imported),
            _ => {
                writer.line(0, "");
                for index in layout::lines(module.text, module.parsed, statement.range()) {
                    if done.insert(index) {
                        writer.pieces.push(indented(module, index));
                    }
                }
                continue;
            }
        };
        if let Some(written) = written {
            writer.lines(8, &written);
        }
    }
    writer.line(0, "");
    writer.line(8, "framework[\"KNOWN\"].update(locals())");
    writer.line(8, &format!("return {}()", stated.class.name));
    writer.line(0, "");
}

fn is_future(import: &ruff_python_ast::StmtImportFrom) -> bool {
    import.module.as_ref().is_some_and(|module| module.as_str() == "__future__")
}

/// A line of the file, eight to the right, unless it starts inside of a string.
fn indented(module: &Module<'_>, index: usize) -> Piece {
    let start = module.text.line_start(index);
    let before = module.strings.partition_point(|range| range.start().to_usize() < start);
    let in_string = before > 0 && module.strings[before - 1].end().to_usize() > start;
    let piece = module.text.piece(index, 0);
    let is_moved = !in_string && !piece.content.trim().is_empty();
    Piece { content: if is_moved { format!("        {}", piece.content) } else { piece.content }, ..piece }
}

fn tail(writer: &mut Writer, stated: &Stated<'_>, definition: &Definition, has_trial: bool) {
    let given = visible(&definition.inputs).map(|field| format!("\"{0}\": {0}", field.name));
    let given = given.collect::<Vec<_>>().join(", ");
    writer.line(
        4,
        &format!("_kit = _framework({})", if definition.reads_secrets { "_secrets" } else { "None" }),
    );
    let credentials = definition.inputs.iter().filter_map(|field| match &field.hidden {
        Some(Hidden::Credentials { provider, secrets }) => {
            let values = secrets.iter().map(|(name, secret)| format!(", {name}=_secrets.{secret}"));
            let values: String = values.collect();
            Some(format!("\"{}\": _kit[\"Credentials\"](\"{provider}\"{values})", field.name))
        }
        _ => None,
    });
    let credentials = credentials.collect::<Vec<_>>().join(", ");
    let trial = if has_trial { TRIAL } else { "None" };
    let word = if is_async(stated) { "async for" } else { "for" };
    writer.line(
        4,
        &format!("for _run in _kit[\"started\"](_load(_kit), {{{given}}}, {{{credentials}}}, {trial}):"),
    );
    writer.line(8, &format!("{word} _pin, _value in _run:"));
    writer.line(12, "_value = _kit[\"plain\"](_value)");
    for (at, field) in definition.outputs.iter().enumerate() {
        let name = &field.name;
        let word = if at == 0 { "if" } else { "elif" };
        writer.line(12, &format!("{word} _pin == \"{name}\":"));
        writer.line(16, &format!("_{name}: {} = _value", field.annotation));
        writer.line(16, &format!("yield \"{name}\", _{name}"));
    }
    if definition.outputs.is_empty() {
        writer.line(12, "yield from ()");
        return;
    }
    writer.line(12, "else:");
    let message = format!("`{{_pin}}` is not a pin of `{}`", definition.name);
    writer.line(16, &format!("raise ValueError(f\"{message}\")"));
}
