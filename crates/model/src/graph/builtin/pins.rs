//! The pins of built-in blocks.

use serde_json::{Map, Value, json};

use super::Builtin;
use crate::function::signature::any;
use crate::graph::block::{BlockSignature, ERROR, OUTPUT, Pin};

impl Builtin {
    /// Its pins, with the constants of its node: those of a border block say which type passes it.
    pub fn signature(self, constants: &Map<String, Value>) -> BlockSignature {
        let passing = || constants.get("schema").cloned().unwrap_or_else(any);
        let (inputs, outputs) = match self {
            Builtin::Input => (border(passing()), vec![Pin::new(OUTPUT, passing()).kept()]),
            Builtin::Output => {
                let value = |pin: Pin| if pin.name == "value" { pin.required() } else { pin };
                (border(passing()).into_iter().map(value).collect(), vec![Pin::new(OUTPUT, passing()).kept()])
            }
            Builtin::Store => {
                (vec![Pin::any("input").required(), Pin::any("data")], vec![Pin::any(OUTPUT).kept()])
            }
            Builtin::Condition => condition(),
            Builtin::Iterate => {
                let items = json!({"anyOf": [{"type": "array"}, {"type": "object"}]});
                let key = json!({"anyOf": [{"type": "integer"}, {"type": "string"}]});
                (vec![Pin::new("items", items).required()], vec![Pin::any("item"), Pin::new("key", key)])
            }
            Builtin::Collect => {
                (vec![Pin::any("item").required()], vec![Pin::new(OUTPUT, json!({"type": "array"}))])
            }
            Builtin::Template => (
                vec![text("template").required(), Pin::new("values", json!({"type": "object"}))],
                vec![text(OUTPUT)],
            ),
            Builtin::Wait => (
                vec![Pin::new("seconds", json!({"type": "number"})), text("until"), Pin::any("value")],
                vec![Pin::any(OUTPUT)],
            ),
            Builtin::Ask => (
                vec![text("question").required(), Pin::new("options", json!({"type": "array"}))],
                vec![Pin::any("answer")],
            ),
            Builtin::Call => (
                vec![
                    text("graph").required(),
                    Pin::new("version", json!({"type": "integer"})),
                    Pin::new("input", json!({"type": "object"})),
                ],
                vec![Pin::any(OUTPUT)],
            ),
            Builtin::Note => (vec![text("text")], Vec::new()),
            Builtin::Placeholder => (Vec::new(), Vec::new()),
        };
        let error = (!self.is_inert()).then(|| text(ERROR));
        let open = (self == Builtin::Placeholder).then(any);
        BlockSignature {
            inputs,
            outputs: outputs.into_iter().chain(error).collect(),
            other_inputs: open.clone(),
            other_outputs: open,
        }
    }
}

fn text(name: &str) -> Pin {
    Pin::new(name, json!({"type": "string"}))
}

fn border(passing: Value) -> Vec<Pin> {
    vec![
        text("name").required().constant(),
        Pin::new("value", passing),
        Pin::any("schema").constant(),
        text("title").constant(),
        text("description").constant(),
    ]
}

fn condition() -> (Vec<Pin>, Vec<Pin>) {
    let operator = json!({"enum": ["==", "!=", "<", "<=", ">", ">="]});
    let inputs = vec![
        Pin::any("value1").required(),
        Pin::new("operator", operator).required(),
        Pin::any("value2").required(),
        Pin::any("yes_value"),
        Pin::any("no_value"),
    ];
    let result = Pin::new("result", json!({"type": "boolean"}));
    (inputs, vec![result, Pin::any("yes_output"), Pin::any("no_output")])
}
