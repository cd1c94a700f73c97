//! Which packages may be installed. The rules are asked twice: of what is required, before anything is fetched, and of all that
//! was resolved, because most of a set is there for the sake of another package.

use std::fmt;

use crate::environment::error::Error;
use crate::environment::requirements::normalized;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackagePolicy {
    /// Names, in which `*` stands for any text; absent is all packages.
    pub allowed: Option<Vec<String>>,
    /// Names that are refused even where they are allowed.
    pub forbidden: Vec<String>,
    /// Releases younger than this many days are not seen. Most malicious releases are found within days.
    pub minimum_age_days: u32,
    /// Build packages that offer no wheel. This runs their code outside cells, with the rights of this process.
    pub allow_source: bool,
}

/// The rule that refuses a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    Forbidden { pattern: String },
    NotAllowed,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Forbidden { pattern } => write!(f, "the policy forbids `{pattern}`"),
            Rule::NotAllowed => f.write_str("the policy's allowed packages do not include it"),
        }
    }
}

impl PackagePolicy {
    pub(super) fn check(&self, package: &str, direct: bool) -> Result<(), Error> {
        match self.refusal(package) {
            Some(rule) => Err(Error::Refused { package: package.to_owned(), rule, direct }),
            None => Ok(()),
        }
    }

    fn refusal(&self, package: &str) -> Option<Rule> {
        if let Some(pattern) = self.forbidden.iter().find(|pattern| matches(pattern, package)) {
            return Some(Rule::Forbidden { pattern: pattern.clone() });
        }
        let allowed = self.allowed.as_ref()?;
        let listed = allowed.iter().any(|pattern| matches(pattern, package));
        (!listed).then_some(Rule::NotAllowed)
    }
}

/// Whether the whole name fits a pattern. Both are compared in the normal form of package names.
fn matches(pattern: &str, package: &str) -> bool {
    let (pattern, package) = (normalized(pattern), normalized(package));
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = package.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{PackagePolicy, Rule, matches};

    #[test]
    fn patterns_fit_whole_names_in_any_spelling() {
        for (pattern, package, fits) in [
            ("six", "six", true),
            ("six", "sixer", false),
            ("Zope.Interface", "zope-interface", true),
            ("google-*", "google-auth", true),
            ("google-*", "not-google-auth", false),
            ("*-stubs", "pandas-stubs", true),
            ("a*b*c", "a-x-b-y-c", true),
            ("a*bc*c", "abc", false),
            ("*", "anything", true),
        ] {
            assert_eq!(matches(pattern, package), fits, "`{pattern}` on `{package}`");
        }
    }

    #[test]
    fn forbidden_wins_over_allowed() {
        let policy = PackagePolicy {
            allowed: Some(vec!["*".into()]),
            forbidden: vec!["evil*".into()],
            ..PackagePolicy::default()
        };
        assert_eq!(policy.refusal("evil-twin"), Some(Rule::Forbidden { pattern: "evil*".into() }));
        assert_eq!(policy.refusal("good"), None);
    }

    #[test]
    fn nothing_is_allowed_by_an_empty_list() {
        let policy = PackagePolicy { allowed: Some(Vec::new()), ..PackagePolicy::default() };
        assert_eq!(policy.refusal("six"), Some(Rule::NotAllowed));
    }
}
