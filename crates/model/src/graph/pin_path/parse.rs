//! Reading pin paths.
//!
//! Names of pins are any text (`Video Topic / Headline`, `Search Radius (meters, max 50,000)`), so where the name ends
//! depends on which pins there are: the longest one that the text begins with, and that is followed by a path.

use std::collections::HashMap;

use thiserror::Error;

use super::{Part, PinPath};
use crate::graph::content::MAX_PIN_BYTES;
use crate::phrase::cut;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    #[error("a pin has no name; write the name of a pin, such as `output`")]
    Empty,
    #[error("`{index}` in the pin `{pin}` is not an index; write a whole number after `_$_`")]
    Index { pin: String, index: String },
    #[error("the pin `{pin}` has an empty key; write the key after `_#_`")]
    EmptyKey { pin: String },
    #[error("a pin has {bytes} bytes, more than the {MAX_PIN_BYTES} it may have; shorten it")]
    TooLong { bytes: usize },
    #[error(
        "the path of the pin `{pin}` has {count} parts, more than the {MAX_PARTS} it may have; take the value apart in two nodes"
    )]
    TooDeep { pin: String, count: usize },
}

const MARKS: [&str; 3] = ["_$_", "_#_", "_@_"];
/// The parts of one path. What nobody reads is not written by hand, and each part is an object or a list to build.
pub const MAX_PARTS: usize = 32;

impl PinPath {
    /// A pin and path where the pins are not known: the name ends where a path begins.
    pub fn parse(text: &str) -> Result<PinPath, PathError> {
        PinPath::parse_with(text, |_| false)
    }

    /// A pin and path of a block with these pins. It takes time in proportion to the text, whatever that holds.
    pub fn parse_with(text: &str, is_pin: impl Fn(&str) -> bool) -> Result<PinPath, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.len() > MAX_PIN_BYTES {
            return Err(PathError::TooLong { bytes: text.len() });
        }
        let path =
            |end: usize, parts| PinPath { written: text.to_owned(), pin: text[..end].to_owned(), parts };
        if is_pin(text) {
            return Ok(path(text.len(), Vec::new()));
        }
        let ends = ends(text);
        let is_short = |(_, count): &&(usize, usize)| *count <= MAX_PARTS;
        let of_pin = ends.iter().filter(is_short).find(|(end, _)| is_pin(&text[..*end]));
        match of_pin.or(ends.last()) {
            Some((_, count)) if *count > MAX_PARTS => {
                Err(PathError::TooDeep { pin: cut(text, 60), count: *count })
            }
            Some((end, _)) => Ok(path(*end, parts(&text[*end..]).unwrap_or_default())),
            None => match refusal(text) {
                Some(error) => Err(error),
                None => Ok(path(text.len(), Vec::new())),
            },
        }
    }
}

/// Where the name of a pin may end, the last place first: where a path begins that goes on to the end of the text, and how many
/// parts it has. From the back, each part is read once, because what follows it is known.
fn ends(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    // By where they begin, for each of the two spellings.
    let mut known: [HashMap<usize, usize>; 2] =
        [(text.len(), 0), (text.len(), 0)].map(|end| HashMap::from([end]));
    for at in text.char_indices().map(|(at, _)| at).filter(|at| *at > 0).collect::<Vec<_>>().into_iter().rev()
    {
        let rest = &text[at..];
        let is_marked = is_mark(rest);
        let next = match is_marked {
            true => marked_part(rest).ok().map(|(_, next)| next),
            false => dotted_part(rest).map(|(_, next)| next),
        };
        let known = &mut known[usize::from(is_marked)];
        let count = next.and_then(|next| known.get(&(text.len() - next.len())).copied());
        if let Some(count) = count {
            known.insert(at, count + 1);
            found.push((at, count + 1));
        }
    }
    found
}

fn is_mark(text: &str) -> bool {
    MARKS.iter().any(|mark| text.starts_with(mark))
}

/// The parts of a path that is spelled one way to its end.
fn parts(text: &str) -> Option<Vec<Part>> {
    let (is_marked, mut found, mut rest) = (is_mark(text), Vec::new(), text);
    while !rest.is_empty() {
        let (part, next) = if is_marked { marked_part(rest).ok()? } else { dotted_part(rest)? };
        found.push(part);
        rest = next;
    }
    Some(found)
}

