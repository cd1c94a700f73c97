//! What a Block takes and gives: its pins. Every Function and every Graph is a Block.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::GraphContent;
use super::builtin::Builtin;
use crate::content::Content;
use crate::function::FunctionContent;
use crate::function::signature::{
    DefaultValue, FunctionKind, Parameter, ParameterKind, Signature, any, is_any,
};

/// Where a raised error leaves.
pub const ERROR: &str = "error";
/// Where a returned or yielded value leaves, if the Function names no pins.
pub const OUTPUT: &str = "output";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BlockSignature {
    pub inputs: Vec<Pin>,
    pub outputs: Vec<Pin>,
    /// The schema of values on input pins that are not listed; there are no others if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_inputs: Option<Value>,
    /// The same for output pins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_outputs: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Pin {
    pub name: String,
    /// JSON Schema of one value; `{}` is anything.
    #[serde(default = "any", skip_serializing_if = "is_any")]
    pub schema: Value,
    /// Whether an execution without it fails.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// What it is if it is neither linked nor given a constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// An input that decides what the block is, so it is a constant and cannot be linked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constant: bool,
    /// An output whose last value is used again by every link from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", rename = "static")]
    pub is_static: bool,
}

impl Pin {
    pub fn new(name: &str, schema: Value) -> Pin {
        Pin {
            name: name.to_owned(),
            schema,
            required: false,
            default: None,
            title: None,
            description: None,
            constant: false,
            is_static: false,
        }
    }

    pub fn any(name: &str) -> Pin {
        Pin::new(name, any())
    }

    #[must_use]
    pub fn required(self) -> Pin {
        Pin { required: true, ..self }
    }

    #[must_use]
    pub fn constant(self) -> Pin {
        Pin { constant: true, ..self }
    }

    #[must_use]
    pub fn kept(self) -> Pin {
        Pin { is_static: true, ..self }
    }

    fn error() -> Pin {
        Pin::new(ERROR, json!({"type": "string"}))
    }
}

impl BlockSignature {
    /// Parameters are input pins, but for those that begin with `_`. What is returned leaves on `output`; a generator may name
    /// its pins; what is raised leaves on `error`.
    pub fn of_function(signature: &Signature) -> BlockSignature {
        let other = signature.parameters.iter().find(|parameter| parameter.kind == ParameterKind::VarKeyword);
        let is_pin = |one: &&Parameter| one.kind != ParameterKind::VarKeyword && !one.is_private();
        let named = signature.parameters.iter().filter(is_pin);
        let is_unknown = signature.parameters.is_empty() && is_any(&signature.input);
        let outputs = match signature.pins.as_slice() {
            // Of a generator it is the schema of one yielded value.
            [] => vec![Pin::new(OUTPUT, signature.output.clone())],
            pins => pins.iter().map(|pin| Pin::new(&pin.name, pin.schema.clone())).collect(),
        };
        BlockSignature {
            inputs: named.map(Pin::of_parameter).collect(),
            outputs,
            other_inputs: other.map(|other| other.schema.clone()).or_else(|| is_unknown.then(any)),
            other_outputs: None,
        }
        .with_error()
    }

    /// Its input blocks are its input pins, its output blocks its output pins.
    pub fn of_graph(content: &GraphContent) -> BlockSignature {
        let mut signature = BlockSignature::default();
        for node in &content.nodes {
            let (pins, pin) = match node.builtin() {
                Some(Builtin::Input) => (&mut signature.inputs, Pin::of_border(&node.input, true)),
                Some(Builtin::Output) => (&mut signature.outputs, Pin::of_border(&node.input, false)),
                _ => continue,
            };
            if let Some(pin) = pin {
                add(pins, pin);
            }
        }
        signature.with_error()
    }

    /// With what its metadata say: a class may have stated that its outputs are kept.
    pub fn of_stored(function: &FunctionContent) -> BlockSignature {
        let signature = BlockSignature::of_function(&function.signature);
        let is_static = function.metadata.get("block").is_some_and(|block| block["static"] == true);
        if is_static { signature.with_kept_outputs() } else { signature }
    }

    /// Nothing of what is no callable.
    pub fn of_content(content: &Content) -> Option<BlockSignature> {
        match content {
            Content::Function(function) => Some(BlockSignature::of_stored(function)),
            Content::Graph(graph) => Some(BlockSignature::of_graph(graph)),
            Content::Trigger(_) | Content::Schedule(_) => None,
        }
    }

    /// As those see it who call it like a Function: inputs by name, and an object with the last value of each output.
    pub fn to_signature(&self) -> Signature {
        let parameter = |pin: &Pin| Parameter {
            name: pin.name.clone(),
            kind: ParameterKind::KeywordOnly,
            required: pin.required,
            annotation: None,
            default: pin.default.clone(),
            schema: pin.schema.clone(),
            description: pin.description.clone(),
        };
        let outputs = self.outputs.iter().filter(|pin| pin.name != ERROR);
        let outputs: Map<String, Value> = outputs.map(|pin| (pin.name.clone(), pin.schema.clone())).collect();
        Signature {
            kind: FunctionKind::Sync,
            parameters: self.inputs.iter().map(parameter).collect(),
            returns: None,
            input: self.input_schema(),
            output: json!({"type": "object", "properties": outputs}),
            pins: Vec::new(),
        }
    }

