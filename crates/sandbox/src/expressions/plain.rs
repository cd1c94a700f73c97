//! Which questions are so simple that what they take is bounded by the length of their text and of their values.
//!
//! A list of what is allowed: names, paths, numbers, texts, comparisons, `and`, `or`, `not`, and filters that make nothing larger. Whatever
//! makes a value out of others, repeats, or calls something is not plain.

/// A longer one may look at a large value too often.
const MAX_BYTES: usize = 1_000;

/// Filters that give no more than they get, in the time it takes to read it.
const FILTERS: &[&str] = &[
    "bool", "count", "d", "default", "first", "float", "int", "last", "length", "lower", "round", "trim",
    "upper",
];

pub(super) fn is_plain(text: &str) -> bool {
    text.len() <= MAX_BYTES && !text.contains("{%") && has_plain_characters(text) && has_plain_filters(text)
}

/// Neither operators that make something, nor calls of anything but filters. Texts are looked into, too: one that holds such a character is not plain.
fn has_plain_characters(text: &str) -> bool {
    text.chars().all(|character| !matches!(character, '+' | '*' | '~'))
}

/// Each `|` and each `(` belongs to one of the filters above; `(` may also open a group.
fn has_plain_filters(text: &str) -> bool {
    let filters = text.split('|').skip(1).all(|rest| FILTERS.contains(&word_at_start(rest.trim_start())));
    let calls = text.match_indices('(').all(|(at, _)| {
        let before = text[..at].trim_end();
        let word = word_at_end(before);
        let head = before[..before.len() - word.len()].trim_end();
        let is_group = word.is_empty() && !before.ends_with([')', ']', '"', '\'', '.']);
        is_group
            || matches!(word, "and" | "or" | "not" | "in" | "if" | "else")
            || FILTERS.contains(&word) && head.ends_with('|')
    });
    filters && calls
}

fn word_at_start(text: &str) -> &str {
    let end = text.find(|character: char| !is_of_word(character)).unwrap_or(text.len());
    &text[..end]
}

fn word_at_end(text: &str) -> &str {
    let start = text.char_indices().rev().take_while(|(_, character)| is_of_word(*character)).last();
    start.map_or("", |(start, _)| &text[start..])
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks_and_compares_is_plain() {
        for text in [
            "event.output.score > 0.8 and event.source == 'rate'",
            "not (event.a or event['b'][0])",
            "event.items | length > 3",
            "Hi {{ event.output.name | default('nobody') | upper }}!",
            "https://host/{{ a[1:] }}",
            "a text",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }

    #[test]
    fn what_makes_repeats_or_calls_something_is_not() {
        for text in [
            "a ~ a",
            "a + a",
            "'x' * 9",
            "range(9)",
            "a | join(a)",
            "a|replace('x', a)",
            "a | default (range (9))",
            "a.upper()",
            "(a)(b)",
            "a['b'](c)",
            "'a'.join (b)",
            "{% for a in b %}{% endfor %}",
            "a|tojson",
        ] {
            assert!(!is_plain(text), "{text}");
        }
        assert!(!is_plain(&"a == b or ".repeat(200)));
    }
}
