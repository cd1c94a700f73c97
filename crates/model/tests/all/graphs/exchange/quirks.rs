//! The oddities of files, one by one.

use selfmade_model::graph::exchange::{Format, What};
use serde_json::{Value, json};

use super::*;

const UNKNOWN: &str = "00000000-aaaa-4000-8000-000000000000";

#[test]
fn an_agent_file_becomes_a_graph_with_its_values_and_links() {
    let file = agent(
        vec![
            node(
                "in",
                SHORT_TEXT,
                json!({"name": "Who is it?", "value": null, "title": null, "advanced": false}),
            ),
            node(
                "t",
                TEMPLATE,
                json!({"format": "Hi {{Article Title}}", "values": {}, "escape_html": false}),
            ),
            node("out", OUTPUT, json!({"name": "Line!", "value": null, "format": ""})),
            node("say", NOTE, json!({"text": "Read me"})),
        ],
        &["in.result => t.values_#_Article Title", "t.output -> out.value"],
    );
    let imported = round_trip(&file);
    let content = &imported.graphs[0].content;
    assert_eq!((imported.format, imported.graphs[0].name.as_str()), (Format::Agent, "an_agent"));
    assert_eq!(content.description, "Does things.");
    assert_eq!(found(content, "in").block, "@input");
    assert_eq!(found(content, "in").input["schema"], json!({"type": "string"}));
    assert_eq!(found(content, "t").input["template"], "Hi {{Article Title}}");
    assert_eq!(found(content, "in").metadata["position"], json!({"x": 1.5, "y": 2}));
    assert_eq!(ends(&content.links), ["in.output => t.values_#_Article Title", "t.output -> out.value"]);
    assert!(imported.report.notes.is_empty(), "{:?}", notes(&imported));
}

#[test]
fn a_block_that_is_not_here_is_a_placeholder_and_the_rest_runs() {
    let file = agent(
        vec![
            node("mail", GMAIL_SEND, json!({"to": ["a@b.example"], "subject": "Hi", "cc": null})),
            node("odd", UNKNOWN, json!({"list_$_0": 1, "list_#_k": 2, "list_$_x": 3, "nothing": null})),
            node("in", INPUT, json!({"name": "n", "value": 1})),
            node("out", OUTPUT, json!({"name": "o"})),
        ],
        &[
            "in.result -> mail.body",
            "mail.result_#_id -> odd.d_#_",
            "odd.any pin -> mail.cc_$_0",
            "in.result -> out.value",
        ],
    );
    let imported = round_trip(&file);
    let content = &imported.graphs[0].content;
    for id in ["mail", "odd"] {
        assert_eq!(found(content, id).block, "@placeholder");
    }
    assert_eq!(found(content, "mail").input["to"], json!(["a@b.example"]));
    assert_eq!(ends(&content.links)[0], "in.output -> mail.body");
    assert_eq!(imported.report.services["google"], ["mail"]);
    let missing: Vec<_> =
        imported.report.missing.iter().map(|one| (one.class.as_deref(), one.nodes.len())).collect();
    assert_eq!(missing, [(Some("GmailSendBlock"), 1), (None, 1)]);
    let told = notes(&imported);
    insta::assert_snapshot!(told[0], @"graph `an_agent`, node `mail`: there is no block like `GmailSendBlock` here; a placeholder keeps its values and links, and nothing that needs it runs");
    insta::assert_snapshot!(told[1], @"graph `an_agent`, node `odd`: no block with the id `00000000-aaaa-4000-8000-000000000000` is known; a placeholder keeps its values and links, and nothing that needs it runs");
}

#[test]
fn a_function_that_is_not_loaded_is_named() {
    let file = agent(vec![node("c", COUNT, json!({"collection": [1]}))], &[]);
    let imported = import_into(&file, &Brain { lacks_functions: true, ..Brain::default() });
    assert_eq!(imported.report.missing[0].function.as_deref(), Some("count_items"));
    assert_eq!(imported.graphs[0].content.nodes.len(), 2, "a node to start with was added");
    assert_eq!(bare(&export(&imported).file), bare(&file));
}

#[test]
fn the_generations_call_their_pins_differently() {
    let mut file = old(
        vec![
            node("in", INPUT, json!({"name": "n", "value": "x"})),
            node("join", COMBINE, json!({"input": [], "delimiter": "-"})),
            node("each", OLD_STEP, json!({"items": [1]})),
            node("out", OUTPUT, json!({"name": "o"})),
        ],
        &[
            "in.value -> join.input1",
            "in.value -> join.input2",
            "join.output -> out.value",
            "each.item_$_1 -> out.value",
        ],
    );
    file["links"][0].as_object_mut().unwrap().shift_remove("is_static");
    let imported = round_trip(&file);
    let content = &imported.graphs[0].content;
    assert_eq!(imported.format, Format::Graph2024);
    assert_eq!(
        ends(&content.links),
        [
            "in.output -> join.texts_$_0",
            "in.output -> join.texts_$_1",
            "join.output -> out.value",
            "each.item -> out.value"
        ]
    );
}

