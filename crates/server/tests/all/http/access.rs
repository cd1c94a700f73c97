//! What each kind of caller gets from every route. `access.txt` is the table; a route that is not in it fails the test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use axum::http::StatusCode;
use model::access::token::TokenRole;
use model::ids::RunId;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::asking::{ADD, Asker, token};
use crate::engine::script::Stage;

pub(crate) const TABLE: &str = include_str!("access.txt");

/// An address for every route, of things that are there and that a narrow token may not touch.
pub(crate) fn address(path: &str, run: RunId) -> String {
    address_of(path, run, &Autogpt::default())
}

/// What AutoGPT's routes name by ids.
#[derive(Default)]
struct Autogpt {
    graph: String,
    template: String,
    schedule: String,
    /// Of the graph.
    run: String,
}

impl Autogpt {
    async fn of(stage: &Stage, asker: &Asker) -> Autogpt {
        let created = asker.post("/autogpt/api/graphs", json!({ "graph": a_graph() })).await.json;
        let graph = created["id"].as_str().unwrap().to_owned();
        let template = asker.post("/autogpt/api/templates", json!({ "graph": a_graph() })).await.json;
        let at = format!("/autogpt/api/graphs/{graph}/schedules?cron=0+9+*+*+1");
        let schedule = asker.post(&at, json!({})).await.json;
        let run = asker.post(&format!("/autogpt/api/graphs/{graph}/execute"), json!({})).await.json;
        stage.settle().await;
        let id = |of: &Value| of["id"].as_str().unwrap_or_else(|| panic!("{of}")).to_owned();
        Autogpt { template: id(&template), schedule: id(&schedule), run: id(&run), graph }
    }
}

fn a_graph() -> Value {
    let store = "1ff065e9-88e8-4358-9d82-8dc91f622ba9";
    json!({ "name": "seen", "nodes": [{ "id": "n", "block_id": store, "input_default": { "input": 1 } }], "links": [] })
}

fn address_of(path: &str, run: RunId, autogpt: &Autogpt) -> String {
    let graph = if path.starts_with("/autogpt/api/templates") { &autogpt.template } else { &autogpt.graph };
    let path = &path.replace("{graph_id}", graph).replace("{schedule_id}", &autogpt.schedule);
    let path = &path.replace("{block_id}", "1ff065e9-88e8-4358-9d82-8dc91f622ba9");
    let path = if path.starts_with("/autogpt") { &path.replace("{run_id}", &autogpt.run) } else { path };
    let run = run.to_string();
    let address = path.replace("{name}", "add").replace("{run_id}", &run).replace("{part}", &run);
    let address = address.replace("{number}", "1").replace("{revision}", "1");
    let address = address.replace("{log_id}", &run).replace("{version}", "1");
    let address = address.replace("{preset}", "daily").replace("{node}", "a");
    match path.as_str() {
        "/api/v1/functions/{name}/diff" | "/api/v1/graphs/{name}/diff" => address + "?old=1",
        "/api/v1/search" => address + "?q=add",
        _ => address,
    }
}

