//! Properties of the three formats, and their bodies as they are.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::llm::request::{Effort, Message, Opaque, Speaker, Tool, ToolCall, ToolChoice};
use crate::llm::scripted::{self, ScriptedCall, ScriptedReply};
use crate::llm::{CacheMode, Ending, Reasoning, SchemaMode, TokenLimit, Usage};

fn target(protocol: Protocol, profile: &Profile) -> Target<'_> {
    Target { protocol, model_id: "m-1", profile }
}

fn said(role: Speaker, content: &str) -> Message {
    Message { role, content: content.to_owned(), tool_calls: Vec::new(), tool_call_id: None, opaque: None }
}

fn result(id: &str, content: &str) -> Message {
    Message { tool_call_id: Some(id.to_owned()), ..said(Speaker::Tool, content) }
}

fn tool(name: &str) -> Tool {
    let parameters =
        json!({ "type": "object", "required": ["q"], "properties": { "q": { "type": "string" } } });
    Tool { name: name.to_owned(), description: format!("Does {name}."), parameters }
}

fn request(messages: Vec<Message>, tools: &[&str]) -> ChatRequest {
    ChatRequest { messages, tools: tools.iter().map(|name| tool(name)).collect(), ..ChatRequest::default() }
}

fn protocols() -> impl Strategy<Value = Protocol> {
    proptest::sample::select(Protocol::ALL)
}

fn profiles() -> impl Strategy<Value = Profile> {
    let words = (
        proptest::sample::select(TokenLimit::ALL),
        proptest::sample::select(Reasoning::ALL),
        proptest::sample::select(ToolMode::ALL),
        proptest::sample::select(SchemaMode::ALL),
        proptest::sample::select(CacheMode::ALL),
    );
    (words, any::<bool>(), any::<bool>()).prop_map(
        |((token_limit, reasoning, tools, schema, cache), sampling, streams)| Profile {
            token_limit,
            sampling,
            reasoning,
            tools,
            schema,
            cache,
            streams,
        },
    )
}

fn texts() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[a-zé\"\\\\ \n{}]{0,20}").unwrap()
}

fn endings() -> impl Strategy<Value = Option<Ending>> {
    proptest::option::of(proptest::sample::select(&[Ending::Done, Ending::Length, Ending::Refusal][..]))
}

fn replies() -> impl Strategy<Value = ScriptedReply> {
    let arguments = prop_oneof![
        texts().prop_map(|text| json!({ "q": text }).to_string()),
        Just("{\"q\": ".to_owned()),
        Just("[1]".to_owned()),
    ];
    let calls = proptest::collection::vec((proptest::sample::select(&["f", "g", "no"][..]), arguments), 0..3);
    let usage = (0..1_000_u64, 0..1_000_u64, 0..1_000_u64).prop_map(|(input, cached, output)| Usage {
        input,
        cached,
        output,
        ..Usage::default()
    });
    (texts(), calls, endings(), usage, proptest::option::of(texts())).prop_map(
        |(text, calls, ending, usage, thought)| {
            let calls: Vec<ScriptedCall> = calls
                .into_iter()
                .enumerate()
                .map(|(at, (name, arguments))| ScriptedCall {
                    id: format!("c{at}"),
                    name: name.to_owned(),
                    arguments,
                })
                .collect();
            ScriptedReply { ending: ending.filter(|_| calls.is_empty()), text, calls, usage, thought }
        },
    )
}

/// A conversation in which each reply is the model's own, with all results.
fn conversation(target: &Target<'_>, replies: &[ScriptedReply]) -> Vec<Vec<Message>> {
    let mut messages = vec![said(Speaker::System, "Be brief."), said(Speaker::User, "Begin.")];
    let mut turns = vec![messages.clone()];
    for (at, scripted) in replies.iter().enumerate() {
        let asked = request(messages.clone(), &["f", "g"]);
        let whole = scripted::whole(target.protocol, scripted, target.model_id);
        let mut reply = read(target, &asked, &whole).unwrap();
        // Ids are the model's and differ from turn to turn.
        for call in &mut reply.tool_calls {
            call.id = format!("{}-{at}", call.id);
        }
        reply.opaque = reply.opaque.filter(|_| reply.tool_calls.is_empty());
        messages.push(reply.message());
        messages.extend(reply.tool_calls.iter().map(|call| result(&call.id, "It is so.")));
        if reply.tool_calls.is_empty() {
            messages.push(said(Speaker::User, "Go on."));
        }
        turns.push(messages.clone());
    }
    turns
}

