//! What holds for every graph, every order of completion and every crash.

use proptest::prelude::*;
use selfmade_model::graph::{GraphContent, Link, Node, Values};
use serde_json::{Value, json};

use super::engine::Engine;
use super::plan;
use super::reference::interpret;

/// One node: its block, and for each pin a constant or a link from some earlier node.
#[derive(Clone, Debug)]
struct Draft {
    block: &'static str,
    pins: Vec<(usize, usize, bool)>,
    is_output: bool,
    catches: bool,
}

const BLOCKS: [(&str, &[&str], &[&str]); 6] = [
    ("echo", &["x"], &["output"]),
    ("pair", &["a", "b"], &["output"]),
    ("split", &["items"], &["item"]),
    ("twice", &["x"], &["item"]),
    ("odd", &["x"], &["output"]),
    ("@iterate", &["items"], &["item", "key"]),
];

fn draft() -> impl Strategy<Value = Draft> {
    let pins = prop::collection::vec((any::<usize>(), any::<usize>(), any::<bool>()), 2);
    (0..BLOCKS.len(), pins, any::<bool>(), any::<bool>()).prop_map(|(block, pins, is_output, catches)| {
        Draft { block: BLOCKS[block].0, pins, is_output, catches }
    })
}

/// A graph in which every value fits, each pin has one link, and a static link comes from what gives one value only: for all
/// others the order of completion is part of the result.
pub(crate) fn any_graph() -> impl Strategy<Value = GraphContent> {
    prop::collection::vec(draft(), 1..9).prop_map(|drafts| build(&drafts))
}

fn build(drafts: &[Draft]) -> GraphContent {
    let mut content = GraphContent::default();
    // Sources of whole numbers, of lists, and of anything: (node, pin, gives one value).
    let mut sources: Vec<(String, &str, bool, &str)> = Vec::new();
    for (at, draft) in drafts.iter().enumerate() {
        let id = format!("n{at}");
        let (_, pins, outputs) = *BLOCKS.iter().find(|(block, ..)| *block == draft.block).unwrap();
        let mut node = Node::new(&id, draft.block);
        let mut is_single = true;
        for (pin, (source, constant, is_static)) in pins.iter().zip(&draft.pins) {
            let wanted = match (draft.block, *pin) {
                ("split" | "@iterate", _) => "list",
                ("odd", _) => "number",
                _ => "any",
            };
            let fitting: Vec<_> =
                sources.iter().filter(|(.., kind)| wanted == "any" || *kind == wanted).collect();
            if fitting.is_empty() || source % 4 == 0 {
                node = node.with(pin, constant_of(wanted, *constant));
                continue;
            }
            let (from, from_pin, single, _) = fitting[source % fitting.len()];
            is_single &= *single;
            content
                .links
                .push(Link { is_static: *is_static && *single, ..Link::new(from, from_pin, &id, pin) });
        }
        let kind = match draft.block {
            "pair" => "list",
            "odd" => "number",
            _ => "any",
        };
        let gives_one = is_single && matches!(draft.block, "echo" | "pair");
        sources.extend(outputs.iter().map(|pin| (id.clone(), *pin, gives_one, kind)));
        content.nodes.push(node);
        if draft.is_output {
            let out = format!("{id}_out");
            content.nodes.push(Node::new(&out, "@output").with("name", out.as_str()));
            content.links.push(Link::new(&id, outputs[0], &out, "value"));
        }
        if draft.catches && draft.block == "odd" {
            let caught = format!("{id}_caught");
            content.nodes.push(Node::new(&caught, "text"));
            content.links.push(Link::new(&id, "error", &caught, "x"));
        }
    }
    content
}

fn constant_of(kind: &str, choice: usize) -> Value {
    let any = [json!(null), json!(0), json!(""), json!(false), json!([1, 2]), json!({"k": "v"})];
    match kind {
        "list" => json!((0..choice % 4).collect::<Vec<_>>()),
        "number" => json!(choice % 7),
        _ => any[choice % any.len()].clone(),
    }
}

proptest! {
    #[test]
    fn any_order_of_completion_makes_the_executions_of_the_reference(
        content in any_graph(),
        order in prop::collection::vec(any::<usize>(), 0..200),
    ) {
        let plan = plan(&content);
        let mut engine = Engine::start(&content, &plan, &Values::new());
        let log = engine.drain(order).clone();
        let reference = interpret(&content);
        prop_assert_eq!(&log.executions, &reference.executions);
        prop_assert_eq!(&log.outputs, &reference.outputs);
        prop_assert!(log.outcome.is_some());
    }

    #[test]
    fn any_crash_leads_to_the_same_end(
        content in any_graph(),
        order in prop::collection::vec(any::<usize>(), 0..200),
        later in prop::collection::vec(any::<usize>(), 0..200),
        crash in any::<prop::sample::Index>(),
    ) {
        let plan = plan(&content);
        let mut engine = Engine::start(&content, &plan, &Values::new());
        let whole = engine.drain(order).clone();
        let kept = crash.index(engine.journal.len() + 1);
        let finished: Vec<_> = engine.journal[..kept].iter().filter_map(|happened| match happened {
            selfmade_model::graph::scheduler::Happened::Finished { execution } => Some(*execution),
            _ => None,
        }).collect();
        let mut recovered = Engine::recover(&content, &plan, &Values::new(), &engine.journal[..kept]);
        for execution in finished {
            let is_repeated = recovered.state.under_way(&plan).iter().any(|(id, _)| *id == execution);
            prop_assert!(!is_repeated, "no finished execution is repeated");
        }
        let log = recovered.drain(later).clone();
        prop_assert_eq!(&log.executions, &whole.executions);
        prop_assert_eq!(&log.outputs, &whole.outputs);
        let ends = |log: &super::engine::Log| {
            let outcome = log.outcome.clone().unwrap();
            (outcome.state, outcome.failed, outcome.executions, outcome.never_ran)
        };
        prop_assert_eq!(ends(&log), ends(&whole));
    }

    #[test]
    fn loading_and_saving_a_graph_changes_nothing(content in any_graph(), extra in any::<u8>()) {
        let mut written = serde_json::to_value(&content).unwrap();
        for (place, field) in [("/nodes/0", "unknown"), ("/links/0", "bend"), ("", "instructions")] {
            if let Some(Value::Object(map)) = written.pointer_mut(place) {
                map.insert(field.to_owned(), json!({"a": [extra, null, 1.5, ""], "z": {"deep": false}}));
            }
        }
        let loaded: GraphContent = serde_json::from_value(written.clone()).unwrap();
        prop_assert_eq!(serde_json::to_string(&loaded).unwrap(), {
            let again: GraphContent = serde_json::from_str(&serde_json::to_string(&loaded).unwrap()).unwrap();
            serde_json::to_string(&again).unwrap()
        });
        prop_assert_eq!(serde_json::to_value(&loaded).unwrap(), written);
    }
}
