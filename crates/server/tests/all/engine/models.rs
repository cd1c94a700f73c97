//! Functions that ask a language model: each exchange is a Step, asked once whatever happens to the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use model::llm::scripted::ScriptedReply;
use model::llm::{KeySource, LlmName, Price, Protocol, Role, Usage};
use model::run::{Run, RunState};
use sandbox::{HostError, Value};
use secrecy::SecretBox;
use serde_json::{Value as Json, json};
use server::app::models::{self, NewModel};
use server::app::runs::replay;
use server::app::runs::watch::{Follower, What};
use server::app::secrets;
use server::llm::testing::{Asked, Behaviour, ScriptedModel};
use store::testing::TestDatabase;
use store::{RunFilter, on_both};

use super::script::{Asking, Stage, empty, raised};
use crate::world::ME;

const ASKS: &str = "import selfmade\n\n@selfmade.function(model=True)\ndef asks():\n    pass\n";

/// Stores a model that is reached at a scripted server.
async fn model(stage: &Stage, server: &ScriptedModel, protocol: Protocol) {
    let new = NewModel {
        base_url: server.base_url(),
        model_id: "m-1".to_owned(),
        protocol: Some(protocol),
        key: None,
        roles: Role::ALL.iter().copied().collect(),
        price: Price { input: 1_000_000, output: 2_000_000, ..Price::default() },
        profile: None,
    };
    models::put(&stage.ctx, &ME, &LlmName::new("scripted").unwrap(), new).await.unwrap();
}

