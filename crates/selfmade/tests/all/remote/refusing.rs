//! What cannot be asked of a server, and servers that do not answer.

use std::io::{Read, Write};
use std::net::TcpListener;

use super::Served;
use crate::command::{Place, assert_shows};

#[test]
fn a_wrong_token_is_reported_with_what_to_do() {
    let served = Served::with_role("admin");
    let mut stranger = Place::without_home().option("--server", &served.url);
    let shown = |text: String| text.replace(&served.url, "[url]");
    assert_shows!(shown(stranger.run(&["fn", "list"])), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [url] (given by --server)
    error: a valid token is required
    hint: give a valid token with `--token-file FILE` or `SELFMADE_TOKEN`; `selfmade token add` creates one where the server is
    ");
    stranger.set("SELFMADE_TOKEN", "selfmade_wrong");
    assert!(stranger.run(&["fn", "list"]).starts_with("exit: 5"));
    assert_shows!(stranger.run(&["fn", "list", "--json"]), @r#"
    exit: 5
    --- stdout
    --- stderr
    {
      "error": {
        "code": "unauthorized",
        "message": "a valid token is required",
        "hint": "give a valid token with `--token-file FILE` or `SELFMADE_TOKEN`; `selfmade token add` creates one where the server is",
        "details": {}
      }
    }
    "#);
}

#[test]
fn a_token_that_may_not_is_told_what_it_takes() {
    let served = Served::with_role("runner");
    let refused = served.away.run_with(&["--quiet", "fn", "add", "-"], b"def one(): return 1\n");
    assert_shows!(refused, @"
    exit: 5
    --- stdout
    --- stderr
    error: a runner may not do this; it requires the role `builder`
    hint: use a token that is allowed to; whoever administers the server can create one
    ");
    served.at_home.add("def one():\n    return 1\n");
    assert_eq!(served.away.data(&["run", "one"]), "1\n");
}

#[test]
fn the_token_may_stand_in_a_file_and_the_server_in_a_variable() {
    let served = Served::with_role("viewer");
    let token = served.at_home.data(&["token", "add", "filed", "--role", "viewer"]);
    let mut place = Place::without_home();
    place.file("token.txt", token);
    place.set("SELFMADE_SERVER", &served.url);
    let shown = place.run(&["fn", "list", "--token-file", "token.txt"]).replace(&served.url, "[url]");
    assert_shows!(shown, @"
    exit: 0
    --- stdout
    --- stderr
    brain: [url] (given by SELFMADE_SERVER)
    there are none
    ");
    // What is about this machine, or names a folder of it, is not asked of a server that only a variable names.
    assert!(place.run(&["version"]).starts_with("exit: 0"));
    assert!(
        place
            .run(&["fn", "list", "--home", "own"])
            .contains("[folder]/own (given by --home; created just now)")
    );
    assert!(place.run(&["fn", "list", "--token-file", "none"]).starts_with("exit: 3"));
}

#[test]
fn what_is_about_this_machine_says_so() {
    let place = Place::without_home().option("--server", "http://127.0.0.1:9");
    for command in [&["init"] as &[&str], &["doctor"], &["version"], &["completions", "bash"], &["serve"]] {
        let refused = place.run(command);
        assert!(refused.starts_with("exit: 3"), "{refused}");
        let told = format!("`{}` is about this machine, but `--server` is another one", command[0]);
        assert!(refused.contains(&told), "{refused}");
    }
    place.file("brain.db", "SQLite format 3\0");
    let refused = place.run(&["import", "brain.db"]);
    assert!(refused.contains("can be imported only on the machine that has the brain"), "{refused}");
    assert!(!place.path("user").exists(), "nothing was made");
    let both = place.run(&["fn", "list", "--home", "x"]);
    assert!(both.starts_with("exit: 2") && both.contains("cannot be used with"), "{both}");
    let alone = Place::new().run(&["fn", "list", "--token", "x"]);
    assert!(alone.contains("error: a token was given, but no server"), "{alone}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let place = Place::without_home().option("--server", &url);
    assert_shows!(place.run(&["fn", "list"]).replace(&url, "[url]"), @"
    exit: 6
    --- stdout
    --- stderr
    brain: [url] (given by --server)
    error: cannot reach the server at `[url]`
      caused by: Connection refused (os error 111)
    hint: check the URL, and that `selfmade serve` runs there
    ");
    let wrong = Place::without_home().option("--server", "localhost:7333");
    assert_shows!(wrong.run(&["fn", "list"]), @"
    exit: 3
    --- stdout
    --- stderr
    error: `localhost:7333` is not the URL of a server
    hint: write for example `http://127.0.0.1:7333` or `https://brain.example`
    ");
}

/// Answers one request with this.
fn answering(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        stream.write_all(answer.as_bytes()).unwrap();
    });
    url
}

#[test]
fn what_is_no_selfmade_server_is_not_mistaken_for_one() {
    let ask = |answer| {
        let url = answering(answer);
        Place::without_home().option("--server", &url).run(&["--quiet", "fn", "list"]).replace(&url, "[url]")
    };
    assert_shows!(ask("HTTP/1.1 301 Moved\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n"), @"
    exit: 6
    --- stdout
    --- stderr
    error: the server at `[url]` redirects to `/login`
    hint: if the server is there, use that URL with `--server`
    ");
    assert_shows!(ask("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello"), @"
    exit: 6
    --- stdout
    --- stderr
    error: `[url]` is not a selfmade server (it answered 404 Not Found)
    hint: check the URL, and what is in front of the server
    ");
    assert_shows!(ask("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), @"
    exit: 6
    --- stdout
    --- stderr
    error: the response from the server at `[url]` cannot be parsed
      caused by: expected value at line 1 column 1
    hint: the server's version may differ from this program's, which is 0.1.0
    ");
    let broken = ask("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{");
    assert!(broken.contains("error: the response from the server at `[url]` was cut off"), "{broken}");
    let silent = ask("");
    assert!(silent.starts_with("exit: 6") && silent.contains("cannot reach"), "{silent}");
}
