//! `serve --roles`: servers of one PostgreSQL divide the work.

use store::Location;
use store::testing::TestDatabase;

use crate::command::Place;
use crate::serving::ask;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_server_answers_and_another_executes() {
    let database = TestDatabase::postgres().await;
    let Location::Postgres(url) = database.location().clone() else { panic!("asked for PostgreSQL") };
    tokio::task::spawn_blocking(move || divide(&url)).await.unwrap();
}

fn divide(url: &str) {
    let [mut front, mut back] = [Place::new(), Place::new()];
    front.set("SELFMADE_DATABASE", url);
    back.set("SELFMADE_DATABASE", url);
    front.add("def add(a: int, b: int):\n    return a + b\n");
    let mut answering = front.start(&["serve", "--roles", "http"]);
    answering.says("as http;");
    let mut executing = back.start(&["serve", "--roles", "engine,triggers,scheduler"]);
    let listening = executing.says("listening at");
    let executor = listening.rsplit("//").next().unwrap();
    // Somebody waits for it at one server, and the other executes it.
    assert_eq!(front.data(&["run", "add", "2", "3"]), "5\n");
    let get = |path: &str| {
        ask(
            executor,
            &format!("GET /api/v1/{path} HTTP/1.1\r\nHost: {executor}\r\nConnection: close\r\n\r\n"),
        )
    };
    assert!(get("health").starts_with("HTTP/1.1 200"), "{}", get("health"));
    assert!(get("functions").starts_with("HTTP/1.1 404"), "{}", get("functions"));
}

/// A server that would look by itself only after an hour.
const HARDLY_EVER: &str = "poll_seconds = 3600\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_process_queues_wakes_another() {
    let database = TestDatabase::postgres().await;
    let Location::Postgres(url) = database.location().clone() else { panic!("asked for PostgreSQL") };
    tokio::task::spawn_blocking(move || wake(&url)).await.unwrap();
}

/// Each run can only be executed because one process told the other that it was queued, and its output can only be heard because it was
/// told back: the next one is queued after that.
fn wake(url: &str) {
    let [mut front, mut back] = [Place::new(), Place::new()];
    for place in [&mut front, &mut back] {
        place.set("SELFMADE_DATABASE", url);
        place.file("home/config.toml", HARDLY_EVER);
    }
    front.add("def add(a: int, b: int):\n    return a + b\n");
    let mut answering = front.start(&["serve", "--roles", "http"]);
    answering.says("as http;");
    let mut executing = back.start(&["serve", "--roles", "engine,triggers,scheduler"]);
    executing.says("listening at");
    for n in 0..5 {
        assert_eq!(front.data(&["run", "add", &n.to_string(), "10"]), format!("{}\n", n + 10));
    }
}

#[test]
fn a_misspelt_role_is_refused() {
    let refused = Place::new().run(&["serve", "--roles", "http,enigne"]);
    assert!(
        refused
            .contains("`--roles` is `http,enigne`; it must be `http`, `engine`, `triggers` or `scheduler`"),
        "{refused}"
    );
}