/// A function that asks for one verb after the other, and answers with all results.
async fn asks(stage: &Stage, asked: &[(&'static str, Json)]) {
    stage.register(ASKS).await;
    plays(stage, asked);
}

fn plays(stage: &Stage, asked: &[(&'static str, Json)]) {
    let asked = asked.to_vec();
    stage.script.part("asks", move |_, asking: Asking| {
        let asked = asked.clone();
        async move {
            let mut results = Vec::new();
            for (verb, given) in asked {
                results.push(ask(&asking, verb, given).await?);
            }
            Ok(Value::List(results))
        }
    });
}

async fn ask(asking: &Asking, verb: &'static str, given: Json) -> Result<Value, sandbox::Exception> {
    let given = given.as_array().unwrap().iter().map(|value| Value::from_json(value).unwrap()).collect();
    asking.verb(verb, given).await.map_err(|error| match error {
        HostError::Refused(text) => raised("Refused", &text),
        HostError::Failed(text) => raised("Failed", &text),
        HostError::Exhausted(text) => raised("Exhausted", &text),
    })
}

async fn ended(stage: &Stage) -> Run {
    stage.start("asks", empty()).await.unwrap()
}

async fn output(stage: &Stage) -> Json {
    let run = ended(stage).await;
    assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
    run.output.unwrap()
}

fn hi() -> Json {
    json!([[{ "role": "user", "content": "Hi" }]])
}

fn says(text: &str) -> Behaviour {
    Behaviour::Reply(ScriptedReply::text(text))
}

on_both! {
    async fn a_chat_is_answered_in_one_form_whatever_the_protocol(database: &TestDatabase) {
        for protocol in Protocol::ALL {
            let usage = Usage { input: 10, cached: 5, output: 4, ..Usage::default() };
            let reply = ScriptedReply { text: "I look.".to_owned(), usage, ..ScriptedReply::call("c1", "look", "{\"at\": 1}") };
            let server = ScriptedModel::of(vec![Behaviour::Reply(reply)]).await.unwrap();
            let stage = Stage::open(database).await;
            model(&stage, &server, *protocol).await;
            let tools = json!([{ "name": "look", "description": "Looks." }]);
            asks(&stage, &[("model.chat", json!([hi()[0], "fast", tools, null, 100]))]).await;
            let calls = json!([{ "id": "c1", "name": "look", "arguments": { "at": 1 } }]);
            assert_eq!(
                output(&stage).await[0],
                json!({
                    "text": "I look.", "tool_calls": calls, "ending": "tool",
                    "message": { "role": "assistant", "content": "I look.", "tool_calls": calls },
                    "usage": { "input": 10, "cached": 5, "output": 4, "cost": 23 }, "model": "scripted", "notes": [],
                })
            );
            let asked = server.asked();
            assert_eq!((asked.len(), asked[0].protocol, &asked[0].body["stream"]), (1, *protocol, &json!(true)));
            stage.close().await;
        }
    }

    async fn what_was_answered_is_not_asked_again_by_whoever_goes_on_with_the_run(database: &TestDatabase) {
        let server = ScriptedModel::start(|_, before| says(&format!("answer {before}"))).await.unwrap();
        let stage = Stage::open(database).await;
        model(&stage, &server, Protocol::Messages).await;
        stage.register(ASKS).await;
        let (store, now) = (stage.ctx.store.clone(), stage.ctx.clock.now());
        let executions = Arc::new(AtomicUsize::new(0));
        stage.script.part("asks", move |_, asking| {
            let (store, execution) = (store.clone(), executions.fetch_add(1, Ordering::SeqCst));
            async move {
                let mut said = Vec::new();
                for turn in 0..4 {
                    said.push(ask(&asking, "model.chat", hi()).await?);
                    // Twice the server is killed when so much is recorded, and another one goes on.
                    if execution < 2 && turn == execution {
                        let held = store.runs(&RunFilter::default(), 1).await.unwrap().remove(0);
                        assert!(store.requeue_run(held.run_id, held.lease.unwrap(), now, 1, None).await.unwrap());
                        asking.verb("now", vec![]).await.ok();
                    }
                }
                Ok(Value::List(said))
            }
        });
        let run = stage.queue("asks", empty()).await;
        stage.work();
        let ended = stage.until(run.run_id, RunState::Succeeded).await;
        let said: Vec<&str> = ended.output.as_ref().unwrap().as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
        assert_eq!(said, ["answer 0", "answer 1", "answer 2", "answer 3"]);
        assert_eq!((stage.executions(), server.asked().len()), (3, 4));
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert!(replayed.same, "{replayed:?}");
        assert_eq!(server.asked().len(), 4, "a replay asks nobody");
    }

    async fn a_server_that_is_busy_is_asked_again_and_one_that_refuses_is_not(database: &TestDatabase) {
        let cut = Behaviour::Cut { reply: ScriptedReply::text("half of it"), events: 3 };
        let busy = vec![Behaviour::busy(429, 0), Behaviour::busy(529, 0), Behaviour::busy(503, 0), says("done")];
        let server = ScriptedModel::of(busy).await.unwrap();
        let stage = Stage::open(database).await;
        model(&stage, &server, Protocol::ChatCompletions).await;
        asks(&stage, &[("model.chat", hi())]).await;
        let said = output(&stage).await;
        assert_eq!((&said[0]["text"], &said[0]["notes"]), (&json!("done"), &json!(["the model was asked 4 times"])));

        for (behaviours, expected) in [
            (vec![Behaviour::status(401, "wrong key")], "refused with 401: wrong key; set the right key"),
            (vec![Behaviour::status(400, "Unsupported parameter: 'x'")], "`selfmade model test scripted` finds out"),
            (vec![Behaviour::busy(429, 3600)], "wants to be left alone for 3600 s"),
            (vec![Behaviour::Raw("<html>".to_owned())], "is not JSON"),
            (vec![Behaviour::busy(500, 0), Behaviour::busy(500, 0), Behaviour::busy(500, 0), Behaviour::busy(500, 0)], "refused with 500"),
        ] {
            let (count, server) = (behaviours.len(), ScriptedModel::of(behaviours).await.unwrap());
            model(&stage, &server, Protocol::ChatCompletions).await;
            let error = ended(&stage).await.error.unwrap().message;
            assert!(error.contains(expected), "{error}");
            assert_eq!(server.asked().len(), count);
        }
        // What breaks off half-way is asked again after a pause.
        let server = ScriptedModel::of(vec![cut, says("whole")]).await.unwrap();
        model(&stage, &server, Protocol::ChatCompletions).await;
        let clock = stage.ctx.clock.clone();
        let time = tokio::spawn(async move {
            loop {
                clock.advance(std::time::Duration::from_millis(100));
                tokio::task::yield_now().await;
            }
        });
        assert_eq!(output(&stage).await[0]["text"], "whole");
        time.abort();
    }

    async fn a_conversation_that_is_too_long_is_an_ending(database: &TestDatabase) {
        let server = ScriptedModel::of(vec![Behaviour::status(400, "the maximum context length is 8 tokens")]).await.unwrap();
        let stage = Stage::open(database).await;
        model(&stage, &server, Protocol::Responses).await;
        asks(&stage, &[("model.chat", hi())]).await;
        let said = output(&stage).await;
        assert_eq!(said[0]["ending"], "overflow");
        assert!(said[0]["notes"][0].as_str().unwrap().contains("leave out older messages"));
    }

    async fn hidden_parts_go_through_the_function_and_back_as_they_were(database: &TestDatabase) {
        let thought = ScriptedReply { thought: Some("2+2 = \u{1f600}\"\\".to_owned()), ..ScriptedReply::text("Four.") };
        let server = ScriptedModel::start(move |_, _| Behaviour::Reply(thought.clone())).await.unwrap();
        let stage = Stage::open(database).await;
        model(&stage, &server, Protocol::Messages).await;
        stage.register(ASKS).await;
        stage.script.part("asks", move |_, asking: Asking| async move {
            let said = ask(&asking, "model.chat", hi()).await?.to_json();
            let messages = json!([hi()[0][0], said["message"], { "role": "user", "content": "Sure?" }]);
            ask(&asking, "model.chat", json!([messages])).await
        });
        assert_eq!(output(&stage).await["notes"], json!([]));
        let asked = server.asked();
        let parts = json!({ "type": "thinking", "thinking": "2+2 = \u{1f600}\"\\", "signature": model::llm::scripted::signature("2+2 = \u{1f600}\"\\") });
        assert!(asked[1].text.contains(&parts.to_string()), "{}", asked[1].text);
        let first = asked[0].text.strip_suffix("]}").unwrap();
        assert!(asked[1].text.starts_with(first), "the next turn begins with the bytes of this one");
    }

    async fn the_key_goes_to_the_server_of_the_model_and_nobody_is_shown_it(database: &TestDatabase) {
        let echo = |asked: &Asked, _: usize| says(&format!("your key is {}", asked.key.clone().unwrap_or_default()));
        let server = ScriptedModel::start(echo).await.unwrap();
        let stage = Stage::open(database).await;
        let value = SecretBox::new(Box::new(b"sk-0123456789".to_vec()));
        let name = LlmName::new("keyed").unwrap();
        let new = |key| NewModel {
            base_url: server.base_url(), model_id: "m".to_owned(), protocol: None, key: Some(key),
            roles: [Role::Strong].into(), price: Price::default(), profile: None,
        };
        models::put(&stage.ctx, &ME, &name, new(KeySource::Secret("k".to_owned()))).await.unwrap();
        asks(&stage, &[("model.chat", hi())]).await;
        let missing = ended(&stage).await.error.unwrap().message;
        assert!(missing.contains("the secret `k`, which is not set; `selfmade secret set k` sets it"), "{missing}");
        secrets::set(&stage.ctx, &ME, "k", &value).await.unwrap();
        assert_eq!(output(&stage).await[0]["text"], "your key is [secret k]");
        assert_eq!(server.asked()[0].key.as_deref(), Some("sk-0123456789"));
        secrets::set_for(&stage.ctx, &ME, "k", &value, &["api.example.com".to_owned()]).await.unwrap();
        let sealed = ended(&stage).await.error.unwrap().message;
        assert!(sealed.contains("is sealed for other hosts"), "{sealed}");
        models::put(&stage.ctx, &ME, &name, new(KeySource::Environment("X_API_KEY".to_owned()))).await.unwrap();
        let missing = ended(&stage).await.error.unwrap().message;
        assert!(missing.contains("the variable `X_API_KEY`, which the server does not have"), "{missing}");
        assert_eq!(server.asked().len(), 1);
    }

    async fn openais_form_goes_to_every_protocol(database: &TestDatabase) {
        for protocol in Protocol::ALL {
            let server = ScriptedModel::start(|_, _| Behaviour::Reply(ScriptedReply::call("c", "f", "{\"a\": 1}"))).await.unwrap();
            let stage = Stage::open(database).await;
            model(&stage, &server, *protocol).await;
            let tool = json!({ "type": "function", "function": { "name": "f", "parameters": { "type": "object" } } });
            let request = json!({ "model": "gpt-4o", "messages": [{ "role": "user", "content": "Hi" }], "tools": [tool] });
            asks(&stage, &[("model.complete", json!([request]))]).await;
            let said = output(&stage).await;
            let call = &said[0]["choices"][0]["message"]["tool_calls"][0]["function"];
            assert_eq!((&call["name"], serde_json::from_str::<Json>(call["arguments"].as_str().unwrap()).unwrap()), (&json!("f"), json!({ "a": 1 })));
            assert_eq!((&said[0]["choices"][0]["finish_reason"], &said[0]["selfmade"]["usage"]["input"]), (&json!("tool_calls"), &json!(10)));
            assert_eq!(server.asked()[0].body["model"], "m-1", "the model that is stored is asked");
            stage.close().await;
        }
        let server = ScriptedModel::of(vec![]).await.unwrap();
        let stage = Stage::open(database).await;
        model(&stage, &server, Protocol::ChatCompletions).await;
        asks(&stage, &[("model.embed", json!([{ "model": "text-embedding-3-small", "input": ["a", "b"] }]))]).await;
        assert_eq!(output(&stage).await[0]["data"].as_array().unwrap().len(), 2);
        model(&stage, &server, Protocol::Messages).await;
        let error = ended(&stage).await.error.unwrap().message;
        assert!(error.contains("which has no embeddings"), "{error}");
    }

    async fn followers_see_the_text_while_it_is_written(database: &TestDatabase) {
        let text = "One two three four.";
        let server = ScriptedModel::of(vec![Behaviour::Gated(ScriptedReply::text(text))]).await.unwrap();
        let stage = Stage::open(database).await;
        model(&stage, &server, Protocol::ChatCompletions).await;
        asks(&stage, &[("model.chat", hi())]).await;
        let run = stage.queue("asks", empty()).await;
        stage.work();
        let mut follower = Follower::new(&stage.ctx, &ME, run.run_id);
        let (mut written, mut steps) = (String::new(), 0);
        server.release(4);
        loop {
            let news = follower.next().await.unwrap();
            if news.is_empty() {
                break;
            }
            for one in news {
                match one.what {
                    What::Written(piece) => {
                        assert_eq!((piece.lane.as_str(), piece.number, steps), ("main", 1, 0));
                        written += &piece.text;
                        // It was seen before the model was done.
                        server.release(100);
                    }
                    What::Step(step) => {
                        steps += 1;
                        assert_eq!(step.result.unwrap()["text"], text);
                    }
                    _ => {}
                }
            }
        }
        assert!(!written.is_empty() && text.starts_with(&written), "{written}");
        assert_eq!(steps, 1);
        let printed = stage.ctx.store.output(run.run_id).await.unwrap();
        assert!(printed.is_empty(), "the result of the step has it, and nothing else");
    }

    async fn arguments_that_no_model_would_take_are_refused_before_anybody_is_asked(database: &TestDatabase) {
        let server = ScriptedModel::of(vec![]).await.unwrap();
        let stage = Stage::open(database).await;
        model(&stage, &server, Protocol::ChatCompletions).await;
        stage.register(ASKS).await;
        for (given, why) in [
            (json!([[]]), "no message of a `user`"),
            (json!([hi()[0], "stronk"]), "there is no model `stronk`"),
            (json!([hi()[0], "strong", null, null, 1.5]), "`max_tokens` must be an integer"),
            (json!([hi()[0], "strong", null, null, null, 3]), "`temperature` must be from 0 to 2"),
            (json!([hi()[0], "strong", null, null, null, null, "hard"]), "unknown effort `hard`"),
        ] {
            plays(&stage, &[("model.chat", given)]);
            let error = ended(&stage).await.error.unwrap().message;
            assert!(error.contains(why), "{error}");
        }
        assert_eq!(server.asked().len(), 0);
    }

    async fn without_a_model_the_error_says_what_to_do_in_three_lines(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.register(ASKS).await;
        for verb in ["model.chat", "model.complete"] {
            let given = if verb == "model.chat" { hi() } else { json!([{ "messages": [] }]) };
            plays(&stage, &[(verb, given)]);
            let error = ended(&stage).await.error.unwrap().message;
            assert!(error.starts_with("no language model is configured\n") && error.contains("selfmade model add"), "{error}");
            assert!(error.lines().count() <= 3, "{error}");
        }
    }
}
