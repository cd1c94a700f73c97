//! `selfmade run`, with real cells.

use crate::command::{Place, assert_shows, assert_tells};

const ADD: &str = "def add(a: int, b: int = 2) -> int:\n    print(\"adding\")\n    return a + b\n";

#[test]
fn a_result_goes_to_standard_output_and_prints_to_standard_error() {
    let place = Place::new();
    place.add(ADD);
    assert_shows!(place.run(&["run", "add", "40"]), @"
    exit: 0
    --- stdout
    42
    --- stderr
    brain: [folder]/home (given by --home)
    adding
    ");
    assert_shows!(place.run_with(&["--quiet", "run", "add", "--input", "-"], br#"{"a": 1, "b": 1}"#), @"
    exit: 0
    --- stdout
    2
    --- stderr
    adding
    ");
}

#[test]
fn an_input_that_does_not_fit_is_reported_with_its_place() {
    let place = Place::new();
    place.add(ADD);
    assert_shows!(place.run(&["run", "add", "--arg", "a=1", "--arg", "c=1"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: function `add`: got an unexpected keyword argument `c`
    hint: `selfmade fn show add` shows what it takes
    ");
    assert!(place.run(&["run", "add", "--arg", "a=x"]).starts_with("exit: 3"));
    assert!(place.run(&["run", "ad", "1"]).starts_with("exit: 4"));
}

#[test]
fn a_run_is_tried_again_as_often_as_it_should() {
    let place = Place::new();
    place.add("def boom(x):\n    raise ValueError(x)\n");
    let run = place.run_id(&["boom", "3", "--retries", "1", "--timeout", "5"]);
    assert_eq!(place.json(&["runs", "show", &run])["attempt"], 2);
    for (wrong, told) in [
        ("--timeout=0", "`timeout` must be seconds between 0 and 86400, not `0.0`"),
        ("--timeout=-1", "`timeout` must be seconds between 0 and 86400, not `-1.0`"),
        ("--timeout=nan", "`timeout` must be seconds between 0 and 86400, not `null`"),
        ("--timeout=soon", "`timeout` must be seconds between 0 and 86400, not `\"soon\"`"),
        ("--priority=-101", "`priority` must be an integer from -100 to 100, not `-101`"),
        ("--retries=100", "`retries` must be the number of retries (0 to 99)"),
    ] {
        let refused = place.run(&["run", "boom", "3", wrong]);
        assert!(!refused.starts_with("exit: 0") && refused.contains(told), "{refused}");
    }
}

#[test]
fn what_a_function_raises_is_shown_with_its_own_lines_and_exit_code_7() {
    let place = Place::new();
    place.add("def boom(x):\n    y = x + 1\n    raise ValueError(f\"no {y}\")\n");
    assert_shows!(place.run(&["run", "boom", "3"]), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] failed
    Traceback (most recent call last):
      File "boom@1", line 3, in boom
        raise ValueError(f"no {y}")
    ValueError: no 4
    "#);
}

#[test]
fn a_failing_test_keeps_a_function_out() {
    let place = Place::new();
    place.file(
        "double.py",
        "import selfmade\n\n@selfmade.function(tests=[{\"input\": {\"x\": 2}, \"expect\": {\"output\": 4}}])\n\
         def double(x: int) -> int:\n    return x + x + 1\n",
    );
    assert_shows!(place.run(&["fn", "add", "double.py"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    error: the changeset does not pass its checks
      function `double`: test 1 fails: expected 4, but it returned 5
    hint: nothing was changed
    ");
    assert!(place.run(&["fn", "show", "double"]).starts_with("exit: 4"));
}

#[test]
fn what_a_run_triggers_is_run_too() {
    let place = Place::new();
    place.file(
        "pack.py",
        "@func.register_function()\ndef first():\n    return 7\n\n\n\
         @func.register_function(triggers=[\"first\"])\ndef second(x):\n    print(\"second got\", x)\n    return x\n",
    );
    place.run(&["pack", "load", "pack.py"]);
    assert_shows!(place.run(&["run", "first"]), @"
    exit: 0
    --- stdout
    7
    --- stderr
    brain: [folder]/home (given by --home)
    it triggered 1 run
    ");
}

fn shouting() -> Place {
    let place = Place::new();
    place.add("def shout(text: str) -> str:\n    '''Shout a text.'''\n    return text.upper() + '!'\n");
    place
}

#[test]
fn an_earlier_version_can_be_run() {
    let place = Place::new();
    place.add("def n():\n    return 1\n");
    place.add("def n():\n    return 2\n");
    assert_eq!(place.data(&["run", "n"]), "2\n");
    assert_eq!(place.data(&["run", "n@1"]), "1\n");
    assert_tells!(place.run(&["run", "n@3"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: function `n` has no version 3
    hint: `selfmade fn versions n` lists its versions
    ");
}

#[test]
fn a_run_has_a_json_form() {
    assert_tells!(shouting().run(&["run", "shout", "hello", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "run_id": "[id]",
      "kind": "function",
      "name": "shout",
      "version_id": "[id]",
      "revision": 1,
      "state": "succeeded",
      "ending": "returned",
      "input": {
        "text": "hello"
      },
      "output": "HELLO!",
      "error": null,
      "actor": "command_line",
      "access": {
        "holder": "command_line",
        "role": "admin",
        "uses": null,
        "grants": [
          "all"
        ]
      },
      "parent": null,
      "created_at": "[time]",
      "started_at": "[time]",
      "finished_at": "[time]",
      "attempt": 1,
      "how": {
        "waited": true,
        "resumable": true
      },
      "closure": "[hash]",
      "event_seq": null,
      "chain": {},
      "waiting": null,
      "usage": {
        "wall_us": [number],
        "cpu_us": [number],
        "peak_memory_bytes": [id----],
        "cold": [whether],
        "output_dropped_bytes": 0,
        "calls_dropped": 0
      },
      "cancelled": null,
      "lease": {
        "node": "[id]",
        "fence": 1,
        "until": "[time]"
      }
    }
    --- stderr
    "#);
}

#[test]
fn the_same_key_gives_the_first_run() {
    let place = shouting();
    let first = place.run_id(&["shout", "Ada", "--idempotency-key", "morning"]);
    let second = place.run_id(&["shout", "Bob", "--idempotency-key", "morning"]);
    assert_eq!(first, second);
    assert_eq!(place.json(&["runs", "list"])["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_text_comes_out_as_it_was_returned() {
    let place = Place::new();
    place.add("def coloured() -> str:\n    return '\\x1b[31mred\\x1b[0m\\ttab'\n");
    assert_eq!(place.data(&["run", "coloured"]), "\u{1b}[31mred\u{1b}[0m\ttab\n");
}

#[test]
fn a_function_that_takes_too_long_is_ended() {
    let place = Place::new();
    place.add("def endless():\n    while True:\n        pass\n");
    let shown = place.run(&["run", "endless", "--timeout", "0.2"]);
    assert!(shown.starts_with("exit: 7"), "{shown}");
    assert!(shown.contains("TimedOut: the function used up its"), "{shown}");
}

#[test]
fn a_value_may_be_the_content_of_a_file() {
    let place = Place::new();
    place
        .file("show.py", "def show(text: str, n: int = 0):\n    return f'{text!r} {n}'\n")
        .file("in.csv", "a,b\n");
    place.file("n.txt", "3");
    place.run(&["fn", "add", "show.py"]);
    let shown = |arguments: &[&str]| place.data(&[&["run", "show"], arguments].concat());
    assert_eq!(shown(&["--arg", "text=@in.csv", "--arg", "n=@n.txt"]), "'a,b\\n' 3\n");
    assert_eq!(shown(&["--arg", "text=@@ada"]), "'@ada' 0\n");
    let piped = place.run_with(&["run", "show", "--arg", "text=@-"], b"piped");
    assert!(piped.contains("'piped' 0"), "{piped}");
    let refused = |arguments: &[&str]| place.run(&[&["run", "show"], arguments].concat());
    for (arguments, why) in [
        (&["--arg", "text=@none.csv"][..], "none.csv"),
        (&["--arg", "text=@"], "`@` does not name a file"),
        (&["--arg", "text=@-", "--arg", "n=@-"], "standard input can be read only once"),
    ] {
        let refused = refused(arguments);
        assert!(refused.starts_with("exit: 3\n") && refused.contains(why), "{refused}");
    }
}

const FETCH: &str = "def fetch(host: str):
    from urllib.request import urlopen
    return urlopen('http://' + host).read()
";

#[test]
fn the_first_call_of_a_host_that_is_not_granted_says_what_to_declare() {
    let place = Place::new();
    place.file("fetch.py", FETCH);
    place.run(&["fn", "add", "fetch.py"]);
    assert_tells!(place.run(&["run", "fetch", "api.example.com"]), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] failed
    `fetch` wanted to reach `api.example.com` and may not use the network: declare `@selfmade.function(network=["api.example.com"])`
    urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>
    `runs show [id----] --traceback full` shows where it was raised
    "#);
    assert_tells!(place.run(&["run", "fetch", "127.0.0.1:7333"]), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] failed
    `fetch` wanted to reach `127.0.0.1` and may not use the network: declare `@selfmade.function(network=["127.0.0.1"])`; because its address is not public, list `private_hosts = ["127.0.0.1"]` in `config.toml` in the data folder of the server too
    urllib.error.URLError: <urlopen error [Errno 13] Permission denied>
    `runs show [id----] --traceback full` shows where it was raised
    "#);
    let granted = format!("import selfmade\n@selfmade.function(network=['localhost'])\n{FETCH}");
    place.file("fetch.py", granted);
    place.run(&["fn", "add", "fetch.py"]);
    assert_tells!(place.run(&["run", "fetch", "localhost"]), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] failed
    the address of `localhost` is not public: list `private_hosts = ["localhost"]` in `config.toml` in the data folder of the server, and start the server again
    urllib.error.HTTPError: HTTP Error 403: egress (private-address): host `localhost` has the address `127.0.0.1`, which is not public; list it in `private_hosts` in `config.toml` in the data folder
    `runs show [id----] --traceback full` shows where it was raised
    "#);
    assert_tells!(place.run(&["run", "fetch", "other.example"]), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] failed
    `fetch` wanted to reach `other.example`, which it does not list: declare `@selfmade.function(network=["localhost", "other.example"])`
    urllib.error.HTTPError: HTTP Error 403: egress (not-listed): host `other.example` is not listed; add `other.example` to the function's `network` grant
    `runs show [id----] --traceback full` shows where it was raised
    "#);
    let runs = place.json(&["runs", "list"]);
    let last = runs["runs"][0]["run_id"].as_str().unwrap();
    let whole = place.run(&["runs", "show", last, "--traceback", "full"]);
    assert!(whole.contains("urllib/request.py") && whole.contains("File \"fetch@2\", line 3"), "{whole}");
}

#[test]
fn frames_of_libraries_are_folded() {
    let place = Place::new();
    place.file("parse.py", "def parse(text: str):\n    import json\n    return json.loads(text)\n");
    place.run(&["fn", "add", "parse.py"]);
    assert_tells!(place.run(&["run", "parse", "{"]), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] failed
    Traceback (most recent call last):
      File "parse@1", line 3, in parse
        return json.loads(text)
               ^^^^^^^^^^^^^^^^
      … 3 frames in libraries
    json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
    "#);
}