/// The body without the end of its messages, which the next turn adds to.
fn beginning(body: &Value) -> String {
    let text = body.to_string();
    text.strip_suffix("]}").unwrap().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_next_turn_begins_with_the_bytes_of_this_one(
        protocol in protocols(), profile in profiles(), script in proptest::collection::vec(replies(), 1..5),
    ) {
        let target = target(protocol, &profile);
        let turns = conversation(&target, &script);
        let bodies: Vec<String> = turns
            .into_iter()
            .map(|messages| beginning(&encode(&target, &request(messages, &["f", "g"])).unwrap().body))
            .collect();
        for pair in bodies.windows(2) {
            prop_assert!(pair[1].starts_with(&pair[0]), "{}\n{}", pair[0], pair[1]);
        }
    }

    #[test]
    fn a_stream_is_read_as_the_whole_reply_is(protocol in protocols(), scripted in replies(), piece in 1..8_usize) {
        let profile = Profile::usual(protocol);
        let target = target(protocol, &profile);
        let asked = request(vec![said(Speaker::User, "Hi")], &["f", "g"]);
        let whole = scripted::whole(protocol, &scripted, "m-1");
        let (mut fold, mut text) = (Fold::new(protocol), String::new());
        let events = scripted::events(protocol, &whole, piece);
        for event in &events {
            text += &fold.push(&event.data).unwrap();
        }
        let streamed = read(&target, &asked, &fold.finish().unwrap()).unwrap();
        prop_assert_eq!(&streamed, &read(&target, &asked, &whole).unwrap());
        if streamed.ending != Ending::Refusal {
            prop_assert_eq!(&text, &streamed.text);
        }
        // Cut off anywhere before the end, it is not taken for a reply.
        let last = if protocol == Protocol::ChatCompletions { 3 } else { 1 };
        for end in 0..=events.len() - last {
            let mut fold = Fold::new(protocol);
            events[..end].iter().for_each(|event| drop(fold.push(&event.data).unwrap()));
            prop_assert_eq!(fold.finish(), Err(ReplyError::Cut));
        }
    }

    #[test]
    fn what_a_stream_says_never_stops_the_program(protocol in protocols(), events in proptest::collection::vec(".{0,40}", 0..6)) {
        let mut fold = Fold::new(protocol);
        for event in events {
            drop(fold.push(&event));
        }
        drop(fold.finish());
    }

    #[test]
    fn hidden_parts_go_back_byte_for_byte_to_the_model_that_wrote_them_and_to_no_other(
        protocol in protocols(), thought in texts(), text in "[a-z]{1,9}",
    ) {
        let profile = Profile { reasoning: Reasoning::Effort, ..Profile::usual(protocol) };
        let here = target(protocol, &profile);
        let first = request(vec![said(Speaker::User, "Hi")], &["f"]);
        let reply = ScriptedReply { text, thought: Some(thought.clone()), ..ScriptedReply::call("c", "f", "{\"q\": 1.50}") };
        let whole = scripted::whole(protocol, &reply, "m-1");
        let reply = read(&here, &first, &whole).unwrap();
        let opaque = reply.opaque.clone().unwrap();
        let mut messages = first.messages;
        messages.extend([reply.message(), result("c", "1")]);
        let next = request(messages, &["f"]);
        let sent = encode(&here, &next).unwrap();
        let signed = json!(scripted::signature(&thought)).to_string();
        prop_assert!(sent.body.to_string().contains(&signed));
        let parts: Value = serde_json::from_str(&opaque.parts).unwrap();
        let item = match protocol {
            Protocol::ChatCompletions => parts["message"]["reasoning_details"].to_string(),
            _ => parts[0].to_string(),
        };
        prop_assert!(sent.body.to_string().contains(&item), "{}", item);
        prop_assert!(sent.notes.is_empty());

        let elsewhere = Target { model_id: "m-2", ..here };
        let sent = encode(&elsewhere, &next).unwrap();
        prop_assert!(!sent.body.to_string().contains(&signed));
        prop_assert_eq!(sent.notes.len(), 1);

        let mut changed = next;
        changed.messages[1].content += " and more";
        let sent = encode(&here, &changed).unwrap();
        if protocol != Protocol::ChatCompletions {
            prop_assert!(sent.notes[0].contains("were changed since"), "{}", sent.notes[0]);
        }
        prop_assert!(sent.body.to_string().contains(" and more"));
    }

    #[test]
    fn a_parameter_is_sent_or_said_to_be_left_out(
        protocol in protocols(), profile in profiles(), limit in proptest::option::of(100..5_000_u32),
        temperature in proptest::option::of(Just(0.25)), effort in proptest::option::of(proptest::sample::select(Effort::ALL)),
        has_schema in any::<bool>(), choice in 0..4_u8,
    ) {
        let choice = match choice {
            0 => ToolChoice::Auto, 1 => ToolChoice::Required, 2 => ToolChoice::None, _ => ToolChoice::Named("f".to_owned()),
        };
        let asked = ChatRequest {
            max_tokens: limit, temperature, effort, tool_choice: choice.clone(),
            schema: has_schema.then(|| json!({ "type": "object", "title": "Wanted" })),
            ..request(vec![said(Speaker::User, "Hi")], &["f", "g"])
        };
        let Encoded { body, notes } = encode(&target(protocol, &profile), &asked).unwrap();
        let sent = body.to_string();
        let check = |given: bool, name: &str, wanted: &str| {
            let is_noted = notes.iter().any(|note| note.contains(&format!("`{name}`")));
            !given || (sent.contains(wanted) != is_noted)
        };
        prop_assert!(check(limit.is_some(), "max_tokens", &format!(":{}", limit.unwrap_or(0))), "{sent} {notes:?}");
        prop_assert!(check(temperature.is_some(), "temperature", "\"temperature\":0.25"), "{sent} {notes:?}");
        let word = effort.map_or("", Effort::as_str);
        prop_assert!(check(effort.is_some(), "effort", &format!("effort\":\"{word}\"")), "{sent} {notes:?}");
        prop_assert!(!has_schema || choice != ToolChoice::Auto || sent.contains("Wanted"), "{sent}");
        prop_assert!(choice == ToolChoice::None || sent.contains("Does f."), "{sent}");
    }
}

