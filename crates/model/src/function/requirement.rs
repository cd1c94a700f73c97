//! A Python package that a Version needs, as its author states it or as its imports imply. Finding, locking and
//! installing packages is not here.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An import name and the package that provides it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub struct Requirement {
    /// The top-level import name, `bs4`.
    pub import: String,
    /// The package with its version specifier, `beautifulsoup4>=4.12`.
    pub package: String,
}

/// Why a stated requirement is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequirementError {
    #[error("a requirement is empty; name a package, such as `httpx` or `httpx>=0.27`")]
    Empty,
    #[error("`{0}` is an option of pip; name packages only, and set indexes in the server's configuration")]
    Option(String),
    #[error("`{0}` is a URL or a path; only packages of the configured index are installed")]
    Location(String),
    #[error("`{0}` is longer than {MAX_REQUIREMENT} characters")]
    TooLong(String),
    #[error("`{0}` does not begin with a package name of letters, digits, `-`, `_` and `.`")]
    Name(String),
    #[error("the extras of `{0}` are not a list of names in brackets, such as `[http2,cli]`")]
    Extras(String),
    #[error("`{specifier}` in `{requirement}` is not a version specifier, such as `>=1.2` or `==2.*`")]
    Specifier { requirement: String, specifier: String },
    #[error("the marker of `{0}` is empty; write a condition after `;`, or leave it out")]
    Marker(String),
}

/// No requirement that people write is longer.
const MAX_REQUIREMENT: usize = 500;

impl Requirement {
    /// Reads a requirement as an author states it: `httpx`, `httpx[http2]>=0.27,<1`, or `bs4=beautifulsoup4>=4.12`
    /// when the import has another name than the package.
    pub fn parse(stated: &str) -> Result<Requirement, RequirementError> {
        let stated = stated.trim();
        let (import, package) = match split_import(stated) {
            Some((import, package)) => (Some(import), package),
            None => (None, stated),
        };
        let package = checked(package)?;
        let import = match import {
            Some(import) => import.to_owned(),
            None => crate::python::import_of(name_of(&package)),
        };
        Ok(Requirement { import, package })
    }

    /// A requirement for an import whose package is stated apart.
    pub fn of(import: &str, package: &str) -> Result<Requirement, RequirementError> {
        Ok(Requirement { import: import.to_owned(), package: checked(package)? })
    }

    /// The package's name alone, in the form that indexes compare: lower case, with `-` between words.
    pub fn package_name(&self) -> String {
        let lower = name_of(&self.package).to_ascii_lowercase();
        let words: Vec<&str> = lower.split(['-', '_', '.']).filter(|word| !word.is_empty()).collect();
        words.join("-")
    }
}

/// As an author would state it: the import only where the package does not tell it.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.import != crate::python::import_of(name_of(&self.package)) {
            write!(f, "{}=", self.import)?;
        }
        f.write_str(&self.package)
    }
}

/// `import=package`, with a single `=` that no version specifier has.
fn split_import(stated: &str) -> Option<(&str, &str)> {
    let (import, package) = stated.split_once('=')?;
    let is_import = !import.is_empty() && import.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_import && !package.starts_with('=')).then_some((import, package))
}

fn checked(stated: &str) -> Result<String, RequirementError> {
    let stated = stated.trim();
    if stated.is_empty() {
        return Err(RequirementError::Empty);
    }
    if stated.len() > MAX_REQUIREMENT {
        return Err(RequirementError::TooLong(stated.chars().take(60).collect()));
    }
    if stated.starts_with('-') {
        return Err(RequirementError::Option(stated.to_owned()));
    }
    let (requirement, marker) = match stated.split_once(';') {
        Some((requirement, marker)) => (requirement.trim(), Some(marker.trim())),
        None => (stated, None),
    };
    if requirement.contains(['/', '\\', '@']) || requirement.contains("://") || requirement.starts_with('.') {
        return Err(RequirementError::Location(stated.to_owned()));
    }
    if marker.is_some_and(str::is_empty) {
        return Err(RequirementError::Marker(stated.to_owned()));
    }
    check_package(requirement, stated)?;
    Ok(stated.to_owned())
}

fn check_package(requirement: &str, stated: &str) -> Result<(), RequirementError> {
    let name = name_of(requirement);
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if !is_edge(name.chars().next()) || !is_edge(name.chars().next_back()) {
        return Err(RequirementError::Name(stated.to_owned()));
    }
    let mut rest = requirement[name.len()..].trim_start();
    if let Some(inner) = rest.strip_prefix('[') {
        let (extras, after) =
            inner.split_once(']').ok_or_else(|| RequirementError::Extras(stated.to_owned()))?;
        let is_name = |extra: &str| !extra.is_empty() && name_of(extra).len() == extra.len();
        if !extras.split(',').all(|extra| is_name(extra.trim())) {
            return Err(RequirementError::Extras(stated.to_owned()));
        }
        rest = after.trim();
    }
    if let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        rest = inner.trim();
    }
    if rest.is_empty() {
        return Ok(());
    }
    for specifier in rest.split(',') {
        if !is_specifier(specifier.trim()) {
            return Err(RequirementError::Specifier {
                requirement: stated.to_owned(),
                specifier: specifier.trim().to_owned(),
            });
        }
    }
    Ok(())
}

fn is_specifier(specifier: &str) -> bool {
    const OPERATORS: &[&str] = &["===", "==", "!=", "<=", ">=", "~=", "<", ">"];
    let Some(operator) = OPERATORS.iter().find(|operator| specifier.starts_with(**operator)) else {
        return false;
    };
    let version = specifier[operator.len()..].trim();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '!' | '*');
    version.starts_with(|c: char| c.is_ascii_alphanumeric()) && version.chars().all(is_part)
}

/// The longest beginning that can be a package name.
fn name_of(requirement: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = requirement.find(|c| !is_part(c)).unwrap_or(requirement.len());
    &requirement[..end]
}
