//! The commands a newcomer reads in the README do what it says they do; those of the guides are tested with their nouns.

use std::path::Path;

use crate::command::Place;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The lines of a document that call the program, as words.
pub(crate) fn commands_of(document: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
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
    for file in ["packs/text.py", "docs/examples/greet.py", "docs/examples/chain.py"] {
        place.file(file, std::fs::read(root().join(file)).unwrap());
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
