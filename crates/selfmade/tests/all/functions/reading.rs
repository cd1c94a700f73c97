//! `selfmade fn list` and `selfmade fn show`.

use super::GREET;
use crate::command::{Place, assert_shows};

#[test]
fn the_list_is_paged_and_knows_the_past() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.add(&format!("def {name}():\n    '''Does {name}.'''\n"));
    }
    assert_shows!(place.run(&["fn", "list", "--limit", "2"]), @"
    exit: 0
    --- stdout
    NAME  VERSION  DESCRIPTION  PACK  WRITTEN
    a     1        Does a.            [time--------------]
    b     1        Does b.            [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    there are more; `--after b` shows them
    ");
    assert_shows!(place.run(&["fn", "list", "--after", "b"]), @"
    exit: 0
    --- stdout
    NAME  VERSION  DESCRIPTION  PACK  WRITTEN
    c     1        Does c.            [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "list", "--at", "1", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "functions": [
        {
          "kind": "function",
          "name": "a",
          "version": 1,
          "description": "Does a.",
          "content_hash": "[hash]",
          "pack": null,
          "written_by": "command_line",
          "written_at": "[time]"
        }
      ],
      "next": null
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["fn", "list", "--at", "9"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no revision 9; the brain is at revision 3
    hint: `selfmade log` lists the revisions
    ");
    assert_shows!(place.run(&["fn", "list", "--pack", "none"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no pack named `none`
    hint: `selfmade pack list` lists them
    ");
}

#[test]
fn what_a_function_states_about_its_runs_is_shown() {
    let place = Place::new();
    place.add(
        "import selfmade\n@selfmade.function(retries=2, isolation='warm', concurrency={'limit': 1, 'key': 'n'})\ndef f(n): return n",
    );
    let shown = place.run(&["fn", "show", "f"]);
    let runs = "runs        tried up to 3 times, waiting 1 to 60 s in between, in a warm cell, at most 1 at once for each `n`";
    assert!(shown.contains(runs), "{shown}");
}

#[test]
fn a_function_is_shown_with_what_surrounds_it() {
    let place = Place::new();
    place.add(GREET);
    place.add(
        "import json\nimport httpx\ndef fetch(url, /, *rest, key='x', **more): return greet(httpx.get(url))",
    );
    assert_shows!(place.run(&["fn", "show", "greet"]), @r#"
    exit: 0
    --- stdout
    greet@1  live
    Say hello.

      signature   greet(name: str, *, loud: bool = False) -> str
      called by   fetch
      written     [time--------------] by command_line
      hash        [hash------]

    def greet(name: str, *, loud: bool = False) -> str:
        """Say hello."""
        return name
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_shows!(place.run(&["fn", "show", "fetch"]), @r#"
    exit: 0
    --- stdout
    fetch@1  live

      signature   fetch(url, /, *rest, key = "x", **more)
      calls       greet
      needs       httpx
      written     [time--------------] by command_line
      hash        [hash------]

    import json
    import httpx
    def fetch(url, /, *rest, key='x', **more): return greet(httpx.get(url))
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_shows!(place.run(&["fn", "show", "greet", "--source"]), @r#"
    exit: 0
    --- stdout
    def greet(name: str, *, loud: bool = False) -> str:
        """Say hello."""
        return name
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_shows!(place.run(&["fn", "show", "greet", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "kind": "function",
      "name": "greet",
      "entry_id": "[id]",
      "version_id": "[id]",
      "number": 1,
      "content_hash": "[hash]",
      "changeset_id": "[id]",
      "written_by": "command_line",
      "written_at": "[time]",
      "content": {
        "kind": "function",
        "source": "def greet(name: str, *, loud: bool = False) -> str:\n    \"\"\"Say hello.\"\"\"\n    return name\n",
        "dialect": "selfmade",
        "description": "Say hello.",
        "docstring": "Say hello.",
        "signature": {
          "parameters": [
            {
              "name": "name",
              "required": true,
              "annotation": "str",
              "schema": {
                "type": "string"
              }
            },
            {
              "name": "loud",
              "kind": "keyword_only",
              "annotation": "bool",
              "default": {
                "literal": false
              },
              "schema": {
                "type": "boolean"
              }
            }
          ],
          "returns": "str",
          "input": {
            "additionalProperties": false,
            "properties": {
              "loud": {
                "default": false,
                "type": "boolean"
              },
              "name": {
                "type": "string"
              }
            },
            "required": [
              "name"
            ],
            "type": "object"
          },
          "output": {
            "type": "string"
          }
        },
        "grants": {},
        "stated": {}
      },
      "who": "command_line",
      "live": true,
      "dependents": [
        {
          "kind": "function",
          "name": "fetch"
        }
      ],
      "started_by": []
    }
    --- stderr
    "#);
}

#[test]
fn what_is_not_there_is_reported_with_the_nearest_name() {
    let place = Place::new();
    place.add(GREET);
    assert_shows!(place.run(&["fn", "show", "gret"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no function `gret`
    hint: did you mean `greet`?
    ");
    assert_shows!(place.run(&["fn", "show", "greet@7"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: function `greet` has no version 7
    hint: `selfmade fn versions greet` lists its versions
    ");
    assert_shows!(place.run(&["fn", "show", "greet@x"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `x` is not a version number
    hint: write for example `greet@2`
    ");
    assert_shows!(place.run(&["fn", "show", "greet@1", "--at", "1"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `greet@1` and `--at` both choose a version
    hint: omit one of them
    ");
    assert_shows!(place.run(&["fn", "use", "greet", "7"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: function `greet` has no version 7
    hint: `selfmade fn versions greet` lists its versions
    ");
    assert_shows!(place.run(&["fn", "show", "other", "--json"]), @r#"
    exit: 4
    --- stdout
    --- stderr
    {
      "error": {
        "code": "not_found",
        "message": "there is no function `other`",
        "hint": "`selfmade search other` finds names like it",
        "details": {}
      }
    }
    "#);
}

#[test]
fn a_stored_text_cannot_steer_the_terminal() {
    let place = Place::new();
    place.add("def n():\n    '''Red \u{1b}[31m.'''\n");
    assert!(!place.data(&["fn", "list"]).contains('\u{1b}'));
    assert!(!place.data(&["fn", "show", "n", "--color", "always"]).contains("\u{1b}[31m"));
}
