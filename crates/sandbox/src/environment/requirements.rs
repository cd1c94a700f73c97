//! A set of requirements: package names with optional extras, versions and markers, as `pip` writes them. Anything else a
//! requirements file can hold (addresses, paths, options) is refused, because it would go past the index and the policy.

use std::collections::BTreeSet;

use crate::environment::error::Error;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Requirements {
    /// In one spelling and order, each with its package's name in normal form.
    list: BTreeSet<(String, String)>,
    preload: Option<Vec<String>>,
}

impl Requirements {
    /// No packages: the standard library alone.
    pub fn none() -> Requirements {
        Requirements::default()
    }

    pub fn parse<I: IntoIterator<Item: AsRef<str>>>(requirements: I) -> Result<Requirements, Error> {
        let list = requirements.into_iter().map(|text| parse(text.as_ref())).collect::<Result<_, _>>()?;
        Ok(Requirements { list, preload: None })
    }

    /// Modules the zygote imports, instead of those the required packages are seen to provide.
    #[must_use]
    pub fn preloading<I: IntoIterator<Item: Into<String>>>(mut self, modules: I) -> Requirements {
        self.preload = Some(modules.into_iter().map(Into::into).collect());
        self
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn preload(&self) -> Option<&[String]> {
        self.preload.as_deref()
    }

    /// One requirement a line, the same text for the same set.
    pub(super) fn text(&self) -> String {
        self.list.iter().map(|(name, rest)| format!("{name}{rest}\n")).collect()
    }
}

/// The spelling in which two names of one package are equal.
pub(super) fn normalized(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars().map(|letter| letter.to_ascii_lowercase()) {
        match letter {
            '-' | '_' | '.' if text.ends_with('-') => {}
            '-' | '_' | '.' => text.push('-'),
            letter => text.push(letter),
        }
    }
    text
}

fn parse(text: &str) -> Result<(String, String), Error> {
    let text = text.trim();
    let wrong = |why| Error::Requirement { requirement: text.to_owned(), why };
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let ends_well = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric());
    if !ends_well {
        return Err(wrong("it must begin with the name of a package, such as `six` or `attrs>=23`"));
    }
    let (versions, marker) = rest.split_once(';').unwrap_or((rest, ""));
    if versions.trim_start().starts_with('@') || versions.contains('/') {
        return Err(wrong("packages come from the index only, not from a URL or a path"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.*+!<>=~,()[] ".contains(c);
    let in_marker = |c: char| c.is_ascii_graphic() && !"\\$#@;".contains(c) || c == ' ';
    if !versions.chars().all(plain) || !marker.chars().all(in_marker) || rest.contains(" -") {
        return Err(wrong("after the name only extras, versions and a marker may follow"));
    }
    let versions: String = versions.split_whitespace().collect();
    // Without this, `six ty` would be checked as `six` and installed as `sixty`.
    if versions.starts_with(|c: char| !"<>=~!([".contains(c)) {
        return Err(wrong("after the name only extras, versions and a marker may follow"));
    }
    let marker = marker.trim();
    let rest = if marker.is_empty() { versions } else { format!("{versions} ; {marker}") };
    Ok((normalized(name), rest))
}

#[cfg(test)]
mod tests {
    use super::{Requirements, normalized};

    #[test]
    fn the_same_set_has_one_text() {
        let one = Requirements::parse(["Six", "zope.Interface >= 5, <7", "six"]).unwrap();
        let other = Requirements::parse([" zope-interface>=5,<7", "six "]).unwrap();
        assert_eq!(one, other);
        assert_eq!(one.text(), "six\nzope-interface>=5,<7\n");
        assert_eq!(normalized("A__b.-C"), "a-b-c");
    }

    #[test]
    fn extras_and_markers_stay() {
        let set = Requirements::parse(["httpx[http2, socks]~=0.27; python_version >= '3.10'"]).unwrap();
        assert_eq!(set.text(), "httpx[http2,socks]~=0.27 ; python_version >= '3.10'\n");
    }

    #[test]
    fn what_goes_past_the_index_is_refused() {
        for text in [
            "",
            "-r other.txt",
            "--index-url=https://example.com",
            "./folder",
            "../six",
            "six @ https://example.com/six.whl",
            "six@file:///tmp/six",
            "https://example.com/six.whl",
            "six\n--index-url https://example.com",
            "six --config-settings=a=b",
            "six \\",
            "six # comment",
            "six==${VERSION}",
            "six ; python_version > '3' --hash=sha256:00",
            "-",
            "six-",
            "six ty",
        ] {
            assert!(Requirements::parse([text]).is_err(), "`{text}` should be refused");
        }
    }
}
