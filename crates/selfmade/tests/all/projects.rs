//! The projects that the documentation prints, run as it prints them.

use std::path::Path;
use std::process::Command;

use crate::command::Place;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A project: the file with the script, the script as it is printed, and the lines that it is said to show.
struct Project {
    file: String,
    script: String,
    shown: Vec<String>,
}

/// In the order of the document, which is that of the files.
fn projects() -> Vec<Project> {
    let document = std::fs::read_to_string(root().join("docs/projects.md")).unwrap();
    let mut files: Vec<String> = std::fs::read_dir(root().join("docs/examples"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    files.sort_unstable();
    let sections = document.split("\n## ").skip(1);
    assert_eq!(sections.clone().count(), files.len());
    let block = |section: &str, from: usize| {
        let fenced: Vec<&str> = section.split("```").collect();
        fenced[from].split_once('\n').unwrap().1.to_owned()
    };
    let project = |(section, file): (&str, String)| Project {
        file,
        script: block(section, 1),
        shown: block(section, 3).lines().map(str::to_owned).collect(),
    };
    sections.zip(files).map(project).collect()
}

#[test]
fn the_documentation_prints_the_projects_as_they_are() {
    for Project { file, script, .. } in projects() {
        let stored = std::fs::read_to_string(root().join("docs/examples").join(&file)).unwrap();
        assert_eq!(script, stored, "docs/projects.md prints another `{file}`");
    }
}

/// Runs a script in an empty folder, and says whether it ended well and everything it printed.
fn execute(script: &str) -> (bool, String) {
    execute_in(&Place::without_home(), script)
}

pub(crate) fn execute_in(place: &Place, script: &str) -> (bool, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_selfmade"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let others = std::env::vars_os().filter(|(name, _)| !name.to_string_lossy().starts_with("SELFMADE_"));
    let output = Command::new("sh")
        .args(["-eu", "-c", &format!("exec 2>&1\n{script}")])
        .current_dir(place.path(""))
        .env_clear()
        .envs(others)
        .env("PATH", path)
        .env("HOME", place.path("user"))
        .env("SELFMADE_LISTEN", "127.0.0.1:0")
        .output()
        .unwrap();
    // One that broke off may have left its server.
    place.run(&["stop", "--timeout", "5"]);
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Every line that the document shows comes, in this order.
fn check(number: usize) {
    let project = projects().swap_remove(number - 1);
    let (done, printed) = execute(&project.script);
    assert!(done, "`{}` broke off:\n{printed}", project.file);
    let mut lines = printed.lines();
    for shown in &project.shown {
        assert!(
            lines.any(|line| line.contains(shown.as_str())),
            "`{}` does not print `{shown}` where it should:\n{printed}",
            project.file
        );
    }
}

#[test]
fn a_signed_webhook_with_a_condition() {
    check(2);
}

#[test]
fn a_schedule_in_a_time_zone() {
    check(3);
}

#[test]
fn a_question_to_a_person() {
    check(4);
}

#[test]
fn a_sealed_key() {
    check(5);
}

#[test]
fn a_brain_in_git() {
    check(6);
}

#[test]
fn a_live_run_that_is_cancelled() {
    check(7);
}

#[test]
fn a_narrow_token_over_http() {
    check(8);
}

#[test]
fn the_mistakes_that_one_makes() {
    check(9);
}
