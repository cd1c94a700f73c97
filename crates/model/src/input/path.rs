//! Paths into a value: `event.output.items[0].name`, `event.output["odd key"]`.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

use super::tagged::{describe, elements, entries};
use crate::changeset::check::nearest;
use crate::phrase::cut;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    root: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Key(String),
    /// Below zero counts from the end.
    Index(i64),
}

/// The text is something else than a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAPath;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectError {
    #[error("`{root}` is unknown; known: {known}")]
    Root { root: String, known: String },
    #[error("`{place}` has no `{key}`{known}")]
    Key { place: String, key: String, known: String },
    #[error("`{place}` has {count} elements, so there is no element {index}")]
    Index { place: String, index: i64, count: usize },
    #[error("`{place}` is {given}, which has no {wanted}")]
    Kind { place: String, given: String, wanted: &'static str },
}

impl Path {
    /// The name it begins with.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// What it leads to in an object of named values.
    pub fn select<'a>(&self, scope: &'a Value) -> Result<&'a Value, SelectError> {
        let root = || SelectError::Root { root: self.root.clone(), known: known(scope) };
        let mut value = scope.get(&self.root).ok_or_else(root)?;
        for (done, part) in self.parts.iter().enumerate() {
            let place = || Path { root: self.root.clone(), parts: self.parts[..done].to_vec() }.to_string();
            value = part.select(value, &place)?;
        }
        Ok(value)
    }
}

impl Part {
    fn select<'a>(&self, value: &'a Value, place: &dyn Fn() -> String) -> Result<&'a Value, SelectError> {
        let kind = |wanted| SelectError::Kind { place: place(), given: describe(value), wanted };
        match self {
            Part::Key(key) => {
                let map = entries(value).ok_or_else(|| kind("keys"))?;
                let missing =
                    || SelectError::Key { place: place(), key: cut(key, 40), known: instead(key, value) };
                map.get(key).ok_or_else(missing)
            }
            Part::Index(index) => {
                let items = elements(value).ok_or_else(|| kind("elements"))?;
                let from_start = if *index < 0 { items.len() as i64 + index } else { *index };
                let missing = || SelectError::Index { place: place(), index: *index, count: items.len() };
                usize::try_from(from_start).ok().and_then(|at| items.get(at)).ok_or_else(missing)
            }
        }
    }
}

/// The key that was meant, or those that there are.
fn instead(key: &str, value: &Value) -> String {
    let keys: Vec<String> = value.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
    match nearest(key, &keys) {
        Some(near) => format!("; did you mean `{}`?", cut(near, 40)),
        None => format!(", only {}", known(value)),
    }
}

/// The keys of an object, as far as a reader wants to see them.
fn known(value: &Value) -> String {
    const SHOWN: usize = 8;
    let Some(map) = value.as_object().filter(|map| !map.is_empty()) else { return "nothing".to_owned() };
    let keys: Vec<String> = map.keys().take(SHOWN).map(|key| format!("`{}`", cut(key, 40))).collect();
    let more = if map.len() > SHOWN { " …" } else { "" };
    format!("{}{more}", keys.join(", "))
}

impl FromStr for Path {
    type Err = NotAPath;

    fn from_str(text: &str) -> Result<Path, NotAPath> {
        let (root, mut rest) = word(text)?;
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (part, after) = match rest.strip_prefix('.') {
                Some(rest) => word(rest).map(|(key, after)| (Part::Key(key.to_owned()), after))?,
                None => bracket(rest)?,
            };
            parts.push(part);
            rest = after;
        }
        Ok(Path { root: root.to_owned(), parts })
    }
}

fn word(text: &str) -> Result<(&str, &str), NotAPath> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let begins = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if begins { Ok((word, rest)) } else { Err(NotAPath) }
}

/// `[0]`, `[-1]`, `['key']` or `["key"]`.
fn bracket(text: &str) -> Result<(Part, &str), NotAPath> {
    let inner = text.strip_prefix('[').ok_or(NotAPath)?;
    if let Some(quote) = inner.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let (key, rest) = inner[1..].split_once(quote).ok_or(NotAPath)?;
        // An escape is more than a path says.
        let rest = rest.strip_prefix(']').filter(|_| !key.contains('\\')).ok_or(NotAPath)?;
        return Ok((Part::Key(key.to_owned()), rest));
    }
    let (index, rest) = inner.split_once(']').ok_or(NotAPath)?;
    Ok((Part::Index(index.trim().parse().map_err(|_| NotAPath)?), rest))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.parts.iter().try_for_each(|part| match part {
            Part::Key(key) if word(key).is_ok_and(|(_, rest)| rest.is_empty()) => write!(f, ".{key}"),
            Part::Key(key) => write!(f, "[\"{key}\"]"),
            Part::Index(index) => write!(f, "[{index}]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_reads_back_as_it_is_written() {
        for text in ["event", "event.output.größe", "event.a[0][-1].b", "event[\"odd key\"].x"] {
            assert_eq!(text.parse::<Path>().unwrap().to_string(), text);
        }
        assert_eq!("event['k']".parse::<Path>().unwrap().to_string(), "event.k");
    }

    #[test]
    fn what_is_more_than_a_path_is_none() {
        for text in
            ["", "1", "a + b", "a.b()", "a|upper", "a.", "a[", "a['x", "a[x]", "a b", "a['\\n']", "a..b"]
        {
            assert_eq!(text.parse::<Path>(), Err(NotAPath), "{text}");
        }
    }

    #[test]
    fn an_index_below_zero_counts_from_the_end() {
        let scope = json!({"a": {"$tuple": [1, 2, 3]}});
        let select = |path: &str| path.parse::<Path>().unwrap().select(&scope).cloned();
        assert_eq!(select("a[-1]"), Ok(json!(3)));
        insta::assert_snapshot!(select("a[-4]").unwrap_err(), @"`a` has 3 elements, so there is no element -4");
        insta::assert_snapshot!(select("a.x").unwrap_err(), @"`a` is a tuple of length 3, which has no keys");
    }
}