/// The first of `_$_0_#_key`. A key runs to the next mark, so it may have dots and blanks.
fn marked_part(text: &str) -> Result<(Part, &str), String> {
    let (mark, after) = text.split_at(3);
    let end = MARKS.iter().filter_map(|mark| after.find(mark)).min().unwrap_or(after.len());
    let (word, next) = after.split_at(end);
    let part = match mark {
        "_$_" => Part::Index(word.parse().map_err(|_| word.to_owned())?),
        _ if word.is_empty() => return Err(String::new()),
        _ => Part::Key(word.to_owned()),
    };
    Ok((part, next))
}

/// The first of `[0].key["any key"]`.
fn dotted_part(text: &str) -> Option<(Part, &str)> {
    match text.strip_prefix('.') {
        Some(rest) => {
            let (word, next) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
            is_word(word).then(|| (Part::Key(word.to_owned()), next))
        }
        None => bracket(text.strip_prefix('[')?),
    }
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
    let (pin, mut rest) = (text.to_owned(), &text[end..]);
    while !rest.is_empty() {
        match marked_part(rest) {
            Ok((_, next)) => rest = next,
            Err(index) if index.is_empty() && !text.contains("_$_") => {
                return Some(PathError::EmptyKey { pin });
            }
            Err(index) => return Some(PathError::Index { pin, index }),
        }
    }
    None
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

    #[test]
    fn a_pin_is_no_longer_and_no_deeper_than_it_may_be() {
        let refused = |text: &str| PinPath::parse(text).unwrap_err().to_string();
        insta::assert_snapshot!(refused(&"x".repeat(501)), @"a pin has 501 bytes, more than the 500 it may have; shorten it");
        insta::assert_snapshot!(refused(&format!("r{}", "[0]".repeat(33))), @"the path of the pin `r[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][…` has 33 parts, more than the 32 it may have; take the value apart in two nodes");
        insta::assert_snapshot!(refused(&format!("r{}", "_#_k".repeat(33))), @"the path of the pin `r_#_k_#_k_#_k_#_k_#_k_#_k_#_k_#_k_#_k_#_k_#_k_#_k_#_k_#_k_#…` has 33 parts, more than the 32 it may have; take the value apart in two nodes");
        assert_eq!(PinPath::parse(&format!("r{}", "[0]".repeat(32))).unwrap().parts().len(), 32);
        // Where a pin is called so, the path is shorter.
        let name = "x.a.a.a";
        let path = PinPath::parse_with(&format!("{name}{}", ".a".repeat(32)), |pin| pin == name).unwrap();
        assert_eq!((path.pin(), path.parts().len()), (name, 32));
    }

    /// As it is defined: the longest pin that there is, else the shortest name, followed by a path.
    fn slowly(text: &str, is_pin: impl Fn(&str) -> bool) -> Option<(String, Vec<Part>)> {
        let all = || text.char_indices().map(|(at, _)| at).filter(|at| *at > 0);
        let begins = |at: &usize| text[*at..].starts_with(['.', '[']) || is_mark(&text[*at..]);
        let read = |at: usize| Some((text[..at].to_owned(), parts(&text[at..])?));
        if is_pin(text) {
            return None;
        }
        let of_pin = all().filter(begins).collect::<Vec<_>>().into_iter().rev();
        of_pin
            .filter(|at| is_pin(&text[..*at]))
            .find_map(read)
            .or_else(|| all().filter(begins).find_map(read))
    }

    proptest::proptest! {
        #[test]
        fn it_is_read_as_it_is_defined(text in "[a.\\[\\]'_$#@0-]{1,24}", name in "[a.\\[\\]_$#]{1,6}") {
            let is_pin = |pin: &str| pin == name;
            let read = PinPath::parse_with(&text, is_pin).ok().filter(|path| !path.is_whole());
            let read = read.map(|path| (path.pin().to_owned(), path.parts().to_vec()));
            proptest::prop_assert_eq!(read, slowly(&text, is_pin));
        }
    }
}