#[test]
fn only_old_files_have_templates_with_single_braces_and_indices_that_say_an_order() {
    let nodes = || {
        vec![
            node(
                "t",
                TEMPLATE,
                json!({"format": "{texts[0]}{{b}} {\"x\"}", "texts": [], "texts_$_3": "!", "named_texts": {}}),
            ),
            node("s", STORE, json!({"input": "Hello"})),
            node("ask", GENERATE, json!({"prompt": "say {x}", "prompt_values": {"x": 1}})),
            node("plain", GENERATE, json!({"prompt": "say {x}"})),
            node("j", COMBINE, json!({"input": ["a"]})),
        ]
    };
    let links = ["s.output -> t.texts_$_1", "s.output -> t.texts_$_2", "s.output -> j.input_$_5"];
    let imported = round_trip(&old(nodes(), &links));
    let content = &imported.graphs[0].content;
    assert_eq!(found(content, "t").input["template"], "{{texts[0]}}{{b}} {\"x\"}");
    assert_eq!(found(content, "ask").input["prompt"], "say {{x}}");
    assert_eq!(found(content, "plain").input["prompt"], "say {x}");
    assert_eq!(
        ends(&content.links)[..3],
        ["s.output -> t.values_#_texts_$_0", "s.output -> t.values_#_texts_$_1", "s.output -> j.texts_$_1"]
    );
    let imported = round_trip(&agent(nodes(), &links));
    let content = &imported.graphs[0].content;
    assert_eq!(found(content, "t").input["template"], "{texts[0]}{{b}} {\"x\"}");
    assert_eq!(ends(&content.links)[2], "s.output -> j.texts_$_5");
}

fn sub(id: &str, version: u32, name: &str, input: &str) -> Value {
    let nodes = json!([
        node("i", INPUT, json!({"name": input, "value": null})),
        node("o", OUTPUT, json!({"name": "Results!", "value": null})),
    ]);
    json!({
        "id": id, "version": version, "is_active": false, "name": name, "description": null, "nodes": nodes,
        "links": [link("i.result -> o.value")]
    })
}

fn call(id: &str, graph: &str, version: u32, input: &str) -> Value {
    let properties =
        |name: &str| json!({"type": "object", "properties": {name: {"title": name}}, "required": [name]});
    node(
        id,
        EXECUTOR,
        json!({
            "graph_id": graph, "graph_version": version, "user_id": "", "inputs": {input: "dry", "Tone": null},
            "input_schema": properties(input), "output_schema": properties("Results!")
        }),
    )
}

#[test]
fn an_agent_that_is_called_is_found_although_its_id_is_dead() {
    let name = "Video Topic / Headline\nor…";
    let mut file = agent(
        vec![
            call("byid", "g2", 9, name),
            call("dead", "gone", 7, "A"),
            call("twin", "gone", 8, "A"),
            call("lost", "gone", 99, "Nobody's"),
            node("in", INPUT, json!({"name": "User's Email", "value": "x"})),
            node("out", OUTPUT, json!({"name": "out"})),
        ],
        &["in.result -> dead.A", "dead.Results! -> out.value", "lost.Results! -> twin.A"],
    );
    file["sub_graphs"] = json!([
        sub("g2", 1, "Greeter", name),
        sub("g3", 7, "Twin", "A"),
        sub("g4", 8, "Twin", "A"),
        sub("g5", 3, "print", "q")
    ]);
    let imported = round_trip(&file);
    let names: Vec<&str> = imported.graphs.iter().map(|graph| graph.name.as_str()).collect();
    assert_eq!(
        names,
        ["an_agent", "an_agent.greeter", "an_agent.twin", "an_agent.twin_2", "an_agent.print_"]
    );
    let content = &imported.graphs[0].content;
    let block = |id: &str| found(content, id).block.as_str();
    assert_eq!(
        (block("byid"), block("dead"), block("twin")),
        ("an_agent.greeter", "an_agent.twin", "an_agent.twin_2")
    );
    assert_eq!((block("lost"), &found(content, "byid").input[name]), ("@placeholder", &json!("dry")));
    let told = notes(&imported);
    insta::assert_snapshot!(told[0], @"graph `an_agent`, node `dead`: the id of the agent it calls is not in the file; `Twin` was found by its pins and version");
    assert_eq!(whats(&imported)[2], What::MissingGraph);
}

