//! What holds for every file, however odd.

use proptest::prelude::*;
use selfmade_model::graph::aliases::all;
use selfmade_model::graph::exchange::{Format, read, write};
use serde_json::{Map, Value, json};

use super::{Brain, EXECUTOR, INPUT, ORCHESTRATOR, OUTPUT, STORE, TEMPLATE, bare, import_into};

const PINS: [&str; 26] = [
    "name",
    "value",
    "result",
    "output",
    "input",
    "data",
    "text",
    "values",
    "values_#_Article Title",
    "values_#_a_$_0",
    "values_$_1",
    "list",
    "list_$_2",
    "list_$_one",
    "entry",
    "tools",
    "tools_^_x_~_y",
    "prompt",
    "functions",
    "error",
    "Search Radius (meters, max 50,000)",
    "line\nbreak…",
    "d_#_",
    "a.b",
    "title",
    "count",
];
const IDS: [&str; 8] = ["a", "b", "c", "d", "d", "", "a.b\n", "nowhere"];
const BLOCKS: [&str; 12] = [
    INPUT,
    OUTPUT,
    STORE,
    TEMPLATE,
    EXECUTOR,
    ORCHESTRATOR,
    super::COUNT,
    super::COMBINE,
    super::ADD_TO_LIST,
    super::STEP,
    super::GENERATE,
    "an id of nobody",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..9).prop_map(Value::from),
        prop::sample::select(vec!["", "5", "a {b} {{c}}", "[1]", "Results!", "{{value}}"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map(prop::sample::select(vec!["a", "$tuple", "k k"]), inner, 0..3)
                .prop_map(|map| map
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect::<Map<_, _>>()
                    .into()),
        ]
    })
}

fn pin() -> impl Strategy<Value = String> {
    prop::sample::select(&PINS[..]).prop_map(str::to_owned)
}

fn block() -> impl Strategy<Value = String> {
    let known: Vec<String> = all().flat_map(|alias| alias.ids).map(|id| (*id).to_owned()).collect();
    prop_oneof![prop::sample::select(&BLOCKS[..]).prop_map(str::to_owned), prop::sample::select(known)]
}

fn id() -> impl Strategy<Value = String> {
    prop::sample::select(&IDS[..]).prop_map(str::to_owned)
}

fn node() -> impl Strategy<Value = Value> {
    let input = prop::collection::hash_map(pin(), value(), 0..5);
    let called = (0i64..4, prop::sample::select(vec!["g0", "g1", "lost"]));
    (id(), block(), input, 0..4, called).prop_map(|(id, block, input, form, (version, graph))| {
        let mut input: Map<String, Value> = input.into_iter().collect();
        if block == EXECUTOR {
            input.extend([
                ("graph_id".to_owned(), json!(graph)),
                ("graph_version".to_owned(), json!(version)),
                ("inputs".to_owned(), json!({"value": 1, "a.b": null})),
            ]);
        }
        let mut node = json!({"id": id, "block_id": block, "input_default": input, "metadata": {"customized_name": "N"}});
        match form {
            0 => node["graph_version"] = json!(version),
            1 => node["metadata"] = Value::Null,
            2 if input.is_empty() => drop(node.as_object_mut().unwrap().shift_remove("input_default")),
            _ => {}
        }
        node
    })
}

fn link() -> impl Strategy<Value = Value> {
    (id(), pin(), id(), pin(), 0..4).prop_map(|(from, from_pin, to, to_pin, form)| {
        let mut link = json!({
            "source_id": from, "source_name": from_pin, "sink_id": to, "sink_name": to_pin, "id": format!("l{form}")
        });
        if form > 0 {
            link["is_static"] = json!(form == 1);
        }
        link
    })
}

fn graph(at: usize) -> impl Strategy<Value = Value> {
    let parts = (prop::collection::vec(node(), 0..6), prop::collection::vec(link(), 0..8), 0i64..4);
    parts.prop_map(move |(nodes, links, version)| {
        json!({
            "id": format!("g{at}"), "version": version, "name": format!("Graph {}", at / 2), "description": null,
            "nodes": nodes, "links": links, "unheard_of": [1, {"two": null}]
        })
    })
}

fn file() -> impl Strategy<Value = Value> {
    (graph(0), prop::collection::vec(graph(1), 0..3), any::<bool>()).prop_map(|(mut main, subs, is_old)| {
        if is_old {
            main["is_template"] = json!(true);
        } else {
            main["sub_graphs"] = subs.into();
        }
        main
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_file_imports_whole_and_exports_as_it_was(file in file(), lacks_functions: bool) {
        let brain = Brain { lacks_functions, ..Brain::default() };
        let imported = import_into(&file, &brain);
        let main = &imported.graphs[0];
        let known = Brain::with(&imported);
        let exported = write(&main.name, &main.content, &known, imported.format).unwrap();
        prop_assert_eq!(bare(&exported.file), bare(&file), "\n{:#}\n{:#}", exported.file, file);
        // The way by our own file is no other.
        let ours = write(&main.name, &main.content, &known, Format::Selfmade).unwrap().file;
        let again = read(ours.to_string().as_bytes(), &brain).unwrap();
        let names = |graphs: &[selfmade_model::graph::exchange::NamedGraph]| graphs.iter().map(|graph| graph.name.to_string()).collect::<Vec<_>>();
        prop_assert_eq!(names(&again.graphs), names(&imported.graphs));
        prop_assert_eq!(again.graphs, imported.graphs.clone());
        // Every node and link of the file is there.
        for (graph, at) in imported.graphs.iter().zip(0..) {
            let file = if at == 0 { &file } else { &file["sub_graphs"][at - 1] };
            prop_assert!(graph.content.nodes.len() >= file["nodes"].as_array().unwrap().len());
            prop_assert!(graph.content.links.len() >= file["links"].as_array().unwrap().len());
        }
    }

    #[test]
    fn what_is_no_graph_is_refused_and_never_panics(text in ".{0,60}", value in value()) {
        let _ = read(text.as_bytes(), &Brain::default());
        let _ = read(value.to_string().as_bytes(), &Brain::default());
        let _ = read(json!({"nodes": [value], "links": [value], "sub_graphs": value}).to_string().as_bytes(), &Brain::default());
    }
}
