//! Reads from what `uv` wrote why it failed: of which kind, with which package, in a sentence or two. `uv` explains itself
//! for people and has no other form, so an unknown text is passed on shortened rather than guessed at.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    pub package: Option<String>,
    pub sentence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    UnknownPackage,
    NoMatchingVersion,
    NoWheel,
    TooYoung,
    HashMismatch,
    Network,
    NotInCache,
    DiskFull,
    Other,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// Room for an explanation that we do not understand.
const LONGEST: usize = 400;

pub(super) fn read(stderr: &str) -> Problem {
    let text = flat(stderr);
    let (kind, package) = recognise(&text);
    let sentence = sentence(kind, package.as_deref(), &text);
    Problem { kind, package, sentence }
}

fn recognise(text: &str) -> (ProblemKind, Option<String>) {
    use ProblemKind::{
        DiskFull, HashMismatch, Network, NoMatchingVersion, NoWheel, NotInCache, Other, TooYoung,
        UnknownPackage,
    };
    let has = |piece: &str| text.contains(piece);
    let quoted = |before: &str| after(text, before).map(name);
    if has("No space left on device") || has("Disk quota exceeded") {
        (DiskFull, quoted("Failed to download `"))
    } else if has("Hash mismatch") {
        (HashMismatch, quoted("Hash mismatch for `"))
    } else if has("the network was disabled") || has("network connectivity is disabled") {
        let package = word_before(text, " was not found in the cache");
        (NotInCache, package.or_else(|| quoted("Failed to download `")))
    } else if has("was not found in the package registry") {
        (UnknownPackage, word_before(text, " was not found in the package registry"))
    } else if has("filtered by `exclude-newer`") {
        (TooYoung, word_before(text, " was filtered by `exclude-newer`"))
    } else if has("no usable wheels") || has("has no wheels with a matching") || has("no source distribution")
    {
        (NoWheel, quoted("Wheels are required for `").or_else(|| word_before(text, " has no ")))
    } else if has("unsatisfiable") || has("which are incompatible") || has("No solution found") {
        let package = after(text, "there is no version of ").or_else(|| after(text, "you require "));
        (NoMatchingVersion, package.map(name))
    } else if [
        "error sending request",
        "dns error",
        "Failed to fetch",
        "timed out",
        "onnection",
        "certificate",
    ]
    .iter()
    .any(|piece| has(piece))
    {
        (Network, quoted("Failed to download `").or_else(|| quoted("/simple/")))
    } else {
        (Other, quoted("Failed to build `").or_else(|| quoted("Failed to download `")))
    }
}

fn sentence(kind: ProblemKind, package: Option<&str>, text: &str) -> String {
    let which =
        package.map_or_else(|| "a required package".to_owned(), |name| format!("the package `{name}`"));
    let reason = || shortened(reason(text));
    match kind {
        ProblemKind::UnknownPackage => format!("{which} is not in the index; check its spelling"),
        ProblemKind::NoMatchingVersion => {
            format!("no version of {which} fits all requirements: {}", reason())
        }
        ProblemKind::NoWheel => {
            format!(
                "{which} offers no wheel for this Python and platform, and building from source is not allowed"
            )
        }
        ProblemKind::TooYoung => {
            format!(
                "{which} has no release old enough for the policy; require an older version or lower the minimum age"
            )
        }
        ProblemKind::HashMismatch => {
            format!(
                "the download of {which} does not match the locked hash; it was changed in transit or in the index"
            )
        }
        ProblemKind::Network => {
            format!("the package index cannot be reached for {which}: {}", last_cause(text))
        }
        ProblemKind::NotInCache => {
            format!(
                "{which} is not in the cache, and the network is not used while offline; go online once to fetch it"
            )
        }
        ProblemKind::DiskFull => {
            format!("there is no disk space left for {which}; free some or prune environments")
        }
        ProblemKind::Other => format!("{which} cannot be installed: {}", reason()),
    }
}

/// The text on one line, without the marks that older versions draw.
fn flat(stderr: &str) -> String {
    let words = stderr.split_whitespace().filter(|word| !["╰─▶", "├─▶", "│", "×"].contains(word));
    words.collect::<Vec<_>>().join(" ")
}

fn after<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    text.find(before).map(|at| &text[at + before.len()..])
}

fn word_before(text: &str, end: &str) -> Option<String> {
    let word = text[..text.find(end)?].rsplit(' ').next()?;
    Some(name(word.trim_start_matches('`')))
}

/// The name at the beginning of a text like `six==1.17.0`.
fn name(text: &str) -> String {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_owned()
}

fn reason(text: &str) -> &str {
    let text = after(text, "cause: ").or_else(|| after(text, "error: ")).unwrap_or(text);
    let end = text.find(" hint: ").unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

fn last_cause(text: &str) -> String {
    shortened(text.rsplit("cause: ").next().unwrap_or(text).trim_end_matches('.'))
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
