//! The arguments of BabyAGI's `register_function`, and what its functions find in their scope.

use std::collections::HashSet;

use ruff_python_ast::Decorator;
use serde_json::Value;

use super::declared::{Argument, Declared, arguments};
use crate::function::requirement::Requirement;
use crate::python::error::SourceError;
use crate::python::imports::top_level;
use crate::python::packages::package_of;
use crate::python::stdlib::is_standard_library;
use crate::python::text::Text;

/// Names that BabyAGI puts into the scope of every function.
const INJECTED: &[&str] = &["func", "datetime", "parent_log_id"];

/// The order of its parameters, as they may be given by position.
const PARAMETERS: &[&str] = &["metadata", "imports", "dependencies", "triggers", "key_dependencies"];

/// What the decorator of a function of this name states.
pub(super) fn declared(text: &Text, decorator: &Decorator, function: &str) -> Result<Declared, SourceError> {
    let mut declared = Declared::default();
    for argument in arguments(text, decorator, PARAMETERS)? {
        match argument.name {
            "metadata" => {
                let metadata = argument.object()?;
                declared.description = metadata.get("description").and_then(Value::as_str).map(str::to_owned);
                declared.metadata = Some(metadata);
            }
            "imports" => imports(&argument, &mut declared)?,
            "dependencies" => declared.dependencies = Some(argument.dependencies()?),
            "triggers" => declared.triggers = Some(argument.strings()?),
            "key_dependencies" | "secrets" => {
                declared.secrets.get_or_insert_default().extend(argument.strings()?);
            }
            "name" if argument.value == function => {}
            "name" => {
                return Err(
                    argument.error(format!("must be `{function}`, the name of the function below it"))
                );
            }
            name => drop(declared.options.insert(name.to_owned(), argument.value)),
        }
    }
    Ok(declared)
}

/// The names that the scope of a function with these declarations has, besides its dependencies.
pub(super) fn provided(declared: &Declared) -> impl Iterator<Item = &str> {
    let stated = declared.imports.iter().chain(&declared.secrets).flatten();
    stated.map(|name| top_level(name)).chain(INJECTED.iter().copied())
}

/// A list of names and `{"name", "lib"}` pairs, or one of either.
fn imports(argument: &Argument<'_>, declared: &mut Declared) -> Result<(), SourceError> {
    let (names, requirements) = stated_imports(&argument.value).map_err(|problem| argument.error(problem))?;
    declared.imports = Some(names);
    declared.requirements = Some(requirements);
    Ok(())
}

/// The import names and the packages of what BabyAGI calls `imports`, or what is wrong with it. The package that the author
/// names wins.
pub fn stated_imports(stated: &Value) -> Result<(Vec<String>, Vec<Requirement>), String> {
    let stated = match stated {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let (mut names, mut requirements) = (Vec::new(), Vec::new());
    let (mut seen, mut packages) = (HashSet::new(), HashSet::new());
    for import in stated {
        let (name, package) =
            named(import).ok_or("must be a list of import names and of dicts with `name` and `lib`")?;
        if seen.insert(name) {
            names.push(name.to_owned());
        }
        if is_standard_library(top_level(name)) {
            continue;
        }
        let requirement = Requirement::of(top_level(name), package.unwrap_or_else(|| package_of(name)))
            .map_err(|error| format!("is refused: {error}"))?;
        if packages.insert(requirement.clone()) {
            requirements.push(requirement);
        }
    }
    Ok((names, requirements))
}

fn named(import: &Value) -> Option<(&str, Option<&str>)> {
    match import {
        Value::String(name) => Some((name, None)),
        Value::Object(pair) => Some((pair.get("name")?.as_str()?, pair.get("lib").and_then(Value::as_str))),
        _ => None,
    }
}
