//! What needs a person: what no longer fits a changed function, what keeps failing, and what waits.

use std::path::Path;

use crate::command::{Place, assert_shows, assert_tells};

const BEFORE: &str = "def tick(where: str) -> str:\n    return where\n";
const AFTER: &str = "def tick(a: str, b: str) -> str:\n    return a\n";

/// No server runs, which is an exit code of its own.
fn attention(place: &Place) -> serde_json::Value {
    let output = place.output(&["status", "--json"], b"", Path::new(""));
    let status: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &status["running"]), (Some(4), &false.into()));
    status["attention"].clone()
}

#[test]
fn the_overview_says_how_much_needs_a_person() {
    let place = Place::new();
    place.file("tick.py", BEFORE);
    for _ in 0..2 {
        place.data(&["fn", "add", "tick.py", "--propose"]);
    }
    let shown = place.data(&[]);
    let line = shown.lines().find(|line| line.contains("attention")).unwrap();
    assert!(line.contains("1 thing") && line.ends_with(" status)") && !line.contains('␛'), "{line}");
}

#[test]
fn a_change_that_breaks_what_is_stored_is_refused_unless_it_is_forced() {
    let place = Place::new();
    place.add(BEFORE);
    place.add("def caller() -> str:\n    return tick(\"home\")\n");
    place.data(&["schedule", "add", "nightly", "tick", "@daily", "--arg", "where=home"]);
    place.file("tick.py", AFTER);
    assert_shows!(place.run(&["fn", "add", "tick.py"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      function `caller`, line 2:12: its call of `tick` does not pass `b`, which it requires
        hint: change `caller` in the same changeset, or keep the parameters; `--force` applies it all the same (over HTTP `?force=true`)
      schedule `nightly`: its input for `tick`: got an unexpected keyword argument `where`; its input for `tick`: missing 2 required positional arguments: `a` and `b`
        hint: give schedule `nightly` another input after that, or keep the parameters; `--force` applies it all the same (over HTTP `?force=true`)
    hint: nothing was changed
    ");
    assert_shows!(place.run(&["fn", "add", "tick.py", "--force"]), @"
    exit: 0
    --- stdout
    updated function tick@2 (was @1)
    --- stderr
    brain: [folder]/home (given by --home)
    2 warnings:
      function `caller`, line 2:12: its call of `tick` does not pass `b`, which it requires
        hint: change `caller` in the same changeset, or keep the parameters
      schedule `nightly`: its input for `tick`: got an unexpected keyword argument `where`; its input for `tick`: missing 2 required positional arguments: `a` and `b`
        hint: give schedule `nightly` another input after that, or keep the parameters
    changeset 4 applied; the brain is at revision 4
    ");
    assert_shows!(place.run(&["changes", "revert", "4", "--quiet"]), @"
    exit: 0
    --- stdout
    updated function tick@1 (was @2)
    --- stderr
    ");
    assert_shows!(place.run(&["fn", "use", "tick", "2", "--force", "--quiet"]), @"
    exit: 0
    --- stdout
    updated function tick@2 (was @1)
    --- stderr
    2 warnings:
      function `caller`, line 2:12: its call of `tick` does not pass `b`, which it requires
        hint: change `caller` in the same changeset, or keep the parameters
      schedule `nightly`: its input for `tick`: got an unexpected keyword argument `where`; its input for `tick`: missing 2 required positional arguments: `a` and `b`
        hint: give schedule `nightly` another input after that, or keep the parameters
    ");
}

#[test]
fn status_names_what_waits_and_what_cannot_be_built() {
    let mut place = Place::new();
    place.add("def asks() -> str:\n    from selfmade import ask\n    return ask(\"Really?\")\n");
    assert_tells!(place.run(&["run", "asks"]), @"
    exit: 8
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    run [id] waits for an answer: Really?
    hint: answer with `selfmade runs answer [id] ANSWER`
    ");
    place.file("new.py", "def new() -> int:\n    return 1\n");
    place.data(&["fn", "add", "new.py", "--propose"]);
    place.set("PATH", "/nowhere");
    place.add("def plain() -> int:\n    return 1\n");
    place.run(&["run", "plain"]);
    let attention = attention(&place);
    assert_eq!(attention["questions"][0]["question"]["question"], "Really?");
    assert_eq!(attention["changesets"][0]["title"], "add new");
    assert_eq!(attention["environments"][0]["function"], "plain");
    assert_tells!(place.run(&["status"]), @"
    exit: 4
    --- stdout
    not running

    Needs attention
      run of `asks`: waits for an answer since [time--------------]: Really?
        selfmade --home [folder]/home runs answer [id] ANSWER
      changeset 2: waits for a decision since [time--------------]: add new
        selfmade --home [folder]/home changes show 2
      function `plain`: cannot build the environment of the function: no Python 3.10 or newer was found; install it (for example `apt install python3`) or name one
        selfmade --home [folder]/home warm plain
    --- stderr
    ");
    assert!(place.run(&[]).contains("attention: 3 things"), "{}", place.run(&[]));
    place.set("PATH", "/usr/bin:/bin");
    place.run(&["run", "plain"]);
    assert_eq!(self::attention(&place)["environments"], serde_json::json!([]), "it was built");
}

#[test]
fn status_of_a_server_elsewhere_is_what_its_api_tells() {
    let place = Place::new();
    let mut server = place.start(&["serve", "--listen", "127.0.0.1:0"]);
    let url = server.says("listening at").trim_end().rsplit(' ').next().unwrap().to_owned();
    let token =
        place.json(&["token", "add", "reader", "--role", "viewer"])["text"].as_str().unwrap().to_owned();
    let mut elsewhere = Place::without_home();
    elsewhere.set("SELFMADE_TOKEN", &token);
    let shown = elsewhere.run(&["--server", &url, "status"]);
    assert!(shown.starts_with("exit: 0") && shown.contains("revision"), "{shown}");
    for command in ["stop", "start", "sign-in"] {
        let refused = elsewhere.run(&["--server", &url, command]);
        assert!(refused.contains("is about this machine, but `--server` is another one"), "{refused}");
    }
}

#[test]
fn settings_that_cannot_hold_are_refused_where_they_are_shown_too() {
    let mut place = Place::new();
    assert_shows!(place.run(&["serve", "--show-config", "--listen", "localhost"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: `--listen` is `localhost`; it must be an address with a port, such as `127.0.0.1:7333` or `localhost:7333`
    hint: `selfmade serve --show-config` lists what can be set
    ");
    assert_shows!(place.run(&["serve", "--log", "loud"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: `--log` is `loud`; it must be `off`, `error`, `warn`, `info`, `debug` or `trace`, or levels by target such as `selfmade_store=trace`
    hint: `selfmade serve --show-config` lists what can be set
    ");
    place.set("SELFMADE_LISTN", "127.0.0.1:1");
    assert_shows!(place.run(&["secret", "list", "--quiet"]), @"
    exit: 0
    --- stdout
    --- stderr
    warning: the variable `SELFMADE_LISTN` is not read; did you mean `SELFMADE_LISTEN`?
    ");
}

#[test]
fn secrets_that_are_not_stored_are_reported_when_they_are_named_and_when_they_are_missed() {
    let place = Place::new();
    place.file(
        "uses.py",
        "import selfmade\n\n\n@selfmade.function(secrets=[\"NOPE\"])\ndef uses() -> int:\n    return len(selfmade.secrets.NOPE)\n",
    );
    assert_shows!(place.run(&["fn", "add", "uses.py", "--quiet"]), @"
    exit: 0
    --- stdout
    added function uses@1
    --- stderr
    1 warning:
      function `uses`: it uses the secret `NOPE`, which is not stored
        hint: store it with `selfmade secret set NOPE`
    ");
    assert_tells!(place.run(&["run", "uses", "--quiet"]), @"
    exit: 7
    --- stdout
    --- stderr
    error: run [id] failed
    SecretUnavailable: there is no secret named `NOPE`; store it with `selfmade secret set NOPE`
    ");
    assert_shows!(place.run(&["trigger", "add", "hook", "uses", "--on", "webhook.received", "--source", "orders", "--secret", "ALSO", "--quiet"]), @"
    exit: 0
    --- stdout
    added trigger hook@1
    --- stderr
    1 warning:
      trigger `hook`: it uses the secret `ALSO`, which is not stored
        hint: store it with `selfmade secret set ALSO`
    ");
    assert_shows!(place.run(&["secret", "rm", "NOPE", "--quiet"]), @"
    exit: 4
    --- stdout
    --- stderr
    error: there is no secret named `NOPE`
    hint: `selfmade secret list` lists them
    ");
    place.run_with(&["secret", "set", "NOPE"], b"hunter2hunter2");
    let run = place.run_id(&["uses"]);
    assert_tells!(place.run(&["runs", "replay", &run]), @"
    exit: 1
    --- stdout
    --- recorded
    +++ replayed
    @@ -1,2 +1,2 @@
     succeeded
    -14
    +13
    --- stderr
    brain: [folder]/home (given by --home)
    warning: run [id----] did not replay identically
    a replay gets no values of secrets: instead of `NOPE` it read `[secret NAME]`
    ");
}

#[test]
fn a_folder_without_a_file_that_others_need_says_whose_file_that_is() {
    let place = Place::new();
    place.add(BEFORE);
    place.add("def caller() -> str:\n    return tick(\"home\")\n");
    place.data(&["schedule", "add", "nightly", "tick", "@daily", "--arg", "where=home"]);
    let folder = place.path("brain");
    place.data(&["export", folder.to_str().unwrap()]);
    std::fs::remove_file(folder.join("functions/tick.py")).unwrap();
    assert_shows!(place.run(&["import", folder.to_str().unwrap(), "--prune", "--quiet"]), @"
    exit: 5
    --- stdout
    --- stderr
    error: the changeset does not pass its checks
      schedule `nightly`: it starts `tick`, which is deleted in the same changeset
        hint: delete the schedule as well (in a brain folder `schedules/nightly.json`), or keep `tick`
      function `caller`, functions/caller.py:6:12: it calls `tick`, which is deleted in the same changeset
        hint: delete or change `caller` as well (in a brain folder `functions/caller.py`), or keep `tick`
    hint: nothing was changed
    ");
}

#[test]
fn a_script_is_told_which_changeset_waits_for_someone_else_and_why() {
    let place = Place::new();
    let mut server = place.start(&["serve", "--listen", "127.0.0.1:0"]);
    let url = server.says("listening at").trim_end().rsplit(' ').next().unwrap().to_owned();
    let token = place.json(&["token", "add", "narrow", "--role", "builder", "--only", "mine.*"]);
    let mut elsewhere = Place::without_home();
    elsewhere.set("SELFMADE_TOKEN", token["text"].as_str().unwrap());
    elsewhere.file(
        "fetch.py",
        "import selfmade\n\n\n@selfmade.function(network=[\"example.org\"])\ndef fetch() -> int:\n    return 1\n",
    );
    let output = elsewhere.output(
        &["--server", &url, "--json", "fn", "add", "fetch.py", "--name", "mine.fetch"],
        b"",
        Path::new(""),
    );
    let told: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((output.status.code(), &told["error"]["code"]), (Some(5), &"needs_approval".into()), "{told}");
    assert_eq!(told["error"]["details"]["changeset"], 1, "{told}");
    let policy = &told["error"]["details"]["checks"][4];
    assert_eq!((&policy["gate"], &policy["verdict"]), (&"policy".into(), &"asks".into()), "{told}");
}
