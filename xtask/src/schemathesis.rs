//! Schemathesis from PyPI: asks a real server everything that its own description allows, and much that it does not. No answer may be
//! a mistake of the server or one that the description does not know.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::paths::Paths;
use crate::process;
use crate::python::Python;
use crate::virtual_environment::VirtualEnvironment;

const ENVIRONMENT: VirtualEnvironment = VirtualEnvironment {
    title: "Schemathesis",
    name: "schemathesis",
    version: "4.32.5",
    packages: &["schemathesis==4.32.5"],
    megabytes: 60,
};

/// Seconds after which it asks no more and sums up.
const LONGEST: &str = "90";
/// Streams do not end.
const WITHOUT: &str = "/(events|stream|endings)$";
/// It would find its own token in the list, and throw it away.
const OWN_TOKEN: &str = "/api/v1/tokens/{name}";

const ADD: &str = "def add(a: int, b: int) -> int:\n    \"\"\"Adds two numbers.\"\"\"\n    return a + b\n";

pub(crate) fn run(paths: &Paths) -> Result<()> {
    let python = ENVIRONMENT.find_or_install(paths, &Python::find()?)?;
    process::run(paths.cargo().args(["build", "--package", "selfmade"]))?;
    let target = paths.cache().parent().context("the folder of builds is above that of xtask")?;
    let server = Server::start(&target.join("debug/selfmade"))?;
    let mut asking = Command::new(python.with_file_name("schemathesis"));
    asking.args(["run", &format!("{}/api/v1/openapi.json", server.url)]);
    asking.args(["--header", &format!("Authorization: Bearer {}", server.token)]);
    asking.args(["--checks", "not_a_server_error,status_code_conformance,content_type_conformance"]);
    asking.args(["--exclude-path", OWN_TOKEN]);
    asking.args(["--exclude-path-regex", WITHOUT, "--phases", "examples,coverage,fuzzing"]);
    asking.args(["--max-examples", "15", "--seed", "7", "--max-time", LONGEST, "--request-timeout", "20"]);
    asking.args([
        "--generation-database",
        "none",
        "--generation-with-security-parameters",
        "false",
        "--no-color",
    ]);
    // What it leaves behind goes with the brain.
    asking.current_dir(server.home.path());
    process::run(&mut asking).context("there are answers that should not be; they are above")
}

/// A server with a brain of its own, for as long as it is held.
struct Server {
    home: TempDir,
    child: Child,
    url: String,
    token: String,
}

impl Server {
    fn start(binary: &Path) -> Result<Server> {
        let home = tempfile::tempdir()?;
        let selfmade = |words: &[&str]| {
            let mut command = Command::new(binary);
            command.env("SELFMADE_HOME", home.path()).env_remove("SELFMADE_DATABASE").args(words);
            // What it makes up as requirements is asked of no index.
            command.env("SELFMADE_RESOLVE_ON_ADD", "false");
            command
        };
        let source = home.path().join("add.py");
        std::fs::write(&source, ADD)?;
        process::read(selfmade(&["fn", "add"]).arg(&source))?;
        let token = process::read(&mut selfmade(&["token", "add", "proof", "--role", "admin", "--quiet"]))?;
        let mut child = selfmade(&["serve", "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start the server")?;
        let stderr = child.stderr.take().context("the server has no standard error")?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let url =
            lines.find_map(|line| line.split_once("listening at ").map(|(_, url)| url.trim().to_owned()));
        // What else it says is read, so that it is never held up.
        thread::spawn(move || lines.for_each(drop));
        let Some(url) = url else {
            child.kill()?;
            bail!("the server does not listen");
        };
        Ok(Server { home, child, url, token })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the questions have shown then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
