//! A machine that lacks a layer of the sandbox: functions are run there only by those who say so.

use crate::command::Place;

#[test]
fn a_missing_layer_is_refused_unless_a_weaker_sandbox_is_allowed() {
    let place = Place::new();
    place.add("def greet():\n    return 'hello'\n");
    let refused = place.run_without_namespaces(&["run", "greet"]);
    assert!(refused.starts_with("exit: 7\n"), "{refused}");
    let why = "NotExecuted: this machine does not support the whole sandbox: user namespace, ";
    let way_on = "or run code you trust with `--allow-weaker-sandbox`\n";
    assert!(refused.contains(why) && refused.contains(way_on), "{refused}");

    let allowed = place.run_without_namespaces(&["run", "greet", "--allow-weaker-sandbox"]);
    assert!(allowed.starts_with("exit: 0\n--- stdout\nhello\n"), "{allowed}");
}

#[test]
fn the_data_folder_may_allow_a_weaker_sandbox_once_and_for_all() {
    let place = Place::new();
    place.add("def greet():\n    return 'hello'\n");
    place.file("home/config.toml", "allow_weaker_sandbox = true\n");
    let shown = place.run_without_namespaces(&["run", "greet", "--quiet"]);
    assert!(shown.starts_with("exit: 0\n"), "{shown}");
}
