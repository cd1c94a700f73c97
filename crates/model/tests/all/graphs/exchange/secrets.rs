//! Secrets stay out of files.

use proptest::prelude::*;
use selfmade_model::graph::exchange::{Format, What, write};
use selfmade_model::graph::{GraphContent, Link, Node};
use serde_json::json;

use super::*;

const SECRET: &str = "hunter2-hunter2";

fn hidden() -> Value {
    let mut file = agent(
        vec![
            node(
                "ask",
                GENERATE,
                json!({"prompt": "x", "api_key": SECRET, "credentials": {"id": SECRET, "provider": "openai", "type": "api_key"}}),
            ),
            node(
                "mail",
                GMAIL_SEND,
                json!({"google_credentials": {"id": SECRET}, "creds": {"user": SECRET}, "options": [{"password": SECRET}]}),
            ),
            node(
                "web",
                WEB_REQUEST,
                json!({"url": "https://a.example", "headers": {"Authorization": SECRET}, "headers_#_X-Api-Key": SECRET}),
            ),
            node("token", STORE, json!({"input": SECRET})),
            node("chain", STORE, json!({"input": SECRET, "data": SECRET})),
            node("discord", READ_DISCORD, json!({"discord_bot_token": SECRET, "continuous_read": true})),
            node("key", INPUT, json!({"name": "Plain", "value": SECRET, "placeholder_values": [SECRET]})),
            node("named", INPUT, json!({"name": "OpenAI API Key", "value": SECRET})),
            node("flag", INPUT, json!({"name": "q", "value": SECRET, "secret": true})),
            node(
                "kid",
                EXECUTOR,
                json!({
                    "graph_id": "g2", "graph_version": 1, "user_id": SECRET, "inputs": {"Pass": SECRET, "Tone": "dry"},
                    "input_schema": {"properties": {"Pass": {"default": SECRET, "title": "Pass"}, "Tone": {}}},
                    "output_schema": {"properties": {}}, "nodes_input_masks": {"n": {"api_key": SECRET}}
                }),
            ),
            node(
                "medium",
                "3f7b2dcb-4a78-4e3f-b0f1-88132e1b89df",
                json!({"author_id": SECRET, "title": "T"}),
            ),
            node("loose", COMBINE, json!({"input": ["sk-abcdefghijklmnopqrstuvwxyz0123"]})),
        ],
        &[
            "chain.output -> token.input",
            "token.output -> discord.discord_bot_token",
            "key.result -> web.headers_#_authorization",
            "kid.Out -> web.body_#_password",
        ],
    );
    file["user_id"] = json!(SECRET);
    file["nodes"][0]["webhook_id"] = json!(SECRET);
    file["nodes"][0]["webhook"] = json!({"secret": SECRET});
    file["nodes"][1]["input_links"] = json!([{"id": SECRET}]);
    file["sub_graphs"] = json!([{
        "id": "g2", "version": 1, "name": "Kid", "description": "",
        "nodes": [
            node("i", INPUT, json!({"name": "Pass", "value": SECRET})),
            node("j", INPUT, json!({"name": "Tone"})),
            node("w", WEB_REQUEST, json!({"url": "https://a.example"})),
            node("s", STORE, json!({"input": SECRET})),
            node("o", OUTPUT, json!({"name": "Out", "value": SECRET})),
        ],
        "links": [link("i.result -> w.headers_#_Authorization"), link("s.output -> o.value")]
    }]);
    file
}

#[test]
fn no_secret_is_imported_or_exported_wherever_it_hides() {
    let imported = import(&hidden());
    let brain = Brain::with(&imported);
    let main = &imported.graphs[0];
    let mut texts = vec![format!("{:?}", imported.graphs)];
    for format in [Format::Agent, Format::Selfmade] {
        texts.push(write(&main.name, &main.content, &brain, format).unwrap().file.to_string());
    }
    for text in texts {
        assert!(!text.contains(SECRET) && !text.contains("sk-abc"), "{text}");
    }
    let secrets = imported.report.notes.iter().filter(|note| note.what == What::Secret).count();
    assert!(secrets >= 14, "{:#?}", notes(&imported));
    // What is left is the same the second time, and what is not secret is there.
    let exported = export(&imported).file;
    let again = export(&import(&exported)).file;
    assert_eq!(again, exported);
    assert_eq!(exported["nodes"][9]["input_default"]["inputs"], json!({"Pass": "", "Tone": "dry"}));
    assert_eq!(
        exported["nodes"][3]["input_default"],
        json!({"input": ""}),
        "a stored value still starts what waits for it"
    );
    assert_eq!(
        exported["nodes"][6]["input_default"]["value"],
        Value::Null,
        "an input has to be given a value"
    );
    assert_eq!(exported["nodes"][0]["webhook_id"], Value::Null);
}

#[test]
fn secrets_that_were_put_into_a_graph_here_are_not_exported() {
    let content = GraphContent {
        nodes: vec![
            Node::new("in", "@input").with("name", "n").with("value", SECRET),
            Node::new("kept", "@store").with("input", SECRET),
            Node::new("web", "send_web_request")
                .with("url", "u")
                .with("headers", json!({"authorization": SECRET})),
        ],
        links: vec![
            Link::new("in", "output", "web", "headers_#_x-api-key"),
            Link::new("kept", "output", "web", "body_#_password"),
        ],
        ..GraphContent::default()
    };
    for format in [Format::Agent, Format::Selfmade, Format::Graph2024] {
        let exported = write(&"g".parse().unwrap(), &content, &Brain::default(), format).unwrap();
        assert!(!exported.file.to_string().contains(SECRET), "{}", exported.file);
        assert_eq!(exported.notes.len(), 3, "{:?}", exported.notes);
    }
}

proptest! {
    #[test]
    fn a_secret_field_at_any_depth_is_left_out(path in prop::collection::vec("[a-z]{1,4}", 0..4), field in prop::sample::select(vec![
        "api_key", "Api Key", "discord_bot_token", "PASSWORD", "client_secret", "credentials", "github_credentials", "cookie",
    ])) {
        let mut value = json!({ field: SECRET, "safe": 1 });
        for key in path {
            value = json!([{ key: value }]);
        }
        let file = agent(vec![node("a", "nobody", json!({"x": value}))], &[]);
        let imported = import(&file);
        let shown = format!("{:?}", imported.graphs);
        prop_assert!(!shown.contains(SECRET));
        prop_assert!(!export(&imported).file.to_string().contains(SECRET));
    }
}
