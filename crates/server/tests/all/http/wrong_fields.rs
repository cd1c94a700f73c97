//! Requests with a field that is wrong: the refusal names it, what was expected, and what came.

use insta::assert_snapshot;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::asking::{Answer, Asker, open};

/// A refusal on two lines.
fn shown(answer: &Answer) -> String {
    let error = &answer.json["error"];
    let text = |name: &str| error[name].as_str().unwrap_or_default();
    format!("{} {}: {}\n    {}", answer.status.as_u16(), text("code"), text("message"), text("hint"))
}

async fn queries(asker: &Asker, paths: &[&str]) -> String {
    let mut lines = Vec::new();
    for path in paths {
        lines.push(format!("{path}\n  {}", shown(&asker.get(&format!("/api/v1{path}")).await)));
    }
    lines.join("\n")
}

async fn bodies(asker: &Asker, path: &str, bodies: &[&str]) -> String {
    let bearer = format!("Bearer {}", asker.token);
    let headers =
        [("authorization", bearer.as_str()), ("host", "localhost"), ("content-type", "application/json")];
    let mut lines = Vec::new();
    for body in bodies {
        let answer = asker.send("POST", &format!("/api/v1{path}"), &headers, (*body).to_owned()).await;
        lines.push(format!("{body}\n  {}", shown(&answer)));
    }
    lines.join("\n")
}

