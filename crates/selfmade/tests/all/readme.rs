//! The commands a newcomer reads in the README do what it says they do; those of the guides are tested with their nouns.

use std::path::Path;

use crate::command::Place;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The lines of a document that call the program, as words.
pub(crate) fn commands_of(document: &str) -> Vec<Vec<String>> {
    commands_in(&std::fs::read_to_string(root().join(document)).unwrap())
}

/// Those of a part of a document.
pub(crate) fn commands_in(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("selfmade "));
    let words = |line: &str| {
        let line = line.split(" # ").next().unwrap();
        let quoted = line.split('"').enumerate();
        quoted
            .flat_map(|(place, part)| match place % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
                _ => vec![part.to_owned()],
            })
            .collect()
    };
    lines.map(words).collect()
}

/// Puts the files that documents name where a newcomer would have them.
pub(crate) fn copy_examples(place: &Place) {
    place.file("packs/text.py", std::fs::read(root().join("packs/text.py")).unwrap());
    for file in std::fs::read_dir(root().join("docs/examples")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        place.file(&format!("docs/examples/{name}"), std::fs::read(&path).unwrap());
    }
}

#[test]
fn every_command_of_the_readme_works_in_its_order() {
    let place = Place::without_home();
    copy_examples(&place);
    let commands = commands_of("README.md");
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let shown = place.run(&words);
        assert!(shown.starts_with("exit: 0\n"), "selfmade {}\n{shown}", command.join(" "));
    }
}

/// Where a path of ARCHITECTURE.md may begin, if not with the name of a crate.
const FOLDERS: [(&str, &str); 11] = [
    ("app", "crates/server/src"),
    ("engine", "crates/server/src"),
    ("host_verbs", "crates/server/src"),
    ("http", "crates/server/src"),
    ("prepare", "crates/server/src"),
    ("scheduler", "crates/server/src"),
    ("serve", "crates/server/src"),
    ("triggers", "crates/server/src"),
    ("client", "crates/selfmade/src"),
    ("commands", "crates/selfmade/src"),
    ("crates", ""),
];

/// The words of a document that look like paths of our code, such as `app/runs::begin`.
fn paths_of(document: &str) -> Vec<&str> {
    let in_text = |c: char| !(c.is_ascii_alphanumeric() || "_/.:-".contains(c));
    let is_first = |first: &str| FOLDERS.iter().any(|(name, _)| *name == first) || is_crate(first);
    let words = document.split(in_text).map(|word| word.trim_end_matches([':', '.', '/']));
    words.filter(|word| word.split_once('/').is_some_and(|(first, _)| is_first(first))).collect()
}

fn is_crate(name: &str) -> bool {
    ["model", "store", "sandbox", "server", "selfmade"].contains(&name)
}

/// A path is a file or a folder; what follows `::` is defined in it.
fn exists(path: &str) -> bool {
    let (path, item) = path.split_once("::").map_or((path, None), |(path, item)| (path, Some(item)));
    let (first, rest) = path.split_once('/').unwrap();
    let places = match FOLDERS.iter().find(|(name, _)| *name == first) {
        Some((_, folder)) => vec![format!("{folder}/{path}")],
        None => vec![format!("crates/{first}/src/{rest}"), format!("crates/{path}")],
    };
    let mut places = places.iter().map(|place| root().join(place.trim_start_matches('/')));
    places.any(|place| match item {
        None => place.exists() || place.with_extension("rs").exists(),
        Some(item) => defines(&place.with_extension("rs"), item) || defines_in_folder(&place, item),
    })
}

fn defines(file: &Path, item: &str) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    ["fn", "struct"].iter().any(|kind| text.contains(&format!("{kind} {item}")))
}

fn defines_in_folder(folder: &Path, item: &str) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.into_iter().any(|file| defines(&file.path(), item))
}

#[test]
fn every_path_in_the_architecture_exists() {
    let document = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let paths = paths_of(&document);
    assert!(paths.len() > 80, "{paths:?}");
    let missing: Vec<&str> = paths.into_iter().filter(|path| !exists(path)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names paths that do not exist: {missing:?}");
}