#[test]
fn graphs_can_be_given_other_names() {
    let mut file = agent(vec![call("c", "g2", 1, "A")], &[]);
    file["sub_graphs"] = json!([sub("g2", 1, "Greeter", "A")]);
    let mut imported = import(&file);
    let (old, new) = (imported.graphs[1].name.clone(), "hello".parse().unwrap());
    imported.rename(&old, &new);
    assert_eq!(found(&imported.graphs[0].content, "c").block, "hello");
    assert_eq!(bare(&export(&imported).file), bare(&file));
}

#[test]
fn a_file_can_be_given_another_name_with_all_graphs_of_it() {
    let mut file = agent(vec![call("c", "g2", 1, "A"), node("gone", "no-such-block", json!({}))], &[]);
    file["sub_graphs"] = json!([sub("g2", 1, "Greeter", "A")]);
    let mut imported = import(&file);
    assert!(imported.is_named);
    imported.rename_main(&"team.mail".parse().unwrap()).unwrap();
    let names: Vec<&str> = imported.graphs.iter().map(|graph| graph.name.as_str()).collect();
    assert_eq!(names, ["team.mail", "team.mail.greeter"]);
    assert_eq!(found(&imported.graphs[0].content, "c").block, "team.mail.greeter");
    assert_eq!(imported.report.missing[0].nodes, [("team.mail".to_owned(), "gone".to_owned())]);
    assert!(imported.report.notes.iter().all(|note| note.graph.starts_with("team.mail")));
    assert_eq!(bare(&export(&imported).file), bare(&file));
}

#[test]
fn an_agent_that_calls_itself_is_a_placeholder() {
    let mut file = agent(vec![call("c", "g1", 4, "A"), node("in", INPUT, json!({"name": "A"}))], &[]);
    file["id"] = json!("g1");
    let imported = round_trip(&file);
    assert_eq!(found(&imported.graphs[0].content, "c").block, "@placeholder");
}

#[test]
fn tools_are_routed_by_link_and_named_by_their_node() {
    let mut file = agent(
        vec![
            node("o", ORCHESTRATOR, json!({"prompt": "find", "execution_mode": "built_in"})),
            node("search", WEB_REQUEST, json!({"method": "GET"})),
            call("kid", "g2", 1, "Max Keyword Difficulty"),
            node("out", OUTPUT, json!({"name": "out"})),
        ],
        &[
            "o.tools_^_search_the_web_~_url -> search.url",
            "o.tools -> search.body_#_q",
            "o.tools_^_kid_~_max_keyword_difficulty -> kid.Max Keyword Difficulty",
            "search.response -> o.last_tool_output",
            "kid.Results! -> o.last_tool_output",
            "o.conversations -> o.conversation_history",
            "o.finished -> out.value",
        ],
    );
    file["nodes"][1]["metadata"]["customized_name"] = json!("Search the Web!");
    file["sub_graphs"] = json!([sub("g2", 1, "Keyword Tool", "Max Keyword Difficulty")]);
    let imported = round_trip(&file);
    let content = &imported.graphs[0].content;
    assert_eq!(
        ends(&content.links)[..3],
        [
            "o.tools_#_search_the_web_#_url -> search.url",
            "o.tools_#_search_the_web_#_body_q -> search.body_#_q",
            "o.tools_#_keyword_tool_#_max_keyword_difficulty -> kid.Max Keyword Difficulty"
        ]
    );
    let functions = &found(content, "o").input["functions"];
    assert_eq!(functions[0]["name"], "search_the_web");
    assert_eq!(functions[0]["parameters"]["url"], json!({"type": "string"}));
    assert_eq!(functions[1]["required"], json!(["max_keyword_difficulty"]));
    // Its loop begins with what says that nothing was said.
    assert_eq!(found(content, "o (first last_tool_output)").input["items"], json!([null]));
    assert!(content.budget.is_some());
}

