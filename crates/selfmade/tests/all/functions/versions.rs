//! `selfmade fn versions`, `fn use` and `fn diff`.

use crate::command::{Place, assert_shows};

#[test]
fn any_version_can_be_shown_and_made_live() {
    let place = Place::new();
    place.add("def n(): return 1");
    place.add("def n(): return 2");
    assert_shows!(place.run(&["fn", "show", "n@1"]), @"
    exit: 0
    --- stdout
    n@1  not live

      signature   n()
      written     [time--------------] by command_line
      hash        [hash------]

    def n(): return 1
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "show", "n", "--at", "1", "--source"]), @"
    exit: 0
    --- stdout
    def n(): return 1
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "versions", "n"]), @"
    exit: 0
    --- stdout
    VERSION        WRITTEN               WHO           HASH
    2        live  [time--------------]  command_line  [hash------]
    1              [time--------------]  command_line  [hash------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "use", "n", "1"]), @"
    exit: 0
    --- stdout
    updated function n@1 (was @2)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    ");
    assert_shows!(place.run(&["fn", "use", "n", "1", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "changeset": null,
      "revision": 3,
      "moves": [],
      "warnings": [],
      "widened": []
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["fn", "versions", "n", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "versions": [
        {
          "kind": "function",
          "name": "n",
          "entry_id": "[id]",
          "version_id": "[id]",
          "number": 2,
          "content_hash": "[hash]",
          "changeset_id": "[id]",
          "written_by": "command_line",
          "written_at": "[time]",
          "who": "command_line",
          "live": false,
          "live_before": 1
        },
        {
          "kind": "function",
          "name": "n",
          "entry_id": "[id]",
          "version_id": "[id]",
          "number": 1,
          "content_hash": "[hash]",
          "changeset_id": "[id]",
          "written_by": "command_line",
          "written_at": "[time]",
          "who": "command_line",
          "live": true,
          "live_before": 2
        }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn a_version_is_compared_with_what_was_live_before() {
    let place = Place::new();
    for number in 1..=3 {
        place.add(&format!("def n():\n    return {number}\n"));
    }
    place.data(&["fn", "use", "n", "1"]);
    let back = place.json(&["fn", "diff", "n"]);
    assert_eq!((&back["old"], &back["new"]), (&3.into(), &1.into()));
    place.add("def n():\n    return 4\n");
    let next = place.json(&["fn", "diff", "n"]);
    assert_eq!((&next["old"], &next["new"]), (&1.into(), &4.into()));
    let stated = place.json(&["fn", "diff", "n", "2", "3"]);
    assert_eq!((&stated["old"], &stated["new"]), (&2.into(), &3.into()));
}

#[test]
fn versions_are_compared() {
    let place = Place::new();
    place.add("def n():\n    return 1\n");
    assert_shows!(place.run(&["fn", "diff", "n"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: function `n` has no version before 1 to compare with
    hint: `selfmade fn show n` shows what there is
    ");
    place.add("def n():\n    return 2\n");
    place.add("def n():\n    return 3\n");
    assert_shows!(place.run(&["fn", "diff", "n"]), @"
    exit: 0
    --- stdout
    --- n@2
    +++ n@3
    @@ -3,4 +3,4 @@
     
     @selfmade.function
     def n():
    -    return 2
    +    return 3
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "diff", "n", "1"]), @"
    exit: 0
    --- stdout
    --- n@1
    +++ n@3
    @@ -3,4 +3,4 @@
     
     @selfmade.function
     def n():
    -    return 1
    +    return 3
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "diff", "n", "1", "2", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "name": "n",
      "old": 1,
      "new": 2,
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
    --- stderr
    "#);
    assert_shows!(place.run(&["fn", "diff", "n", "2", "2"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    versions 2 and 2 are the same
    ");
}
