//! TypedDicts, in both syntaxes, as objects.

use std::collections::BTreeSet;

use ruff_python_ast::{Arguments, Expr, ExprCall, Stmt, StmtClassDef};
use serde_json::{Map, Value, json};

use super::Schemas;
use super::known::Known;
use crate::python::docstring;
use crate::python::types::{Named, last_segment};

/// The fields of a TypedDict, gathered over its bases.
#[derive(Default)]
struct Fields {
    properties: Map<String, Value>,
    required: BTreeSet<String>,
}

impl Fields {
    fn set(&mut self, name: &str, schema: Value, required: bool) {
        self.properties.insert(name.to_owned(), schema);
        if required {
            self.required.insert(name.to_owned());
        } else {
            self.required.remove(name);
        }
    }

    fn take(&mut self, schema: &Value) {
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            self.set(name, property.clone(), required.contains(name.as_str()));
        }
    }

    fn schema(self, title: &str, description: &str) -> Value {
        let mut schema = json!({"type": "object", "title": title, "properties": self.properties});
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        if !description.is_empty() {
            schema["description"] = json!(description);
        }
        schema
    }
}

impl Schemas<'_> {
    pub(super) fn typed_dict_class(&self, class: &StmtClassDef) -> Value {
        let mut fields = Fields::default();
        for base in class.bases() {
            if let Some(path) = self.types.path(base)
                && let Some(named @ (Named::TypedDictClass(_) | Named::TypedDictCall(_))) =
                    self.types.named(&path)
            {
                fields.take(&self.named(&path, named));
            }
        }
        let total = class.arguments.as_deref().is_none_or(is_total);
        for statement in &class.body {
            if let Stmt::AnnAssign(field) = statement
                && let Expr::Name(name) = &*field.target
            {
                let required = self.is_required(&field.annotation).unwrap_or(total);
                fields.set(name.id.as_str(), self.of(&field.annotation), required);
            }
        }
        let description = docstring::first_line(&docstring::of_body(&class.body));
        fields.schema(class.name.as_str(), &description)
    }

    pub(super) fn typed_dict_call(&self, call: &ExprCall) -> Value {
        let mut fields = Fields::default();
        let title = match call.arguments.find_positional(0) {
            Some(Expr::StringLiteral(name)) => name.value.to_str(),
            _ => "",
        };
        let total = is_total(&call.arguments);
        if let Some(Expr::Dict(dict)) = call.arguments.find_positional(1) {
            for item in &dict.items {
                if let Some(Expr::StringLiteral(name)) = &item.key {
                    let required = self.is_required(&item.value).unwrap_or(total);
                    fields.set(name.value.to_str(), self.of(&item.value), required);
                }
            }
        }
        fields.schema(title, "")
    }

    /// What `Required[...]` or `NotRequired[...]` say, at the outside or just inside `Annotated` and `ReadOnly`.
    fn is_required(&self, annotation: &Expr) -> Option<bool> {
        let Expr::Subscript(subscript) = annotation else { return None };
        let path = self.types.path(&subscript.value)?;
        match (last_segment(&path), self.known(&subscript.value)) {
            ("Required", _) => Some(true),
            ("NotRequired", _) => Some(false),
            (_, Some(Known::Annotated | Known::Wrapper)) => {
                super::arguments(subscript).first().and_then(|inner| self.is_required(inner))
            }
            _ => None,
        }
    }
}

fn is_total(arguments: &Arguments) -> bool {
    let total = arguments.find_keyword("total").map(|keyword| &keyword.value);
    !matches!(total, Some(Expr::BooleanLiteral(literal)) if !literal.value)
}
