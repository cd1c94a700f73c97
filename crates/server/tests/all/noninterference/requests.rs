//! Random requests to every route, by name of what is inside, outside, or nowhere.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::brains::{INSIDE, NEW, OUTSIDE};

/// Which Run is meant where a path names one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    Inside(usize),
    Outside(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) body: Option<Value>,
    pub(super) run: Which,
}

/// Every route, but those whose answer is the server's and not the brain's: `/health`, `/openapi.json`, `/doctor`, `/nodes`, `/metrics`.
const ROUTES: &[(&str, &str)] = &[
    ("GET", "/api/v1/attention"),
    ("GET", "/api/v1/brain"),
    ("GET", "/api/v1/caller"),
    ("GET", "/api/v1/sessions"),
    ("DELETE", "/api/v1/sessions/{word}"),
    ("POST", "/api/v1/tokens"),
    ("POST", "/api/v1/warm"),
    ("POST", "/api/v1/runs/{run_id}/replay"),
    ("POST", "/api/v1/triggers/{name}/trial"),
    ("GET", "/api/v1/runs/endings"),
    ("GET", "/api/v1/changesets/1"),
    ("POST", "/api/v1/changesets/1/apply"),
    ("POST", "/api/v1/changesets/1/rebase"),
    ("POST", "/api/v1/changesets/1/reject"),
    ("POST", "/api/v1/changesets/2/revert"),
    ("GET", "/api/v1/changesets?limit={limit}"),
    ("POST", "/api/v1/changesets"),
    ("POST", "/api/v1/changesets/register"),
    ("GET", "/api/v1/events?after=0"),
    ("GET", "/api/v1/export"),
    ("GET", "/api/v1/functions?limit={limit}"),
    ("GET", "/api/v1/functions?limit={limit}&after={name}"),
    ("GET", "/api/v1/functions?revision=2&limit={limit}"),
    ("GET", "/api/v1/functions?pack={word}"),
    ("GET", "/api/v1/functions/{name}"),
    ("PUT", "/api/v1/functions/{name}"),
    ("DELETE", "/api/v1/functions/{name}"),
    ("GET", "/api/v1/functions/{name}/dependents"),
    ("GET", "/api/v1/functions/{name}/diff?old=1"),
    ("PUT", "/api/v1/functions/{name}/live"),
    ("GET", "/api/v1/functions/{name}/versions"),
    ("GET", "/api/v1/functions/{name}/versions/1/provenance"),
    ("GET", "/api/v1/graphs?limit={limit}"),
    ("POST", "/api/v1/graphs/check"),
    ("GET", "/api/v1/graphs/{name}"),
    ("PUT", "/api/v1/graphs/{name}"),
    ("DELETE", "/api/v1/graphs/{name}"),
    ("GET", "/api/v1/graphs/{name}/versions"),
    ("GET", "/api/v1/graphs/{name}/diff?old=1"),
    ("PUT", "/api/v1/graphs/{name}/live"),
    ("POST", "/api/v1/graphs/import?name={name}"),
    ("POST", "/api/v1/graphs/import?name={name}&draft=true"),
    ("POST", "/api/v1/graphs/import?name={name}&dry_run=true"),
    ("GET", "/api/v1/graphs/{name}/export?draft=true"),
    ("GET", "/api/v1/graphs/{name}/export?format=agent"),
    ("GET", "/api/v1/graphs/{name}/drawing?format=text"),
    ("GET", "/api/v1/graphs/{name}/drawing"),
    ("GET", "/api/v1/graphs/{name}/estimate"),
    ("GET", "/api/v1/graphs/{name}/estimate?draft=true"),
    ("GET", "/api/v1/graphs/{name}/upgrades"),
    ("GET", "/api/v1/graphs/{name}/upgrades?draft=true"),
    ("GET", "/api/v1/graph-drafts?limit={limit}"),
    ("GET", "/api/v1/graphs/{name}/draft"),
    ("PATCH", "/api/v1/graphs/{name}/draft"),
    ("DELETE", "/api/v1/graphs/{name}/draft"),
    ("GET", "/api/v1/graphs/{name}/draft/edits"),
    ("POST", "/api/v1/graphs/{name}/draft/pack"),
    ("POST", "/api/v1/graphs/{name}/draft/unpack"),
    ("POST", "/api/v1/graphs/{name}/draft/rebase"),
    ("POST", "/api/v1/graphs/{name}/draft/apply"),
    ("GET", "/api/v1/blocks"),
    ("GET", "/api/v1/callables/{name}"),
    ("GET", "/api/v1/runs/{run_id}/nodes?limit={limit}"),
    ("GET", "/api/v1/runs/{run_id}/held"),
    ("POST", "/api/v1/runs/{run_id}/release"),
    ("GET", "/api/v1/runs/{run_id}/resume"),
    ("POST", "/api/v1/runs/{run_id}/resume"),
    ("POST", "/api/v1/hooks/{name}"),
    ("POST", "/api/v1/import"),
    ("GET", "/api/v1/insights"),
    ("GET", "/api/v1/insights/{name}"),
    ("GET", "/api/v1/packs"),
    ("POST", "/api/v1/packs"),
    ("GET", "/api/v1/revisions/1"),
    ("GET", "/api/v1/run-ids/{part}"),
    ("GET", "/api/v1/run-ids/last"),
    ("GET", "/api/v1/run-ids/last:{name}"),
    ("GET", "/api/v1/runs/last"),
    ("POST", "/api/v1/runs/last:{name}/cancel"),
    ("GET", "/api/v1/runs?limit={limit}"),
    ("GET", "/api/v1/runs?limit={limit}&name={name}"),
    ("GET", "/api/v1/runs?limit={limit}&state=succeeded,failed"),
    ("GET", "/api/v1/runs?actor=trigger:{name}"),
    ("GET", "/api/v1/runs?actor=token:{word}"),
    ("GET", "/api/v1/runs?ids={run_id}"),
    ("GET", "/api/v1/runs?parent={run_id}"),
    ("POST", "/api/v1/runs"),
    ("POST", "/api/v1/runs?of=code"),
    ("POST", "/api/v1/runs/prune"),
    ("GET", "/api/v1/runs/{run_id}"),
    ("POST", "/api/v1/runs/{run_id}/answer"),
    ("POST", "/api/v1/runs/{run_id}/extend"),
    ("POST", "/api/v1/runs/{run_id}/test"),
    ("POST", "/api/v1/runs/{run_id}/cancel"),
    ("POST", "/api/v1/runs/{run_id}/rerun"),
    ("GET", "/api/v1/runs/{run_id}/stream"),
    ("GET", "/api/v1/schedules?limit={limit}"),
    ("GET", "/api/v1/schedules/{name}"),
    ("GET", "/api/v1/presets?limit={limit}"),
    ("GET", "/api/v1/presets/{name}/{word}"),
    ("PUT", "/api/v1/presets/{name}/{word}"),
    ("DELETE", "/api/v1/presets/{name}/{word}"),
    ("PUT", "/api/v1/graphs/{name}/draft/pins/{word}"),
    ("DELETE", "/api/v1/graphs/{name}/draft/pins/{word}"),
    ("PUT", "/api/v1/schedules/{name}"),
    ("DELETE", "/api/v1/schedules/{name}"),
    ("POST", "/api/v1/schedules/{name}/pause"),
    ("POST", "/api/v1/schedules/{name}/resume"),
    ("POST", "/api/v1/schedules/{name}/run"),
    ("GET", "/api/v1/search?q={word}&limit={limit}"),
    ("POST", "/api/v1/search/rebuild"),
    ("GET", "/api/v1/models"),
    ("GET", "/api/v1/models/found"),
    ("GET", "/api/v1/models/{word}"),
    ("PUT", "/api/v1/models/{word}"),
    ("DELETE", "/api/v1/models/{word}"),
    ("POST", "/api/v1/models/{word}/test"),
    ("GET", "/api/v1/secrets"),
    ("PUT", "/api/v1/secrets/{word}"),
    ("DELETE", "/api/v1/secrets/{word}"),
    ("POST", "/api/v1/tests"),
    ("POST", "/api/v1/tests/mutants"),
    ("GET", "/api/v1/tokens"),
    ("DELETE", "/api/v1/tokens/admin"),
    ("GET", "/api/v1/triggers?limit={limit}"),
    ("GET", "/api/v1/triggers/{name}"),
    ("PUT", "/api/v1/triggers/{name}"),
    ("DELETE", "/api/v1/triggers/{name}"),
    ("POST", "/api/v1/triggers/{name}/disable"),
    ("POST", "/api/v1/triggers/{name}/enable"),
    ("GET", "/api/v1/triggers/{name}/dry-run"),
    ("GET", "/api/v1/triggers/{name}/firings"),
    ("POST", "/autogpt/api/auth/user"),
    ("GET", "/autogpt/api/blocks"),
    ("POST", "/autogpt/api/blocks/selfmade:{name}/execute"),
    ("GET", "/autogpt/api/graphs"),
    ("POST", "/autogpt/api/graphs"),
    ("GET", "/autogpt/api/graphs/{graph_id}"),
    ("PUT", "/autogpt/api/graphs/{graph_id}"),
    ("GET", "/autogpt/api/graphs/{graph_id}/input_schema"),
    ("GET", "/autogpt/api/graphs/{graph_id}/versions"),
    ("GET", "/autogpt/api/graphs/{graph_id}/versions/1"),
    ("PUT", "/autogpt/api/graphs/{graph_id}/versions/active"),
    ("POST", "/autogpt/api/graphs/{graph_id}/execute"),
    ("GET", "/autogpt/api/graphs/{graph_id}/executions"),
    ("GET", "/autogpt/api/graphs/{graph_id}/executions/{run_id}"),
    ("POST", "/autogpt/api/graphs/{graph_id}/executions/{run_id}/stop"),
    ("GET", "/autogpt/api/graphs/{graph_id}/schedules"),
    ("POST", "/autogpt/api/graphs/{graph_id}/schedules?cron=@daily"),
    ("PUT", "/autogpt/api/graphs/schedules/{schedule_id}"),
    ("GET", "/autogpt/api/templates"),
    ("POST", "/autogpt/api/templates"),
    ("GET", "/autogpt/api/templates/{graph_id}"),
    ("PUT", "/autogpt/api/templates/{graph_id}"),
    ("GET", "/autogpt/api/templates/{graph_id}/versions"),
    ("POST", "/autogpt/api/settings"),
    ("GET", "/autogpt/ws"),
    ("GET", "/babyagi/api/functions"),
    ("GET", "/babyagi/api/function/{name}"),
    ("PUT", "/babyagi/api/function/{name}"),
    ("POST", "/babyagi/api/function/{name}/register"),
    ("DELETE", "/babyagi/api/function/{name}"),
    ("GET", "/babyagi/api/function/{name}/versions"),
    ("POST", "/babyagi/api/function/{name}/activate/1"),
    ("POST", "/babyagi/api/execute/{name}"),
    ("GET", "/babyagi/api/imports"),
    ("GET", "/babyagi/api/logs"),
    ("GET", "/babyagi/api/logs/{name}"),
    ("GET", "/babyagi/api/log_bundle/{log_id}"),
    ("GET", "/babyagi/api/triggers/{name}"),
    ("POST", "/babyagi/api/triggers/{name}"),
    ("GET", "/babyagi/api/triggered/{name}"),
];

