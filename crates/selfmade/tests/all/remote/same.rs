//! Every command shows over a server what it shows without one.

use std::path::Path;

use super::Served;
use crate::command::Place;

/// What differs by its nature is made the same: ids, times, sizes, and who asked which brain.
fn steady(text: &str, url: &str) -> String {
    let text = text.replace(&format!(" --server {url}"), "").replace(" --home [folder]/home", "");
    // A server has cells ready where a single command has not.
    let text = text.replace("`selfmade serve` carries", "the server carries").replace(", a cold start", "");
    let lines = text.lines().filter(|line| !line.starts_with("brain: "));
    lines.map(|line| steady_line(line) + "\n").collect()
}

fn steady_line(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let core = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let inner = core(word);
        let is_unit = ["ms", "s", "µs", "kB", "MB", "bytes"].contains(&inner.as_str());
        if is_unit && let Some(last) = words.last_mut() {
            *last = "SIZE".to_owned();
            continue;
        }
        words.push(changing(word, &inner));
    }
    words.join(" ").replace("token:ID", "command_line").replace("token away", "command_line")
}

fn changing(word: &str, inner: &str) -> String {
    let bare = inner.strip_prefix("token:").unwrap_or(inner);
    let is_id = bare.len() >= 8 && bare.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let is_time = inner.starts_with("20") && inner.contains('T') && inner.ends_with('Z');
    match () {
        () if is_time => word.replace(inner, "TIME"),
        () if is_id => word.replace(bare, "ID"),
        () if inner.starts_with("selfmade_") => word.replace(inner, "TOKEN"),
        () => word.to_owned(),
    }
}

/// Values of these fields differ from run to run.
const MEASURED: [&str; 9] =
    ["duration_us", "wall_us", "cpu_us", "peak_memory_bytes", "cold", "node_id", "lease", "score", "actor"];

fn steady_json(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                if MEASURED.contains(&name.as_str()) || name.ends_with("_us") {
                    *value = serde_json::Value::Null;
                }
                steady_json(value);
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(steady_json),
        _ => {}
    }
}

struct Twins {
    served: Served,
    alone: Place,
}

impl Twins {
    fn new() -> Twins {
        Twins { served: Served::with_role("admin"), alone: Place::new() }
    }

    fn file(&self, name: &str, text: &str) {
        self.served.away.file(name, text);
        self.alone.file(name, text);
    }

    /// Shows the same, as text and, of what changes nothing, as JSON.
    fn same(&self, command: &str) {
        let arguments: Vec<&str> = command.split(' ').collect();
        self.same_words(&arguments, b"");
        let is_read = ["list", "show", "versions", "dependents", "firings", "search", "log"];
        if arguments.iter().any(|word| is_read.contains(word)) {
            self.same_json(&arguments);
        }
    }

    fn same_words(&self, arguments: &[&str], input: &[u8]) {
        let url = &self.served.url;
        let here = steady(&self.alone.run_with(arguments, input), url);
        let there = steady(&self.served.away.run_with(arguments, input), url);
        assert_eq!(there, here, "{arguments:?}");
    }

    fn same_json(&self, arguments: &[&str]) {
        let shown = |place: &Place| {
            let output = place.output(&[arguments, &["--json"]].concat(), b"", Path::new(""));
            // An answer, or an error.
            let text = if output.status.success() { &output.stdout } else { &output.stderr };
            let mut document = serde_json::from_slice(text).unwrap();
            steady_json(&mut document);
            steady(&format!("{:?}\n{document:#}", output.status.code()), &self.served.url)
        };
        assert_eq!(shown(&self.served.away), shown(&self.alone), "{arguments:?} --json");
    }
}

const GREET: &str = "def greet(name: str) -> str:\n    \"\"\"Greets.\"\"\"\n    print('greeting')\n    return f'Hello, {name}'\n";
const SHOUT: &str = "def shout(name: str) -> str:\n    return greet(name).upper()\n";
const BOOM: &str = "def boom(n: int):\n    raise ValueError(f'no {n}')\n";

