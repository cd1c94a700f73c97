//! The words of the language: what can be a name, and what is taken.

use unicode_ident::{is_xid_continue, is_xid_start};

pub(crate) use super::builtins::is_builtin;

/// Of every Python from 3.10 on. The soft ones (`match`, `type`, `case`, `_`) may be names.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

pub(crate) fn is_keyword(text: &str) -> bool {
    KEYWORDS.binary_search(&text).is_ok()
}

pub(crate) fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    let start = characters.next().is_some_and(|first| first == '_' || is_xid_start(first));
    start && characters.all(is_xid_continue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_so_that_they_are_found() {
        assert!(KEYWORDS.is_sorted());
        assert!(KEYWORDS.iter().all(|word| is_keyword(word)));
        assert!(!is_keyword("match"));
    }
}
