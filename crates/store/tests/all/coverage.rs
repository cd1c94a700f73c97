//! Every public method of the store is called by this suite.

use std::path::Path;

/// The text of all Rust files in a folder of this crate.
fn texts(folder: &str) -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                texts.push(std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    texts
}

/// The names of the public asynchronous methods in `impl Store` blocks.
fn methods(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in text.lines() {
        match line {
            "impl Store {" => inside = true,
            "}" => inside = false,
            _ if inside => {
                let name =
                    line.strip_prefix("    pub async fn ").and_then(|rest| rest.split(['(', '<']).next());
                names.extend(name.map(str::to_owned));
            }
            _ => {}
        }
    }
    names
}

#[test]
fn every_public_method_of_the_store_is_called_by_this_suite() {
    let suite = texts("tests/all").concat();
    let methods: Vec<String> = texts("src").iter().flat_map(|text| methods(text)).collect();
    assert!(methods.len() > 40, "the methods were not found: {methods:?}");
    let called =
        |name: &String| suite.contains(&format!(".{name}(")) || suite.contains(&format!("Store::{name}("));
    let missing: Vec<_> = methods.iter().filter(|name| !called(name)).collect();
    assert!(missing.is_empty(), "no test calls {missing:?}");
}
