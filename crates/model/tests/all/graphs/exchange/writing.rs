//! Writing graphs that were made or changed here.

use selfmade_model::graph::exchange::{Format, WriteError, read, write};
use selfmade_model::graph::{GraphContent, Link, Node};
use serde_json::json;

use super::*;

#[test]
fn what_was_edited_is_written_and_the_rest_stays() {
    let file = agent(
        vec![
            node("in", INPUT, json!({"name": "n", "value": 1, "advanced": true, "placeholder_values": []})),
            node("join", COMBINE, json!({"input": ["a"], "delimiter": "-"})),
            node("count", COUNT, json!({"collection": null, "dead field": 1})),
            node("out", OUTPUT, json!({"name": "o"})),
        ],
        &["in.result => join.input_$_1", "join.output -> count.collection", "count.count -> out.value"],
    );
    let mut imported = import(&file);
    let content = &mut imported.graphs[0].content;
    content.description = "Other.".to_owned();
    content.nodes[0].input.insert("value".to_owned(), json!(2));
    content.nodes[1].input.shift_remove("delimiter");
    content.nodes[1].input.insert("texts".to_owned(), json!(["b"]));
    content.nodes[2].block = "my_count".to_owned();
    content.links.remove(2);
    content.links.push(Link { id: Some("new".into()), ..Link::new("join", "output", "out", "value") });
    content.nodes.push(Node::new("more", "combine_texts").with("texts", json!(["c"])));
    let exported = export(&imported);
    let mut expected = file;
    expected["description"] = json!("Other.");
    expected["nodes"][0]["input_default"]["value"] = json!(2);
    expected["nodes"][1]["input_default"] = json!({"input": ["b"]});
    expected["nodes"][2]["block_id"] = json!("selfmade:my_count");
    expected["links"][2] = json!({
        "id": "new", "source_id": "join", "source_name": "output", "sink_id": "out", "sink_name": "value", "is_static": false
    });
    let more = json!({"id": "more", "block_id": COMBINE, "metadata": {}, "input_default": {"input": ["c"]}});
    expected["nodes"].as_array_mut().unwrap().push(more);
    assert_eq!(bare(&exported.file), expected, "{:#}", exported.file);
    assert_eq!(exported.notes.len(), 1);
    insta::assert_snapshot!(exported.notes[0], @"graph `an_agent`, node `count`: AutoGPT has no block like `my_count`; only selfmade can read the node");
}

fn family() -> (GraphContent, Brain) {
    let kid = GraphContent {
        nodes: vec![
            Node::new("i", "@input").with("name", "Tone").with("schema", json!({"type": "string"})),
            Node::new("o", "@output").with("name", "Line!"),
        ],
        links: vec![Link::new("i", "output", "o", "value")],
        ..GraphContent::default()
    };
    let main = GraphContent {
        description: "Says hello.".to_owned(),
        nodes: vec![Node::new("k", "kid").with("Tone", "dry"), Node::new("own", "own_function").with("x", 1)],
        ..GraphContent::default()
    };
    (main, Brain { graphs: vec![("kid".to_owned(), kid.into())], ..Brain::default() })
}

#[test]
fn a_graph_made_here_becomes_an_agent_with_those_it_calls() {
    let (main, brain) = family();
    let exported = write(&"hello".parse().unwrap(), &main, &brain, Format::Agent).unwrap();
    insta::assert_snapshot!(format!("{:#}", exported.file));
    let imported = import(&exported.file);
    assert_eq!(found(&imported.graphs[0].content, "k").block, "hello.kid");
    assert_eq!(found(&imported.graphs[0].content, "k").input, main.nodes[0].input);
    assert_eq!(found(&imported.graphs[0].content, "own").block, "@placeholder", "the function is not there");
    let error = write(&"hello".parse().unwrap(), &main, &brain, Format::Graph2024).unwrap_err();
    assert_eq!(error, WriteError::Calls("kid".parse().unwrap()));
    insta::assert_snapshot!(error, @"a graph file of 2024 cannot hold `kid`, which the graph calls; export it as an agent file");
}

#[test]
fn our_own_file_keeps_everything() {
    let (main, brain) = family();
    let exported = write(&"hello".parse().unwrap(), &main, &brain, Format::Selfmade).unwrap();
    let imported = read(exported.file.to_string().as_bytes(), &Brain::default()).unwrap();
    assert_eq!((imported.graphs[0].name.as_str(), &imported.graphs[0].content), ("hello", &main));
    assert_eq!(*brain.graphs[0].1, imported.graphs[1].content);
    let single = serde_json::to_vec(&main).unwrap();
    assert_eq!(read(&single, &Brain::default()).unwrap().graphs[0].content, main);
    let error = read(br#"{"selfmade_graphs": 2, "graphs": {}}"#, &Brain::default()).unwrap_err();
    insta::assert_snapshot!(error, @"`selfmade_graphs` must be 1; a later version of selfmade wrote this file");
}

#[test]
fn the_schemas_are_computed_from_the_border() {
    let file = agent(
        vec![
            node("a", SHORT_TEXT, json!({"name": "Who", "value": null, "description": "d"})),
            node(
                "b",
                DROPDOWN,
                json!({"name": "Tone", "value": "dry", "placeholder_values": ["dry"], "advanced": true}),
            ),
            node("c", OUTPUT, json!({"name": "Line!", "value": 1})),
        ],
        &[],
    );
    let exported = export(&import(&file)).file;
    assert_eq!(
        exported["input_schema"],
        json!({
            "type": "object", "required": ["Who"],
            "properties": {
                "Who": {"title": "Who", "advanced": false, "description": "d", "format": "short-text"},
                "Tone": {"title": "Tone", "advanced": true, "default": "dry", "enum": ["dry"]}
            }
        })
    );
    assert_eq!(exported["output_schema"]["properties"]["Line!"]["default"], 1);
}

#[test]
fn a_graph_of_2024_becomes_an_agent_of_today_and_back() {
    let file = old(
        vec![
            node("in", INPUT, json!({"name": "n", "value": "x"})),
            node("t", TEMPLATE, json!({"format": "Hi {a}"})),
        ],
        &["in.value -> t.values_#_a"],
    );
    let imported = import(&file);
    let main = &imported.graphs[0];
    let agent = write(&main.name, &main.content, &Brain::default(), Format::Agent).unwrap().file;
    assert_eq!(agent["links"][0]["source_name"], "result");
    assert_eq!(agent["nodes"][1]["input_default"]["format"], "Hi {{a}}");
    let again = import(&agent);
    assert_eq!(again.format, Format::Agent);
    assert_eq!(found(&again.graphs[0].content, "t").input, found(&main.content, "t").input);
    assert_eq!(ends(&again.graphs[0].content.links), ends(&main.content.links));
    let main = &again.graphs[0];
    let old = write(&main.name, &main.content, &Brain::default(), Format::Graph2024).unwrap().file;
    assert_eq!(import(&old).format, Format::Graph2024);
}