#[test]
fn bodies_state_parameters_then_tools_then_system_then_messages() {
    let called = Message {
        tool_calls: vec![ToolCall {
            id: "c".to_owned(),
            name: "f".to_owned(),
            arguments: Some(json!({ "q": "x" })),
            problem: None,
        }],
        ..said(Speaker::Assistant, "")
    };
    let asked = ChatRequest {
        max_tokens: Some(50),
        temperature: Some(0.5),
        effort: Some(Effort::Low),
        ..request(
            vec![said(Speaker::System, "Be brief."), said(Speaker::User, "Hi"), called, result("c", "1")],
            &["f"],
        )
    };
    let body = |protocol, reasoning| {
        let profile = Profile { reasoning, ..Profile::usual(protocol) };
        serde_json::to_string_pretty(&encode(&target(protocol, &profile), &asked).unwrap().body).unwrap()
    };
    insta::assert_snapshot!("chat_completions", body(Protocol::ChatCompletions, Reasoning::Effort));
    insta::assert_snapshot!("responses", body(Protocol::Responses, Reasoning::Effort));
    insta::assert_snapshot!("messages", body(Protocol::Messages, Reasoning::Adaptive));
}

fn answered(profile: &Profile, text: &str) -> ChatReply {
    let asked = request(vec![said(Speaker::User, "Hi")], &["f", "g"]);
    let whole = scripted::whole(Protocol::ChatCompletions, &ScriptedReply::text(text), "m-1");
    read(&target(Protocol::ChatCompletions, profile), &asked, &whole).unwrap()
}

#[test]
fn calls_are_read_from_the_text_of_a_model_that_has_no_tools() {
    let fenced = Profile { tools: ToolMode::Fenced, ..Profile::usual(Protocol::ChatCompletions) };
    let schema = Profile { tools: ToolMode::Schema, ..fenced.clone() };
    let text = "I look.\n```json\n{\"tool\": \"f\", \"arguments\": {\"q\": \"x\"}}\n```\n";
    let reply = answered(&fenced, text);
    assert_eq!((reply.ending, reply.text.as_str()), (Ending::Tool, "I look."));
    let call = &reply.tool_calls[0];
    assert_eq!(
        (call.id.as_str(), call.name.as_str(), &call.arguments),
        ("call_1", "f", &Some(json!({ "q": "x" })))
    );
    for bare in ["{\"name\": \"g\", \"parameters\": {}}", "```\n{\"tool\": \"g\", \"arguments\": {}}\n```"] {
        for profile in [&fenced, &schema] {
            assert_eq!(answered(profile, bare).tool_calls[0].name, "g");
        }
    }
    let reply = answered(&schema, "{\"tool\": \"answer\", \"content\": \"42\"}");
    assert_eq!((reply.ending, reply.text.as_str(), reply.tool_calls.len()), (Ending::Done, "42", 0));
    let code = "Write:\n```python\nprint(1)\n```\nDone, and ```this too";
    assert_eq!(answered(&fenced, code).text, code, "other blocks are text");
}

