//! The commands of docs/graphs.md do what it says.

use serde_json::{Value, json};

use super::place;
use crate::command::Place;
use crate::projects::execute_in;
use crate::readme::{commands_in, copy_examples};

const GUIDE: &str = include_str!("../../../../../docs/graphs.md");

#[test]
fn the_example_of_the_guide_works_as_it_is_printed() {
    let place = Place::without_home();
    copy_examples(&place);
    let commands = commands_in(tutorial());
    assert!(commands.len() >= 10, "{commands:?}");
    let mut told = Vec::new();
    for command in commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let shown = place.run(&words);
        assert!(shown.starts_with("exit: 0\n"), "selfmade {}\n{shown}", command.join(" "));
        if words[0] == "run" {
            told.push(shown.lines().filter(|line| line.contains("\"word\"")).collect::<String>());
        }
    }
    // The draft changed nothing for callers until it was applied.
    assert_eq!(told, ["  \"word\": \"graph\"", "  \"word\": \"graph\"", "  \"word\": \"graph!\""]);
}

/// What the guide begins with: a graph that the rest of it uses.
fn tutorial() -> &'static str {
    GUIDE.split_once("\n## ").unwrap().0
}

#[test]
fn the_breakpoints_of_the_guide_work_as_they_are_printed() {
    let script = include_str!("../../../../../docs/examples/graph_breakpoints.sh");
    let (_, after) = GUIDE.split_once(script).expect("docs/graphs.md prints `graph_breakpoints.sh` as it is");
    let printed = after.split("```").nth(2).and_then(|block| block.strip_prefix("text\n")).unwrap();
    let place = Place::without_home();
    copy_examples(&place);
    // Until the graph is there.
    for command in commands_in(tutorial()).into_iter().take(3) {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        place.data(&words);
    }
    let (done, shown) = execute_in(&place, script);
    assert!(done, "{shown}");
    let mut lines = shown.lines();
    assert!(printed.lines().all(|line| lines.any(|shown| shown == line)), "{shown}");
}

#[test]
fn a_draft_and_some_of_its_nodes_are_run_and_what_a_node_gave_is_pinned() {
    let place = place();
    let shown = |arguments: &[&str]| serde_json::from_str::<Value>(&place.data(arguments)).unwrap();
    let run =
        shown(&["graph", "run", "twice", "--arg", "n=5", "--json"])["run_id"].as_str().unwrap().to_owned();
    place.data(&["graph", "patch", "twice", "--disconnect", "in.output=twice.n", "--set", "twice.n=9"]);
    assert_eq!(shown(&["graph", "run", "twice", "--draft", "--arg", "n=1"]), json!({"out": 18}));
    assert_eq!(shown(&["graph", "run", "twice", "--arg", "n=1"]), json!({"out": 2}));
    let given = ["graph", "run", "twice", "--only", "twice,out", "--give", "twice.n=4"];
    assert_eq!(shown(&given), json!({"out": 8}));
    assert_eq!(shown(&["graph", "run", "twice", "--from", "out", "--run", &run]), json!({"out": 10}));
    place.data(&["graph", "pin", "twice", "twice", "--from", &run]);
    assert_eq!(shown(&["graph", "run", "twice", "--draft", "--arg", "n=1"]), json!({"out": 10}));
    place.data(&["graph", "unpin", "twice", "twice"]);
    assert_eq!(shown(&["graph", "run", "twice", "--draft", "--arg", "n=1"]), json!({"out": 18}));
    assert!(
        place.run(&["graph", "run", "twice", "--node", "out"]).contains("gets its values from node `twice`")
    );
    assert!(place.run(&["runs", "replay", &run]).contains("replayed identically: succeeded"));
}

#[test]
fn a_preset_is_run_by_its_name() {
    let place = place();
    place.data(&["preset", "set", "twice", "three", "--arg", "n=3"]);
    let shown = |arguments: &[&str]| serde_json::from_str::<Value>(&place.data(arguments)).unwrap();
    assert_eq!(shown(&["run", "twice", "--preset", "three"]), json!({"out": 6}));
    assert_eq!(shown(&["run", "twice", "--preset", "three", "--arg", "n=4"]), json!({"out": 8}));
    assert_eq!(shown(&["preset", "show", "twice", "three"]), json!({"n": 3}));
    assert!(place.data(&["preset", "list"]).contains("three"));
    place.data(&["preset", "rm", "twice", "three"]);
    assert!(
        place
            .run(&["run", "twice", "--preset", "three"])
            .contains("there is no preset named `three` of `twice`")
    );
}
