//! `selfmade model …`, and functions that ask a model from their cells.

use model::llm::Protocol;
use model::llm::scripted::ScriptedReply;
use server::llm::testing::{Asked, Behaviour, ScriptedModel};

use crate::command::{Place, assert_shows};

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
        let listed = place.json(&["model", "list", "--json"]);
        let model = &listed["models"][0];
        assert_eq!((&model["name"], &model["price"]["output"]), (&"small".into(), &2_500_000.into()));
        assert_eq!(
            (&model["profile"]["tools"], &model["profile"]["schema"]),
            (&"fenced".into(), &"prompt".into())
        );
        place.file("capital.py", CAPITAL);
        place.data(&["fn", "add", "capital.py"]);
        assert_eq!(
            place.data(&["run", "capital", "France"]),
            "\"Paris done 2 ['`effort` was not sent: the model does not take it']\"\n"
        );
        place.data(&["model", "rm", "small"]);
        assert_shows!(place.run(&["run", "capital", "France"]), @"");
        assert_shows!(place.run(&["model", "show", "small"]), @"");
    });
    done.await.unwrap();
    assert!(server.asked().iter().all(|asked| asked.protocol == Protocol::ChatCompletions));
}
