//! Usage, versions, completions, colours, closed pipes and Ctrl-C.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::command::{Place, assert_shows};

#[test]
fn the_help_shows_commands_examples_variables_and_exit_codes() {
    assert_shows!(Place::new().run(&["--help"]), @r#"
    exit: 0
    --- stdout
    An agent server whose abilities are rows in a database

    Usage: selfmade [OPTIONS] [COMMAND]

    Commands:
      init         Create a brain for a folder
      fn           Functions: add, list, show, edit, rm, versions, diff, use, dependents [alias:
                   function]
      graph        Graphs: list, add, show, edit, check, patch, apply, discard, rebase, drafts, pack,
                   unpack, pin, unpin, versions, use, diff, rm, run, blocks, import, export, draw,
                   estimate, upgrades, upgrade
      run          Run a function or graph
      run-code     Run a Python script that may call stored functions
      runs         Runs: list, show, nodes, tail, cancel, answer, held, release, resume, rerun, replay,
                   prune
      trigger      Triggers: add, list, show, test, enable, disable, rm, firings
      schedule     Schedules: add, list, show, pause, resume, rm, run
      test         Run the tests of functions
      insights     Show how functions perform, and what to improve
      warm         Prepare the environments of functions
      serve        Serve the API, queued runs, triggers and schedules
      start        Start a server in the background
      stop         Stop the server
      status       Show whether a server is running, and its health
      sign-in      Print a link that signs in a browser
      pack         Packs: load, list
      changes      Changesets: list, show, apply, reject, revert, rebase
      log          Show the history of the brain, newest first
      search       Find functions and graphs by name and by what they do
      export       Export the brain to a folder of files
      import       Import an exported folder or a BabyAGI database
      backup       Back up the whole brain to one file, even while it is in use
      restore      Restore the brain from a backup
      preset       Presets, named inputs: set, list, show, rm
      secret       Secrets: set, list, rm
      token        Tokens: add, list, rm
      session      Sessions of signed-in browsers: list, rm
      demo         Demos: populate, reddit
      doctor       Show which sandbox layers this machine supports
      completions  Print shell completions
      version      Print the version
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Global options:
          --home <DIR>            The data folder [default: SELFMADE_HOME, else .selfmade here or above,
                                  else the platform's data folder]
          --database <URL>        A postgres:// URL or a SQLite file [default: SELFMADE_DATABASE, else
                                  brain.db in the data folder]
          --server <URL>          Use the server at this URL instead [default: SELFMADE_SERVER]
          --token <TOKEN>         The token for that server [default: SELFMADE_TOKEN]; other users of
                                  this machine can see it
          --token-file <FILE>     Read the token from this file
          --json                  Print one JSON document; errors too, to standard error
      -q, --quiet                 Print only data, warnings and errors
      -v, --verbose               Print all warnings, not just the first few
          --traceback <HOW>       How much of a traceback to show: short (frames of libraries are
                                  folded) or full [default: short]
          --color <WHEN>          When to use colour: auto (on a terminal, unless NO_COLOR is set),
                                  always or never [default: auto]
          --allow-weaker-sandbox  Run functions even if sandbox layers are missing (see `doctor`)
          --log <LEVEL>           What to log on standard error: off, error, warn, info, debug, trace,
                                  or levels by target
          --log-format <FORMAT>   Log format: text or json

    Examples:
      selfmade                                 show the brain and what to try next
      selfmade fn add greet.py                 add or update a function
      selfmade run greet --arg name=Ada        run a function
      selfmade graph add news.json             add or update a graph
      selfmade runs list --state failed        see which runs failed
      selfmade trigger add shout_it shout --source greet
      selfmade schedule add nightly greet '0 3 * * *' --arg name=Ada
      selfmade pack load core                  load the functions of a pack
      selfmade search "split a text"           find functions
      selfmade log                             see how the brain changed
      selfmade changes revert r12              undo revision 12

    Environment:
      SELFMADE_HOME         the data folder, unless --home names one
      SELFMADE_DATABASE     the database, unless --database names one
      SELFMADE_SERVER       the server to use, unless --server, --home or --database is given
      SELFMADE_TOKEN        the token for that server, unless --token or --token-file is given
      SELFMADE_SECRETS_KEY  the key that encrypts secrets, instead of the file secrets.key
      SELFMADE_LISTEN       the address `serve` listens on, unless --listen is given
      SELFMADE_LOG          what to log on standard error, unless --log is given
      SELFMADE_…            every other setting; `serve --show-config` lists them
      VISUAL, EDITOR        the editor of `fn edit` and `graph edit`
      NO_COLOR              no colours

    Exit codes:
      0  success                   4  not found
      1  partial success           5  refused: checks failed, a conflict, the wrong state
      2  usage error               6  the database, the disk or a key is unavailable
      3  bad input                 7  a run or a test failed
      8  a run waits for an answer
      70 a bug in selfmade         130 interrupted
    --- stderr
    "#);
}

#[test]
fn every_command_has_an_example_in_its_help() {
    let place = Place::new();
    for command in [
        "init",
        "fn add",
        "fn list",
        "fn show",
        "fn edit",
        "fn rm",
        "fn versions",
        "fn diff",
        "fn use",
        "fn dependents",
        "run",
        "graph run",
        "graph pin",
        "graph unpin",
        "preset set",
        "preset list",
        "preset show",
        "preset rm",
        "runs list",
        "runs show",
        "runs tail",
        "runs cancel",
        "runs answer",
        "runs rerun",
        "runs replay",
        "runs prune",
        "test",
        "insights",
        "warm",
        "serve",
        "pack load",
        "pack list",
        "changes list",
        "changes show",
        "changes apply",
        "changes reject",
        "changes revert",
        "changes rebase",
        "log",
        "search",
        "export",
        "import",
        "secret set",
        "secret list",
        "secret rm",
        "token add",
        "token list",
        "token rm",
        "session list",
        "session rm",
        "completions",
    ] {
        let arguments: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let help = place.data(&arguments);
        assert!(help.contains(&format!("selfmade {command}")), "{help}");
        assert!(help.contains("Examples:"), "{help}");
    }
}

#[test]
fn the_version_is_told_both_ways() {
    let place = Place::new();
    assert_eq!(place.data(&["--version"]), place.data(&["version"]));
    assert_shows!(place.run(&["version", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "version": "0.1.0"
    }
    --- stderr
    "#);
    assert!(!place.path("home").exists(), "asking for the version makes no brain");
}

#[test]
fn wrong_usage_is_told_with_exit_code_2() {
    assert_shows!(Place::new().run(&["fn", "ad", "x.py"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: unrecognized subcommand 'ad'

      tip: a similar subcommand exists: 'add'

    Usage: selfmade fn [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_shows!(Place::new().run(&["log", "--limit", "0"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value '0' for '--limit <N>': 0 is not in 1..=10000

    For more information, try '--help'.
    ");
    assert_shows!(Place::new().run(&["changes", "show", "last"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value 'last' for '<N>': expected the number of a changeset, such as `14`, or of a revision, such as `r12`

    For more information, try '--help'.
    ");
}

#[test]
fn every_shell_has_completions() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.data(&["completions", shell]);
        for word in ["revert", "replay", "dependents", "drain"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn colours_come_when_asked_for_and_not_into_a_file() {
    let place = Place::new();
    place.add("def greet(): return 1");
    assert!(!place.data(&["log"]).contains('\x1b'));
    assert!(place.data(&["log", "--color", "always"]).contains("\x1b[36mr1\x1b[0m"));
    assert!(place.run(&["fn", "show", "nothing", "--color", "always"]).contains("\x1b["));
    assert!(!place.run(&["fn", "show", "nothing"]).contains('\x1b'));
}

#[test]
fn quiet_leaves_data_and_errors() {
    let place = Place::new();
    place.file("one.py", "def one(): return 1");
    assert_shows!(place.run(&["fn", "add", "one.py", "--quiet"]), @"
    exit: 0
    --- stdout
    added function one@1
    --- stderr
    ");
    assert_shows!(place.run(&["fn", "show", "two", "--quiet"]), @"
    exit: 4
    --- stdout
    --- stderr
    error: there is no function `two`
    hint: `selfmade search two` finds names like it
    ");
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_the_command_with_exit_code_130() {
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_selfmade"))
        .args(["secret", "set", "api_key", "--home"])
        .arg(place.path("home"))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Once it says which brain it uses, it waits for the value.
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("brain: "), "{line}");
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    // The input stays open: one that ends would be a value.
    let _open = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_selfmade"))
        .args(["completions", "bash", "--home"])
        .arg(place.path("home"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
}
