//! `selfmade fn add`.

use super::GREET;
use crate::command::{Place, assert_shows};

#[test]
fn a_function_is_added_updated_and_left_alone_when_it_is_the_same() {
    let place = Place::new();
    place.file("greet.py", GREET);
    assert_shows!(place.run(&["fn", "add", "greet.py"]), @"
    exit: 0
    --- stdout
    added function greet@1
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    changeset 1 applied; the brain is at revision 1
    ");
    assert_shows!(place.run(&["fn", "add", "greet.py"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing to change; the brain stays at revision 1
    ");
    place.file("greet.py", GREET.replace("return name", "return name + '!'"));
    assert_shows!(place.run(&["fn", "add", "greet.py"]), @"
    exit: 0
    --- stdout
    updated function greet@2 (was @1)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 2 applied; the brain is at revision 2
    ");
}

#[test]
fn adding_has_a_json_form() {
    let place = Place::new();
    assert_shows!(place.run_with(&["fn", "add", "-", "--json"], GREET.as_bytes()), @r#"
    exit: 0
    --- stdout
    {
      "changeset": 1,
      "revision": 1,
      "moves": [
        {
          "kind": "function",
          "name": "greet",
          "fate": "added",
          "from": null,
          "to": 1
        }
      ],
      "warnings": [],
      "widened": []
    }
    --- stderr
    "#);
}

#[test]
fn several_files_are_one_changeset() {
    let place = Place::new();
    place.file("a.py", "def a(): return b()").file("b.py", "def b(): return 1");
    assert_shows!(place.run(&["fn", "add", "a.py", "b.py", "--title", "two at once"]), @"
    exit: 0
    --- stdout
    added function a@1
    added function b@1
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    changeset 1 applied; the brain is at revision 1
    ");
    assert_shows!(place.run(&["log"]), @"
    exit: 0
    --- stdout
    REVISION  CHANGESET  WHEN                  WHO           TITLE
    r1        1          [time--------------]  command_line  two at once
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "add", "a.py", "b.py", "--name", "c"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `--name` and `--description` apply to one function, but several files were given
    hint: add that file on its own
    ");
}

#[test]
fn a_name_and_a_description_can_be_given() {
    let place = Place::new();
    place.file("greet.py", GREET);
    place.run(&["fn", "add", "greet.py", "--name", "text.greet", "--description", "Greet somebody"]);
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 0
    --- stdout
    NAME        VERSION  DESCRIPTION     PACK  WRITTEN
    text.greet  1        Greet somebody        [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["fn", "add", "greet.py", "--name", "hello"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `greet.py`: the source defines `greet`, but it would be stored as `hello`; make the two names the same
    ");
}

#[test]
fn a_proposed_function_waits_to_be_applied() {
    let place = Place::new();
    place.file("greet.py", GREET);
    assert_shows!(place.run(&["fn", "add", "greet.py", "--propose"]), @"
    exit: 0
    --- stdout
    add function `greet`
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    changeset 1 is proposed; nothing has changed yet
    hint: `selfmade --home [folder]/home changes show 1`, then `selfmade --home [folder]/home changes apply 1` or `reject`
    ");
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    there are none
    ");
    place.file("bad.py", "def bad(): return nothing_like_it()");
    assert_shows!(place.run(&["fn", "add", "bad.py", "--propose"]), @"
    exit: 1
    --- stdout
    add function `bad`
    --- stderr
    brain: [folder]/home (given by --home)
    warning: changeset 2 does not pass its checks, so it cannot be applied
      function `bad`, bad.py:1:19: `nothing_like_it` is not defined, imported or stored
        hint: define it inside the function, import it, or add a function named `nothing_like_it` in the same changeset
    ");
}

const TOOLS: &str = "import selfmade
from dataclasses import dataclass

RATE = 2

@dataclass
class Row:
    price: float

def _total(rows):
    return sum(row.price for row in rows) * RATE

@selfmade.function(timeout=5)
def total(prices: list[float]) -> float:
    return _total([Row(price) for price in prices])

@selfmade.function
def twice(prices: list[float]) -> float:
    return total(prices) * 2

if __name__ == '__main__':
    print(twice([1]))
";

#[test]
fn a_file_may_define_several_functions_with_what_they_use() {
    let place = Place::new();
    place.file("tools.py", TOOLS);
    assert_shows!(place.run(&["fn", "add", "tools.py"]), @"
    exit: 0
    --- stdout
    added function total@1
    added function twice@1
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    changeset 1 applied; the brain is at revision 1
    ");
    assert_shows!(place.run(&["fn", "show", "total", "--source"]), @"
    exit: 0
    --- stdout
    from dataclasses import dataclass
    RATE = 2


    @dataclass
    class Row:
        price: float


    def _total(rows):
        return sum(row.price for row in rows) * RATE


    def total(prices: list[float]) -> float:
        return _total([Row(price) for price in prices])
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["run", "twice", "[1.5, 2]"]), @"
    exit: 0
    --- stdout
    14.0
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    // What is exported is what was added.
    place.run(&["export", "out"]);
    assert_shows!(place.run(&["import", "out"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing to change; the brain stays at revision 1
    ");
    assert_shows!(place.run(&["fn", "add", "tools.py", "--name", "total"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `tools.py` defines 2 functions: `total`, `twice`
    hint: only one is expected here; `selfmade fn add tools.py` adds all of them
    ");
    place.file("bare.py", "def a(n): return b(n)\ndef b(n): return _c(n)\ndef _c(n): return n + 1\n");
    assert_shows!(place.run(&["fn", "add", "bare.py"]), @"
    exit: 0
    --- stdout
    added function a@1
    added function b@1
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 2 applied; the brain is at revision 2
    ");
    place.file("state.py", "import selfmade\nSTATE = open('x')\n@selfmade.function\ndef a(): return STATE\n");
    assert_shows!(place.run(&["fn", "add", "state.py"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `state.py`, line 4, column 17: `STATE`, defined on line 2, is not stored with `a`, which uses it, because its value is worked out by a call when the file is executed
    hint: move `STATE` inside `a`, pass it as a parameter, or decorate it if it is a function
    ");
}

/// Answers as `uv` does, without an index.
const UV: &str = "#!/bin/sh
case \"$1\" in --version) echo 'uv 0.99.0'; exit;; esac
read package
case \"$package\" in
pandsa*) echo \"  × No solution found: Because pandsa was not found in the package registry\" >&2;;
*) echo 'error: Failed to fetch: `https://index.example/simple/six/` cause: dns error' >&2;;
esac
exit 1
";

#[test]
fn a_misspelt_package_is_reported_when_a_function_is_added() {
    let mut place = Place::new();
    place.file("bin/uv", UV);
    make_executable(&place.path("bin/uv"));
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    place.set("PATH", &path);
    place.set("SELFMADE_RESOLVE_ON_ADD", "true");
    place.file("f.py", "def f():\n    import pandsa\n    return pandsa.x\n");
    assert_shows!(place.run(&["fn", "add", "f.py"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    error: the changeset does not pass its checks
      function `f`: the package `pandsa` is not in the index; check its spelling
        hint: did you mean `pandas`? declare packages that are called otherwise than what they provide: `requirements=[…]`
    hint: nothing was changed
    ");
    place.file("g.py", "def g():\n    import six\n    return six.x\n");
    assert_shows!(place.run(&["fn", "add", "g.py"]), @"
    exit: 0
    --- stdout
    added function g@1
    --- stderr
    brain: [folder]/home (given by --home)
    1 warning:
      function `g`: its packages cannot be resolved now: the package index cannot be reached for the package `six`: dns error
        hint: they are resolved when it is first run, or by `selfmade warm`
    changeset 1 applied; the brain is at revision 1
    ");
    // Brains of one user share what they install.
    assert!(place.path("user/.cache/selfmade/packages").exists());
}

fn make_executable(file: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}