#[tokio::test]
async fn a_query_is_refused_by_its_parameter() {
    let database = TestDatabase::sqlite();
    let (stage, asker) = open(&database).await;
    let paths = [
        "/functions?limit=x",
        "/functions?limit=",
        "/functions?limit=0",
        "/functions?limit=5000",
        "/functions?limit=-1",
        "/functions?limit=1&limit=2",
        "/functions?lmit=5",
        "/functions?colour=blue",
        "/packs?limit=5",
        "/functions?revision=first",
        "/functions/add?version=99999999999",
        "/functions/add/diff?new=2",
        "/runs?state=bogus",
        "/runs?state=queued,runing",
        "/runs?parent=1234",
        "/runs?since=yesterday",
        "/runs?states=queued",
        "/changesets?state=aplied",
        "/changesets?applied=maybe",
        "/schedules/daily?times=1001",
        "/events?after=-1",
    ];
    assert_snapshot!(queries(&asker, &paths).await, @"
    /functions?limit=x
      400 bad_query: `limit` must be an integer from 1 to 1000, not `x`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /functions?limit=
      400 bad_query: `limit` must be an integer from 1 to 1000, not ``
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /functions?limit=0
      400 bad_query: `limit` must be an integer from 1 to 1000, not `0`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /functions?limit=5000
      400 bad_query: `limit` must be an integer from 1 to 1000, not `5000`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /functions?limit=-1
      400 bad_query: `limit` must be an integer from 1 to 1000, not `-1`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /functions?limit=1&limit=2
      400 bad_query: `limit` is given twice
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /functions?lmit=5
      400 bad_query: `lmit` is not a parameter of `GET /api/v1/functions`
        did you mean `limit`?
    /functions?colour=blue
      400 bad_query: `colour` is not a parameter of `GET /api/v1/functions`
        allowed are `after`, `cursor`, `limit`, `pack`, `revision`
    /packs?limit=5
      400 bad_query: `limit` is not a parameter of `GET /api/v1/packs`
        omit it
    /functions?revision=first
      400 bad_query: `revision` must be an integer, not `first`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /functions/add?version=99999999999
      400 bad_query: `version` must be an integer from 0 to 4294967295, not `99999999999`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /functions/add/diff?new=2
      400 bad_query: `old` is missing
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /runs?state=bogus
      400 bad_query: `state` must be one of `queued`, `running`, `waiting`, `succeeded`, `failed`, `cancelled`, not `bogus`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /runs?state=queued,runing
      400 bad_query: `state` must be one of `queued`, `running`, `waiting`, `succeeded`, `failed`, `cancelled`, not `runing`
        did you mean `running`?
    /runs?parent=1234
      400 bad_query: `parent` is not valid: `1234`: it is not a UUID
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /runs?since=yesterday
      400 bad_query: `since` must be a time such as `2026-01-31T09:00:00Z`, not `yesterday`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /runs?states=queued
      400 bad_query: `states` is not a parameter of `GET /api/v1/runs`
        did you mean `state`?
    /changesets?state=aplied
      400 bad_query: `state` must be one of `draft`, `checked`, `applied`, `rejected`, `conflicted`, `reverted`, not `aplied`
        did you mean `applied`?
    /changesets?applied=maybe
      400 bad_query: `applied` must be `true` or `false`, not `maybe`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /schedules/daily?times=1001
      400 bad_query: `times` must be an integer from 0 to 1000, not `1001`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    /events?after=-1
      400 bad_query: `after` must be an integer of at least 0, not `-1`
        compare it with the parameters of the route in `/api/v1/openapi.json`
    ");
    let details = &asker.get("/api/v1/functions?limit=5000").await.json["error"]["details"];
    let expected = json!({ "field": "limit", "expected": "an integer from 1 to 1000", "came": "5000" });
    assert_eq!(details, &expected);
    stage.close().await;
}

#[tokio::test]
async fn what_is_within_bounds_is_read() {
    let database = TestDatabase::sqlite();
    let (stage, asker) = open(&database).await;
    let found = [
        "/functions?limit=1",
        "/functions?limit=1000",
        "/runs?state=queued,%20failed&limit=5",
        "/changesets?applied=true",
    ];
    for path in found {
        let answer = asker.get(&format!("/api/v1{path}")).await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
    }
    // Others choose what stands in the address of a webhook.
    let hook = asker.post("/api/v1/hooks/nobody?source=github", Value::Null).await;
    assert_eq!(hook.code(), "not_found", "{hook:?}");
    // Programs that were written for BabyAGI send what they like.
    let logs = asker.get("/babyagi/api/logs?colour=blue").await;
    assert!(logs.status.is_success(), "{logs:?}");
    stage.close().await;
}

#[tokio::test]
async fn a_body_is_refused_by_its_field() {
    let database = TestDatabase::sqlite();
    let (stage, asker) = open(&database).await;
    let runs = [
        "",
        "{",
        "nonsense",
        "[]",
        "null",
        "{}",
        r#"{"function": 5}"#,
        r#"{"function": "no name"}"#,
        r#"{"function": "add", "inptu": {}}"#,
        r#"{"function": "add", "colour": "blue"}"#,
        r#"{"function": "add", "input": [1, 2]}"#,
        r#"{"function": "add", "positional": {"a": 1}}"#,
        r#"{"function": "add", "timeout_ms": "soon"}"#,
        r#"{"function": "add", "timeout_ms": -5}"#,
        r#"{"function": "add", "priority": 3000000000}"#,
        r#"{"function": "add", "due_at": "tomorrow"}"#,
        r#"{"function": "add", "function": "add"}"#,
    ];
    assert_snapshot!(bodies(&asker, "/runs", &runs).await, @r#"
      400 bad_json: the body is empty
        send valid JSON; the message says where parsing failed
    {
      400 bad_json: the body is not JSON: EOF while parsing an object at line 1 column 1
        send valid JSON; the message says where parsing failed
    nonsense
      400 bad_json: the body is not JSON: expected ident at line 1 column 2
        send valid JSON; the message says where parsing failed
    []
      422 bad_body: the body must be an object, not a list
        compare the body with the schema of the route in `/api/v1/openapi.json`
    null
      422 bad_body: the body must be an object, not `null`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {}
      422 bad_body: `function` is missing
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": 5}
      422 bad_body: `function` must be a string, not `5`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": "no name"}
      422 bad_body: `function` is not valid: `no name` is not a Python identifier; use letters, digits and underscores, not starting with a digit, such as `no_name`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": "add", "inptu": {}}
      422 bad_body: `inptu` is not a field of the body
        did you mean `input`?
    {"function": "add", "colour": "blue"}
      422 bad_body: `colour` is not a field of the body
        allowed are `function`, `code`, `version`, `draft`, `revision`, `preset`, `input`, `positional`, `timeout_ms`, `retries`, `priority`, `budget`, `due_at`, `graph`
    {"function": "add", "input": [1, 2]}
      422 bad_body: `input` must be an object, not a list
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": "add", "positional": {"a": 1}}
      422 bad_body: `positional` must be a list, not an object
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": "add", "timeout_ms": "soon"}
      422 bad_body: `timeout_ms` must be an integer, not `soon`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": "add", "timeout_ms": -5}
      422 bad_body: `timeout_ms` must be an integer of at least 0, not `-5`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": "add", "priority": 3000000000}
      422 bad_body: `priority` must be an integer from -2147483648 to 2147483647, not `3000000000`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": "add", "due_at": "tomorrow"}
      422 bad_body: `due_at` must be a time such as `2026-01-31T09:00:00Z`, not `tomorrow`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"function": "add", "function": "add"}
      422 bad_body: the body does not match the schema of this route: duplicate field `function` at line 1 column 30
        compare the body with the schema of the route in `/api/v1/openapi.json`
    "#);
    let changes = [
        r#"{"changes": {}}"#,
        r#"{"changes": [5]}"#,
        r#"{"changes": [{"functoin": {"source": "def f(): pass"}}]}"#,
        r#"{"changes": [{"function": {"source": "def f(): pass"}}, {"function": {"source": 7}}]}"#,
        r#"{"changes": [{"function": {"sauce": "def f(): pass"}}]}"#,
        r#"{"changes": [{"delete": {}}]}"#,
    ];
    assert_snapshot!(bodies(&asker, "/changesets", &changes).await, @r#"
    {"changes": {}}
      422 bad_body: `changes` must be a list, not an object
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"changes": [5]}
      422 bad_body: `changes[0]` must be a string or an object, not `5`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"changes": [{"functoin": {"source": "def f(): pass"}}]}
      422 bad_body: `changes[0]` must be one of `function`, `graph`, `use`, `delete`, not `functoin`
        did you mean `function`?
    {"changes": [{"function": {"source": "def f(): pass"}}, {"function": {"source": 7}}]}
      422 bad_body: `changes[1].function.source` must be a string, not `7`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {"changes": [{"function": {"sauce": "def f(): pass"}}]}
      422 bad_body: `changes[0].function.sauce` is not a field of the body
        did you mean `source`?
    {"changes": [{"delete": {}}]}
      422 bad_body: `changes[0].delete.name` is missing
        compare the body with the schema of the route in `/api/v1/openapi.json`
    "#);
    // A large body goes another way.
    assert_snapshot!(bodies(&asker, "/import", &[r#"{"files": [{"path": 1}]}"#, "{]"]).await, @r#"
    {"files": [{"path": 1}]}
      422 bad_body: `files[0].path` must be a string, not `1`
        compare the body with the schema of the route in `/api/v1/openapi.json`
    {]
      400 bad_json: the body is not JSON: key must be a string at line 1 column 2
        send valid JSON; the message says where parsing failed
    "#);
    let long = format!(r#"{{"function": "add", "timeout_ms": "{}"}}"#, "x".repeat(10_000));
    assert!(bodies(&asker, "/runs", &[&long]).await.len() < long.len() + 400, "what came is cut");
    stage.close().await;
}

#[tokio::test]
async fn a_path_is_refused_by_its_part() {
    let database = TestDatabase::sqlite();
    let (stage, asker) = open(&database).await;
    let paths = [
        "/functions/no-name",
        "/functions/add/versions/-1/provenance",
        "/changesets/first",
        "/changesets/9223372036854775808",
        "/runs/1234",
    ];
    assert_snapshot!(queries(&asker, &paths).await, @"
    /functions/no-name
      400 bad_address: `name` is not valid: `no-name` is not a Python identifier; use letters, digits and underscores, not starting with a digit, such as `no_name`
        correct the path; the message says which part is wrong
    /functions/add/versions/-1/provenance
      400 bad_address: `version` must be an integer, not `-1`
        correct the path; the message says which part is wrong
    /changesets/first
      400 bad_address: `number` must be an integer, not `first`
        correct the path; the message says which part is wrong
    /changesets/9223372036854775808
      400 bad_address: the number `9223372036854775808` is too large
        correct the path; the message says which part is wrong
    /runs/1234
      404 run_not_found: there is no run `1234`
        `selfmade runs list` shows the newest
    ");
    stage.close().await;
}
