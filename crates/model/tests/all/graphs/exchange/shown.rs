//! What nodes gave in a run, under the names of the file.

use selfmade_model::graph::exchange::{FilePins, graph_2024};

use super::*;

/// What `each` gave, as a client of the file's product sees it.
#[allow(clippy::needless_pass_by_value, reason = "each caller makes them")]
fn given(file: &Value, outputs: Value) -> Value {
    let imported = import(file);
    let graph = &imported.graphs[0];
    let pins = FilePins::of(&graph.content, &graph_2024(&graph.name, &graph.content));
    pins.output("each", outputs.as_object().unwrap()).unwrap().into()
}

fn iterating(block: &str, links: &[&str]) -> Value {
    let nodes =
        vec![node("each", block, json!({"items": [7, 8]})), node("out", OUTPUT, json!({"name": "o"}))];
    old(nodes, links)
}

#[test]
fn pairs_that_are_two_pins_here_are_pairs_there_whichever_part_is_linked() {
    let pairs = json!({"item": [[0, 7], [1, 8]]});
    for links in [
        vec!["each.item_$_1 -> out.value"],
        vec!["each.item_$_0 -> out.value"],
        vec!["each.item_$_0 -> out.value", "each.item_$_1 -> out.value"],
        vec![],
    ] {
        let file = iterating(OLD_STEP, &links);
        assert_eq!(given(&file, json!({"item": [7, 8], "key": [0, 1]})), pairs, "{links:?}");
        assert_eq!(given(&file, json!({"key": [0, 1], "item": [7, 8]})), pairs, "{links:?}");
    }
}

#[test]
fn a_pin_that_is_linked_as_a_whole_is_shown_whole() {
    let file = iterating(STEP, &["each.item -> out.value"]);
    let outputs = json!({"item": [7, 8], "key": [0, 1]});
    assert_eq!(given(&file, outputs.clone()), outputs);
}

#[test]
fn a_path_behind_the_pin_is_of_the_link_alone() {
    let mut file = iterating(OLD_STEP, &["each.item_$_1_#_name -> out.value"]);
    file["nodes"][0]["input_default"]["items"] = json!([{"name": "Ada"}]);
    let outputs = json!({"item": [{"name": "Ada"}], "key": [0]});
    assert_eq!(given(&file, outputs), json!({"item": [[0, {"name": "Ada"}]]}));
}
