//! Commands on a brain that is served find its server.

use crate::command::Place;

const WHO: &str = "def who():\n    return 1\n";

#[test]
fn a_command_leaves_its_work_to_the_server_of_its_brain() {
    let place = Place::new();
    let mut server = place.start(&["serve"]);
    let url = server.says("listening at").rsplit(' ').next().unwrap().to_owned();
    server.says("serving");
    let added = place.run_with(&["fn", "add", "-"], WHO.as_bytes());
    assert!(added.contains(&format!("brain: [folder]/home (given by --home), served at {url}")), "{added}");
    assert_eq!(place.data(&["run", "who"]), "1\n");
    let run = &place.json(&["runs", "list"])["runs"][0];
    assert_eq!(run["actor"], "command_line", "no token is needed, and none is named");
    let status = place.json(&[]);
    assert_eq!(status["served_at"], url.as_str(), "{status}");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    assert_eq!(place.read("home/server.json"), "", "the key is good for nothing any more");
    assert!(place.run(&["fn", "list"]).contains("brain: [folder]/home (given by --home)\n"));
}

#[test]
fn a_server_that_was_killed_is_not_waited_for() {
    let place = Place::new();
    let mut server = place.start(&["serve"]);
    server.says("serving");
    server.signal("KILL");
    server.ended();
    assert!(place.path("home/server.json").exists(), "it could not clean up");
    place.add(WHO);
    assert_eq!(place.data(&["run", "who"]), "1\n");
}

#[test]
#[cfg(unix)]
fn the_key_of_a_server_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mut server = place.start(&["serve"]);
    server.says("serving");
    let note = place.path("home/server.json");
    assert_eq!(note.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&note, PermissionsExt::from_mode(0o644)).unwrap();
    let shown = place.run(&["fn", "list"]);
    assert!(shown.contains("brain: [folder]/home (given by --home)\n"), "{shown}");
}

#[test]
fn another_server_at_the_same_address_is_not_taken_for_the_own() {
    let (place, other) = (Place::new(), Place::new());
    place.add(WHO);
    let mut server = other.start(&["serve"]);
    server.says("serving");
    let note = other.read("home/server.json");
    let mut note: serde_json::Value = serde_json::from_str(&note).unwrap();
    note["key"] = "0".repeat(64).into();
    let path = place.path("home/server.json");
    std::fs::write(&path, note.to_string()).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let shown = place.run(&["fn", "list"]);
    assert!(shown.contains("who"), "{shown}");
}