/// Words of queries, names of secrets and packs; some are parts of names outside.
const WORDS: [&str; 8] = ["get", "gets", "mail", "sendd", "web", "wbe", "narrow", "admin"];

impl Request {
    pub(super) fn any() -> impl Strategy<Value = Request> {
        let which = prop_oneof![(0..4_usize).prop_map(Which::Inside), (0..4_usize).prop_map(Which::Outside)];
        (
            prop::sample::select(ROUTES),
            any_name(),
            any_name(),
            prop::sample::select(&WORDS[..]),
            1..5_u32,
            which,
        )
            .prop_map(|((method, route), name, other, word, limit, run)| {
                let path = route.replace("{name}", name).replace("{word}", word);
                let path = path.replace("{limit}", &limit.to_string());
                Request { method, body: body(method, route, name, other), path, run }
            })
    }

    /// Everything that can be read of one run of a graph, and then all that can be done with it.
    pub(super) fn of_run(n: usize) -> Vec<Request> {
        let to = |method, path: &str, body| {
            let path = format!("/api/v1/runs/{{run_id}}{path}");
            Request { method, path, body, run: Which::Inside(n) }
        };
        let mut requests: Vec<Request> =
            ["", "/nodes?limit=9", "/held", "/resume"].iter().map(|path| to("GET", path, None)).collect();
        for body in [
            json!({ "value": { "graph": "audit.data", "input": {} } }),
            json!({ "breakpoints": { "everywhere": true } }),
            json!({}),
        ] {
            requests.push(to("POST", "/release", Some(body)));
        }
        requests.push(to("POST", "/resume", Some(json!({}))));
        requests
    }

