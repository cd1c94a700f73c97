//! A server in the background: `start`, `status`, `sign-in` and `stop`.

use crate::command::{Place, assert_tells};
use crate::serving::ask;

/// Nothing goes on after the test, however it ends.
struct Stopping<'a>(&'a Place);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.run(&["stop", "--timeout", "0"]);
    }
}

fn text(document: &serde_json::Value, field: &str) -> String {
    document[field].as_str().unwrap_or_else(|| panic!("no `{field}` in {document}")).to_owned()
}

#[test]
fn a_server_is_started_looked_at_and_stopped() {
    let place = Place::new();
    let _stopping = Stopping(&place);
    assert_tells!(place.run(&["status"]), @"
    exit: 4
    --- stdout
    not running
    --- stderr
    ");
    let started = place.json(&["start", "--drain", "1"]);
    let (url, pid) = (text(&started, "url"), started["pid"].as_u64().unwrap());
    assert_eq!(started["started"], true);
    let status = place.json(&["status"]);
    assert_eq!(
        (&status["running"], &status["pid"], &status["url"]),
        (&true.into(), &pid.into(), &url.clone().into())
    );
    assert_eq!(
        (&status["runs_under_way"], &status["version"]),
        (&0.into(), &env!("CARGO_PKG_VERSION").into())
    );
    while place.json(&["status"])["nodes"] == serde_json::json!([]) {}
    let node = &place.json(&["status"])["nodes"][0];
    let port = url.rsplit(':').next().unwrap();
    assert!(text(node, "name").ends_with(&format!(":{port}")), "{node}");
    assert_eq!((&node["this"], &node["alive"]), (&true.into(), &true.into()));
    assert_eq!(node["roles"], serde_json::json!(["http", "engine", "triggers", "scheduler"]));
    let again = place.json(&["start"]);
    assert_eq!((&again["started"], &again["pid"]), (&false.into(), &pid.into()), "there is one already");
    let address = url.trim_start_matches("http://");
    let links =
        [text(&started, "sign_in"), text(&again, "sign_in"), text(&place.json(&["sign-in"]), "sign_in")];
    for link in &links {
        let path = link.strip_prefix(&url).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        let answer = ask(address, &request);
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    }
    let stopped = place.json(&["stop"]);
    assert_eq!((&stopped["stopped"], &stopped["killed"]), (&true.into(), &false.into()));
    assert_eq!(place.json(&["stop"])["stopped"], false);
    assert!(place.run(&["status"]).starts_with("exit: 4"));
    let log = place.read("home/server.log");
    assert!(
        log.contains("serves at") && log.contains("GET /sign-in 303") && log.contains("stopped"),
        "{log}"
    );
    let key = |link: &String| link.split("key=").nth(1).unwrap().to_owned();
    assert!(links.iter().all(|link| !log.contains(&key(link))), "no link is in the log");
}

#[test]
fn only_who_has_the_key_of_the_folder_controls_a_server() {
    let place = Place::new();
    let token = place.data(&["token", "add", "boss", "--role", "admin"]).trim().to_owned();
    let mut server = place.start(&["serve"]);
    let listening = server.says("listening at");
    let address = listening.rsplit("//").next().unwrap();
    server.says("serving");
    for key in [token.as_str(), "", "x"] {
        let head = format!("Host: {address}\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\r\n");
        for asked in ["POST /control/sign-in", "GET /control/status"] {
            let answer = ask(address, &format!("{asked} HTTP/1.1\r\n{head}"));
            assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        }
    }
    assert!(
        text(&place.json(&["sign-in"]), "sign_in").contains("/sign-in?key="),
        "one in the foreground, too"
    );
    server.signal("KILL");
    server.ended();
    assert!(place.run(&["sign-in"]).contains("no server of this brain is running"));
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let place = Place::new();
    let _stopping = Stopping(&place);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = place.run(&["start", "--listen", &address]);
    assert_tells!(refused.replace(&address, "[address]"), @"
    exit: 6
    --- stdout
    --- stderr
    error: the server did not start
      error: cannot listen on `[address]`: Address already in use (os error 98)
      hint: choose another address with `--listen 127.0.0.1:PORT`; port 0 picks a free port
    hint: its log is `[folder]/home/server.log`
    ");
}

#[test]
fn a_server_that_does_not_end_in_time_is_killed() {
    let place = Place::new();
    let _stopping = Stopping(&place);
    place.add("def slow():\n    import time\n    time.sleep(600)\n");
    place.json(&["start", "--drain", "600"]);
    place.data(&["run", "slow", "--queue"]);
    while place.json(&["status"])["runs_under_way"] != 1 {}
    let stopped = place.json(&["stop", "--timeout", "0"]);
    assert_eq!((&stopped["stopped"], &stopped["killed"]), (&true.into(), &true.into()));
    assert!(place.run(&["status"]).starts_with("exit: 4"), "what it left behind is not believed");
}

/// `/dev/full` takes nothing, as a log on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_server_goes_on_when_its_log_cannot_be_written() {
    let place = Place::new();
    place.add("def n():\n    return 1\n");
    std::os::unix::fs::symlink("/dev/full", place.path("home/server.log")).unwrap();
    let _stopping = Stopping(&place);
    let pid = place.json(&["start", "--log", "trace"])["pid"].clone();
    for _ in 0..3 {
        assert_eq!(place.data(&["run", "n"]), "1\n");
        assert_eq!(place.json(&["status"])["pid"], pid, "it is still there");
    }
    assert_eq!(place.json(&["stop"])["killed"], false);
}
