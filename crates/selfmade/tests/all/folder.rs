//! `selfmade export` and `selfmade import` of folders.

use crate::command::{Place, assert_shows};

fn place() -> Place {
    let place = Place::new();
    place.add("def a(): return 1");
    place.file("b.py", "def b(x: int) -> int:\n    return x\n");
    place.run(&["fn", "add", "b.py", "--name", "tools.b"]);
    place
}

#[test]
fn a_brain_is_written_and_read_back_the_same() {
    let place = place();
    assert_shows!(place.run(&["export", "brain"]), @"
    exit: 0
    --- stdout
    wrote brain.json
    wrote functions/a.py
    wrote functions/tools/b.py
    --- stderr
    brain: [folder]/home (given by --home)
    `brain` holds the brain at revision 2: 2 entries
    ");
    assert_shows!(place.read("brain/functions/tools/b.py"), @"
    import selfmade


    @selfmade.function
    def b(x: int) -> int:
        return x
    ");
    assert_shows!(place.run(&["import", "brain"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing to change; the brain stays at revision 2
    ");
    assert_shows!(place.run(&["import", "brain", "--home", "second"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing to change; the brain stays at revision 2
    ");
}

#[test]
fn a_second_export_writes_what_changed_and_removes_what_is_gone() {
    let place = place();
    place.run(&["export", "brain"]);
    place.file("brain/README.md", "mine");
    place.run(&["fn", "rm", "tools.b"]);
    place.add("def a(): return 2");
    assert_shows!(place.run(&["export", "brain", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "folder": "brain",
      "revision": 4,
      "entries": 1,
      "written": [
        "functions/a.py"
      ],
      "removed": [
        "functions/tools/b.py"
      ]
    }
    --- stderr
    "#);
    assert!(!place.path("brain/functions/tools").exists());
    assert_eq!(place.read("brain/README.md"), "mine");
}

#[test]
fn the_past_is_exported_too() {
    let place = place();
    assert_shows!(place.run(&["export", "brain", "--at", "1"]), @"
    exit: 0
    --- stdout
    wrote brain.json
    wrote functions/a.py
    --- stderr
    brain: [folder]/home (given by --home)
    `brain` holds the brain at revision 1: 1 entry
    ");
    assert_shows!(place.run(&["export", "other", "--at", "9"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no revision 9; the brain is at revision 2
    hint: `selfmade log` lists the revisions
    ");
}

#[test]
fn what_the_folder_does_not_have_stays_unless_pruned() {
    let place = place();
    place.run(&["export", "brain"]);
    place.add("def more(): return 3");
    assert_shows!(place.run(&["import", "brain"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing to change; the brain stays at revision 3
    ");
    assert_shows!(place.run(&["import", "brain", "--prune"]), @"
    exit: 0
    --- stdout
    deleted function more
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 4 applied; the brain is at revision 4
    ");
}

#[test]
fn a_folder_of_somebody_else_is_neither_written_nor_read() {
    let place = place();
    place.file("mine/letter.txt", "dear").file("file", "");
    assert_shows!(place.run(&["export", "mine"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `mine` is not empty and is not an exported brain (it has no `brain.json`)
    hint: choose a new or empty folder; nothing was written
    ");
    assert_shows!(place.run(&["export", "file"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `file` is a file; a brain is exported to a folder
    hint: choose a new folder
    ");
    assert_shows!(place.run(&["import", "mine"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the folder has no `brain.json`, so it is not an exported brain
    hint: name a folder that `selfmade export` wrote; a folder of decorated Python is loaded with `selfmade pack load`
    ");
    assert_shows!(place.run(&["import", "nowhere"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: cannot read `nowhere`
      caused by: No such file or directory (os error 2)
    hint: check the name and the current folder
    ");
    assert_shows!(place.run(&["import", "mine", "--key", "x"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `--key` does not apply to a folder
    hint: omit it
    ");
}

#[test]
fn a_bad_file_in_a_folder_changes_nothing() {
    let place = place();
    place.run(&["export", "brain"]);
    place.file("brain/functions/a.py", "def a(: return 1");
    let before = place.brain();
    assert_shows!(place.run(&["import", "brain"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `functions/a.py`, line 1, column 7: expected a parameter or the end of the parameter list
    hint: `(` on line 1, column 6 is never closed
    ");
    place.file("brain/functions/a.py", "def a(): return 1").file("brain/triggers/t.json", "{}");
    assert_shows!(place.run(&["import", "brain"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `triggers/t.json`: missing field `kind` at line 1 column 2
    hint: correct the file, or export the entry again
    ");
    place.file("brain/brain.json", "{\"format\": 99}");
    assert_shows!(place.run(&["import", "brain"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the folder has format 99, but this selfmade reads format 1
    hint: use a newer selfmade
    ");
    assert_eq!(place.brain(), before);
}
