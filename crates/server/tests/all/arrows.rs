//! The arrows between the modules of `server`, held as Cargo holds those between crates: who may name whom is stated here, and
//! compared with the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each module may name, from the doors down. A line that nothing needs any more is to be taken out.
const ARROWS: &[(&str, &[&str])] = &[
    // The composition root puts the server together.
    (
        "serve",
        &[
            "app",
            "clock",
            "config",
            "ctx",
            "engine",
            "error",
            "http",
            "http_client",
            "scheduler",
            "serving",
            "traces",
            "triggers",
        ],
    ),
    // Doors make an Access and call verbs.
    ("http", &["app", "blocking", "clock", "ctx", "error", "llm", "metrics", "secrets", "traces"]),
    ("triggers", &["app", "ctx", "engine", "error", "http_client"]),
    ("scheduler", &["app", "ctx", "error", "signals"]),
    // What the code of a Run asks for: the engine states what it needs of it and is handed it.
    ("host_verbs", &["app", "blocking", "engine", "error"]),
    // Verbs. Below them is the engine, which knows none of them.
    (
        "app",
        &[
            "blocking", "config", "ctx", "engine", "error", "live", "llm", "prepare", "search", "secrets",
            "serving", "signals",
        ],
    ),
    ("engine", &["clock", "ctx", "error", "llm", "prepare", "secrets"]),
    ("prepare", &["ctx", "error"]),
    // What everybody works with.
    (
        "ctx",
        &[
            "clock",
            "config",
            "engine",
            "error",
            "host_verbs",
            "http_client",
            "ids",
            "live",
            "metrics",
            "search",
            "secrets",
            "signals",
            "traces",
        ],
    ),
    ("config", &["engine", "http_client", "llm", "serve", "settings", "traces"]),
    ("error", &["engine", "llm", "search", "secrets", "settings"]),
    ("ids", &["clock"]),
    ("live", &["ctx", "error"]),
    ("llm", &["clock", "http_client"]),
    ("metrics", &["ctx", "error"]),
    ("secrets", &["ctx", "error", "ids"]),
    ("serving", &["error"]),
    ("settings", &["config"]),
    ("signals", &["ctx"]),
    ("traces", &["ctx", "error", "http_client", "metrics"]),
];

const DOORS: &[&str] = &["http", "scheduler", "triggers"];

struct Source {
    module: String,
    path: PathBuf,
    /// Without its unit tests, which may use what they like.
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
            let path = path.strip_prefix(&root).unwrap().to_owned();
            let first = path.iter().next().unwrap().to_string_lossy();
            found.push(Source { module: first.trim_end_matches(".rs").to_owned(), path, text });
        }
    }
    found
}

/// The top-level modules that a source names, in paths and in lists of imports.
fn named(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, prefix) in text.match_indices("crate::") {
        let rest = &text[at + prefix.len()..];
        let list = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default(),
        };
        let first = |part: &str| part.trim().split("::").next().unwrap_or_default().to_owned();
        found.extend(list.split(',').map(first));
    }
    // What is not a module is an item that `lib.rs` exports.
    found.retain(|name| name.starts_with(|c: char| c.is_lowercase()));
    found
}

#[test]
fn modules_name_only_what_is_below_them() {
    let mut found: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for source in sources() {
        if source.module == "lib" {
            continue;
        }
        for name in named(&source.text) {
            if name != source.module {
                found.entry(source.module.clone()).or_default().insert(name, source.path.clone());
            }
        }
    }
    let mut wrong = Vec::new();
    for (module, names) in &found {
        let allowed = ARROWS.iter().find(|(from, _)| from == module).map_or(&[][..], |(_, to)| to);
        for (name, path) in names.iter().filter(|(name, _)| !allowed.contains(&name.as_str())) {
            wrong.push(format!("`{module}` must not name `{name}`, but {} does", path.display()));
        }
        for name in allowed.iter().filter(|name| !names.contains_key(**name)) {
            wrong.push(format!("`{module}` does not name `{name}` any more; take it out of the table"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_door_touches_the_store() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| DOORS.contains(&source.module.as_str())) {
        // An atomic number has a `store(…)`, too.
        let touches = source.text.split(".store").skip(1).any(|rest| rest.starts_with(['.', '\n']));
        if touches {
            wrong.push(source.path.display().to_string());
        }
    }
    assert!(wrong.is_empty(), "they ask the store and not a verb of `app`: {wrong:#?}");
}
