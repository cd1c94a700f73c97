//! Runs the program in an empty environment and a folder of its own, and shows all that came of it as one text.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};

use tempfile::TempDir;

/// A folder with files for one test, and the brain in its `home`.
pub(crate) struct Place {
    folder: TempDir,
    options: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Place {
    pub(crate) fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let options = vec!["--home".to_owned(), folder.path().join("home").display().to_string()];
        Place { folder, options, environment: Vec::new() }
    }

    /// One in which nothing says where the brain is.
    pub(crate) fn without_home() -> Place {
        Place { options: Vec::new(), ..Place::new() }
    }

    pub(crate) fn option(mut self, name: &str, value: &str) -> Place {
        self.options.extend([name.to_owned(), value.to_owned()]);
        self
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Place {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.run_with(arguments, b"")
    }

    /// With something on standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> String {
        self.shown(&self.output(arguments, input, Path::new("")))
    }

    /// In a folder below.
    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> String {
        self.shown(&self.output(arguments, b"", Path::new(folder)))
    }

    /// What came on standard output, of a command that must do.
    pub(crate) fn data(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments, b"", Path::new(""));
        assert!(output.status.success(), "{}", self.shown(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The JSON document of a command that must do.
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.data(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// Runs a function, however it ends, and gives the id of the run.
    pub(crate) fn run_id(&self, arguments: &[&str]) -> String {
        let output = self.output(&[&["run"], arguments, &["--json"]].concat(), b"", Path::new(""));
        let run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        run["run_id"].as_str().unwrap().to_owned()
    }

    /// Starts the program and leaves it running.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        Running::of(self.command(arguments, Path::new("")).stdin(Stdio::null()).spawn().unwrap())
    }

    pub(crate) fn add(&self, source: &str) {
        let output = self.output(&["fn", "add", "-"], source.as_bytes(), Path::new(""));
        assert!(output.status.success(), "{}", self.shown(&output));
    }

    /// Everything a brain holds, to see that it stayed as it was.
    pub(crate) fn brain(&self) -> String {
        ["fn list", "changes list", "secret list", "token list", "pack list"]
            .map(|command| self.data(&[command.split(' ').collect::<Vec<_>>(), vec!["--json"]].concat()))
            .concat()
    }

    pub(crate) fn output(&self, arguments: &[&str], input: &[u8], folder: &Path) -> Output {
        let mut child = self.command(arguments, folder).spawn().unwrap();
        // A program that does not read its input may be gone before all of it is written.
        child.stdin.take().unwrap().write_all(input).ok();
        child.wait_with_output().unwrap()
    }

    /// On a machine where nobody may make user namespaces.
    pub(crate) fn run_without_namespaces(&self, arguments: &[&str]) -> String {
        let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"";
        let mut poorer = Command::new("unshare");
        poorer.args(["--user", "--map-root-user", "sh", "-c", script, env!("CARGO_BIN_EXE_selfmade")]);
        self.shown(&self.told(poorer, arguments, Path::new("")).stdin(Stdio::null()).output().unwrap())
    }

    fn command(&self, arguments: &[&str], folder: &Path) -> Command {
        self.told(Command::new(env!("CARGO_BIN_EXE_selfmade")), arguments, folder)
    }

    fn told(&self, mut command: Command, arguments: &[&str], folder: &Path) -> Command {
        command
            .args(arguments)
            .args(&self.options)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("user"))
            .env("SELFMADE_LISTEN", "127.0.0.1:0")
            // No index is asked about packages, unless a test is about that.
            .env("SELFMADE_RESOLVE_ON_ADD", "false")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.path().join(folder))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn shown(&self, output: &Output) -> String {
        let text = format!(
            "exit: {}\n--- stdout\n{}--- stderr\n{}",
            output.status.code().map_or("none".to_owned(), |code| code.to_string()),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        let folder = self.folder.path().display().to_string();
        let program = Path::new(env!("CARGO_BIN_EXE_selfmade")).display().to_string();
        text.replace(&folder, "[folder]").replace(&program, "selfmade")
    }
}

/// A program that goes on until it is told to stop, or until the test ends.
pub(crate) struct Running {
    child: Child,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: Lines<BufReader<ChildStderr>>,
}

impl Running {
    fn of(mut child: Child) -> Running {
        let stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let stderr = BufReader::new(child.stderr.take().unwrap()).lines();
        Running { child, stdout, stderr }
    }

    /// The next line on standard error that has this in it.
    pub(crate) fn says(&mut self, part: &str) -> String {
        self.stderr
            .by_ref()
            .map(Result::unwrap)
            .find(|line| line.contains(part))
            .unwrap_or_else(|| panic!("it never says `{part}`"))
    }

    /// The next line of data.
    pub(crate) fn line(&mut self) -> String {
        self.stdout.next().unwrap().unwrap()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let done = Command::new("kill").args([&format!("-{name}"), &self.id().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// Waits for its end, with the last of what it says.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let said: Vec<String> = self.stderr.by_ref().map(Result::unwrap).collect();
        (self.child.wait().unwrap().code(), said.join("\n"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What differs from run to run.
pub(crate) const CHANGING: &[(&str, &str)] = &[
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", "[time]"),
    // As wide as what they stand for, so that columns can be seen to line up.
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[time--------------]"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[id]"),
    (r"selfmade_[0-9a-f]{64}", "[token]"),
    (r"\b[0-9a-f]{64}\b", "[hash]"),
    (r"\b[0-9a-f]{12}\b", "[hash------]"),
    (r"selfmade-edit-\w+", "selfmade-edit-[random]"),
    (r#""score": [0-9.]+"#, r#""score": [score]"#),
];

/// What differs in every run of a function, too: short ids, times that it took, sizes.
pub(crate) const CHANGING_IN_RUNS: &[(&str, &str)] = &[
    (r"\b[0-9a-f]{8}\b", "[id----]"),
    (r"TOOK +", "TOOK    "),
    (r" *\d+(\.\d)? (µs|ms|s) {2,}", "  [took]  "),
    (r"\d+(\.\d)? (µs|ms|s)\b", "[took]"),
    // The place of a time that is not known yet.
    (r"(\[time-+\]) {3,}(\w)", "$1  (none)  $2"),
    (r"\d+(\.\d)? [kMG]B\b", "[size]"),
    (r#"_us": \d+"#, r#"_us": [number]"#),
    (r#"_bytes": \d{4,}"#, r#"_bytes": [number]"#),
    (r#""cold": \w+"#, r#""cold": [whether]"#),
];

/// Compares with an inline snapshot, leaving out what differs from run to run.
macro_rules! assert_shows {
    ($text:expr, @$expected:literal) => {
        insta::with_settings!({ filters => $crate::command::CHANGING.to_vec() }, {
            insta::assert_snapshot!($text, @$expected)
        })
    };
}

/// The same for texts about runs.
macro_rules! assert_tells {
    ($text:expr, @$expected:literal) => {
        insta::with_settings!({
            filters => [$crate::command::CHANGING, $crate::command::CHANGING_IN_RUNS].concat()
        }, { insta::assert_snapshot!($text, @$expected) })
    };
}

pub(crate) use {assert_shows, assert_tells};
