//! The arguments of `@selfmade.function(...)`.

use ruff_python_ast::Decorator;
use serde_json::Value;

use super::declared::{Argument, Declared, arguments};
use crate::function::requirement::{Requirement, RequirementError};
use crate::python::error::SourceError;
use crate::python::text::Text;

pub(super) fn declared(text: &Text, decorator: &Decorator) -> Result<Declared, SourceError> {
    let mut declared = Declared::default();
    for argument in arguments(text, decorator, &[])? {
        match argument.name {
            "description" => declared.description = Some(argument.string()?),
            "dependencies" => declared.dependencies = Some(argument.dependencies()?),
            "requirements" => declared.requirements = Some(requirements(&argument)?),
            "secrets" => declared.secrets = Some(argument.strings()?),
            "triggers" if argument.strings().is_ok() => declared.triggers = Some(argument.strings()?),
            "tests" => match argument.value {
                Value::Array(tests) => declared.tests = Some(tests),
                _ => return Err(argument.error("must be a list")),
            },
            "metadata" => declared.metadata = Some(argument.object()?),
            name => drop(declared.options.insert(name.to_owned(), argument.value)),
        }
    }
    Ok(declared)
}

/// A list of requirements, or a dict from import name to package.
fn requirements(argument: &Argument<'_>) -> Result<Vec<Requirement>, SourceError> {
    let read: Result<Vec<Requirement>, RequirementError> = match &argument.value {
        Value::Object(packages) => {
            let pair = |(import, package): (&String, &Value)| match package {
                Value::String(package) => Ok(Requirement::of(import, package)),
                _ => Err(argument.error("must be a list of packages, or a dict from import name to package")),
            };
            packages.iter().map(pair).collect::<Result<Vec<_>, _>>()?.into_iter().collect()
        }
        _ => argument.strings()?.iter().map(|stated| Requirement::parse(stated)).collect(),
    };
    read.map_err(|error| argument.error(format!("is refused: {error}")))
}
