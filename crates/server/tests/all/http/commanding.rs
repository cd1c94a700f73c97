//! What the command line asks: from within, as the owner of the machine, and looking on.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use model::run::RunState;
use sandbox::Value as Played;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use server::app::runs::ids::short;
use server::http::{Cause, Inside};
use server::secrets::opening;
use store::testing::TestDatabase;

use super::asking::open;
use crate::engine::script::raised;

const LOOKING_ON: [(&str, &str); 1] = [("accept", "text/event-stream")];

/// The kinds and the data of what was sent.
fn events(body: &Value) -> Vec<(String, Value)> {
    let blocks = body.as_str().unwrap().split("\n\n").filter(|block| block.contains("data: "));
    let field =
        |block: &str, name: &str| block.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
    blocks
        .map(|block| (field(block, "event: "), serde_json::from_str(&field(block, "data: ")).unwrap()))
        .collect()
}

fn kinds(events: &[(String, Value)]) -> Vec<&str> {
    events.iter().map(|(kind, _)| kind.as_str()).collect()
}

fn inside(method: &str, path: &str) -> Request<Body> {
    Request::builder().method(method).uri(path).body(Body::empty()).unwrap()
}

store::on_both! {
    async fn a_run_is_reported_as_it_goes_on(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let sum = json!({ "function": "add", "input": { "a": 1, "b": 2 } });
        let told = asker.ask("POST", "/api/v1/runs", &LOOKING_ON, Some(sum)).await;
        let told = events(&told.json);
        assert_eq!(kinds(&told), ["begun", "done"]);
        assert_eq!((&told[1].1["output"], &told[1].1["run_id"]), (&json!(3), &told[0].1["run_id"]));
        let wrong = json!({ "function": "add", "input": { "a": "one" } });
        let refused = asker.ask("POST", "/api/v1/runs", &LOOKING_ON, Some(wrong)).await;
        assert_eq!((refused.status, refused.code()), (StatusCode::UNPROCESSABLE_ENTITY, "bad_run_input"));
        let id = told[0].1["run_id"].as_str().unwrap();
        let again = asker.ask("POST", &format!("/api/v1/runs/{id}/rerun"), &LOOKING_ON, None).await;
        assert_eq!(kinds(&events(&again.json)), ["begun", "done"]);
        let replayed = asker.ask("POST", &format!("/api/v1/runs/{id}/replay"), &[], None).await;
        assert_eq!(events(&replayed.json)[0].1["same"], true);
        stage.close().await;
    }

    async fn a_run_that_asks_tells_so_and_goes_on_when_it_is_answered(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        stage.script.part("add", |_, host| async move {
            host.verb("ask", vec!["Really?".into()]).await.map_err(|_| raised("Error", "no answer"))
        });
        stage.work();
        let asker = Arc::new(asker);
        let looking = Arc::clone(&asker);
        let run = tokio::spawn(async move {
            let sum = json!({ "function": "add", "input": { "a": 1, "b": 2 } });
            looking.ask("POST", "/api/v1/runs", &LOOKING_ON, Some(sum)).await
        });
        let id = loop {
            let runs = asker.get("/api/v1/runs?state=waiting").await.json;
            if let Some(id) = runs["items"][0]["run_id"].as_str() {
                break id.to_owned();
            }
            tokio::task::yield_now().await;
        };
        asker.post(&format!("/api/v1/runs/{id}/answer"), json!({ "value": "yes" })).await;
        stage.until(id.parse().unwrap(), RunState::Succeeded).await;
        let told = events(&run.await.unwrap().json);
        assert_eq!(kinds(&told), ["begun", "state", "done"]);
        assert_eq!((&told[1].1["state"], &told[2].1["output"]), (&json!("waiting"), &json!("yes")));
        stage.close().await;
    }

    async fn what_is_asked_from_within_is_asked_by_the_command_line(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let within = Inside::new(stage.ctx.clone());
        let caller = within.ask(inside("GET", "/api/v1/caller")).await;
        assert_eq!(caller.status(), StatusCode::OK);
        let body = caller.into_body().collect().await.unwrap().to_bytes();
        let caller: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(caller, json!({ "actor": "command_line", "role": "admin", "patterns": [], "uses": null, "grants": ["all"] }));
        let refused = within.ask(inside("GET", "/api/v1/functions/ad")).await;
        let Some(Cause(error)) = refused.extensions().get() else { panic!("{refused:?}") };
        assert_eq!(error.to_string(), "there is no function `ad`");
        let outside = asker.bare("GET", "/api/v1/caller", &[("host", "localhost")], None).await;
        assert_eq!(outside.code(), "unauthorized");
        stage.close().await;
    }

    async fn the_newest_key_of_the_owner_opens_everything(database: &TestDatabase) {
        let (stage, mut asker) = open(database).await;
        let old = asker.door.owner_key().unwrap();
        let new = asker.door.owner_key().unwrap();
        asker.token = new.expose_secret().to_owned();
        assert_eq!(asker.get("/api/v1/caller").await.json["actor"], "command_line");
        assert_eq!(asker.get("/api/v1/tokens").await.status, StatusCode::OK);
        asker.token = old.expose_secret().to_owned();
        assert_eq!(asker.get("/api/v1/caller").await.code(), "unauthorized");
        stage.close().await;
    }

    async fn things_are_found_by_the_names_people_give_them(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let run = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap().run_id;
        let found = asker.get(&format!("/api/v1/run-ids/{}", short(run))).await;
        assert_eq!(found.json, json!(run));
        assert_eq!(asker.get("/api/v1/run-ids/xyz").await.code(), "bad_input");
        let some = asker.get(&format!("/api/v1/runs?ids={run}")).await.json;
        assert_eq!(some["items"][0]["run_id"], json!(run));
        let of_token = asker.get("/api/v1/runs?actor=token:admin").await.json;
        assert_eq!(of_token["items"], json!([]));
        assert_eq!(asker.get("/api/v1/revisions/1").await.json["number"], 1);
        let none = asker.get("/api/v1/revisions/9").await;
        assert_eq!(none.json["error"]["message"], "there is no revision 9; the brain is at revision 1");
        stage.close().await;
    }

    async fn functions_are_registered_together_and_listed_as_they_were(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let two = json!({ "changes": [
            { "function": { "source": "def two(): return 2\n", "file": "two.py", "description": "Gives two" } },
            { "delete": { "name": "add" } },
        ]});
        let applied = asker.post("/api/v1/changesets/register", two).await.json;
        assert_eq!(applied["revision"], 2, "{applied}");
        let names = |page: &Value| page["items"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect::<Vec<_>>();
        assert_eq!(names(&asker.get("/api/v1/functions").await.json), ["two"]);
        assert_eq!(names(&asker.get("/api/v1/functions?revision=1").await.json), ["add"]);
        assert_eq!(asker.get("/api/v1/functions?pack=none").await.code(), "not_found");
        let broken = json!({ "changes": [{ "function": { "source": "def (", "file": "broken.py" } }] });
        let refused = asker.post("/api/v1/changesets/register", broken).await;
        assert_eq!(refused.code(), "bad_source");
        assert!(refused.json["error"]["message"].as_str().unwrap().starts_with("`broken.py`"), "{refused:?}");
        let log = asker.get("/api/v1/changesets?applied=true&limit=1").await.json;
        assert_eq!(log["items"][0]["applied_revision"], 2);
        stage.close().await;
    }

    async fn a_brain_goes_through_files_and_back(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let exported = asker.get("/api/v1/export").await.json;
        assert_eq!(exported["files"][1]["path"], "functions/add.py", "{exported}");
        assert_eq!(asker.ask("DELETE", "/api/v1/functions/add", &[], None).await.status, StatusCode::OK);
        let imported = asker.post("/api/v1/import", json!({ "files": exported["files"] })).await.json;
        assert_eq!(imported["moves"][0]["name"], "add", "{imported}");
        let unclear = json!({ "files": [{ "path": "a.py", "text": "", "base64": "" }] });
        assert_eq!(asker.post("/api/v1/import", unclear).await.code(), "bad_request");
        let holds = asker.get("/api/v1/brain").await.json;
        assert_eq!((&holds["functions"], &holds["revision"]), (&json!(1), &json!(3)));
        stage.close().await;
    }

    async fn a_secret_need_not_be_text(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let set = asker.put("/api/v1/secrets/key", json!({ "base64": "/wABAg==" })).await;
        assert_eq!(set.status, StatusCode::NO_CONTENT);
        let value = opening::open(&stage.ctx, "key").await.unwrap();
        assert_eq!(value.expose_secret(), &[0xff, 0, 1, 2]);
        for wrong in [json!({}), json!({ "base64": "?" }), json!({ "value": "abcd", "base64": "/wABAg==" })] {
            assert_eq!(asker.put("/api/v1/secrets/key", wrong).await.code(), "bad_request");
        }
        stage.close().await;
    }

    async fn records_are_pruned_only_if_it_is_said_what_stays(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        for _ in 0..3 {
            stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        }
        assert_eq!(asker.post("/api/v1/runs/prune", json!({})).await.code(), "bad_request");
        assert_eq!(asker.post("/api/v1/runs/prune", json!({ "newest": 1 })).await.json["runs"], 2);
        stage.close().await;
    }

    async fn tests_and_triggers_are_tried_out(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        stage.script.part("four", |_, _| async { Ok(Played::from(4)) });
        let four = "import selfmade\n@selfmade.function(tests=[{'input': {}, 'expect': {'output': 4}}])\ndef four(): return 4\n";
        let put = asker.put("/api/v1/functions/four", json!({ "source": four })).await;
        assert_eq!(put.status, StatusCode::OK, "{put:?}");
        let reports = asker.post("/api/v1/tests", json!({ "names": ["four"] })).await.json;
        assert_eq!(reports, json!([{ "function": "four", "number": 1, "passed": true }]));
        let warmed = asker.post("/api/v1/warm", json!({ "names": ["four"] })).await;
        assert_eq!(events(&warmed.json)[0].1[0]["functions"], json!(["four@1"]));
        let trigger = json!({ "on": "run.finished", "source": "four", "target": "add", "input": { "a": 1, "b": 2 } });
        assert_eq!(asker.put("/api/v1/triggers/t", trigger).await.status, StatusCode::OK);
        let event = json!({ "made_up": { "kind": "run.finished", "source": "four" } });
        let trial = asker.post("/api/v1/triggers/t/trial", event).await.json;
        assert_eq!((&trial["verdict"]["fires"], &trial["input"]), (&json!(true), &json!({ "a": 1, "b": 2 })), "{trial}");
        let none = asker.post("/api/v1/triggers/t/trial", json!({ "event": { "seq": 4711 } })).await;
        assert_eq!(none.json["error"]["message"], "there is no event named `4711`");
        stage.close().await;
    }
}
