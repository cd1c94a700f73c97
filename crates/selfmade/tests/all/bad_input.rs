//! Sources and files that are refused: each with a message that says what to do, and nothing changed.

use crate::command::{Place, assert_shows};

/// Adds a source to a brain that holds something, and sees that it stayed as it was.
fn refused(source: &[u8]) -> String {
    let place = Place::new();
    place.add("def greet(name: str) -> str: return name");
    let before = place.brain();
    place.file("bad.py", source);
    let shown = place.run(&["fn", "add", "bad.py"]);
    assert_eq!(place.brain(), before);
    shown
}

#[test]
fn a_source_that_does_not_parse() {
    assert_shows!(refused(b"def broken(:\n    return 1\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 1, column 12: expected a parameter or the end of the parameter list
    hint: `(` on line 1, column 11 is never closed
    ");
}

#[test]
fn two_functions_of_one_name() {
    assert_shows!(refused(b"def a(): return 1\n\n\ndef a(): return 2\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 4, column 5: `a` is already defined on line 1
    hint: a file defines each name once: rename or remove one of the two
    ");
    let decorated =
        b"import selfmade\n@selfmade.function\ndef a(): return 1\n@selfmade.function\ndef a(): return 2\n";
    assert_shows!(refused(decorated), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 5, column 5: `a` is already defined on line 3
    hint: a file defines each name once: rename or remove one of the two
    ");
}

#[test]
fn a_decorated_function_beside_one_that_is_not() {
    let beside = b"import selfmade\n@selfmade.function\ndef a(): return 1\ndef b(): return 2\n";
    assert_shows!(refused(beside), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py` defines `a`, and in line 4 `b` without a decorator
    hint: nothing in the file uses `b`: decorate it too, or remove it
    ");
}

#[test]
fn the_same_name_in_two_files() {
    let place = Place::new();
    place.file("a.py", "def a(): return 1").file("b.py", "def a(): return 2");
    let before = place.brain();
    assert_shows!(place.run(&["fn", "add", "a.py", "b.py"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset changes function `a` twice; list each entry once
    ");
    assert_eq!(place.brain(), before);
}

#[test]
fn a_name_that_is_none() {
    let place = Place::new();
    place.file("a.py", "def a(): return 1");
    for name in ["my-func", "9lives", "", "a..b"] {
        let shown = place.run(&["fn", "add", "a.py", "--name", name]);
        assert!(shown.starts_with("exit: 3\n--- stdout\n--- stderr\n"), "{shown}");
    }
    assert_shows!(place.run(&["fn", "add", "a.py", "--name", "my-func"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `my-func` is not a Python identifier; use letters, digits and underscores, not starting with a digit, such as `my_func`
    ");
    assert_shows!(place.run(&["fn", "add", "a.py", "--name", "lambda"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `lambda` is a Python keyword and cannot be the name of a function; use `lambda_`
    ");
    assert_shows!(place.run(&["fn", "add", "a.py", "--name", "print"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `print` is a Python builtin, which a function with that name would shadow; use `print_` or a longer name
    ");
    assert_shows!(place.run(&["fn", "show", "no name"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `no name` is not a Python identifier; use letters, digits and underscores, not starting with a digit, such as `no_name`
    ");
}

#[test]
fn a_source_that_defines_a_keyword_or_a_builtin() {
    assert_shows!(refused(b"def lambda(): return 1\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 1, column 5: expected an identifier, but found a keyword `lambda` that cannot be used here
    ");
    assert_shows!(refused(b"def print(x): return x\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 1, column 5: a function cannot be named `print`: it is a Python builtin, which it would shadow in every function that calls it
    hint: name it after what it does, such as `print_value`
    ");
}

#[test]
fn nul_bytes_and_other_encodings() {
    assert_shows!(refused(b"def a():\n    return '\0'\n"), @r"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 2, column 13: the source contains a NUL byte
    hint: write it as `\0` inside a string
    ");
    assert_shows!(refused(b"def a():\n    return '\xe9'\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 2, column 13: the source is not valid UTF-8 here
    hint: save the file as UTF-8
    ");
}

#[test]
fn ten_megabytes_of_source() {
    let mut source = b"def a():\n    return '".to_vec();
    source.resize(10 << 20, b'x');
    assert_shows!(refused(&source), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 1, column 1: the source has 10485760 bytes; the limit is 1048576
    hint: read large data at run time instead of writing it into the source
    ");
    source.resize(17 << 20, b'x');
    assert_shows!(refused(&source), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py` has more than 16777216 bytes
    hint: check that this is the right file
    ");
}

#[test]
fn a_name_that_is_nothing_at_all() {
    assert_shows!(refused(b"def a():\n    return gret('x')\n"), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      function `a`, bad.py:2:12: `gret` is not defined, imported or stored
        hint: did you mean `greet`?
    hint: nothing was changed
    ");
}

#[test]
fn an_empty_file() {
    assert_shows!(refused(b""), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `bad.py`, line 1, column 1: the source has no function
    hint: write one `def name(...):` at the top level
    ");
}

#[test]
fn files_that_cannot_be_read() {
    let place = Place::new();
    place.file("folder/a.py", "");
    assert_shows!(place.run(&["fn", "add", "missing.py"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    error: cannot read `missing.py`
      caused by: No such file or directory (os error 2)
    hint: check the name and the current folder
    ");
    assert_shows!(place.run(&["fn", "add", "folder"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `folder` is a folder, not a file
    hint: choose a file in it; a folder of functions is loaded with `selfmade pack load folder`
    ");
    assert_shows!(place.run(&["fn", "add", "missing.py", "--json"]), @r#"
    exit: 3
    --- stdout
    --- stderr
    {
      "error": {
        "code": "cannot_read",
        "message": "cannot read `missing.py`",
        "hint": "check the name and the current folder",
        "details": {
          "causes": [
            "No such file or directory (os error 2)"
          ]
        }
      }
    }
    "#);
}
