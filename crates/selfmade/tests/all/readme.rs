//! The commands a newcomer reads in the README do what it says they do.

use std::path::Path;

use crate::command::Place;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The lines of the README that call the program, as words.
fn commands() -> Vec<Vec<String>> {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let lines = readme.lines().filter_map(|line| line.strip_prefix("selfmade "));
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

#[test]
fn every_command_of_the_readme_works_in_its_order() {
    let place = Place::without_home();
    for file in ["packs/text.py", "docs/examples/greet.py"] {
        place.file(file, std::fs::read(root().join(file)).unwrap());
    }
    let commands = commands();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let shown = place.run(&words);
        assert!(shown.starts_with("exit: 0\n"), "selfmade {}\n{shown}", command.join(" "));
    }
}
