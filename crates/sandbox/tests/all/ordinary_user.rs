//! All of it again as a user who is nobody, if we are root: an ordinary user with user namespaces gets the same sandbox.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::environment;

#[test]
fn an_ordinary_user_gets_the_same_sandbox() {
    as_nobody(&["endings::", "pool::", "calls::", "output::", "gone::", "warm::"]);
}

#[test]
fn an_ordinary_users_sandbox_holds_against_the_same_attacks() {
    as_nobody(&["escapes::"]);
}

/// Runs a part of the suite. One test at a time, because some look at what the whole process holds.
fn as_nobody(part: &[&str]) {
    if !rustix::process::geteuid().is_root() {
        // The whole suite runs as one already.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("all");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_selfmade-stage1"), folder.path().join("selfmade-stage1")).unwrap();
    let python = environment().python.parent().map(Path::to_owned).unwrap_or_default();
    #[allow(clippy::disallowed_methods, reason = "the suite itself, as another user")]
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(part)
        .arg("--test-threads=1")
        .env("PATH", format!("/usr/bin:/bin:{}", python.display()))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(!told.contains("running 0 tests"), "{told}");
}
