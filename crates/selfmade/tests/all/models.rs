//! `selfmade model …`, and functions that ask a model from their cells.

use model::llm::Protocol;
use model::llm::scripted::ScriptedReply;
use serde_json::json;
use server::llm::testing::{Asked, Behaviour, ScriptedModel};

use crate::command::Place;

/// A small model: no tools, no schemas, no limits that it does not know.
fn small(asked: &Asked, _: usize) -> Behaviour {
    Behaviour::Reply(ScriptedReply::text(if asked.text.contains("capital") { "Paris" } else { "Hello!" }))
}

const CAPITAL: &str = r#"import selfmade
from selfmade import model


@selfmade.function(model=True)
def capital(country: str) -> str:
    said = model.chat([{"role": "user", "content": f"What is the capital of {country}?"}], max_tokens=20, effort="low")
    messages = [{"role": "user", "content": "capital"}, said["message"], {"role": "user", "content": "Sure?"}]
    again = model.chat(messages, model="small")
    return f"{said['text']} {again['ending']} {again['usage']['output']} {said['notes']}"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_added_tested_asked_and_removed() {
    let server = ScriptedModel::start(small).await.unwrap();
    let url = server.base_url();
    let done = tokio::task::spawn_blocking(move || {
        let place = Place::new();
        place.data(&[
            "model",
            "add",
            "small",
            "--url",
            &url,
            "--model",
            "m-1",
            "--role",
            "strong",
            "--price-output",
            "2.5",
        ]);
        let listed = place.json(&["model", "list"]);
        let model = &listed["models"][0];
        assert_eq!((&model["name"], &model["price"]["output"]), (&json!("small"), &json!(2_500_000)));
        assert_eq!(
            (&model["profile"]["tools"], &model["profile"]["schema"]),
            (&json!("fenced"), &json!("prompt"))
        );
        place.file("capital.py", CAPITAL);
        place.data(&["fn", "add", "capital.py"]);
        assert_eq!(
            place.json(&["run", "capital", "France"])["output"],
            "Paris done 2 ['`effort` was not sent: the model does not take it']"
        );
        place.data(&["model", "rm", "small"]);
        let without = place.run(&["run", "capital", "France"]);
        for line in [
            "no language model is configured\n",
            "on this machine: start one",
            "by a provider: `selfmade secret set",
        ] {
            assert!(without.contains(line), "{without}");
        }
        let gone = place.run(&["model", "show", "small"]);
        assert!(gone.starts_with("exit: 4") && gone.contains("`selfmade model list` lists them"), "{gone}");
    });
    done.await.unwrap();
    assert!(server.asked().iter().all(|asked| asked.protocol == Protocol::ChatCompletions));
}
