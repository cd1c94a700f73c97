//! Texts that `uv` 0.13 wrote, and what is read from them.

use super::{ProblemKind, read};

fn check(stderr: &str, kind: ProblemKind, package: Option<&str>) {
    let problem = read(stderr);
    assert_eq!((problem.kind, problem.package.as_deref()), (kind, package), "{problem}");
}

#[test]
fn an_unknown_package_is_named() {
    check(
        "error: No solution found when resolving dependencies\n  cause: Because nosuch-zz was not found in the \
         package registry and you require nosuch-zz, we can conclude that your requirements are unsatisfiable.",
        ProblemKind::UnknownPackage,
        Some("nosuch-zz"),
    );
}

#[test]
fn marks_of_older_versions_do_not_matter() {
    check(
        "  × No solution found when resolving dependencies:\n  ╰─▶ Because nosuch-zz was not found in the package\n      \
         registry and you require nosuch-zz, we can conclude that your\n      requirements are unsatisfiable.",
        ProblemKind::UnknownPackage,
        Some("nosuch-zz"),
    );
}

#[test]
fn an_impossible_version_is_explained() {
    let stderr = "error: No solution found when resolving dependencies\n  cause: Because there is no version of \
                  six==99.9 and you require six==99.9, we can conclude that your requirements are unsatisfiable.";
    check(stderr, ProblemKind::NoMatchingVersion, Some("six"));
    assert!(read(stderr).sentence.contains("there is no version of six==99.9"));
    check(
        "error: No solution found when resolving dependencies\n  cause: you require six<1 and six>1, which are incompatible",
        ProblemKind::NoMatchingVersion,
        Some("six"),
    );
}

#[test]
fn a_package_without_a_wheel_is_named() {
    check(
        "error: No solution found when resolving dependencies\n  cause: Because all versions of docopt have no usable \
         wheels and you require docopt, we can conclude that your requirements are unsatisfiable.\n\nhint: Wheels are \
         required for `docopt` because building from source is disabled for all packages (i.e., with `--no-build`)",
        ProblemKind::NoWheel,
        Some("docopt"),
    );
    check(
        "error: No solution found when resolving dependencies\n  cause: Because tensorflow==1.15.0 has no wheels with a \
         matching Python ABI tag (e.g., `cp311`) and you require tensorflow==1.15, we can conclude that your \
         requirements are unsatisfiable.",
        ProblemKind::NoWheel,
        Some("tensorflow"),
    );
}

#[test]
fn a_release_that_is_too_young_is_named() {
    check(
        "error: No solution found when resolving dependencies\n  cause: Because there are no versions of idna and you \
         require idna, we can conclude that your requirements are unsatisfiable.\n\nhint: `idna` was filtered by \
         `exclude-newer` to only include packages uploaded before 2010-01-02T00:00:00Z.",
        ProblemKind::TooYoung,
        Some("idna"),
    );
}

#[test]
fn a_wrong_hash_is_not_taken_for_a_broken_network() {
    check(
        "error: Failed to download `six==1.17.0`\n  cause: Hash mismatch for `six==1.17.0`\n\n Expected:\n sha256:00",
        ProblemKind::HashMismatch,
        Some("six"),
    );
}

#[test]
fn the_network_is_blamed_with_its_last_cause() {
    let stderr = "error: Failed to fetch: https://index.example/simple/humanize/\n  cause: error sending request for url \
                  (https://index.example/simple/humanize/)\n  cause: tcp connect error\n  cause: Connection refused (os error 111)";
    check(stderr, ProblemKind::Network, Some("humanize"));
    assert!(read(stderr).sentence.ends_with("Connection refused (os error 111)"));
}

#[test]
fn what_is_missing_offline_is_named() {
    check(
        "error: No solution found when resolving dependencies\n  cause: Because humanize was not found in the cache and \
         you require humanize, we can conclude that your requirements are unsatisfiable.\n\nhint: Packages were \
         unavailable because the network was disabled.",
        ProblemKind::NotInCache,
        Some("humanize"),
    );
}

#[test]
fn a_full_disk_is_named_first() {
    check(
        "error: Failed to download `numpy==2.4.6`\n  cause: Failed to extract archive: numpy.whl\n  cause: failed to write \
         to file `/c/x.so`: No space left on device (os error 28)",
        ProblemKind::DiskFull,
        Some("numpy"),
    );
}

#[test]
fn an_unknown_text_is_passed_on_shortened() {
    let problem = read(&format!("error: something new {}", "x".repeat(1000)));
    assert_eq!(problem.kind, ProblemKind::Other);
    assert!(problem.sentence.contains("something new") && problem.sentence.chars().count() < 500);
}