#[test]
fn functions_and_changesets() {
    let twins = Twins::new();
    twins.file("greet.py", GREET);
    twins.file("shout.py", SHOUT);
    twins.file("broken.py", "def (");
    twins.file("unknown.py", "def unknown():\n    return gret('Ada')\n");
    twins.file(
        "tested.py",
        "import selfmade\n@selfmade.function(tests=[{'input': {}, 'expect': {'output': 2}}])\ndef tested():\n    return 1\n",
    );
    for command in [
        "fn add greet.py shout.py --title two",
        "fn list",
        "fn list --limit 1",
        "fn show shout",
        "fn show greet --source",
        "fn add greet.py --description Greets_politely",
        "fn versions greet",
        "fn diff greet",
        "fn show greet@1",
        "fn list --at 1",
        "fn list --pack none",
        "fn dependents greet",
        "fn use greet 1",
        "fn add broken.py",
        "fn add unknown.py",
        "fn add tested.py",
        "fn add missing.py",
        "fn show nope",
        "fn show greet@9",
        "fn rm greet",
        "fn add unknown.py --propose",
        "fn rm shout --propose",
        "changes list",
        "changes show 1",
        "changes show r2",
        "changes show r99",
        "changes apply 5",
        "changes reject 5",
        "changes revert 3",
        "log --limit 2",
        "search greet politely",
        "search --rebuild",
        "export out",
        "fn rm greet",
        "fn list",
        "import out",
        "test greet",
        "warm greet",
    ] {
        twins.same(command);
    }
    assert_eq!(twins.served.away.read("out/functions/greet.py"), twins.alone.read("out/functions/greet.py"));
}

#[test]
fn runs() {
    let twins = Twins::new();
    for (name, text) in [("greet.py", GREET), ("boom.py", BOOM)] {
        twins.file(name, text);
    }
    twins.file("input.json", "{\"name\": \"Eve\"}");
    for command in [
        "fn add greet.py boom.py",
        "run greet Ada",
        "run greet --arg name=Bob",
        "run greet --input input.json",
        "run greet",
        "run greet Ada --arg other=1",
        "run boom 3",
        "run nope",
        "run greet@7 Ada",
        "run greet Ada --idempotency-key once",
        "run greet Ada --idempotency-key once",
        "runs list",
        "runs list greet --limit 2",
        "runs list --state failed",
        "runs list --actor nobody",
        "runs list --actor trigger:nope",
        "runs show zzz",
        "runs prune --keep 3",
    ] {
        twins.same(command);
    }
    for verb in ["show", "replay", "tail", "rerun", "cancel", "answer"] {
        let id = |place: &Place| {
            let runs = place.json(&["runs", "list", "boom"]);
            runs["runs"].as_array().unwrap().last().unwrap()["run_id"].as_str().unwrap().to_owned()
        };
        let shown = |place: &Place| steady(&place.run(&["runs", verb, &id(place)]), &twins.served.url);
        assert_eq!(shown(&twins.served.away), shown(&twins.alone), "runs {verb}");
    }
}

#[test]
fn triggers_and_schedules() {
    let twins = Twins::new();
    twins.file("greet.py", GREET);
    for command in [
        "fn add greet.py",
        "trigger add again greet --on custom.again --arg name=Ada --disabled",
        "trigger add wrong greet --on nonsense",
        "trigger list",
        "trigger show again",
        "trigger test again --on custom.again",
        "trigger test again --event 4711",
        "trigger enable again",
        "trigger firings again",
        "trigger disable again",
        "trigger rm again",
        "trigger show again",
        "schedule add nightly greet @daily --arg name=Ada --paused",
        "schedule add wrong greet never",
        "schedule list",
        "schedule show nightly --next 0",
        "schedule resume nightly",
        "schedule pause nightly",
        "schedule run nightly",
        "schedule rm nightly",
        "schedule run nightly",
    ] {
        twins.same(command);
    }
}

#[test]
fn packs_secrets_and_tokens() {
    let twins = Twins::new();
    twins.file(
        "tools.py",
        "import selfmade\n@selfmade.function()\ndef one() -> int:\n    return 1\ndef bare(): pass\n",
    );
    for command in ["pack load tools.py --as t", "pack load tools.py --as t", "fn list --pack tools"] {
        twins.same(command);
    }
    twins.same_words(&["pack", "load", "empty", "--name", "x"], b"");
    twins.same_words(&["secret", "set", "api_key"], b"abcdefgh\n");
    twins.same_words(&["secret", "set", "bytes"], &[0xff, 0xfe, 0, 1, 2, 3, 4, 5]);
    twins.same_words(&["secret", "set", "no name"], b"x");
    for command in
        ["secret list", "secret rm bytes", "secret rm bytes", "token add ci --expires 30d", "token rm ci"]
    {
        twins.same(command);
    }
    let tokens = twins.served.away.json(&["token", "list"]);
    assert_eq!(tokens["tokens"][0]["name"], "away", "{tokens}");
}
