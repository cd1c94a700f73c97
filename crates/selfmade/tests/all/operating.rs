//! What is configured and where, and what is logged.

use serde_json::Value;

use crate::command::{Place, assert_shows};
use crate::serving::ask;

#[test]
fn settings_are_shown_with_where_they_came_from() {
    let mut place = Place::new();
    place.file(
        "home/config.toml",
        "keep_days = 30\nwaited_at_once = 5\ndrain_seconds = 5\nnames = [\"a.example\", \"B.example\"]\n",
    );
    place.set("SELFMADE_SECRETS_KEY", "very secret");
    place.set("SELFMADE_DATABASE", "postgres://me:hunter2@db.example/brain");
    place.set("SELFMADE_LOG", "debug");
    assert_shows!(place.run(&["serve", "--show-config", "--drain", "7"]), @"
    exit: 0
    --- stdout
    SETTING               VALUE                                FROM
    database              `db.example:5432`, database `brain`  SELFMADE_DATABASE
    secrets_key           (struck out)                         SELFMADE_SECRETS_KEY
    listen                127.0.0.1:0                          SELFMADE_LISTEN
    names                 a.example,b.example                  config.toml
    trusted_proxies                                            default
    rate                  (any)                                default
    roles                 http,engine,triggers,scheduler       default
    node_name             (host and port)                      default
    drain_seconds         7                                    --drain
    log                   debug                                SELFMADE_LOG
    log_format            text                                 default
    allow_weaker_sandbox  false                                default
    otlp_endpoint         (none)                               default
    notify_function       (none)                               default
    notify_webhook        (none)                               default
    durability            process                              default
    changesets            ask                                  default
    changesets_replace                                         default
    private_hosts                                              default
    extra_roots           (none)                               default
    http_proxy            (none)                               default
    package_cache         (your cache folder)                  default
    resolve_on_add        false                                SELFMADE_RESOLVE_ON_ADD
    model_url             (OpenAI's)                           default
    model_name            (as functions say)                   default
    model_key             openai_api_key                       default
    model_price           (not known)                          default
    budget_day            (no limit)                           default
    budget_agents         (none)                               default
    lease_seconds         15                                   default
    poll_seconds          1                                    default
    runs_at_once          8                                    default
    waited_at_once        5                                    config.toml
    nested_at_once        32                                   default
    ready_cells           4                                    default
    warm_cells            16                                   default
    run_steps             10000                                default
    run_journal_bytes     67108864                             default
    run_event_bytes       16777216                             default
    event_bytes           262144                               default
    keep_days             30                                   config.toml
    keep_runs             (all)                                default
    keep_bytes            (all)                                default
    keep_event_days       30                                   default
    keep_audit_days       (all)                                default
    --- stderr
    data folder: [folder]/home (given by --home)
    ");
    assert!(!place.path("home/brain.db").exists(), "nothing is opened");
    let shown = place.json(&["serve", "--show-config"]);
    let settings = shown["settings"].as_array().unwrap();
    let drain = settings.iter().find(|setting| setting["key"] == "drain_seconds").unwrap();
    assert_eq!((&drain["value"], &drain["source"]), (&"5".into(), &"file".into()));
}

#[test]
fn a_setting_that_cannot_be_understood_is_reported_with_its_place() {
    let mut place = Place::new();
    place.set("SELFMADE_DURABILITY", "full");
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: `SELFMADE_DURABILITY` is `full`; it must be `process` or `power`
    hint: `selfmade serve --show-config` lists what can be set
    ");
    let place = Place::new();
    assert_shows!(place.run(&["fn", "list", "--log", "selfmade=loud"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: `--log` is `selfmade=loud`; it must be `off`, `error`, `warn`, `info`, `debug` or `trace`, or levels by target such as `selfmade_store=trace`
    hint: `selfmade serve --show-config` lists what can be set
    ");
}

/// The next line of the log that is about a route.
fn logged(server: &mut crate::command::Running, route: &str) -> Value {
    serde_json::from_str(&server.says(&format!("\"{route}\""))).unwrap()
}

#[test]
fn a_request_is_one_line_that_tells_nothing_it_carried() {
    let place = Place::new();
    place.add("def add(a: int, b: int):\n    return a + b\n");
    let token = place.data(&["token", "add", "ci"]).trim().to_owned();
    let mut server = place.start(&["serve", "--log", "info", "--log-format", "json"]);
    let listening = server.says("listening at");
    let address = listening.rsplit("//").next().unwrap();
    let head = format!(
        "Host: {address}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nX-Request-Id: mine"
    );
    ask(address, &format!("GET /api/v1/search?q=hunter2 HTTP/1.1\r\n{head}\r\n\r\n"));
    let line = logged(&mut server, "/api/v1/search");
    assert_eq!((&line["level"], &line["http.method"]), (&"INFO".into(), &"GET".into()), "{line}");
    assert_eq!((&line["http.status"], &line["request.id"]), (&200.into(), &"mine".into()), "{line}");
    assert!(line["actor"].as_str().unwrap().starts_with("token:") && line["duration_us"].is_u64(), "{line}");
    assert!(!line.to_string().contains("hunter2") && !line.to_string().contains(&token), "{line}");
    ask(address, &format!("GET /nowhere/hunter2 HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
    let line = logged(&mut server, "(none)");
    assert_eq!((&line["http.status"], &line["actor"]), (&404.into(), &Value::Null), "{line}");
    assert!(!line.to_string().contains("hunter2"), "{line}");
    let body = r#"{"function": "add", "input": {"a": 20080, "b": 3}}"#;
    let length = body.len();
    ask(
        address,
        &format!(
            "POST /api/v1/runs HTTP/1.1\r\n{head}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ),
    );
    let ended: Value = serde_json::from_str(&server.says("`add`")).unwrap();
    assert_eq!(
        (&ended["run.state"], &ended["function.name"]),
        (&"succeeded".into(), &"add".into()),
        "{ended}"
    );
    assert!(!ended.to_string().contains("20080"), "{ended}");
    server.signal("TERM");
    let (code, said) = server.ended();
    assert_eq!(code, Some(0));
    assert!(said.contains("stopping: 0 runs have"), "{said}");
}
