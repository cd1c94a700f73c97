//! `selfmade sync`: a folder and the brain, each with what the other changed.

use crate::command::{Place, assert_shows};

fn synced() -> Place {
    let place = Place::new();
    place.add("def greet(name: str) -> str:\n    return 'Hello, ' + name\n");
    place.add("def shout(name: str) -> str:\n    return greet(name).upper()\n");
    place.data(&["sync", "brain"]);
    place
}

#[test]
fn a_new_folder_gets_everything_and_is_explained() {
    let place = Place::new();
    place.add("def greet(name: str) -> str: return name");
    assert_shows!(place.run(&["sync", "brain"]), @"
    exit: 0
    --- stdout
    functions/greet.py  to the folder
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert!(place.read("brain/AGENTS.md").contains("selfmade sync ."));
    assert_shows!(place.run(&["sync", "brain"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    `brain` and the brain are the same
    ");
}

#[test]
fn what_is_edited_added_and_removed_goes_to_the_brain_as_one_changeset() {
    let place = synced();
    place.file(
        "brain/functions/greet.py",
        "def greet(name: str) -> str:\n    # With a comment.\n    return 'Hi, ' + name\n",
    );
    place.file("brain/functions/text/twice.py", "def twice(text: str) -> str:\n    return text * 2\n");
    std::fs::remove_file(place.path("brain/functions/shout.py")).unwrap();
    assert_shows!(place.run(&["sync", "brain", "--dry-run"]), @"
    exit: 0
    --- stdout
    functions/greet.py  to the brain
    functions/text/twice.py  to the brain
    functions/shout.py  deleted in the brain
    --- stderr
    brain: [folder]/home (given by --home)
    nothing was changed, because of `--dry-run`
    ");
    assert_shows!(place.run(&["sync", "brain"]), @"
    exit: 0
    --- stdout
    functions/greet.py  to the brain
    functions/text/twice.py  to the brain
    functions/shout.py  deleted in the brain
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    ");
    assert_eq!(place.data(&["run", "greet", "Ada"]), "Hi, Ada\n");
    assert_eq!(place.data(&["run", "text.twice", "ab"]), "abab\n");
    // What was written by hand stays as it was written.
    assert!(place.read("brain/functions/greet.py").contains("# With a comment."));
    assert_eq!(place.json(&["sync", "brain"])["plan"]["pull"], serde_json::json!([]));
}

#[test]
fn what_others_changed_is_written_to_the_folder() {
    let place = synced();
    place.add("def greet(name: str) -> str:\n    return 'Hey, ' + name\n");
    place.data(&["fn", "rm", "shout"]);
    assert_shows!(place.run(&["sync", "brain"]), @"
    exit: 0
    --- stdout
    functions/greet.py  to the folder
    functions/shout.py  removed from the folder
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert!(place.read("brain/functions/greet.py").contains("Hey, "));
    assert!(!place.path("brain/functions/shout.py").exists());
}

#[test]
fn where_both_changed_nothing_is_overwritten() {
    let place = synced();
    place.add("def greet(name: str) -> str:\n    return 'Hey, ' + name\n");
    let mine = "def greet(name: str) -> str:\n    return 'Hi, ' + name\n";
    place.file("brain/functions/greet.py", mine);
    place.file("brain/functions/twice.py", "def twice(text: str) -> str:\n    return text * 2\n");
    let before = place.brain();
    assert_shows!(place.run(&["sync", "brain"]), @"
    exit: 5
    --- stdout
    --- functions/greet.py in the brain
    +++ functions/greet.py in the folder
    @@ -1,6 +1,2 @@
    -import selfmade
    -
    -
    -@selfmade.function
     def greet(name: str) -> str:
    -    return 'Hey, ' + name
    +    return 'Hi, ' + name
    functions/twice.py  to the brain
    functions/greet.py  changed on both sides
    --- stderr
    brain: [folder]/home (given by --home)
    1 entry changed both in the folder and in the brain; nothing was changed
    hint: edit the files so that they have what both sides want, then sync with `--keep folder`; `--keep brain` takes what the brain has
    ");
    assert_eq!((place.brain(), place.read("brain/functions/greet.py").as_str()), (before, mine));

    place.data(&["sync", "brain", "--keep", "folder"]);
    assert_eq!(place.data(&["run", "greet", "Ada"]), "Hi, Ada\n");
    assert_eq!(place.data(&["run", "twice", "ab"]), "abab\n");
}

#[test]
fn what_fails_its_checks_changes_nothing_and_is_tried_again() {
    let place = synced();
    place.add("def later() -> int:\n    return 1\n");
    place.file("brain/functions/greet.py", "def greet(name: str) -> str:\n    return nobody(name)\n");
    assert_shows!(place.run(&["sync", "brain"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      function `greet`, functions/greet.py:2:12: `nobody` is not defined, imported or stored
        hint: define it inside the function, import it, or add a function named `nobody` in the same changeset
    hint: nothing was changed
    ");
    // What came from the brain is there all the same.
    assert!(place.path("brain/functions/later.py").exists());
    assert_eq!(place.data(&["run", "greet", "Ada"]), "Hello, Ada\n");
    place.file("brain/functions/greet.py", "def greet(name: str) -> str:\n    return 'Mended, ' + name\n");
    place.data(&["sync", "brain"]);
    assert_eq!(place.data(&["run", "greet", "Ada"]), "Mended, Ada\n");
}

#[test]
fn a_folder_belongs_to_one_brain_and_nobodys_own_folder_is_taken() {
    let place = synced();
    std::fs::rename(place.path("home"), place.path("another")).unwrap();
    assert_shows!(place.run(&["sync", "brain"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    error: `brain` was synced with another brain
    hint: choose that brain or another folder; or delete `brain/.selfmade-sync.json` to compare the files with this one
    ");
    place.file("mine/letter.txt", "dear");
    assert_shows!(place.run(&["sync", "mine"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `mine` is not empty and is not an exported brain (it has no `brain.json`)
    hint: choose a new or empty folder; nothing was written
    ");
}

#[test]
fn an_explanation_that_somebody_wrote_stays() {
    let place = synced();
    place.file("brain/AGENTS.md", "ours");
    place.add("def more() -> int:\n    return 1\n");
    place.data(&["sync", "brain"]);
    assert_eq!(place.read("brain/AGENTS.md"), "ours");
}

#[test]
fn the_example_of_the_explanation_is_accepted() {
    let place = synced();
    let explanation = place.read("brain/AGENTS.md");
    let example = explanation.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    place.file("brain/functions/temperature.py", example);
    place.file("brain/functions/fetch_json.py", "def fetch_json(url: str) -> dict:\n    return {}\n");
    place.data(&["sync", "brain"]);
    place.data(&["test", "temperature"]);
}

#[test]
fn saving_a_file_is_enough_while_it_is_watched() {
    let place = synced();
    let mut watching = place.start(&["sync", "brain", "--watch"]);
    watching.says("syncing whenever something changes");
    place.file("brain/functions/greet.py", "def greet(name: str) -> str:\n    return 'Seen, ' + name\n");
    watching.says("changeset 3 applied");
    assert_eq!(place.data(&["run", "greet", "Ada"]), "Seen, Ada\n");
    watching.signal("INT");
    assert_eq!(watching.ended().0, Some(0));
}