    /// One whose answer has no end.
    pub(super) fn is_stream(&self) -> bool {
        ["/stream", "/endings", "/replay", "/warm"].iter().any(|end| self.path.ends_with(end))
            || self.path.contains("/events")
    }
}

fn any_name() -> impl Strategy<Value = &'static str> {
    let all: Vec<&'static str> = INSIDE
        .iter()
        .chain(&NEW)
        .chain(&OUTSIDE)
        .copied()
        .chain(["web.after", "web.daily", "web.gett", "nowhere"])
        .collect();
    prop::sample::select(all)
}

/// Sources that name another function, which may be inside, outside or nowhere.
fn body(method: &str, route: &str, name: &str, other: &str) -> Option<Value> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let source = format!("def {last}(x: int = 0):\n    \"\"\"Gets it.\"\"\"\n    return {other}(x)\n");
    let nodes = json!([{ "id": other, "block": other }, { "id": "pinned", "block": other, "version": 1 }, { "id": "in", "block": "@input", "input": { "name": "x" } }]);
    Some(match (method, route) {
        ("PUT", "/api/v1/functions/{name}") => json!({ "source": source }),
        ("PUT", "/api/v1/functions/{name}/live" | "/api/v1/graphs/{name}/live") => json!({ "version": 1 }),
        ("PUT", "/api/v1/graphs/{name}") => json!({ "graph": { "nodes": nodes } }),
        ("POST", route) if route.starts_with("/api/v1/graphs/import") => json!({ "nodes": nodes }),
        ("POST", "/api/v1/graphs/check") => json!({ "name": name, "graph": { "nodes": nodes } }),
        ("PATCH", "/api/v1/graphs/{name}/draft") => json!({ "patches": [{ "op": "add", "node": nodes[0] }] }),
        ("POST", "/api/v1/graphs/{name}/draft/pack") => {
            json!({ "nodes": [other], "node": "packed", "graph": format!("{name}_part") })
        }
        ("POST", "/api/v1/graphs/{name}/draft/unpack") => json!({ "node": other }),
        ("POST", "/api/v1/graphs/{name}/draft/rebase") => json!({}),
        ("POST", "/api/v1/graphs/{name}/draft/apply") => json!({ "edit": 1 }),
        ("POST", "/api/v1/changesets" | "/api/v1/changesets/register") => {
            json!({ "changes": [{ "function": { "name": name, "source": source } }, { "delete": { "name": other } }] })
        }
        ("POST", "/api/v1/runs") => json!({ "function": name, "input": { "x": 2 } }),
        ("POST", "/api/v1/runs?of=code") => {
            json!({ "function": name, "input": { "x": 2 }, "code": { "script": format!("{other}(x)") } })
        }
        ("POST", "/api/v1/runs/{run_id}/answer") => json!({ "value": 1 }),
        ("POST", "/api/v1/runs/{run_id}/extend") => json!({ "turns": 1 }),
        ("POST", "/api/v1/runs/{run_id}/release" | "/api/v1/runs/{run_id}/resume") => json!({}),
        ("POST", "/api/v1/import") => json!({ "files": [] }),
        ("POST", "/api/v1/runs/prune") => json!({ "newest": 1_000 }),
        ("POST", "/api/v1/warm") => json!({ "names": [name] }),
        ("POST", "/api/v1/tokens") => json!({ "name": "new", "role": "viewer" }),
        ("POST", "/api/v1/triggers/{name}/trial") => json!({ "event": { "seq": 1 } }),
        ("POST", "/api/v1/tests") => json!({ "names": [name], "dependents": true }),
        ("POST", "/api/v1/tests/mutants") => json!({ "names": [name] }),
        ("POST", "/api/v1/packs") => json!({ "name": "p", "files": [] }),
        ("PUT", "/api/v1/triggers/{name}") => {
            json!({ "on": "run.finished", "source": other, "target": name })
        }
        ("PUT", "/api/v1/schedules/{name}") => {
            json!({ "times": { "cron": "0 9 * * *" }, "target": other, "input": { "x": 1 } })
        }
        ("PUT", "/api/v1/presets/{name}/{word}") => json!({ "input": { "x": 1 } }),
        ("PUT", "/api/v1/graphs/{name}/draft/pins/{word}") => json!({ "outputs": { "output": [1] } }),
        ("PUT", "/api/v1/models/{word}") => json!({ "base_url": "http://127.0.0.1:1/v1", "model_id": "m" }),
        ("PUT", "/api/v1/secrets/{word}") => json!({ "value": "abcdefgh" }),
        ("PUT", "/babyagi/api/function/{name}") => json!({ "code": source, "dependencies": [other] }),
        ("POST", "/babyagi/api/function/{name}/register") => {
            json!({ "code": source, "dependencies": [other] })
        }
        ("POST", "/babyagi/api/execute/{name}") => json!({ "x": 1 }),
        ("POST", "/babyagi/api/triggers/{name}") => json!({ "triggering_function_name": other }),
        ("POST", "/autogpt/api/graphs" | "/autogpt/api/templates") => {
            json!({ "graph": { "name": name, "nodes": [{ "id": "a", "block_id": format!("selfmade:{other}") }, { "id": "b", "block_id": "selfmade:@store", "input_default": { "input": 1 } }] } })
        }
        ("PUT", "/autogpt/api/graphs/{graph_id}" | "/autogpt/api/templates/{graph_id}") => {
            json!({ "name": name, "nodes": [{ "id": "a", "block_id": format!("selfmade:{other}") }, { "id": "b", "block_id": "selfmade:@store", "input_default": { "input": 1 } }] })
        }
        ("PUT", "/autogpt/api/graphs/{graph_id}/versions/active") => json!({ "active_graph_version": 1 }),
        ("POST" | "PUT", route) if route.starts_with("/autogpt/api/") => json!({}),
        ("POST", "/api/v1/hooks/{name}") => json!({ "n": 1 }),
        _ => return None,
    })
}

/// Those whose answer is about the server and the same for everybody who may ask.
const OF_SERVER: [&str; 6] = [
    "/api/v1/health",
    "/api/v1/openapi.json",
    "/api/v1/doctor",
    "/api/v1/nodes",
    "/api/v1/metrics",
    "/metrics",
];

#[test]
fn every_route_is_asked() {
    let documents =
        [server::http::document(), &server::http::babyagi_document(), &server::http::autogpt_document()];
    let documents = documents.map(|document| serde_json::to_value(document).unwrap());
    let asked = |method: &str, path: &str| {
        ROUTES.iter().any(|(known, route)| {
            let route = route.split('?').next().unwrap();
            let same = |(one, other): (&str, &str)| one == other || other.starts_with('{');
            let (one, other) = (route.split('/'), path.split('/'));
            *known == method && one.clone().count() == other.clone().count() && one.zip(other).all(same)
        })
    };
    let mut missing = Vec::new();
    for (path, item) in documents.iter().flat_map(|document| document["paths"].as_object().unwrap()) {
        for method in item.as_object().unwrap().keys().map(|method| method.to_uppercase()) {
            if !OF_SERVER.contains(&path.as_str()) && !asked(&method, path) {
                missing.push(format!("{method} {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