fn body(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("PUT", "/api/v1/functions/{name}") => Some(json!({ "source": ADD })),
        ("PUT", "/api/v1/functions/{name}/live") => Some(json!({ "version": 1 })),
        ("PUT", "/api/v1/graphs/{name}") | ("POST", "/api/v1/graphs/check") => {
            Some(json!({ "graph": { "nodes": [] } }))
        }
        ("POST", "/api/v1/graphs/import") => Some(json!({ "nodes": [] })),
        ("PUT", "/api/v1/graphs/{name}/live") => Some(json!({ "version": 1 })),
        ("PATCH", "/api/v1/graphs/{name}/draft") => Some(json!({ "patches": [] })),
        ("POST", "/api/v1/graphs/{name}/draft/pack") => {
            Some(json!({ "nodes": ["a"], "node": "b", "graph": "add" }))
        }
        ("POST", "/api/v1/graphs/{name}/draft/unpack") => Some(json!({ "node": "a" })),
        ("POST", "/api/v1/runs/{run_id}/release" | "/api/v1/runs/{run_id}/resume") => Some(json!({})),
        ("POST", "/api/v1/graphs/{name}/draft/rebase") => Some(json!({})),
        ("POST", "/api/v1/graphs/{name}/draft/apply") => Some(json!({ "edit": 1 })),
        ("PUT", "/api/v1/presets/{name}/{preset}") => Some(json!({ "input": {} })),
        ("PUT", "/api/v1/graphs/{name}/draft/pins/{node}") => Some(json!({ "outputs": {} })),
        ("PUT", "/api/v1/models/{name}") => {
            Some(json!({ "base_url": "http://127.0.0.1:1/v1", "model_id": "m" }))
        }
        ("PUT", "/api/v1/secrets/{name}") => Some(json!({ "value": "abcdefgh" })),
        ("POST", "/api/v1/runs") => Some(json!({ "function": "add", "input": { "a": 1, "b": 2 } })),
        ("POST", "/api/v1/runs/{run_id}/answer") => Some(json!({ "value": 1 })),
        ("POST", "/api/v1/runs/{run_id}/extend") => Some(json!({ "turns": 1 })),
        ("POST", "/api/v1/changesets" | "/api/v1/changesets/register") => Some(json!({ "changes": [] })),
        ("POST", "/api/v1/import") => Some(json!({ "files": [] })),
        ("POST", "/api/v1/runs/prune") => Some(json!({ "newest": 1_000 })),
        ("POST", "/api/v1/tests" | "/api/v1/tests/mutants" | "/api/v1/warm") => {
            Some(json!({ "names": ["add"] }))
        }
        ("POST", "/api/v1/triggers/{name}/trial") => Some(json!({ "event": { "seq": 1 } })),
        ("POST", "/api/v1/packs") => Some(json!({ "name": "p", "files": [] })),
        ("PUT", "/api/v1/triggers/{name}") => Some(json!({ "on": "run.finished", "target": "add" })),
        ("PUT", "/api/v1/schedules/{name}") => {
            Some(json!({ "times": { "cron": "0 9 * * *" }, "target": "add", "input": { "a": 1, "b": 2 } }))
        }
        ("PUT", "/babyagi/api/function/{name}") => Some(json!({ "code": ADD })),
        ("POST", "/babyagi/api/function/{name}/register") => Some(json!({ "code": ADD })),
        ("POST", "/babyagi/api/execute/{name}") => Some(json!({ "a": 1, "b": 2 })),
        ("POST", "/babyagi/api/triggers/{name}") => Some(json!({ "triggering_function_name": "add" })),
        ("POST", "/autogpt/api/graphs" | "/autogpt/api/templates") => Some(json!({ "graph": a_graph() })),
        ("PUT", "/autogpt/api/graphs/{graph_id}" | "/autogpt/api/templates/{graph_id}") => Some(a_graph()),
        ("PUT", "/autogpt/api/graphs/{graph_id}/versions/active") => {
            Some(json!({ "active_graph_version": 1 }))
        }
        ("POST", "/autogpt/api/blocks/{block_id}/execute") => Some(json!({ "input": 1 })),
        ("POST" | "PUT", path) if path.starts_with("/autogpt/api/graphs/") => Some(json!({})),
        ("POST", "/autogpt/api/settings") => Some(json!({})),
        ("POST", "/api/v1/tokens") => Some(json!({ "name": "new", "role": "viewer" })),
        _ => None,
    }
}

/// Whether the door let it through to the verb, whatever came of it. A run, a changeset or a webhook that somebody may
/// not see is not there.
fn word(status: StatusCode, path: &str) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "no",
        StatusCode::NOT_FOUND if path.starts_with("/api/v1/run") => "no",
        StatusCode::NOT_FOUND if path.starts_with("/api/v1/changesets/{number}") => "no",
        StatusCode::NOT_FOUND if path.starts_with("/api/v1/hooks") => "no",
        StatusCode::NOT_FOUND if path.starts_with("/autogpt") => "no",
        _ => "yes",
    }
}