    /// Of a block whose pins its author may not know: any pins.
    pub fn opaque() -> BlockSignature {
        let signature = BlockSignature {
            other_inputs: Some(any()),
            other_outputs: Some(any()),
            ..BlockSignature::default()
        };
        signature.with_error()
    }

    fn with_kept_outputs(mut self) -> BlockSignature {
        self.outputs.iter_mut().filter(|pin| pin.name != ERROR).for_each(|pin| pin.is_static = true);
        self
    }

    fn with_error(mut self) -> BlockSignature {
        if self.output(ERROR).is_none() {
            self.outputs.push(Pin::error());
        }
        self
    }

    pub fn input(&self, name: &str) -> Option<&Pin> {
        self.inputs.iter().find(|pin| pin.name == name)
    }

    pub fn output(&self, name: &str) -> Option<&Pin> {
        self.outputs.iter().find(|pin| pin.name == name)
    }

    /// JSON Schema of its input as one object, for callers that hand it in as such.
    pub fn input_schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.inputs.iter().map(|pin| (pin.name.clone(), pin.schema.clone())).collect();
        let required: Vec<&str> =
            self.inputs.iter().filter(|pin| pin.required).map(|pin| pin.name.as_str()).collect();
        let others = self.other_inputs.clone().unwrap_or(Value::Bool(false));
        json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": others
        })
    }
}

impl Pin {
    fn of_parameter(parameter: &Parameter) -> Pin {
        let schema = match parameter.kind {
            ParameterKind::VarPositional => json!({"type": "array", "items": parameter.schema}),
            _ => parameter.schema.clone(),
        };
        Pin {
            required: parameter.required,
            default: parameter.default.clone(),
            description: parameter.description.clone(),
            ..Pin::new(&parameter.name, schema)
        }
    }

    /// The pin that an input or output block makes of the graph it is in.
    fn of_border(constants: &Map<String, Value>, is_input: bool) -> Option<Pin> {
        let text = |key: &str| constants.get(key).and_then(Value::as_str).map(str::to_owned);
        let default = constants.get("value").filter(|_| is_input);
        Some(Pin {
            required: is_input && default.is_none(),
            default: default.cloned().map(DefaultValue::Literal),
            title: text("title"),
            description: text("description"),
            ..Pin::new(&text("name")?, constants.get("schema").cloned().unwrap_or_else(any))
        })
    }
}

/// Several border blocks may share a name: they are one pin, which takes what all of them take.
fn add(pins: &mut Vec<Pin>, pin: Pin) {
    match pins.iter_mut().find(|known| known.name == pin.name) {
        Some(known) => {
            known.required |= pin.required;
            if known.schema != pin.schema {
                known.schema = any();
            }
        }
        None => pins.push(pin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Node;
    use crate::python::analyse;

    fn of(source: &str) -> BlockSignature {
        BlockSignature::of_function(&analyse(source).unwrap().signature)
    }

    fn names(pins: &[Pin]) -> Vec<&str> {
        pins.iter().map(|pin| pin.name.as_str()).collect()
    }

    #[test]
    fn parameters_are_input_pins_and_what_is_returned_leaves_on_output() {
        let block = of("def add(a: int, b: int = 2, *more: int, **named: str) -> int: ...");
        assert_eq!(names(&block.inputs), ["a", "b", "more"]);
        assert_eq!(names(&block.outputs), ["output", "error"]);
        assert_eq!((block.inputs[0].required, block.inputs[1].required), (true, false));
        assert_eq!(block.inputs[2].schema["type"], "array");
        assert_eq!(block.other_inputs, Some(json!({"type": "string"})));
        assert_eq!(of("def f(): ...").other_inputs, None);
    }

    #[test]
    fn a_generator_names_its_pins() {
        let block = of("def f(x):\n    yield 'item', 1\n    yield 'error', 'text'\n");
        assert_eq!(names(&block.outputs), ["item", "error"]);
        assert_eq!(names(&of("def f():\n    yield 1\n").outputs), ["output", "error"]);
    }

    #[test]
    fn the_border_blocks_of_a_graph_are_its_pins() {
        let content = GraphContent {
            nodes: vec![
                Node::new("a", "@input").with("name", "Who is it?").with("schema", json!({"type": "string"})),
                Node::new("b", "@input").with("name", "tone").with("value", Value::Null),
                Node::new("c", "@output").with("name", "line"),
                Node::new("d", "@output").with("name", "line"),
            ],
            ..GraphContent::default()
        };
        let block = BlockSignature::of_graph(&content);
        assert_eq!(
            (names(&block.inputs), names(&block.outputs)),
            (vec!["Who is it?", "tone"], vec!["line", "error"])
        );
        assert_eq!((block.inputs[0].required, block.inputs[1].required), (true, false));
        assert_eq!(block.input_schema()["required"], json!(["Who is it?"]));
    }
}
