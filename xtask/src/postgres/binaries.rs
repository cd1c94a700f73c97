//! Finds PostgreSQL's server programs, which most systems keep off the `PATH`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;
use crate::system::{self, Package};

const POSTGRESQL: Package = Package {
    title: "PostgreSQL",
    apt: "postgresql",
    dnf: "postgresql-server",
    apk: "postgresql",
    brew: "postgresql@17",
};

/// Folders that hold one folder per version, with the programs in `bin` inside it.
const VERSIONED: [&str; 5] = [
    "/usr/lib/postgresql",
    "/usr/libexec/postgresql",
    "/opt/homebrew/opt",
    "/usr/local/opt",
    "/home/linuxbrew/.linuxbrew/opt",
];

/// The folder with `initdb`, `pg_ctl` and `postgres`.
pub(super) fn find_or_install() -> Result<PathBuf> {
    if let Some(folder) = find() {
        return Ok(folder);
    }
    system::install(&POSTGRESQL)?;
    find().context(
        "PostgreSQL was installed, but `initdb` and `pg_ctl` are nowhere to be found; put them on the PATH",
    )
}

pub(super) fn find() -> Option<PathBuf> {
    let told = process::read(Command::new("pg_config").arg("--bindir")).ok().map(PathBuf::from);
    let on_path = process::on_path("initdb").and_then(|file| file.parent().map(Path::to_owned));
    let versioned = VERSIONED.iter().flat_map(|parent| newest_first(Path::new(parent)));
    told.into_iter().chain(on_path).chain(versioned).find(|folder| is_complete(folder))
}

/// `pg_config` comes with the client's headers too, and then points to a folder without a server.
fn is_complete(folder: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"].iter().all(|program| folder.join(program).is_file())
}

/// The `bin` folders of the versions under a folder: `17`, `postgresql17` and `postgresql@17` count alike.
fn newest_first(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| Some((version(&entry.file_name().to_string_lossy())?, entry.path())))
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, folder)| folder.join("bin")).collect()
}

fn version(folder: &str) -> Option<u32> {
    let rest = folder.strip_prefix("postgresql").unwrap_or(folder);
    rest.trim_start_matches(['@', '-']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_comes_first_by_number_not_by_letter() {
        let parent = tempfile::tempdir().unwrap();
        for folder in ["9", "15", "postgresql@17", "postgis@18", "openssl@3x"] {
            fs::create_dir(parent.path().join(folder)).unwrap();
        }
        let found = newest_first(parent.path());
        let expected = ["postgresql@17/bin", "15/bin", "9/bin"].map(|folder| parent.path().join(folder));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_folder_without_the_server_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        for program in ["initdb", "pg_ctl"] {
            fs::write(folder.path().join(program), "").unwrap();
        }
        assert!(!is_complete(folder.path()));
        fs::write(folder.path().join("postgres"), "").unwrap();
        assert!(is_complete(folder.path()));
    }

    #[test]
    fn a_missing_parent_holds_no_versions() {
        assert_eq!(newest_first(Path::new("/nowhere/at/all")), Vec::<PathBuf>::new());
    }
}
