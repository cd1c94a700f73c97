//! Reading pin paths.
//!
//! Names of pins are any text (`Video Topic / Headline`, `Search Radius (meters, max 50,000)`), so where the name ends
//! depends on which pins there are: the longest one that the text begins with, and that is followed by a path.

use thiserror::Error;

use super::{Part, PinPath};

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    #[error("a pin has no name; write the name of a pin, such as `output`")]
    Empty,
    #[error("`{index}` in the pin `{pin}` is not an index; write a whole number after `_$_`")]
    Index { pin: String, index: String },
    #[error("the pin `{pin}` has an empty key; write the key after `_#_`")]
    EmptyKey { pin: String },
}

const MARKS: [&str; 3] = ["_$_", "_#_", "_@_"];

impl PinPath {
    /// A pin and path where the pins are not known: the name ends where a path begins.
    pub fn parse(text: &str) -> Result<PinPath, PathError> {
        PinPath::parse_with(text, |_| false)
    }

    /// A pin and path of a block with these pins.
    pub fn parse_with(text: &str, is_pin: impl Fn(&str) -> bool) -> Result<PinPath, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        let path =
            |end: usize, parts| PinPath { written: text.to_owned(), pin: text[..end].to_owned(), parts };
        if is_pin(text) {
            return Ok(path(text.len(), Vec::new()));
        }
        let ends: Vec<usize> = ends(text).collect();
        for end in ends.iter().rev() {
            if let (true, Some(parts)) = (is_pin(&text[..*end]), parts(&text[*end..])) {
                return Ok(path(*end, parts));
            }
        }
        match ends.iter().find_map(|end| Some((*end, parts(&text[*end..])?))) {
            Some((end, parts)) => Ok(path(end, parts)),
            None => match refusal(text) {
                Some(error) => Err(error),
                None => Ok(path(text.len(), Vec::new())),
            },
        }
    }
}

/// Where the name of a pin may end.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    let begins = |rest: &str| rest.starts_with(['.', '[']) || MARKS.iter().any(|mark| rest.starts_with(mark));
    text.char_indices().map(|(at, _)| at).filter(move |at| *at > 0 && begins(&text[*at..]))
}

/// The parts of a path that is spelled one way to its end.
fn parts(text: &str) -> Option<Vec<Part>> {
    if MARKS.iter().any(|mark| text.starts_with(mark)) { marked(text).ok() } else { dotted(text) }
}

/// `_$_0_#_key`. A key runs to the next mark, so it may have dots and blanks.
fn marked(text: &str) -> Result<Vec<Part>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (mark, after) = rest.split_at(3);
        let end = MARKS.iter().filter_map(|mark| after.find(mark)).min().unwrap_or(after.len());
        let (word, next) = after.split_at(end);
        found.push(match mark {
            "_$_" => Part::Index(word.parse().map_err(|_| word.to_owned())?),
            _ if word.is_empty() => return Err(String::new()),
            _ => Part::Key(word.to_owned()),
        });
        rest = next;
    }
    Ok(found)
}

/// `[0].key["any key"]`.
fn dotted(text: &str) -> Option<Vec<Part>> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, next) = match rest.strip_prefix('.') {
            Some(rest) => {
                let (word, next) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
                (is_word(word).then(|| Part::Key(word.to_owned()))?, next)
            }
            None => bracket(rest.strip_prefix('[')?)?,
        };
        found.push(part);
        rest = next;
    }
    Some(found)
}

fn bracket(inner: &str) -> Option<(Part, &str)> {
    if let Some(quote) = inner.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let (key, rest) = inner[1..].split_once(quote)?;
        return Some((Part::Key(key.to_owned()), rest.strip_prefix(']')?));
    }
    let (index, rest) = inner.split_once(']')?;
    Some((Part::Index(index.parse().ok()?), rest))
}

pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Marks are not by chance in a name, so what follows one and is no path is a mistake.
fn refusal(text: &str) -> Option<PathError> {
    let end = MARKS.iter().filter_map(|mark| text.find(mark)).min().filter(|end| *end > 0)?;
    let pin = || text.to_owned();
    Some(match marked(&text[end..]).err()? {
        index if index.is_empty() && !text.contains("_$_") => PathError::EmptyKey { pin: pin() },
        index => PathError::Index { pin: pin(), index },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Part {
        Part::Key(text.to_owned())
    }

    #[test]
    fn both_spellings_are_the_same_path_and_print_as_written() {
        let marked = PinPath::parse("r_$_0_#_k_@_attr").unwrap();
        let dotted = PinPath::parse("r[0].k.attr").unwrap();
        assert_eq!(marked, dotted);
        assert_eq!(marked.parts(), [Part::Index(0), key("k"), key("attr")]);
        assert_eq!(
            (marked.to_string(), dotted.to_string()),
            ("r_$_0_#_k_@_attr".into(), "r[0].k.attr".into())
        );
        assert_eq!(PinPath::parse("r['odd key'][-1]").unwrap().parts(), [key("odd key"), Part::Index(-1)]);
    }

    #[test]
    fn keys_and_names_are_any_text() {
        let path = PinPath::parse("values_#_Article Title v1.0").unwrap();
        assert_eq!((path.pin(), path.parts()), ("values", &[key("Article Title v1.0")][..]));
        for name in ["Results!", "User's Email", "Search Radius (meters, max 50,000)", "a. b", "items[]"] {
            let path = PinPath::parse(name).unwrap();
            assert_eq!((path.pin(), path.is_whole()), (name, true));
        }
    }

    #[test]
    fn a_pin_that_there_is_wins_over_a_path() {
        let is_pin = |name: &str| name == "v1.x" || name == "v1";
        assert!(PinPath::parse_with("v1.x", is_pin).unwrap().is_whole());
        let path = PinPath::parse_with("v1.x[2]", is_pin).unwrap();
        assert_eq!((path.pin(), path.parts()), ("v1.x", &[Part::Index(2)][..]));
        assert_eq!(PinPath::parse_with("v1.y", is_pin).unwrap().pin(), "v1");
    }

    #[test]
    fn what_follows_a_mark_must_be_a_path() {
        let refused = |text: &str| PinPath::parse(text).unwrap_err().to_string();
        insta::assert_snapshot!(refused("list_$_one"), @"`one` in the pin `list_$_one` is not an index; write a whole number after `_$_`");
        insta::assert_snapshot!(refused("dict_#_"), @"the pin `dict_#_` has an empty key; write the key after `_#_`");
        insta::assert_snapshot!(refused(""), @"a pin has no name; write the name of a pin, such as `output`");
    }
}
