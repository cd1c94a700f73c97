//! Scope: a set of entry names, written as patterns. Lists and searches are bounded by one inside the query, so that a page is
//! whole and tells nothing of what lies outside.

use serde::{Deserialize, Serialize};

use super::glob;
use crate::name::EntryName;

/// Which names are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Option<Vec<String>>", into = "Option<Vec<String>>")]
pub enum Scope {
    /// Every name there is, and every one there will be.
    #[default]
    All,
    /// Names that fit one of these patterns; without a pattern, none.
    Names(Vec<String>),
}

impl Scope {
    /// No name at all.
    pub fn none() -> Scope {
        Scope::Names(Vec::new())
    }

    /// Of a token's patterns, where no pattern means every name.
    pub fn of_patterns(patterns: Vec<String>) -> Scope {
        let is_all = patterns.is_empty() || patterns.iter().any(|pattern| pattern == "*");
        if is_all { Scope::All } else { Scope::Names(patterns) }
    }

    pub fn is_all(&self) -> bool {
        *self == Scope::All
    }

    pub fn covers(&self, name: &str) -> bool {
        match self {
            Scope::All => true,
            Scope::Names(patterns) => patterns.iter().any(|pattern| glob::matches(pattern, name)),
        }
    }

    /// A name that it covers and that is most like a word: the word itself, or in place of a `*`.
    pub fn name_like(&self, word: &str) -> Option<EntryName> {
        let patterns = self.patterns().unwrap_or_default();
        let like = patterns.iter().filter(|pattern| pattern.contains('*')).map(|pattern| {
            let (before, after) = pattern.split_once('*').unwrap_or_default();
            format!("{before}{word}{}", after.replace('*', "")).replace('?', "x")
        });
        let names =
            std::iter::once(word.to_owned()).chain(like).filter_map(|name| EntryName::new(&name).ok());
        let mut names = names;
        names.find(|name| self.covers(name.as_str()))
    }

    /// Whether it covers every name that the other covers.
    pub fn includes(&self, other: &Scope) -> bool {
        match (self, other) {
            (Scope::All, _) => true,
            (Scope::Names(_), Scope::All) => false,
            (Scope::Names(these), Scope::Names(those)) => {
                those.iter().all(|one| these.iter().any(|pattern| glob::includes(pattern, one)))
            }
        }
    }

    /// The patterns; none stands for every name.
    pub fn patterns(&self) -> Option<&[String]> {
        match self {
            Scope::All => None,
            Scope::Names(patterns) => Some(patterns),
        }
    }

    /// Names that are in either.
    #[must_use]
    pub fn or(&self, other: &Scope) -> Scope {
        match (self, other) {
            (Scope::Names(these), Scope::Names(those)) => {
                Scope::Names(these.iter().chain(those).cloned().collect())
            }
            _ => Scope::All,
        }
    }
}

impl From<Option<Vec<String>>> for Scope {
    fn from(patterns: Option<Vec<String>>) -> Scope {
        patterns.map_or(Scope::All, Scope::Names)
    }
}

impl From<Scope> for Option<Vec<String>> {
    fn from(scope: Scope) -> Option<Vec<String>> {
        match scope {
            Scope::All => None,
            Scope::Names(patterns) => Some(patterns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_like_a_word_is_one_that_is_covered() {
        let name = |patterns: &[&str]| {
            let scope = Scope::Names(patterns.iter().map(ToString::to_string).collect());
            scope.name_like("run_code").map(|name| name.to_string()).unwrap_or_default()
        };
        assert_eq!(Scope::All.name_like("run_code").unwrap().as_str(), "run_code");
        assert_eq!(name(&["run_*"]), "run_code");
        assert_eq!(name(&["greet", "web.*"]), "web.run_code");
        assert_eq!(name(&["team?_*_tool*"]), "teamx_run_code_tool");
        assert_eq!(name(&["greet"]), "");
        assert_eq!(Scope::none().name_like("run_code"), None);
    }

    fn names(patterns: &[&str]) -> Scope {
        Scope::Names(patterns.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_token_without_patterns_means_every_name_and_a_scope_without_patterns_none() {
        assert!(Scope::of_patterns(Vec::new()).covers("anything"));
        assert!(Scope::of_patterns(vec!["*".to_owned()]).is_all());
        assert!(!Scope::none().covers("anything"));
    }

    #[test]
    fn what_either_covers_both_together_cover() {
        let both = names(&["web.*"]).or(&names(&["text.*"]));
        assert!(both.covers("web.get") && both.covers("text.trim") && !both.covers("mail.send"));
        assert!(names(&["web.*"]).or(&Scope::All).is_all());
    }

    #[test]
    fn a_scope_includes_what_it_covers_all_of() {
        let web = names(&["web.*", "add"]);
        for inner in [names(&["web.shop.*"]), names(&["add"]), Scope::none(), web.clone()] {
            assert!(web.includes(&inner) && Scope::All.includes(&inner), "{inner:?}");
        }
        for outer in [names(&["web.*", "mail.*"]), Scope::All] {
            assert!(!web.includes(&outer), "{outer:?}");
        }
    }

    #[test]
    fn a_scope_reads_back_as_it_was_written() {
        for scope in [Scope::All, Scope::none(), names(&["web.*", "add"])] {
            let text = serde_json::to_string(&scope).unwrap();
            assert_eq!(serde_json::from_str::<Scope>(&text).unwrap(), scope, "{text}");
        }
    }
}
