//! Checks the dependencies' licences, bans and sources with cargo-deny. The rules are in deny.toml.

use std::process::Command;

use anyhow::Result;

use crate::paths::Paths;
use crate::process;
use crate::tool::Tool;

const CARGO_DENY: Tool =
    Tool { name: "cargo-deny", version: "0.20.2", oldest: (0, 20), flags: &["--no-default-features"] };

pub(crate) fn run(paths: &Paths) -> Result<()> {
    let binary = CARGO_DENY.find_or_install(paths)?;
    let mut deny = Command::new(binary);
    deny.current_dir(paths.root());
    // Advisories are left out: their database is a git repository that cannot be reached from everywhere.
    deny.args(["--locked", "check", "licenses", "bans", "sources"]);
    process::run(&mut deny)
}
