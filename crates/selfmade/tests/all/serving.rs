//! `selfmade serve`: executes the queue, alone on a SQLite brain, and ends well.

use crate::command::{Place, assert_tells};

const SLOW: &str = "def slow(seconds: float):\n    import time\n    time.sleep(seconds)\n    return 'done'\n";

fn queued(place: &Place, arguments: &[&str]) -> String {
    place.data(&[&["run"], arguments, &["--queue"]].concat()).trim().to_owned()
}

fn state(place: &Place, id: &str) -> String {
    place.json(&["runs", "show", id])["state"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_queued_is_executed_and_logged() {
    let mut place = Place::new();
    place.set("SELFMADE_LOG", "selfmade_server=info");
    place.add("def add(a: int, b: int):\n    return a + b\n");
    assert_tells!(place.run(&["run", "add", "2", "3", "--queue"]), @"
    exit: 0
    --- stdout
    [id]
    --- stderr
    brain: [folder]/home (given by --home)
    queued; `selfmade serve` will run it
    ");
    let mut server = place.start(&["serve"]);
    assert_tells!(server.says("serving").replace(&place.path("home").display().to_string(), "[home]"), @"serving [home]/brain.db: executes queued, triggered and scheduled runs, 8 at once; Ctrl-C or SIGTERM stops it");
    let logged = server.says("`add`");
    assert!(logged.contains("run 01") && logged.contains("succeeded after"), "{logged}");
    assert!(!logged.contains('\u{1b}'), "no colours in a file: {logged}");
    server.signal("TERM");
    let (code, said) = server.ended();
    assert_eq!(code, Some(0));
    assert_eq!(said, "stopped");
}

#[test]
fn a_second_server_of_the_same_brain_is_refused_until_the_first_is_gone() {
    let place = Place::new();
    let mut first = place.start(&["serve"]);
    first.says("serving");
    let refused = place.run(&["serve"]);
    assert!(refused.starts_with("exit: 5"), "{refused}");
    assert_tells!(refused.replace(&first.id().to_string(), "[pid]"), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: another `selfmade serve` (process [pid]) is already serving this brain
    hint: `selfmade stop` stops it, and commands use it while it runs; only a brain on PostgreSQL can have several servers
    ");
    first.signal("KILL");
    assert_eq!(first.ended().0, None);
    place.start(&["serve"]).says("serving");
}

#[test]
fn other_commands_work_beside_a_server() {
    let place = Place::new();
    let mut server = place.start(&["serve"]);
    server.says("serving");
    place.add("def n():\n    return 1\n");
    assert_eq!(place.data(&["run", "n"]), "1\n");
}

#[test]
fn a_server_that_is_told_to_stop_lets_its_runs_end() {
    let place = Place::new();
    place.add(SLOW);
    let mut server = place.start(&["serve"]);
    server.says("serving");
    let id = queued(&place, &["slow", "3"]);
    while state(&place, &id) != "running" {}
    server.signal("TERM");
    server.says("waiting up to 30 s for 1 run to end");
    let later = queued(&place, &["slow", "0"]);
    assert_eq!(server.ended().0, Some(0));
    assert_eq!(state(&place, &id), "succeeded");
    assert_eq!(state(&place, &later), "queued", "no more runs are taken");
}

#[test]
fn a_second_signal_ends_what_is_under_way() {
    let place = Place::new();
    place.add(SLOW);
    let mut server = place.start(&["serve"]);
    server.says("serving");
    let id = queued(&place, &["slow", "600"]);
    while state(&place, &id) != "running" {}
    server.signal("INT");
    server.says("to end; a second signal");
    server.signal("INT");
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn time_for_ending_can_be_short() {
    let place = Place::new();
    place.add(SLOW);
    let mut server = place.start(&["serve", "--drain", "0"]);
    server.says("serving");
    let id = queued(&place, &["slow", "600"]);
    while state(&place, &id) != "running" {}
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn a_server_prunes_what_is_not_to_be_kept() {
    let place = Place::new();
    place.file("home/config.toml", "keep_runs = 2\n");
    place.add("def n():\n    return 1\n");
    let ids: Vec<String> = (0..5).map(|_| place.run_id(&["n"])).collect();
    let mut server = place.start(&["serve"]);
    server.says("serving");
    let left = || place.json(&["runs", "list"])["runs"].as_array().unwrap().clone();
    while left().len() > 2 {}
    let left: Vec<_> = left().iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(left, [ids[4].clone(), ids[3].clone()]);
}

/// Sends a request and reads the whole answer.
pub(crate) fn ask(address: &str, request: &str) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_function_is_run_over_http() {
    let place = Place::new();
    place.add("def add(a: int, b: int):\n    return a + b\n");
    let token = place.data(&["token", "add", "ci", "--role", "runner"]).trim().to_owned();
    let mut server = place.start(&["serve"]);
    let listening = server.says("listening at");
    let address = listening.rsplit("//").next().unwrap();
    let body = r#"{"function": "add", "input": {"a": 2, "b": 3}}"#;
    let head = |token: &str| {
        format!(
            "POST /api/v1/runs HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\nAuthorization: Bearer {token}\r\n\r\n{body}",
            body.len()
        )
    };
    let answer = ask(address, &head(&token));
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains(r#""output":5"#), "{answer}");
    let refused = ask(address, &head("selfmade_wrong"));
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    let link = server.says("sign in");
    let path = link.split(address).last().unwrap();
    let signed_in =
        ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
    assert!(signed_in.starts_with("HTTP/1.1 303") && signed_in.contains("HttpOnly"), "{signed_in}");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn the_doctor_can_be_asked_over_http() {
    let place = Place::new();
    let token = place.data(&["token", "add", "ops", "--role", "admin"]).trim().to_owned();
    let mut server = place.start(&["serve"]);
    let listening = server.says("listening at");
    let address = listening.rsplit("//").next().unwrap();
    let answer = ask(
        address,
        &format!(
            "GET /api/v1/doctor HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
        ),
    );
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains(r#""sandbox":[{"#), "{answer}");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn a_place_that_is_taken_is_named() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = place.run(&["serve", "--listen", &address]);
    assert_tells!(refused.replace(&address, "[address]"), @"
    exit: 6
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    error: cannot listen on `[address]`: Address already in use (os error 98)
    hint: choose another address with `--listen 127.0.0.1:PORT`; port 0 picks a free port
    ");
}
