//! Secrets planted wherever a function can put them: none is found in the database, in a file, in what commands say of
//! runs, or in the log of the server.

use std::path::Path;

use model::content::Content;
use model::run::{RunState, Waiting};
use model::trigger::TriggerContent;
use serde_json::json;
use store::Location;
use store::testing::TestDatabase;

use crate::world::{World, name};

const FUNCTIONS: &str = include_str!("planting.py");
const PLAIN: &str = "sk-planted-0123456789-planted";
const LINES: &str = "-----BEGIN KEY-----\nplanted ümlaut line\n-----END KEY-----";
const FUNCTION_NAMES: [&str; 5] = ["plant", "raises", "yields", "asks", "elsewhere"];

/// Enough of each secret to know it by, as it is and as it may be written.
fn forms() -> Vec<Vec<u8>> {
    let mut forms: Vec<Vec<u8>> = Vec::new();
    for part in [
        "sk-planted-012345678",
        "planted ümlaut line",
        "planted \\u00fcmlaut line",
        "BEGIN KEY",
        "planted_0123",
        r"\xc3\xbcmlaut",
    ] {
        let hex: String = part.bytes().map(|byte| format!("{byte:02x}")).collect();
        let listed = format!("{:?}", part.as_bytes());
        forms.extend([part.into(), hex.into(), listed.trim_matches(['[', ']']).into()]);
    }
    // As base64 has them, at the beginning of bytes.
    forms.extend([b"c2stcGxhbnRlZC0wMTIzNDU2".to_vec(), b"LS0tLS1CRUdJTiBLRVkt".to_vec()]);
    forms
}

/// Fails with what stands around a secret.
fn clean(what: &str, text: &[u8]) {
    for form in forms() {
        if let Some(at) = text.windows(form.len()).position(|window| window == form) {
            let around = &text[at.saturating_sub(300)..(at + 100).min(text.len())];
            panic!("a secret is in {what}: {}", String::from_utf8_lossy(around));
        }
    }
}

fn clean_folder(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        clean("the name of a file", path.to_string_lossy().as_bytes());
        if path.is_dir() {
            clean_folder(&path);
        } else if path.is_file() {
            clean(&path.display().to_string(), &std::fs::read(&path).unwrap());
        }
    }
}

async fn prepare(world: &World) {
    for (key, value) in [("plain", PLAIN), ("lines", LINES)] {
        let set = world.place.run_with(&["secret", "set", key], value.as_bytes());
        assert!(set.starts_with("exit: 0"), "{set}");
    }
    world.place.file("planting.py", FUNCTIONS);
    world.place.data(&["pack", "load", "planting.py"]);
    let content = Content::Trigger(TriggerContent::after("plant", name("taker")));
    world.put("taker_after_plant", content).await;
}

/// Runs everything, waited for and queued.
async fn run_all(world: &World) {
    let place = &world.place;
    for function in FUNCTION_NAMES {
        let output = place.output(&["run", function, "--no-triggers"], b"", Path::new(""));
        clean("what a run prints", &output.stderr);
        world.queue(function, json!({})).await;
    }
    let said = place.run(&["run", "taker", "--arg", &format!("x={LINES}")]);
    assert!(said.starts_with("exit: 7"), "{said}");
    clean("what a run prints", said.as_bytes());
    for refused in [["run", "taker", PLAIN, "--queue"], ["run", "asks", "--idempotency-key", PLAIN]] {
        let said = place.run(&refused);
        assert!(said.starts_with("exit: 3"), "{said}");
        clean("what a refusal says", said.as_bytes());
    }
}

/// Answers questions, with a secret, until nothing is left to do.
async fn drain(world: &World) {
    loop {
        let runs = world.runs().await;
        for run in runs.iter().filter(|run| matches!(run.waiting, Some(Waiting::Person { .. }))) {
            world.place.run(&["runs", "answer", &run.run_id.to_string(), PLAIN]);
        }
        // Nothing comes after one that failed, so waiting for it would never end.
        for run in runs.iter().filter(|run| run.key.name.as_str() == "plant") {
            assert_ne!(run.state, RunState::Failed, "{:?}", run.error);
        }
        // The one that `plant` triggers comes last.
        let taken = runs.iter().filter(|run| run.key.name.as_str() == "taker").count();
        if taken == 3 && runs.iter().all(|run| run.state.is_final()) {
            return;
        }
    }
}

async fn everything_said(world: &World) {
    let place = &world.place;
    for run in world.runs().await {
        let id = run.run_id.to_string();
        for arguments in
            [&["runs", "show", &id][..], &["runs", "show", &id, "--json"], &["runs", "tail", &id]]
        {
            clean(
                &format!("`{}` of `{}`", arguments.join(" "), run.key.name),
                place.run(arguments).as_bytes(),
            );
        }
    }
    for command in [
        "runs list --json",
        "runs list",
        "changes list --json",
        "log --json",
        "insights --json",
        "secret list",
    ] {
        clean(command, place.run(&command.split(' ').collect::<Vec<_>>()).as_bytes());
    }
    place.data(&["export", "exported"]);
}

store::on_both! {
    async fn a_secret_is_nowhere_to_be_found(database: &TestDatabase) {
        let mut world = World::open(database).await;
        // What databases log would fill the pipe while nobody reads it.
        world.place.set("SELFMADE_LOG", "selfmade_server=trace,selfmade_sandbox=trace");
        prepare(&world).await;
        run_all(&world).await;
        let server = world.serve();
        drain(&world).await;
        server.signal("TERM");
        let (code, log) = server.ended();
        assert_eq!(code, Some(0));
        clean("the log of the server", log.as_bytes());
        let runs = world.runs().await;
        let planted = runs.iter().filter(|run| run.key.name.as_str() == "plant");
        for run in planted {
            assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
            let output = run.output.as_ref().unwrap().to_string();
            assert!(output.contains("[secret plain]") && output.contains("[secret lines]"), "{output}");
        }
        everything_said(&world).await;
        clean("the database", database.dump().await.join("\n").as_bytes());
        clean_folder(&world.place.path("home"));
        clean_folder(&world.place.path("exported"));
        if let Location::Sqlite(path) = database.location() {
            clean_folder(path.parent().unwrap());
        }
    }
}