store::on_both! {
    async fn every_route_gives_each_kind_of_caller_what_the_table_says(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[ADD]).await;
        // Apart from the first changeset, which is reverted on the way.
        stage.add(&["def sink(x=None): pass\n"]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        let run = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap().run_id;
        super::hooks::wait_for(&stage, "add", "sink", None).await;
        let mut asker = Asker::of(&stage).await;
        let autogpt = Autogpt::of(&stage, &asker).await;
        let admin = asker.token.clone();
        let mut callers = vec![("nobody", String::new())];
        for role in [TokenRole::Viewer, TokenRole::Runner, TokenRole::Builder] {
            callers.push((role.as_str(), token(&stage, role.as_str(), role, &[]).await));
        }
        callers.push(("admin", admin));
        callers.push(("other", token(&stage, "other", TokenRole::Admin, &["mail.*"]).await));
        let mut table = String::new();
        for (path, methods) in routes() {
            for method in methods {
                let mut line = format!("{method:6} {path:40}");
                for (kind, token) in &callers {
                    asker.token.clone_from(token);
                    let headers = [("prefer", "wait=0")];
                    let response = asker.knock_as(&method, &address_of(&path, run, &autogpt), &headers, body(&method, &path)).await;
                    assert_ne!(response, StatusCode::INTERNAL_SERVER_ERROR, "{method} {path} as {kind}");
                    write!(line, " {kind}={}", word(response, &path)).unwrap();
                }
                writeln!(table, "{}", line.trim_end()).unwrap();
            }
        }
        assert_eq!(table, TABLE, "the table as it is:\n{table}");
        stage.close().await;
    }

    async fn whoever_guesses_tokens_is_locked_out(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        let guess = || asker.bare("GET", "/api/v1/runs", &[("host", "localhost"), ("authorization", "Bearer no")], None);
        for _ in 0..20 {
            assert_eq!(guess().await.code(), "unauthorized");
        }
        let refused = guess().await;
        assert_eq!((refused.status, refused.code(), refused.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, "guessing", "60"));
        assert_eq!(asker.get("/api/v1/runs").await.status, StatusCode::TOO_MANY_REQUESTS, "also with the right one");
        stage.ctx.clock.advance(std::time::Duration::from_secs(61));
        assert_eq!(asker.get("/api/v1/runs").await.status, StatusCode::OK);
        stage.close().await;
    }

    async fn the_first_page_says_how_to_sign_in_where_it_was_found(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        for host in ["localhost:7444", "127.0.0.1", "[::1]:80"] {
            let page = asker.bare("GET", "/", &[("host", host)], None).await;
            assert_eq!((page.status, page.header("content-type")), (StatusCode::OK, "text/html; charset=utf-8"));
            let text = page.json.as_str().unwrap();
            assert!(text.contains(&format!("http://{host}/api/v1/runs")), "{text}");
            assert!(text.contains("selfmade sign-in"), "{text}");
        }
        let odd = asker.bare("GET", "/", &[("host", "<b>@localhost")], None).await;
        assert!(!odd.json.to_string().contains("<b>"), "{odd:?}");
        stage.close().await;
    }

    async fn a_narrow_token_sees_what_it_may_touch_alone(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[ADD, "def web_fetch(): pass\n"]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        let run = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        let mut asker = Asker::of(&stage).await;
        asker.token = token(&stage, "web", TokenRole::Runner, &["web_*"]).await;
        let listed = asker.get("/api/v1/functions").await.json;
        assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
        assert_eq!(listed["items"][0]["name"], "web_fetch");
        assert_eq!(asker.get("/api/v1/runs").await.json["items"], json!([]));
        assert_eq!(asker.get(&format!("/api/v1/runs/{}", run.run_id)).await.code(), "run_not_found");
        assert_eq!(asker.get("/api/v1/functions/add").await.code(), "forbidden");
        stage.close().await;
    }
}

/// Every route of the description, with its methods.
fn routes() -> BTreeMap<String, BTreeSet<String>> {
    let methods =
        |item: &Value| item.as_object().unwrap().keys().map(|method| method.to_uppercase()).collect();
    let documents =
        [server::http::document(), &server::http::babyagi_document(), &server::http::autogpt_document()];
    let documents = documents.map(|document| serde_json::to_value(document).unwrap());
    let paths = documents.iter().flat_map(|document| document["paths"].as_object().unwrap());
    paths.map(|(path, item)| (path.clone(), methods(item))).collect()
}
