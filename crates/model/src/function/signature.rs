//! What a Function takes and gives, as plain data that is stored in its Version and shown by every door.
//! Working it out from Python source is [`crate::python`]'s part; checking a value against a schema is not here.
//!
//! A field that is absent, empty or the default is left out of the JSON, so that the content hash of an old Version
//! stays the same when a field is added.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The signature of one Version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub struct Signature {
    #[serde(default, skip_serializing_if = "FunctionKind::is_sync")]
    pub kind: FunctionKind,
    /// In the order of the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// The return annotation as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<String>,
    /// JSON Schema of the input object. A `*args` parameter is an array property; only `**kwargs` opens
    /// `additionalProperties`.
    pub input: Value,
    /// JSON Schema of the returned value; of one yielded value for a generator. `{}` is anything.
    #[serde(default = "any", skip_serializing_if = "is_any")]
    pub output: Value,
    /// What a generator that yields `("pin", value)` pairs can yield, by first appearance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
}

/// How the function is called and how it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    #[default]
    Sync,
    Async,
    Generator,
    AsyncGenerator,
}

impl Signature {
    /// Of a source that cannot be read: it may take and give anything.
    pub fn unknown() -> Signature {
        Signature {
            kind: FunctionKind::Sync,
            parameters: Vec::new(),
            returns: None,
            input: any(),
            output: any(),
            pins: Vec::new(),
        }
    }

    /// The same with nothing that has to be given, for an input that is completed later or used in part.
    #[must_use]
    pub fn all_optional(&self) -> Signature {
        let mut signature = self.clone();
        signature.parameters.iter_mut().for_each(|parameter| parameter.required = false);
        if let Some(schema) = signature.input.as_object_mut() {
            schema.remove("required");
        }
        signature
    }
}

impl FunctionKind {
    /// Whether calling it gives a stream of values.
    pub fn is_generator(self) -> bool {
        matches!(self, FunctionKind::Generator | FunctionKind::AsyncGenerator)
    }

    /// Whether calling it needs an event loop.
    pub fn is_async(self) -> bool {
        matches!(self, FunctionKind::Async | FunctionKind::AsyncGenerator)
    }

    fn is_sync(&self) -> bool {
        *self == FunctionKind::Sync
    }
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub struct Parameter {
    pub name: String,
    #[serde(default, skip_serializing_if = "ParameterKind::is_positional")]
    pub kind: ParameterKind,
    /// Whether a call without it fails.
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
    /// The annotation as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultValue>,
    /// JSON Schema of one value: of one element for `*args`, of one value for `**kwargs`. `{}` is anything.
    #[serde(default = "any", skip_serializing_if = "is_any")]
    pub schema: Value,
    /// What the docstring says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Parameter {
    /// Whether it is for whoever knows the source: no pin of a block.
    pub fn is_private(&self) -> bool {
        self.name.starts_with('_')
    }
}

/// How an argument reaches the parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    PositionalOnly,
    /// By position or by name.
    #[default]
    Positional,
    VarPositional,
    KeywordOnly,
    VarKeyword,
}

impl ParameterKind {
    fn is_positional(&self) -> bool {
        *self == ParameterKind::Positional
    }
}

/// What a parameter is when the caller leaves it out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefaultValue {
    /// A default that JSON can represent.
    Literal(Value),
    /// The source text of any other default. Python evaluates it when the function is loaded.
    Expression(String),
}

/// One named output of a generator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub struct Pin {
    pub name: String,
    #[serde(default = "any", skip_serializing_if = "is_any")]
    pub schema: Value,
}

/// The schema that everything satisfies.
pub(crate) fn any() -> Value {
    Value::Object(serde_json::Map::new())
}

pub(crate) fn is_any(schema: &Value) -> bool {
    schema.as_object().is_some_and(serde_json::Map::is_empty)
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
