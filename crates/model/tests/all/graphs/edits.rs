//! Patches, differences, and graphs made of selections.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use proptest::prelude::*;
use selfmade_model::graph::diff::diff;
use selfmade_model::graph::patch::{LinkKey, Patch, apply};
use selfmade_model::graph::subgraph::{PackError, pack, unpack};
use selfmade_model::graph::{GraphContent, Link, Node};
use serde_json::{Value, json};

use super::graph;
use super::properties::any_graph;

fn small() -> GraphContent {
    graph(
        vec![Node::new("a", "echo").with("x", 1), Node::new("b", "echo"), Node::new("c", "pair")],
        &["a.output -> b.x", "b.output -> c.a", "a.output => c.b"],
    )
}

fn patch(text: Value) -> Patch {
    serde_json::from_value(text).unwrap()
}

#[test]
fn a_patch_says_what_it_changed() {
    let cases = [
        json!({"op": "add", "node": {"id": "d", "block": "@note", "input": {"text": null}}}),
        json!({"op": "remove", "node": "a"}),
        json!({"op": "connect", "link": {"from": "c", "from_pin": "output", "to": "a", "to_pin": "x"}}),
        json!({"op": "disconnect", "link": {"from": "a", "from_pin": "output", "to": "b", "to_pin": "x"}}),
        json!({"op": "set", "node": "a", "pin": "x", "value": null}),
        json!({"op": "unset", "node": "a", "pin": "x"}),
        json!({"op": "set_field", "node": "a", "field": "version", "value": 3}),
        json!({"op": "set_field", "field": "instructions", "value": {"any": 1}}),
        json!({"op": "move", "node": "b", "x": 1.5, "y": -2}),
        json!({"op": "rename", "node": "a", "to": "first"}),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .map(|case| {
            let (after, change) = apply(&small(), patch(case)).unwrap();
            let touched = diff(&small(), &after).touched().into_iter().collect::<Vec<_>>().join(" ");
            format!("{} [{touched}]", change.what)
        })
        .collect();
    assert_snapshot!(told.join("\n"), @r"
    added node `d` with block `@note` [d]
    removed node `a` and 2 links [a b c]
    connected `c`.`output` → `a`.`x` [a c]
    disconnected `a`.`output` → `b`.`x` [a b]
    set pin `x` of node `a` [a]
    removed the constant of pin `x` of node `a` [a]
    set `version` of node `a` [a]
    set `instructions` of the graph []
    moved node `b` to 1.5, -2 [b]
    renamed node `a` to `first` [a b c first]
    ");
}

#[test]
fn a_patch_that_does_not_fit_is_refused() {
    let cases = [
        json!({"op": "add", "node": {"id": "a", "block": "echo"}}),
        json!({"op": "remove", "node": "bb"}),
        json!({"op": "connect", "link": {"from": "a", "from_pin": "output", "to": "b", "to_pin": "x"}}),
        json!({"op": "disconnect", "link": {"id": "no"}}),
        json!({"op": "unset", "node": "b", "pin": "x"}),
        json!({"op": "set_field", "node": "a", "field": "id", "value": "z"}),
        json!({"op": "set_field", "node": "a", "field": "version", "value": "latest"}),
        json!({"op": "set_field", "field": "kind", "value": "trigger"}),
        json!({"op": "rename", "node": "a", "to": "b"}),
        json!({"op": "add", "node": {"id": "d", "block": "echo"}, "at": 9}),
    ];
    let told: Vec<String> =
        cases.into_iter().map(|case| apply(&small(), patch(case)).unwrap_err().to_string()).collect();
    assert_snapshot!(told.join("\n"), @r#"
    the graph has a node `a` already; give the new one another id
    the graph has no node `bb`
    the graph has the link `a`.`output` → `b`.`x` already
    the graph has no link `no`
    node `b` has no constant for pin `x`
    `id` cannot be set like this; rename the node
    `version` cannot be set like this; invalid type: string "latest", expected u32
    `kind` cannot be set like this; give the field another name
    the graph has a node `b` already; give the new one another id
    there is no place 9 among 3
    "#);
}

#[test]
fn two_edits_conflict_in_the_nodes_that_both_touch() {
    let edited = |case: Value| diff(&small(), &apply(&small(), patch(case)).unwrap().0);
    let mine = edited(json!({"op": "set", "node": "a", "pin": "x", "value": 2}));
    let theirs = edited(json!({"op": "remove", "node": "b"}));
    assert_eq!(mine.conflicts(&theirs), ["a"], "its link to `b` goes");
    let elsewhere = edited(json!({"op": "set", "node": "c", "pin": "z", "value": 2}));
    assert!(mine.conflicts(&elsewhere).is_empty());
    assert!(diff(&small(), &small()).is_empty());
}

#[test]
fn a_selection_becomes_a_graph_with_pins_for_the_links_that_were_cut() {
    let packed = pack(&small(), &BTreeSet::from(["b".to_owned()]), "part", "my.part").unwrap();
    let links =
        |content: &GraphContent| content.links.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert_snapshot!(links(&packed.outer), @r"
    `a`.`output` → `part`.`x`
    `part`.`output` → `c`.`a`
    `a`.`output` → `c`.`b`
    ");
    assert_snapshot!(links(&packed.inner), @r"
    `input_x`.`output` → `b`.`x`
    `b`.`output` → `output_output`.`value`
    ");
    assert_eq!(unpack(&packed.outer, "part", &packed.inner).unwrap().nodes, small().nodes);
}

#[test]
fn a_selection_that_would_wait_for_itself_is_refused() {
    let selection = BTreeSet::from(["a".to_owned(), "c".to_owned()]);
    assert_eq!(pack(&small(), &selection, "part", "my.part"), Err(PackError::WaitsForItself("b".to_owned())));
}

/// Nodes and links without their order.
fn unordered(mut content: GraphContent) -> GraphContent {
    content.nodes.sort_by(|a, b| a.id.cmp(&b.id));
    content.links.sort_by(|a, b| a.ends().cmp(&b.ends()));
    content
}

/// With ids and unknown fields, so that these have to be kept.
fn decorated(mut content: GraphContent) -> GraphContent {
    for (at, link) in content.links.iter_mut().enumerate() {
        link.id = (at % 3 == 0).then(|| format!("l{at}"));
        link.other = json!({"bend": at}).as_object().cloned().unwrap();
    }
    content.other = json!({"instructions": null}).as_object().cloned().unwrap();
    content
}

fn any_patch() -> impl Strategy<Value = (u8, usize, usize, u8)> {
    (0u8..10, any::<usize>(), any::<usize>(), any::<u8>())
}

fn draw((kind, one, two, value): (u8, usize, usize, u8), content: &GraphContent) -> Patch {
    let id = |choice: usize| match content.nodes.len() {
        0 => "none".to_owned(),
        count => content.nodes[choice % count].id.clone(),
    };
    let pin = ["x", "a", "values_#_k"][two % 3].to_owned();
    match kind {
        0 => Patch::Add { node: Node::new(&format!("new{value}"), "echo"), at: None },
        1 => Patch::Remove { node: id(one) },
        2 => Patch::Connect { link: Link::new(&id(one), "output", &id(two), "z"), at: None },
        3 => match content.links.get(one % content.links.len().max(1)) {
            Some(link) => Patch::Disconnect { link: LinkKey::of(link) },
            None => Patch::Disconnect { link: LinkKey::Id { id: "none".to_owned() } },
        },
        4 => Patch::Set { node: id(one), pin, value: json!(value) },
        5 => Patch::Unset { node: id(one), pin },
        6 => {
            let field = ["version", "metadata", "colour", "retries"][two % 4].to_owned();
            let value = if field == "metadata" { json!({"title": value}) } else { json!(value) };
            Patch::SetField { node: Some(id(one)), field, value }
        }
        7 => Patch::UnsetField { node: (one % 2 == 0).then(|| id(two)), field: "colour".to_owned() },
        8 => Patch::Move { node: id(one), x: value.into(), y: 0.into() },
        _ => Patch::Rename { node: id(one), to: format!("new{value}") },
    }
}

proptest! {
    #[test]
    fn undoing_patches_in_turn_brings_back_what_was(
        content in any_graph(),
        patches in prop::collection::vec(any_patch(), 0..12),
    ) {
        let first = decorated(content);
        let mut now = first.clone();
        let mut undo = Vec::new();
        for drawn in patches {
            let before = now.clone();
            match now.patch(draw(drawn, &before)) {
                Ok(change) => undo.push((change.undo, before)),
                Err(_) => prop_assert_eq!(&now, &before, "a patch that is refused changes nothing"),
            }
            let saved = serde_json::to_string(&now).unwrap();
            let loaded: GraphContent = serde_json::from_str(&saved).unwrap();
            prop_assert_eq!(serde_json::to_string(&loaded).unwrap(), saved, "loading and saving changes nothing");
        }
        for (patches, before) in undo.into_iter().rev() {
            for patch in patches {
                now.patch(patch).unwrap();
            }
            prop_assert_eq!(&now, &before);
        }
        prop_assert_eq!(now, first);
    }

    #[test]
    fn unpacking_what_was_packed_gives_the_same_graph(
        content in any_graph(),
        chosen in prop::collection::vec(any::<bool>(), 16),
    ) {
        let content = decorated(content);
        let is_plain = |node: &&Node| node.block != "@output";
        let nodes = content.nodes.iter().filter(is_plain).zip(&chosen).filter(|(_, chosen)| **chosen);
        let selection: BTreeSet<String> = nodes.map(|(node, _)| node.id.clone()).collect();
        let Ok(packed) = pack(&content, &selection, "part", "my.part") else { return Ok(()) };
        let unpacked = unpack(&packed.outer, "part", &packed.inner).unwrap();
        prop_assert_eq!(unordered(unpacked), unordered(content));
    }
}
