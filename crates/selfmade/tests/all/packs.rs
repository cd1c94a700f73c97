//! `selfmade pack …`.

use crate::command::{Place, assert_shows};

const TEXT: &str = "\
import selfmade


@selfmade.function
def shout(text: str) -> str:
    \"\"\"Write it large.\"\"\"
    return text.upper()


@selfmade.function
def shout_twice(text: str) -> str:
    \"\"\"Write it large, twice.\"\"\"
    return shout(text) * 2


def helper():
    pass
";

#[test]
fn a_file_is_loaded_and_loaded_again() {
    let place = Place::new();
    place.file("packs/text.py", TEXT);
    assert_shows!(place.run(&["pack", "load", "packs/text.py"]), @"
    exit: 0
    --- stdout
    added function shout@1
    added function shout_twice@1
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    1 function without a decorator was skipped:
      packs/text.py:16 `helper`: it has no decorator that registers it
    changeset 1 applied; the brain is at revision 1
    ");
    assert_shows!(place.run(&["pack", "load", "packs/text.py"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    1 function without a decorator was skipped:
      packs/text.py:16 `helper`: it has no decorator that registers it
    nothing to change; the brain stays at revision 1
    2 functions unchanged
    ");
    assert_shows!(place.run(&["pack", "list"]), @"
    exit: 0
    --- stdout
    NAME  LIVE  PREFIX  LOADED                FROM
    text  2             [time--------------]  [folder]/packs/text.py
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "list", "--pack", "text"]), @"
    exit: 0
    --- stdout
    NAME         VERSION  DESCRIPTION             PACK  WRITTEN
    shout        1        Write it large.         text  [time--------------]
    shout_twice  1        Write it large, twice.  text  [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
}

#[test]
fn what_a_pack_no_longer_has_is_reported() {
    let place = Place::new();
    place.file("text.py", TEXT);
    place.run(&["pack", "load", "text.py"]);
    place.file("text.py", TEXT.split("@selfmade.function\ndef shout_twice").next().unwrap());
    assert_shows!(place.run(&["pack", "load", "text.py"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    1 function that is no longer in the pack is still live:
      shout_twice
    nothing to change; the brain stays at revision 1
    1 function unchanged
    ");
}

#[test]
fn the_good_files_of_a_folder_are_loaded_and_the_bad_ones_named() {
    let place = Place::new();
    place.file("tools/a.py", "import selfmade\n@selfmade.function\ndef a(): return 1\n");
    place.file("tools/b.py", "import selfmade\n@selfmade.function\ndef b(: return 1\n");
    place.file("tools/sub/c.py", "import selfmade\n@selfmade.function\ndef a(): return 2\n");
    place.file("tools/__pycache__/d.py", "nonsense(");
    assert_shows!(place.run(&["pack", "load", "tools"]), @"
    exit: 1
    --- stdout
    added function a@1
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    changeset 1 applied; the brain is at revision 1
    warning: of pack `tools`, 2 parts could not be loaded:
      `b.py`: line 3, column 7: expected a parameter or the end of the parameter list
        hint: `(` on line 3, column 6 is never closed
      `sub/c.py`: `a` is already defined in `a.py`
        hint: rename one of them, or load `sub/c.py` alone with `--as PREFIX.`
    ");
    assert_shows!(place.run(&["pack", "load", "tools", "--json"]), @r#"
    exit: 1
    --- stdout
    {
      "pack": "tools",
      "applied": {
        "changeset": null,
        "revision": 1,
        "moves": [],
        "warnings": [],
        "widened": []
      },
      "unchanged": 1,
      "refused": [
        {
          "file": "b.py",
          "message": "line 3, column 7: expected a parameter or the end of the parameter list",
          "hint": "`(` on line 3, column 6 is never closed"
        },
        {
          "file": "sub/c.py",
          "message": "`a` is already defined in `a.py`",
          "hint": "rename one of them, or load `sub/c.py` alone with `--as PREFIX.`"
        }
      ],
      "skipped": [],
      "left_over": []
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 0
    --- stdout
    NAME  VERSION  DESCRIPTION  PACK   WRITTEN
    a     1                     tools  [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
}

#[test]
fn a_name_that_is_taken_is_refused_or_loaded_under_a_prefix_or_replaced() {
    let place = Place::new();
    place.add("def shout(text): return text");
    place.file("text.py", TEXT);
    let before = place.brain();
    assert_shows!(place.run(&["pack", "load", "text.py"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: pack `text`: `shout` is already defined by hand
    hint: load it under a prefix with `--as text.`, or replace what is there with `--replace`
    ");
    assert_eq!(place.brain(), before);
    assert_shows!(place.run(&["pack", "load", "text.py", "--as", "text."]), @"
    exit: 0
    --- stdout
    added function text.shout@1
    added function text.shout_twice@1
    --- stderr
    brain: [folder]/home (given by --home)
    1 function without a decorator was skipped:
      text.py:16 `helper`: it has no decorator that registers it
    changeset 2 applied; the brain is at revision 2
    ");
    assert_shows!(place.run(&["fn", "show", "text.shout_twice", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "kind": "function",
      "name": "text.shout_twice",
      "entry_id": "[id]",
      "version_id": "[id]",
      "number": 1,
      "content_hash": "[hash]",
      "changeset_id": "[id]",
      "written_by": "command_line",
      "written_at": "[time]",
      "content": {
        "kind": "function",
        "source": "def shout_twice(text: str) -> str:\n    \"\"\"Write it large, twice.\"\"\"\n    return shout(text) * 2\n",
        "dialect": "selfmade",
        "description": "Write it large, twice.",
        "docstring": "Write it large, twice.",
        "signature": {
          "parameters": [
            {
              "name": "text",
              "required": true,
              "annotation": "str",
              "schema": {
                "type": "string"
              }
            }
          ],
          "returns": "str",
          "input": {
            "additionalProperties": false,
            "properties": {
              "text": {
                "type": "string"
              }
            },
            "required": [
              "text"
            ],
            "type": "object"
          },
          "output": {
            "type": "string"
          }
        },
        "dependencies": [
          {
            "alias": "shout",
            "function": "text.shout"
          }
        ],
        "grants": {},
        "stated": {}
      },
      "who": "command_line",
      "live": true,
      "dependents": [],
      "started_by": []
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["pack", "load", "text.py", "--name", "other", "--replace"]), @"
    exit: 0
    --- stdout
    updated function shout@2 (was @1)
    added function shout_twice@1
    --- stderr
    brain: [folder]/home (given by --home)
    1 function without a decorator was skipped:
      text.py:16 `helper`: it has no decorator that registers it
    changeset 3 applied; the brain is at revision 3
    ");
}

#[test]
fn another_file_under_the_same_name_is_noticed() {
    let place = Place::new();
    place.file("a/text.py", TEXT).file("b/text.py", TEXT);
    place.run(&["pack", "load", "a/text.py"]);
    assert_shows!(place.run(&["pack", "load", "b/text.py"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    warning: pack `text` was previously loaded from `[folder]/a/text.py`
    hint: use `--name` to give this pack another name
    1 function without a decorator was skipped:
      b/text.py:16 `helper`: it has no decorator that registers it
    nothing to change; the brain stays at revision 1
    2 functions unchanged
    ");
}

#[test]
fn many_warnings_are_counted_and_all_shown_when_asked() {
    let place = Place::new();
    let functions: String = (0..8)
        .map(|n| {
            let body = format!("def f{n}():\n    return missing_{n}()\n");
            format!("@func.register_function(metadata={{'description': 'f'}}, dependencies=['gone_{n}'])\n{body}\n")
        })
        .collect();
    place.file("old.py", format!("from functionz.core.framework import func\n\n{functions}"));
    assert_shows!(place.run(&["pack", "load", "old.py"]), @"
    exit: 0
    --- stdout
    added function f0@1
    added function f1@1
    added function f2@1
    added function f3@1
    added function f4@1
    added function f5@1
    added function f6@1
    added function f7@1
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    16 warnings:
      function `f0`, old.py:5:12: `missing_0` is neither declared nor defined, so using it will raise `NameError`
        hint: declare `missing_0` in `imports` or `dependencies`, or define it inside the function
      function `f1`, old.py:9:12: `missing_1` is neither declared nor defined, so using it will raise `NameError`
        hint: declare `missing_1` in `imports` or `dependencies`, or define it inside the function
      function `f2`, old.py:13:12: `missing_2` is neither declared nor defined, so using it will raise `NameError`
        hint: declare `missing_2` in `imports` or `dependencies`, or define it inside the function
      function `f3`, old.py:17:12: `missing_3` is neither declared nor defined, so using it will raise `NameError`
        hint: declare `missing_3` in `imports` or `dependencies`, or define it inside the function
      function `f4`, old.py:21:12: `missing_4` is neither declared nor defined, so using it will raise `NameError`
        hint: declare `missing_4` in `imports` or `dependencies`, or define it inside the function
      … and 11 more; `--verbose` shows all
    changeset 1 applied; the brain is at revision 1
    ");
    let all = place.run(&["pack", "load", "old.py", "--verbose"]);
    assert!(all.contains("missing_7") && !all.contains("more"), "{all}");
}

#[test]
fn widened_grants_are_shown() {
    let place = Place::new();
    place.file(
        "keys.py",
        "from functionz.core.framework import func\n\n\
         @func.register_function(key_dependencies=['api_key'])\n\
         def get():\n    return api_key\n\n\
         @func.register_function(dependencies=['get'])\n\
         def use():\n    return get()\n",
    );
    assert_shows!(place.run(&["pack", "load", "keys.py"]), @"
    exit: 0
    --- stdout
    added function get@1
    added function use@1
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    1 function with widened grants:
      use also gets secret api_key
    1 warning:
      function `get`: it uses the secret `api_key`, which is not stored
        hint: store it with `selfmade secret set api_key`
    changeset 1 applied; the brain is at revision 1
    ");
}

#[test]
fn what_is_no_pack_is_refused() {
    let place = Place::new();
    place.file("empty/README.md", "").file("plain.py", "def plain(): return 1\n");
    assert_shows!(place.run(&["pack", "load", "empty"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    error: there is no `.py` file in `empty`
    hint: choose a folder with decorated Python files
    ");
    assert_shows!(place.run(&["pack", "load", "plain.py"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: pack `plain`: no function in it could be loaded
    hint: decorate its functions with `@selfmade.function`; a bare function is added with `selfmade fn add`
    ");
    assert_shows!(place.run(&["pack", "load", "missing.py"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: cannot read `missing.py`
      caused by: No such file or directory (os error 2)
    hint: check the name and the current folder
    ");
    assert_shows!(place.run(&["pack", "load", "-"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: no pack name can be derived from `-`
    hint: give one with `--name`
    ");
    assert_shows!(place.run(&["pack", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    no pack has been loaded yet
    ");
    assert_shows!(place.run(&["pack", "list", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "packs": []
    }
    --- stderr
    "#);
}

#[test]
fn a_pack_that_comes_with_the_program_is_loaded_by_name() {
    let place = Place::new();
    // A folder of that name is `./text`.
    place.file("text/notes.txt", "");
    let shown = place.run(&["pack", "load", "text"]);
    assert!(shown.starts_with("exit: 0\n") && shown.contains("added function slugify@1"), "{shown}");
    let shown = place.run(&["pack", "list"]);
    assert!(shown.contains("text  11") && shown.contains("shipped with selfmade"), "{shown}");
    let shown = place.run(&["pack", "load", "./text"]);
    assert!(shown.contains("there is no `.py` file in `./text`"), "{shown}");
    let shown = place.run(&["pack", "list", "--available"]);
    for name in ["core", "text", "data", "os", "web", "notify", "blocks"] {
        assert!(shown.contains(&format!("\n{name} ")), "{shown}");
    }
    assert_shows!(place.run(&["pack", "load", "cor"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no pack, file or folder `cor`
    hint: the packs that come with selfmade are `core`, `text`, `data`, `os`, `web`, `notify`, `blocks`, `agent`
    ");
}
