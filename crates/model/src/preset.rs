//! Presets: named inputs of Functions and Graphs.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::access::actor::Actor;
use crate::function::signature::{Parameter, ParameterKind, Signature};
use crate::input::json_size::json_size;
use crate::input::{InputError, InputSchema};
use crate::name::EntryName;
use crate::phrase::cut;

/// It is shown in lists and typed on command lines.
pub const MAX_NAME_BYTES: usize = 100;
/// A preset is typed by people; what is larger is stored where the function reads it.
pub const MAX_BYTES: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Preset {
    /// The Function or Graph.
    pub callable: EntryName,
    pub name: String,
    /// Arguments by name; required ones may be left out.
    pub input: Map<String, Value>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[schema(value_type = String)]
    pub updated_by: Actor,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PresetError {
    #[error(
        "`{0}` is not the name of a preset; use 1 to {MAX_NAME_BYTES} bytes without `/`, without control characters, and without spaces at the ends"
    )]
    Name(String),
    #[error(
        "the preset has {bytes} bytes, and may have {MAX_BYTES}; store large values elsewhere, and pass their names"
    )]
    TooLarge { bytes: u64 },
}

/// Whether a preset could have this name and this input.
pub fn check(name: &str, input: &Map<String, Value>) -> Result<(), PresetError> {
    let is_fit = !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && name.trim() == name
        && !name.contains(|letter: char| letter.is_control() || letter == '/');
    if !is_fit {
        return Err(PresetError::Name(cut(name, 60)));
    }
    let bytes = json_size(input);
    if bytes > MAX_BYTES { Err(PresetError::TooLarge { bytes }) } else { Ok(()) }
}

/// Why the input does not fit what the Function or Graph takes. What is left out is stated when it is run.
pub fn misfit(signature: &Signature, input: &Map<String, Value>) -> Option<InputError> {
    let signature = signature.all_optional();
    let bound = crate::input::bind(&signature, Vec::new(), input.clone());
    bound.and_then(|bound| InputSchema::compile(&signature).check(&bound)).err()
}

/// The required parameters that the preset leaves open.
pub fn open<'a>(signature: &'a Signature, input: &Map<String, Value>) -> Vec<&'a str> {
    let is_stated = |parameter: &&Parameter| {
        let is_variable = matches!(parameter.kind, ParameterKind::VarPositional | ParameterKind::VarKeyword);
        parameter.required && !is_variable && !input.contains_key(&parameter.name)
    };
    signature.parameters.iter().filter(is_stated).map(|parameter| parameter.name.as_str()).collect()
}

/// The input of a run: what the preset states, and over it what the caller states.
pub fn merged(preset: &Map<String, Value>, stated: Map<String, Value>) -> Map<String, Value> {
    let mut input = preset.clone();
    input.extend(stated);
    input
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::python::analyse;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn signature(parameters: &str) -> Signature {
        analyse(&format!("def f({parameters}): ...")).unwrap().signature
    }

    #[test]
    fn a_preset_may_leave_things_open_but_what_it_states_has_to_fit() {
        let signature = signature("topic: str, count: int = 3");
        assert_eq!(misfit(&signature, &Map::new()), None);
        assert_eq!(open(&signature, &Map::new()), ["topic"]);
        assert_eq!(misfit(&signature, &object(&json!({"topic": "rust", "count": 2}))), None);
        let wrong = misfit(&signature, &object(&json!({"count": "many"}))).unwrap().to_string();
        assert!(wrong.contains("`count` must be an integer"), "{wrong}");
        let unknown = misfit(&signature, &object(&json!({"topics": "rust"}))).unwrap().to_string();
        assert!(unknown.contains("did you mean `topic`?"), "{unknown}");
    }

    #[test]
    fn what_the_caller_states_counts_more() {
        let preset = object(&json!({"a": 1, "b": 2}));
        assert_eq!(merged(&preset, object(&json!({"b": 3}))), object(&json!({"a": 1, "b": 3})));
    }

    #[test]
    fn a_name_is_one_line_without_slashes() {
        let input = Map::new();
        for name in ["daily", "every day", "ä-1"] {
            assert_eq!(check(name, &input), Ok(()));
        }
        for name in ["", " a", "a/b", "a\nb", &"x".repeat(101)] {
            assert!(check(name, &input).is_err(), "{name}");
        }
    }
}
