//! Phrases: putting values and lists into the sentences that people and agents read.

/// At most this many characters of a text, the last one an ellipsis if it was longer.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_ends_with_an_ellipsis() {
        assert_eq!(cut("größer", 6), "größer");
        assert_eq!(cut("größer", 4), "grö…");
    }

    #[test]
    fn a_list_reads_like_a_sentence() {
        let items = |n: usize| ["a", "b", "c"][..n].iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        assert_eq!(list(&items(1), "and"), "a");
        assert_eq!(list(&items(3), "or"), "a, b or c");
    }
}
