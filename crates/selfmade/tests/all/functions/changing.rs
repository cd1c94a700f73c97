//! `selfmade fn edit` and `selfmade fn rm`.

use crate::command::{Place, assert_shows};

#[test]
fn an_edited_function_is_a_new_version() {
    let mut place = Place::new();
    place.add("def n():\n    return 1\n");
    place.set("EDITOR", "sed -i s/1/2/");
    assert_shows!(place.run(&["fn", "edit", "n"]), @"
    exit: 0
    --- stdout
    updated function n@2 (was @1)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 2 applied; the brain is at revision 2
    ");
    assert_shows!(place.run(&["fn", "show", "n", "--source"]), @"
    exit: 0
    --- stdout
    def n():
        return 2
    --- stderr
    brain: [folder]/home (given by --home)
    ");
}

#[test]
fn an_unchanged_text_changes_nothing_and_a_bad_one_is_kept() {
    let mut place = Place::new();
    place.add("def n():\n    return 1\n");
    place.set("TMPDIR", &place.path("").display().to_string());
    place.set("EDITOR", "true");
    assert_shows!(place.run(&["fn", "edit", "n"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    the file was not changed, so `n` stays the same
    ");
    place.set("EDITOR", "sed -i s/return/retrun/");
    let before = place.brain();
    assert_shows!(place.run(&["fn", "edit", "n"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `n.py`, line 6, column 12: simple statements must be separated by newlines or semicolons
    hint: your text is kept in `[folder]/selfmade-edit-[random]/n.py`; correct it and run `selfmade --home [folder]/home fn add [folder]/selfmade-edit-[random]/n.py --name n`
    ");
    assert_eq!(place.brain(), before);
    place.set("VISUAL", "false");
    assert_shows!(place.run(&["fn", "edit", "n"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the editor `false` ended with exit status: 1
    hint: set `VISUAL` or `EDITOR` to the command of an editor that waits until the file is closed
    hint: your text is kept in `[folder]/selfmade-edit-[random]/n.py`; correct it and run `selfmade --home [folder]/home fn add [folder]/selfmade-edit-[random]/n.py --name n`
    ");
}

#[test]
fn a_function_is_deleted_unless_others_call_it() {
    let place = Place::new();
    place.add("def a(): return 1");
    place.add("def b(): return a()");
    assert_shows!(place.run(&["fn", "rm", "a"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      function `a`: cannot be deleted: `b` depends on it
        hint: delete or change them in the same changeset
    hint: nothing was changed
    ");
    assert_shows!(place.run(&["fn", "rm", "a", "--json"]), @r#"
    exit: 5
    --- stdout
    --- stderr
    {
      "error": {
        "code": "checks_failed",
        "message": "the changeset does not pass its checks",
        "hint": "nothing was changed",
        "details": {
          "findings": [
            {
              "severity": "error",
              "entry": {
                "kind": "function",
                "name": "a"
              },
              "message": "cannot be deleted: `b` depends on it",
              "hint": "delete or change them in the same changeset"
            }
          ]
        }
      }
    }
    "#);
    assert_shows!(place.run(&["fn", "rm", "a", "b"]), @"
    exit: 0
    --- stdout
    deleted function a
    deleted function b
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    ");
    assert_shows!(place.run(&["fn", "rm", "a"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no function `a`
    hint: `selfmade search a` finds names like it
    ");
    assert_shows!(place.run(&["fn", "versions", "a"]), @"
    exit: 0
    --- stdout
    VERSION    WRITTEN               WHO           HASH
    1          [time--------------]  command_line  [hash------]
    --- stderr
    brain: [folder]/home (given by --home)
    none is live: the function was deleted
    ");
}
