//! A Function and its Versions as BabyAGI writes them. BabyAGI's fields are always present; `required`, `default` and
//! `description` of a parameter are additions.

use jiff::Timestamp;
use model::function::FunctionContent;
use model::function::signature::{DefaultValue, Parameter, ParameterKind};
use model::python::Dialect;
use model::version::Version;
use serde_json::{Map, Value, json};

/// What `get_function` gives.
pub(super) fn function(version: &Version, content: &FunctionContent, triggers: &[String]) -> Value {
    json!({
        "name": version.head.key.name,
        "version": version.head.number,
        "code": content.source,
        "metadata": metadata(content),
        "dependencies": dependencies(content),
        "imports": imports(content),
        "created_date": date(version.head.written_at),
        "input_parameters": inputs(content),
        "output_parameters": outputs(content),
        "triggers": triggers,
    })
}

/// One of what `get_function_versions` gives.
pub(super) fn version(
    version: &Version,
    content: &FunctionContent,
    is_active: bool,
    triggers: &[String],
) -> Value {
    json!({
        "version": version.head.number,
        "code": content.source,
        "metadata": metadata(content),
        "is_active": is_active,
        "dependencies": dependencies(content),
        "created_date": date(version.head.written_at),
        "input_parameters": inputs(content),
        "output_parameters": outputs(content),
        "triggers": triggers,
    })
}

/// In UTC without a zone, as BabyAGI writes dates and Python of any age reads them.
pub(super) fn date(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.%6f").to_string()
}

/// Imports of the active version alone, each with the package it comes from.
pub(super) fn import_rows(content: &FunctionContent) -> Vec<Value> {
    let row = |name: &str| {
        let top = name.split('.').next().unwrap_or(name);
        let package = content.requirements.iter().find(|one| one.import == top);
        let lib = package.map(|one| one.package.clone());
        json!({ "name": name, "source": "external", "lib": lib })
    };
    imports(content).iter().map(|name| row(name)).collect()
}

/// BabyAGI's own code reads `metadata["description"]` without asking whether there is one.
fn metadata(content: &FunctionContent) -> Map<String, Value> {
    let mut metadata = content.metadata.clone();
    metadata.insert("description".to_owned(), content.description.clone().into());
    metadata
}

fn dependencies(content: &FunctionContent) -> Vec<&str> {
    content.dependencies.iter().map(|dependency| dependency.function.as_str()).collect()
}

fn imports(content: &FunctionContent) -> Vec<&str> {
    match content.dialect {
        Dialect::Babyagi => content.imports.iter().map(String::as_str).collect(),
        Dialect::Selfmade => content.requirements.iter().map(|one| one.import.as_str()).collect(),
    }
}

fn inputs(content: &FunctionContent) -> Vec<Value> {
    let named = content.signature.parameters.iter().filter(|parameter| {
        !matches!(parameter.kind, ParameterKind::VarPositional | ParameterKind::VarKeyword)
    });
    named.map(input).collect()
}

fn input(parameter: &Parameter) -> Value {
    let mut input = json!({
        "name": parameter.name,
        "type": parameter.annotation.as_deref().unwrap_or("Any"),
        "required": parameter.required,
    });
    if let Some(DefaultValue::Literal(value)) = &parameter.default {
        input["default"] = value.clone();
    }
    if let Some(description) = &parameter.description {
        input["description"] = description.clone().into();
    }
    input
}

fn outputs(content: &FunctionContent) -> Value {
    let pins = &content.signature.pins;
    if !pins.is_empty() {
        return pins.iter().map(|pin| json!({ "name": pin.name, "type": "Any" })).collect();
    }
    json!([{ "name": "output", "type": content.signature.returns.as_deref().unwrap_or("Any") }])
}
