//! `selfmade changes …` and `selfmade log`.

use crate::command::{Place, assert_shows};

/// A brain with `n` at 1, and a proposal to make it 2.
fn proposed() -> Place {
    let place = Place::new();
    place.add("def n():\n    return 1\n");
    place.file("n.py", "def n():\n    return 2\n");
    place.run(&["fn", "add", "n.py", "--propose", "--title", "count on"]);
    place
}

#[test]
fn a_changeset_is_shown_and_applied() {
    let place = proposed();
    assert_shows!(place.run(&["changes", "list"]), @"
    exit: 0
    --- stdout
    CHANGESET  STATE    CHANGES  WHEN                  WHO           TITLE
    2          checked  1        [time--------------]  command_line  count on
    1          applied  1        [time--------------]  command_line  add n
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["changes", "show", "2"]), @"
    exit: 0
    --- stdout
    changeset 2 checked  count on

      based on  revision 1
      written   [time--------------] by command_line
      checks    parses passed  names passed  types passed  tests not run (there are none)  policy passed

    update function `n`  +1 -1
    --- n
    +++ n
    @@ -3,4 +3,4 @@
     
     @selfmade.function
     def n():
    -    return 1
    +    return 2
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["changes", "apply", "2"]), @"
    exit: 0
    --- stdout
    updated function n@2 (was @1)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 2 applied; the brain is at revision 2
    ");
    assert_shows!(place.run(&["changes", "apply", "2"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: changeset 2: it is already applied
    hint: `selfmade changes show 2` shows what became of it
    ");
    assert_shows!(place.run(&["changes", "list", "--state", "checked"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    there are none
    ");
    assert_shows!(place.run(&["changes", "list", "--limit", "1", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "changesets": [
        {
          "changeset_id": "[id]",
          "number": 2,
          "state": "applied",
          "title": "count on",
          "base_revision": 1,
          "applied_revision": 2,
          "actor": "command_line",
          "created_at": "[time]",
          "changes": 1,
          "who": "command_line"
        }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn a_changeset_has_a_json_form() {
    let place = proposed();
    assert_shows!(place.run(&["changes", "show", "2", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "number": 2,
      "state": "checked",
      "title": "count on",
      "base_revision": 1,
      "applied_revision": null,
      "actor": "command_line",
      "who": "command_line",
      "created_at": "[time]",
      "decided_by": null,
      "decider": null,
      "decided_at": null,
      "checks": [
        {
          "gate": "parses",
          "verdict": "passed"
        },
        {
          "gate": "names",
          "verdict": "passed"
        },
        {
          "gate": "types",
          "verdict": "passed"
        },
        {
          "gate": "tests",
          "verdict": "not_run",
          "note": "there are none"
        },
        {
          "gate": "policy",
          "verdict": "passed"
        }
      ],
      "conflicts": [],
      "changes": [
        {
          "kind": "function",
          "name": "n",
          "action": "update",
          "diff": {
            "hunks": [
              {
                "header": "@@ -3,4 +3,4 @@",
                "lines": [
                  {
                    "kind": "same",
                    "text": ""
                  },
                  {
                    "kind": "same",
                    "text": "@selfmade.function"
                  },
                  {
                    "kind": "same",
                    "text": "def n():"
                  },
                  {
                    "kind": "removed",
                    "text": "    return 1"
                  },
                  {
                    "kind": "added",
                    "text": "    return 2"
                  }
                ]
              }
            ]
          }
        }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn a_rejected_changeset_is_over() {
    let place = proposed();
    assert_shows!(place.run(&["changes", "reject", "2"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 2 is rejected
    ");
    assert_shows!(place.run(&["changes", "apply", "2"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: changeset 2: it is rejected, so it cannot be applied
    hint: `selfmade changes show 2` shows what became of it
    ");
    assert_shows!(place.run(&["changes", "rebase", "2"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: changeset 2: it is rejected, so it cannot be rebased
    hint: `selfmade changes show 2` shows what became of it
    ");
}

#[test]
fn a_changeset_whose_ground_moved_conflicts_and_can_be_rebased() {
    let place = proposed();
    place.add("def n():\n    return 5\n");
    assert_shows!(place.run(&["changes", "apply", "2"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: entries that the changeset is based on have changed, so nothing was applied
      function `n`, which it changes, changed at revision 2
    hint: review the difference with `selfmade changes show 2`, then base it on the current brain with `selfmade changes rebase 2`
    ");
    assert_shows!(place.run(&["changes", "show", "2"]), @"
    exit: 0
    --- stdout
    changeset 2 conflicted  count on

      based on  revision 1
      written   [time--------------] by command_line
      decided   [time--------------] by command_line
      checks    parses passed  names passed  types passed  tests not run (there are none)  policy passed

    Conflicts
      function `n`, which it changes, changed at revision 2

    update function `n`  +1 -1
    --- n
    +++ n
    @@ -3,4 +3,4 @@
     
     @selfmade.function
     def n():
    -    return 1
    +    return 2
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["changes", "rebase", "2"]), @"
    exit: 0
    --- stdout
    update function `n`
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 2 is proposed; nothing has changed yet
    hint: `selfmade --home [folder]/home changes show 2`, then `selfmade --home [folder]/home changes apply 2` or `reject`
    ");
    assert_shows!(place.run(&["changes", "apply", "2", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "changeset": 2,
      "revision": 3,
      "moves": [
        {
          "kind": "function",
          "name": "n",
          "fate": "updated",
          "from": 2,
          "to": 3
        }
      ],
      "warnings": [],
      "widened": []
    }
    --- stderr
    "#);
}

#[test]
fn a_conflict_has_a_json_form() {
    let place = proposed();
    place.add("def n():\n    return 5\n");
    assert_shows!(place.run(&["changes", "apply", "2", "--json"]), @r#"
    exit: 5
    --- stdout
    --- stderr
    {
      "error": {
        "code": "conflicted",
        "message": "entries that the changeset is based on have changed, so nothing was applied",
        "hint": "review the difference with `selfmade changes show 2`, then base it on the current brain with `selfmade changes rebase 2`",
        "details": {
          "conflicts": [
            {
              "kind": "function",
              "name": "n",
              "moved_at": 2,
              "changed_here": true
            }
          ]
        }
      }
    }
    "#);
}

#[test]
fn an_applied_changeset_is_reverted_by_its_revision() {
    let place = proposed();
    place.run(&["changes", "apply", "2"]);
    assert_shows!(place.run(&["changes", "revert", "r2"]), @"
    exit: 0
    --- stdout
    updated function n@1 (was @2)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    ");
    assert_shows!(place.run(&["fn", "show", "n", "--source"]), @"
    exit: 0
    --- stdout
    def n():
        return 1
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["log"]), @"
    exit: 0
    --- stdout
    REVISION  CHANGESET  WHEN                  WHO           TITLE
    r3        3          [time--------------]  command_line  revert changeset 2: count on
    r2        2          [time--------------]  command_line  count on                      reverted
    r1        1          [time--------------]  command_line  add n
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["log", "--limit", "1", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "changesets": [
        {
          "changeset_id": "[id]",
          "number": 3,
          "state": "applied",
          "title": "revert changeset 2: count on",
          "base_revision": 2,
          "applied_revision": 3,
          "actor": "command_line",
          "created_at": "[time]",
          "changes": 1,
          "who": "command_line"
        }
      ]
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["changes", "show", "r3"]), @"
    exit: 0
    --- stdout
    changeset 3 applied  revert changeset 2: count on

      based on  revision 2
      made      revision 3
      written   [time--------------] by command_line
      decided   [time--------------] by command_line
      checks    parses passed  names passed  types passed  tests not run (there are none)  policy passed

    update function `n`  +1 -1
    --- n
    +++ n
    @@ -3,4 +3,4 @@
     
     @selfmade.function
     def n():
    -    return 2
    +    return 1
    --- stderr
    brain: [folder]/home (given by --home)
    ");
}

#[test]
fn what_moved_since_is_not_reverted() {
    let place = proposed();
    place.run(&["changes", "apply", "2"]);
    let before = place.brain();
    assert_shows!(place.run(&["changes", "revert", "1"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: entries that changeset 1 changed have changed again since, so it was not reverted
      function `n`, which it changes, changed at revision 2
    hint: revert the later changesets first, or choose versions one by one with `selfmade fn use`
    ");
    assert_eq!(place.brain(), before);
}

#[test]
fn a_changeset_that_is_not_there_is_told() {
    let place = Place::new();
    assert_shows!(place.run(&["changes", "show", "7"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    error: there is no changeset 7
    hint: `selfmade changes list` lists them
    ");
    assert_shows!(place.run(&["changes", "revert", "r7"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no revision 7; the brain is at revision 0
    hint: `selfmade log` lists the revisions
    ");
    assert_shows!(place.run(&["changes", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    there are none
    ");
    assert_shows!(place.run(&["log"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing has been applied yet
    ");
}