#[test]
fn what_does_not_fit_is_converted_or_waits() {
    let file = agent(
        vec![
            node("n", NUMBER, json!({"name": "n", "value": "5"})),
            node("count", COUNT, json!({"collection": [1, 2]})),
            node("ask", GENERATE, json!({"max_tokens": "many", "ollama_host": "here", "unheard": 1})),
            node("list", ADD_TO_LIST, json!({"position": "1"})),
            node(
                "pick",
                DROPDOWN,
                json!({"name": "p", "value": "a", "placeholder_values": ["a", "b"], "options": []}),
            ),
        ],
        &[
            "count.count -> ask.sys_prompt",
            "n.result -> list.nowhere",
            "list.gone -> ask.model",
            "pick.result -> ask.ollama_host",
        ],
    );
    let imported = round_trip(&file);
    let content = &imported.graphs[0].content;
    assert_eq!(found(content, "n").input["value"], json!(5));
    assert_eq!(found(content, "list").input["position"], json!(1));
    assert_eq!(found(content, "ask").input.keys().collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(found(content, "pick").input["schema"], json!({"enum": ["a", "b"]}));
    assert_eq!(
        ends(&content.links),
        [
            "count.count -> ask (string).value",
            "n.output -> list (missing).nowhere",
            "list (missing).gone -> ask.model",
            "pick.output -> ask (missing).ollama_host",
            "ask (missing).prompt -> ask.prompt",
            "ask (string).value -> ask.sys_prompt",
        ]
    );
    let told: String = notes(&imported).iter().map(|note| format!("{note}\n")).collect();
    insta::assert_snapshot!(told);
}

#[test]
fn links_and_ids_that_make_no_sense_are_kept() {
    let file = agent(
        vec![
            node("", INPUT, json!({"name": "n", "value": 1})),
            node("a", OUTPUT, json!({"name": "same"})),
            node("a", OUTPUT, json!({"name": "same"})),
            node("nameless", INPUT, json!({"value": 1})),
            node("odd", OUTPUT, json!({"name": 7, "value": 1})),
        ],
        &["x.result -> a.value", "x.result -> a.value", "nowhere.y -> a.value", "a.output -> a.name"],
    );
    let imported = round_trip(&file);
    let whats = whats(&imported);
    for what in [What::Renamed, What::Link, What::MissingBlock, What::Constant] {
        assert!(whats.contains(&what), "{what:?} in {whats:?}");
    }
    let ids: Vec<&str> =
        imported.graphs[0].content.nodes.iter().map(|node| node.id.as_str()).take(5).collect();
    assert_eq!(ids, ["node_0", "a", "a_2", "nameless", "odd"]);
}

#[test]
fn falsy_and_absent_constants_mean_what_they_meant() {
    let file = agent(
        vec![
            node("s", STORE, json!({"input": "kept", "data": ""})),
            node("null", OUTPUT, json!({"name": "o", "value": null})),
            node("zero", INPUT, json!({"name": "z", "value": 0})),
        ],
        &[],
    );
    let imported = round_trip(&file);
    let content = &imported.graphs[0].content;
    assert!(!found(content, "s").input.contains_key("data"));
    assert_eq!(found(content, "null").input["value"], Value::Null);
    assert_eq!(found(content, "zero").input["value"], json!(0));
}

#[test]
fn static_links_of_blocks_we_do_not_have_stay_static() {
    let retrieve = "d8710fc9-6e29-481e-a7d5-165eb16f8471";
    let file = agent(
        vec![node("r", retrieve, json!({"key": "k"})), node("o", OUTPUT, json!({"name": "o"}))],
        &["r.value -> o.value"],
    );
    let imported = round_trip(&file);
    assert_eq!(ends(&imported.graphs[0].content.links), ["r.value => o.value"]);
}

#[test]
fn other_files_are_refused_with_what_they_are() {
    let told = |file: &str| refused(file.as_bytes()).to_string();
    insta::assert_snapshot!(told("[1]"), @"this is not a graph: it is not an object; a graph file is an object with `nodes` and `links`, as selfmade and AutoGPT export it");
    insta::assert_snapshot!(told("{\"name\": \"x\", \"version\": 1}"), @"this is not a graph: it has `name` and `version`; a graph file is an object with `nodes` and `links`, as selfmade and AutoGPT export it");
    insta::assert_snapshot!(told("{\"nodes\": [{\"type\": \"n8n\"}]}"), @"this is not a graph: its nodes have neither `block` nor `block_id`; a graph file is an object with `nodes` and `links`, as selfmade and AutoGPT export it");
    insta::assert_snapshot!(told("{\"nodes\": [{\"id\": \"a\", \"block_id\": 7}]}"), @"`nodes[0].block_id` must be a text");
    insta::assert_snapshot!(told("{\"nodes\": [{\"block_id\": \"b\", \"input_default\": []}]}"), @"`nodes[0].input_default` must be an object");
    assert!(told("{").starts_with("the file is not JSON: "));
    let many: Vec<Value> = (0..20_001).map(|at| node(&at.to_string(), STORE, json!({"input": 1}))).collect();
    let error = refused(agent(many, &[]).to_string().as_bytes()).to_string();
    assert!(error.contains("20001 nodes, more than the 20000"), "{error}");
}

#[test]
fn a_request_that_creates_a_graph_and_a_byte_order_mark_are_read() {
    let file = json!({"graph": old(vec![node("s", STORE, json!({"input": 1}))], &[])});
    let text = format!("\u{feff}{file}");
    let imported = read(text.as_bytes(), &Brain::default()).unwrap();
    assert_eq!(bare(&export(&imported).file), file["graph"]);
}
