//! Blocks written as classes: `class X(Block)` with an id, schemas, `run`, tests and mocks. Each becomes one function that
//! takes the fields of the input schema and yields the pins of the output schema. The class stands in it as it was written,
//! with what it uses of its file and the few things that it expects of the framework it was written for.

mod annotation;
mod class;
mod fields;
mod hosts;
mod source;
mod tests;
mod uses;
mod values;

use std::collections::{HashMap, HashSet};

use ruff_python_ast::{Expr, ModModule, Stmt, StmtClassDef};
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;
use serde_json::{Map, Value, json};

use self::class::{Definition, Stated};
use self::fields::Reader;
use self::uses::Definitions;
use super::collect::Module;
use super::{Declared, Notice, PackFunction, travel};
use crate::python::decorators::Dialect;
use crate::python::error::{SourceError, SourceErrorKind};
use crate::python::function;
use crate::python::layout;

/// A file has no more blocks than this: each is stored with what it uses of the file.
const MAX_BLOCKS: usize = 256;

/// The blocks of a file, and those that are passed over.
pub(super) fn read(module: &Module<'_>) -> Result<(Vec<PackFunction>, Vec<Notice>), SourceError> {
    let (mut functions, mut skipped) = (Vec::new(), Vec::new());
    check_framework_imports(module)?;
    let classes = class::blocks(module);
    check_count(module, &classes)?;
    let definitions = Definitions::of(module);
    for class in classes {
        let stated = class::stated(module, class)?;
        if stated.is_disabled {
            let line = module.text.position(class.name.range().start().to_usize()).0;
            let name = class.name.as_str().to_owned();
            skipped.push(Notice { name, line, reason: "it is disabled".to_owned() });
        } else {
            functions.push(convert(module, &definitions, &stated)?);
        }
    }
    if !functions.is_empty() {
        check_rest(module)?;
        check_names(module, &functions)?;
    }
    Ok((functions, skipped))
}

fn convert(
    module: &Module<'_>,
    definitions: &Definitions<'_>,
    stated: &Stated<'_>,
) -> Result<PackFunction, SourceError> {
    let reader = Reader::new(module);
    let (inputs, outputs) = (reader.schema(stated.input)?, reader.schema(stated.output)?);
    let definition = Definition {
        name: class::function_name(stated.class.name.as_str()),
        description: stated.description.clone(),
        inputs,
        outputs,
        reads_secrets: !reader.secrets().is_empty(),
    };
    let cases = tests::of(module, stated, &definition)?;
    let uses = uses::of(module, definitions, stated.class, &reader)?;
    let text = source::written(module, stated, &definition, &reader, &uses, cases.has_trial);
    let analysis = function::of_text(text)?;
    let declared = Declared {
        description: Some(definition.description.clone()).filter(|text| !text.is_empty()),
        secrets: Some(reader.secrets()).filter(|names| !names.is_empty()),
        tests: Some(cases.tests).filter(|tests| !tests.is_empty()),
        metadata: Some(metadata(module, stated)),
        options: hosts::granted(&uses.statements),
        ..Declared::default()
    };
    travel::check(module, &analysis, &HashSet::new())?;
    Ok(PackFunction {
        name: analysis.name.clone(),
        source: analysis.source.clone(),
        dialect: Dialect::Selfmade,
        unresolved: analysis.free_names.clone(),
        line: module.text.position(stated.class.name.range().start().to_usize()).0,
        analysis,
        declared,
    })
}

/// What is known of the block besides: its id, by which graph files name it.
fn metadata(module: &Module<'_>, stated: &Stated<'_>) -> Map<String, Value> {
    let mut block = Map::new();
    block.insert("id".to_owned(), json!(stated.id));
    block.insert("class".to_owned(), json!(stated.class.name.as_str()));
    if let Some(stated) = stated.arguments.get("categories") {
        block.insert("categories".to_owned(), json!(categories(stated)));
    }
    if values::Values::new(module).is_true(stated.arguments.get("static_output").copied()) {
        block.insert("static".to_owned(), json!(true));
    }
    Map::from_iter([("block".to_owned(), Value::Object(block))])
}

