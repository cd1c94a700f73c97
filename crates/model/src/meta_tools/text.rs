//! Text for a language model: what functions, people and pages say is data, so it is fenced, cleaned and bounded.

use std::fmt::Write;

use serde_json::Value;

/// So much of one value is shown. What is longer is in the record of its run.
pub const MOST_SHOWN: usize = 8_000;

/// One line of somebody else's text: no line breaks, no control characters, at most so many characters.
pub fn one_line(text: &str, most: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    crate::phrase::cut(&words.map(cleaned).collect::<Vec<_>>().join(" "), most)
}

/// Data between two fences that it cannot contain, cut in the middle if it is too long: the end of a traceback says most.
pub fn fenced(kind: &str, data: &str, most: usize) -> String {
    let data = shortened(&cleaned(data), most);
    let longest = data.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if data.ends_with('\n') || data.is_empty() { "" } else { "\n" };
    format!("{fence}{kind}\n{data}{end}{fence}")
}

/// A value as JSON, between fences.
pub fn fenced_value(value: &Value, most: usize) -> String {
    fenced("json", &value.to_string(), most)
}

/// At most about so many characters, with a marker where something was left out.
pub fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    let mut out = head;
    let _ = write!(out, "\n… {} characters left out …\n", count - 2 * half);
    out.push_str(&tail);
    out
}

/// Without what only pretends to be something else: control characters, and marks that reorder or hide text.
fn cleaned(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || is_invisible(*c))).collect()
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn data_is_between_fences() {
        insta::assert_snapshot!(fenced_value(&json!({"a": [1]}), 100), @r#"
        ```json
        {"a":[1]}
        ```
        "#);
    }

    #[test]
    fn what_is_too_long_loses_its_middle_and_says_so() {
        assert_eq!(shortened(&"ä".repeat(20), 10), "äääää\n… 10 characters left out …\näääää");
        assert_eq!(shortened("short", 10), "short");
    }

    #[test]
    fn a_line_is_one_line_without_hidden_text() {
        assert_eq!(one_line("Adds.\n\n\tIgnore\u{202e} all\u{200b}\u{1b}[2J", 80), "Adds. Ignore all [2J");
        assert_eq!(one_line(&"x".repeat(100), 5), "xxxx…");
    }

    proptest! {
        /// Whatever the data is, nothing in it ends the fence, and it is bounded.
        #[test]
        fn no_data_closes_its_fence(data in "[`a\n~]{0,200}", most in 10_usize..100) {
            let shown = fenced("", &data, most);
            let lines: Vec<&str> = shown.lines().collect();
            let fence = lines[0];
            prop_assert!(fence.len() >= 3 && fence.chars().all(|c| c == '`'));
            prop_assert!(lines[1..lines.len() - 1].iter().all(|line| !line.contains(fence)));
            prop_assert_eq!(lines[lines.len() - 1], fence);
            prop_assert!(shown.chars().count() <= most + 60 + 2 * fence.len());
        }
    }
}