#[test]
fn calls_that_cannot_be_executed_say_why() {
    let profile = Profile::usual(Protocol::ChatCompletions);
    let asked = request(vec![said(Speaker::User, "Hi")], &["f"]);
    let problem = |name: &str, arguments: &str| {
        let whole =
            scripted::whole(Protocol::ChatCompletions, &ScriptedReply::call("", name, arguments), "m-1");
        let reply = read(&target(Protocol::ChatCompletions, &profile), &asked, &whole).unwrap();
        assert_eq!((reply.tool_calls[0].id.as_str(), &reply.tool_calls[0].arguments), ("call_1", &None));
        reply.tool_calls[0].problem.clone().unwrap()
    };
    assert_eq!(problem("h", "{}"), "there is no tool `h`; call one of `f`");
    assert!(problem("f", "{\"q\": ").starts_with("the arguments of `f` are not JSON: "));
    assert_eq!(problem("f", "[1]"), "the arguments of `f` must be a JSON object; call it again");
}

#[test]
fn an_answer_that_was_to_be_json_is_json_or_says_what_is_wrong() {
    let profile = Profile::usual(Protocol::ChatCompletions);
    let asked = ChatRequest { schema: Some(json!({})), ..request(vec![said(Speaker::User, "Hi")], &[]) };
    let answer = |reply: &ScriptedReply| {
        let whole = scripted::whole(Protocol::ChatCompletions, reply, "m-1");
        read(&target(Protocol::ChatCompletions, &profile), &asked, &whole).unwrap()
    };
    assert_eq!(answer(&ScriptedReply::text("```json\n{\"a\": 1}\n```")).value, Some(json!({ "a": 1 })));
    assert!(answer(&ScriptedReply::text("Sure!")).problem.unwrap().starts_with("the answer is not JSON"));
    let cut = ScriptedReply { ending: Some(Ending::Length), ..ScriptedReply::text("{\"a\": ") };
    assert!(answer(&cut).problem.unwrap().contains("`max_tokens`"));
}

#[test]
fn servers_that_send_whole_calls_in_a_stream_are_understood() {
    let mut fold = Fold::new(Protocol::ChatCompletions);
    let chunk = |calls: Value| json!({ "choices": [{ "delta": { "tool_calls": calls } }] }).to_string();
    let call = |id: &str, index: Option<u64>| json!([{ "id": id, "index": index, "function": { "name": "f", "arguments": "{}" }, "extra": { "signature": id } }]);
    for calls in [call("a", Some(0)), call("b", Some(0)), call("c", None), call("d", None)] {
        fold.push(&chunk(calls)).unwrap();
    }
    fold.push(&json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }).to_string()).unwrap();
    let whole = fold.finish().unwrap();
    let calls = whole["choices"][0]["message"]["tool_calls"].as_array().unwrap().clone();
    let ids: Vec<&str> = calls.iter().map(|call| call["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    assert_eq!(calls[3]["extra"]["signature"], "d");
}

#[test]
fn an_error_in_a_reply_or_in_its_stream_is_an_error() {
    let mut fold = Fold::new(Protocol::Messages);
    let event = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let Err(ReplyError::Complaint(complaint)) = fold.push(&event.to_string()) else { panic!() };
    assert!(complaint.is_passing());
    let profile = Profile::usual(Protocol::ChatCompletions);
    let asked = request(vec![said(Speaker::User, "Hi")], &[]);
    let target = target(Protocol::ChatCompletions, &profile);
    assert!(matches!(read(&target, &asked, &json!({ "error": "no" })), Err(ReplyError::Complaint(_))));
    assert_eq!(read(&target, &asked, &json!({})), Err(ReplyError::Without("`choices`")));
}

#[test]
fn hidden_parts_that_are_no_json_are_not_sent() {
    let profile = Profile::usual(Protocol::Messages);
    let broken = Opaque { by: "messages:m-1".to_owned(), parts: "[".to_owned() };
    let messages = vec![
        said(Speaker::User, "Hi"),
        Message { opaque: Some(broken), ..said(Speaker::Assistant, "Hello") },
        said(Speaker::User, "Go on"),
    ];
    let sent = encode(&target(Protocol::Messages, &profile), &request(messages, &[])).unwrap();
    assert_eq!(
        (sent.body["messages"][1]["content"][0]["text"].as_str(), sent.notes.len()),
        (Some("Hello"), 1)
    );
}