fn categories(stated: &Expr) -> Vec<&str> {
    let elements = match stated {
        Expr::Set(set) => &set.elts,
        Expr::List(list) => &list.elts,
        _ => return Vec::new(),
    };
    let members = elements.iter().filter_map(|element| element.as_attribute_expr());
    let mut names: Vec<&str> = members.map(|member| member.attr.as_str()).collect();
    names.sort_unstable();
    names
}

/// A file of blocks says nothing but definitions: anything else would be done when it is imported, and is not stored.
fn check_rest(module: &Module<'_>) -> Result<(), SourceError> {
    let parsed: &Parsed<ModModule> = module.parsed;
    for (at, statement) in parsed.syntax().body.iter().enumerate() {
        let is_definition = match statement {
            Stmt::Expr(_) => at == 0 && layout::is_docstring(statement),
            Stmt::For(_) | Stmt::While(_) | Stmt::With(_) | Stmt::Delete(_) | Stmt::Assert(_) => false,
            // `Block.Input = …` and `names["a"] = …` change what was defined.
            Stmt::Assign(assign) => assign.targets.iter().all(binds_names),
            _ => true,
        };
        if !is_definition {
            let message = "this is done when the file is imported, and is not stored with its blocks";
            let offset = statement.range().start().to_usize();
            let error = module.text.error(SourceErrorKind::TopLevel, offset, message);
            return Err(error.hint("move it inside of the class or a function, or remove it"));
        }
    }
    Ok(())
}

fn binds_names(target: &Expr) -> bool {
    match target {
        Expr::Attribute(_) | Expr::Subscript(_) => false,
        Expr::Tuple(tuple) => tuple.elts.iter().all(binds_names),
        Expr::List(list) => list.elts.iter().all(binds_names),
        _ => true,
    }
}

/// By a star, blocks could not be told from other classes.
fn check_framework_imports(module: &Module<'_>) -> Result<(), SourceError> {
    for statement in &module.parsed.syntax().body {
        if let Stmt::ImportFrom(import) = statement
            && import.module.as_ref().is_some_and(|from| class::is_framework(from.as_str()))
        {
            uses::check_star(module, import)?;
        }
    }
    Ok(())
}

fn check_count(module: &Module<'_>, classes: &[&StmtClassDef]) -> Result<(), SourceError> {
    match classes.get(MAX_BLOCKS) {
        None => Ok(()),
        Some(class) => {
            let message =
                format!("this is block {} of the file, which may have {MAX_BLOCKS}", MAX_BLOCKS + 1);
            Err(refused(module, &class.name, message, "put some of the blocks into another file"))
        }
    }
}

/// Two blocks may have one name here: `Reverse` and `ReverseBlock` are both `reverse`.
fn check_names(module: &Module<'_>, functions: &[PackFunction]) -> Result<(), SourceError> {
    let mut lines = HashMap::new();
    for function in functions {
        if let Some(first) = lines.insert(function.name.as_str(), function.line) {
            let message = format!(
                "the blocks on lines {first} and {} would both be `{}`",
                function.line, function.name
            );
            let offset = module.text.line_start(function.line.saturating_sub(1) as usize);
            let error = module.text.error(SourceErrorKind::DuplicateFunction, offset, message);
            return Err(error.hint("rename one of the classes"));
        }
    }
    Ok(())
}

/// The error at an expression that has to be written out.
fn not_literal(module: &Module<'_>, at: &Expr, what: &str) -> SourceError {
    let written = &module.text.as_str()[at.range().to_std_range()];
    let shown: String = written.chars().take(60).collect();
    let message = format!("{what} must be written out, and `{shown}` is not known without running the file");
    module
        .text
        .error(SourceErrorKind::NotLiteral, at.range().start().to_usize(), message)
        .hint("write a literal, a constant of the file or a member of one of its enums")
}

/// The error at something of a class that cannot be taken over.
fn refused(module: &Module<'_>, at: &impl Ranged, message: String, hint: &str) -> SourceError {
    let offset = at.range().start().to_usize();
    module.text.error(SourceErrorKind::Declaration, offset, message).hint(hint)
}

/// The class of this name at the top level of the file.
fn class_named<'a>(module: &Module<'a>, name: &str) -> Option<&'a StmtClassDef> {
    module.classes.get(name).copied()
}
