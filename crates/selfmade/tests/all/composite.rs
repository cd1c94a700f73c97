//! The graph of agents that `docs/graphs.md` shows, with a language model that follows a script.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::command::Place;
use crate::readme::copy_examples;

/// What the model says to whoever asks in a role.
const SCRIPT: [(&str, &str); 2] = [
    ("You are a researcher.", "The moon pulls the sea."),
    ("You are a writer.", "Why the sea comes and goes"),
];

/// A server with OpenAI's API, as long as the test runs. Its address is the base URL.
fn scripted_model() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().for_each(|stream| answer(stream.unwrap())));
    format!("http://{address}/v1")
}

fn answer(stream: TcpStream) {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let role = asked["messages"][0]["content"].as_str().unwrap();
    let said = SCRIPT.iter().find(|(start, _)| role.starts_with(start)).unwrap().1;
    let body = json!({
        "id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": said } }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 },
    })
    .to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    write!(reader.get_mut(), "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
}

/// The commands that the guide shows, up to the one that starts a server.
fn setting_up() -> Vec<String> {
    let guide = include_str!("../../../../docs/graphs.md");
    let commands = guide.lines().filter_map(|line| line.strip_prefix("$ selfmade "));
    commands.take_while(|command| !command.starts_with("secret ")).map(str::to_owned).collect()
}

fn shown(place: &Place, run: &str) -> Value {
    place.json(&["runs", "show", run])
}

#[test]
fn three_agents_work_together_and_one_asks_a_person() {
    let mut place = Place::new();
    place.set("SELFMADE_MODEL_URL", &scripted_model());
    copy_examples(&place);
    let commands = setting_up();
    assert_eq!(commands.len(), 5, "{commands:?}");
    for command in &commands {
        place.data(&command.split(' ').collect::<Vec<_>>());
    }
    place.run_with(&["secret", "set", "openai_api_key"], b"key");
    let mut server = place.start(&["serve"]);
    server.says("serving");

    for (answer, pin) in [("publish", "published"), ("discard", "discarded")] {
        let run = place.run_id(&["newsroom", "--arg", "topic=tides", "--queue"]);
        let asking = loop {
            let waiting = place.json(&["runs", "list", "editor", "--state", "waiting"]);
            if let Some(found) = waiting["runs"].get(0) {
                break found["run_id"].as_str().unwrap().to_owned();
            }
        };
        let asked = shown(&place, &asking)["waiting"].to_string();
        assert!(asked.contains("Why the sea comes and goes"), "{asked}");
        place.data(&["runs", "answer", &asking, answer]);
        let ended = loop {
            let found = shown(&place, &run);
            if !["queued", "running", "waiting"].contains(&found["state"].as_str().unwrap()) {
                break found;
            }
        };
        assert_eq!(ended["output"], json!({ pin: "Why the sea comes and goes" }), "{ended}");
    }
    server.signal("TERM");
    server.ended();
}
