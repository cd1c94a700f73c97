//! What an author states beside the source, and how it is read from a decorator's arguments.

use std::collections::BTreeMap;

use ruff_python_ast::{Arguments, Decorator, Expr};
use ruff_text_size::Ranged;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::function::requirement::Requirement;
use crate::python::decorators::callee;
use crate::python::error::{SourceError, SourceErrorKind};
use crate::python::imports::top_level;
use crate::python::literal::{self, Reading};
use crate::python::text::Text;

/// What an author states beside the source. `None` is not stated: an update keeps what was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Declared {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<DeclaredDependency>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirements: Option<Vec<Requirement>>,
    /// BabyAGI: the modules that are bound as globals of the function, under these names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imports: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Vec<String>>,
    /// The functions after which this one runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triggers: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Vec<Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Every other argument, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
}

/// A stored Function under the name that the source calls it by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct DeclaredDependency {
    pub alias: String,
    pub function: String,
    /// The Version it is pinned to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
}

impl Declared {
    /// The names in the source that stated dependencies provide: `airtable` for `airtable.create_record`.
    pub(super) fn dependency_names(&self) -> impl Iterator<Item = &str> {
        self.dependencies.iter().flatten().map(|dependency| top_level(&dependency.alias))
    }
}

impl DeclaredDependency {
    /// Reads `name`, `name@3`, or either with ` as alias`; `None` if it is none of them.
    pub fn parse(stated: &str) -> Option<DeclaredDependency> {
        let (target, alias) = match stated.split_once(" as ") {
            Some((target, alias)) => (target.trim(), Some(alias.trim())),
            None => (stated.trim(), None),
        };
        let (function, version) = match target.split_once('@') {
            Some((function, version)) => (function, Some(version.parse().ok().filter(|number| *number > 0)?)),
            None => (target, None),
        };
        let alias = alias.unwrap_or(function);
        (is_dotted_name(function) && is_dotted_name(alias)).then(|| DeclaredDependency {
            alias: alias.to_owned(),
            function: function.to_owned(),
            version,
        })
    }
}

fn is_dotted_name(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    name.split('.').all(is_word)
}

/// One argument of a registering decorator, with its value.
pub(super) struct Argument<'a> {
    text: &'a Text,
    decorator: String,
    pub(super) name: &'a str,
    pub(super) value: Value,
    offset: usize,
}

/// The arguments of a decorator. `positional` names those that may be given by position.
pub(super) fn arguments<'a>(
    text: &'a Text,
    decorator: &'a Decorator,
    positional: &[&'static str],
) -> Result<Vec<Argument<'a>>, SourceError> {
    let Expr::Call(call) = &decorator.expression else { return Ok(Vec::new()) };
    let Arguments { args, keywords, .. } = &call.arguments;
    let written = text.as_str()[callee(decorator).range().to_std_range()].to_owned();
    let mut found = Vec::new();
    for (index, expr) in args.iter().enumerate() {
        let Some(name) = positional.get(index).filter(|_| !expr.is_starred_expr()) else {
            let message = format!("`@{written}` takes its arguments by name");
            return Err(text.error(SourceErrorKind::Declaration, expr.range().start().to_usize(), message));
        };
        found.push(argument(text, &written, name, expr)?);
    }
    for keyword in keywords {
        let name = keyword.arg.as_ref().map_or("**", |name| name.as_str());
        if keyword.arg.is_none() {
            return Err(not_literal(text, &written, name, &keyword.value));
        }
        found.push(argument(text, &written, name, &keyword.value)?);
    }
    // `None` is what every one of them is without the argument.
    found.retain(|argument| !argument.value.is_null());
    Ok(found)
}

fn argument<'a>(
    text: &'a Text,
    decorator: &str,
    name: &'a str,
    expr: &Expr,
) -> Result<Argument<'a>, SourceError> {
    let value = literal::value(expr, text.as_str(), Reading::Generous)
        .map_err(|part| not_literal(text, decorator, name, part))?;
    Ok(Argument {
        text,
        decorator: decorator.to_owned(),
        name,
        value,
        offset: expr.range().start().to_usize(),
    })
}

fn not_literal(text: &Text, decorator: &str, name: &str, part: &Expr) -> SourceError {
    let range = part.range();
    let written: String = text.as_str()[range.to_std_range()].chars().take(40).collect();
    let message = format!("argument `{name}` of `@{decorator}` is not a literal: `{written}`");
    text.error(SourceErrorKind::NotLiteral, range.start().to_usize(), message).hint(
        "the file is read without running it: write strings, numbers, True, False, None, lists, tuples, sets and dicts only",
    )
}

impl Argument<'_> {
    pub(super) fn error(&self, message: impl std::fmt::Display) -> SourceError {
        let message = format!("argument `{}` of `@{}` {message}", self.name, self.decorator);
        self.text.error(SourceErrorKind::Declaration, self.offset, message)
    }

    pub(super) fn string(self) -> Result<String, SourceError> {
        match &self.value {
            Value::String(text) => Ok(text.clone()),
            _ => Err(self.error("must be a string")),
        }
    }

    /// A list of strings; a bare string is a list of one.
    pub(super) fn strings(&self) -> Result<Vec<String>, SourceError> {
        let string = |value: &Value| value.as_str().map(str::to_owned);
        let strings = match &self.value {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(values) => values.iter().map(string).collect(),
            _ => None,
        };
        strings.ok_or_else(|| self.error("must be a list of strings"))
    }

    pub(super) fn dependencies(&self) -> Result<Vec<DeclaredDependency>, SourceError> {
        let parse = |stated: String| {
            DeclaredDependency::parse(&stated).ok_or_else(|| {
                let error = self.error(format!("has `{stated}`, which is not a function"));
                error.hint("write `name`, `name@3` or `name as alias`")
            })
        };
        self.strings()?.into_iter().map(parse).collect()
    }

    pub(super) fn object(self) -> Result<Map<String, Value>, SourceError> {
        match self.value {
            Value::Object(object) => Ok(object),
            _ => Err(self.error("must be a dict")),
        }
    }
}
