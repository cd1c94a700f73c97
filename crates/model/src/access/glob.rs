//! Name patterns: `*` stands for any text, `?` for one character, everything else for itself.

/// Whether a text is a pattern and not a plain name.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// What every name that fits begins with.
pub fn literal_prefix(pattern: &str) -> &str {
    pattern.split(['*', '?']).next().unwrap_or_default()
}

/// Whether a name fits a pattern. Goes back at most to the last `*`, so hostile patterns cost no more than
/// the product of the two lengths.
pub fn matches(pattern: &str, name: &str) -> bool {
    if !is_pattern(pattern) {
        return pattern == name;
    }
    fits(pattern, name, |_| true)
}

/// Whether every name that fits `other` fits this pattern, too. Of what only several `*` together could show, it says no.
pub fn includes(pattern: &str, other: &str) -> bool {
    fits(pattern, other, |c| c != '*')
}

/// `is_one` says what a `?` may stand for.
fn fits(pattern: &str, name: &str, is_one: impl Fn(char) -> bool) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut place) = (0, 0);
    // After the last `*`: where the pattern goes on, and how much of the name that `*` has taken.
    let mut star: Option<(usize, usize)> = None;
    while place < name.len() {
        match pattern.get(at) {
            Some('*') => {
                at += 1;
                star = Some((at, place));
            }
            Some('?') if is_one(name[place]) => {
                at += 1;
                place += 1;
            }
            Some(c) if *c != '?' && *c == name[place] => {
                at += 1;
                place += 1;
            }
            _ => {
                let Some((after, taken)) = star else { return false };
                (at, place) = (after, taken + 1);
                star = Some((after, taken + 1));
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_star_stands_for_any_text_and_a_question_mark_for_one_character() {
        for (pattern, name, fits) in [
            ("report.*", "report.daily", true),
            ("report.*", "report", false),
            ("*", "", true),
            ("*.deleted", "function.deleted", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("gr??t", "größt", true),
            ("gr?t", "great", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_includes_narrower_ones() {
        for (pattern, other, includes_it) in [
            ("*", "web.*", true),
            ("web.*", "web.*", true),
            ("web.*", "web.shop.*", true),
            ("web.*", "web.get", true),
            ("web.?", "web.*", false),
            ("web.?", "web.?", true),
            ("web.get", "web.*", false),
            ("web.*", "*", false),
        ] {
            assert_eq!(includes(pattern, other), includes_it, "{pattern} {other}");
        }
    }

    /// The definition, without any cleverness.
    fn slow(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (['*', rest @ ..], _) => (0..=name.len()).any(|taken| slow(rest, &name[taken..])),
            (['?', rest @ ..], [_, more @ ..]) => slow(rest, more),
            ([c, rest @ ..], [d, more @ ..]) if c == d => slow(rest, more),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn what_fits_begins_with_the_literal_prefix(pattern in "[ab*?]{0,6}", name in "[ab]{0,6}") {
            prop_assert!(!matches(&pattern, &name) || name.starts_with(literal_prefix(&pattern)));
        }

        #[test]
        fn a_pattern_that_includes_another_fits_every_name_that_fits_the_other(
            pattern in "[ab*?]{0,6}", other in "[ab*?]{0,4}", name in "[ab]{0,6}",
        ) {
            let is_included = includes(&pattern, &other) && matches(&other, &name);
            prop_assert!(!is_included || matches(&pattern, &name), "{pattern} {other} {name}");
        }

        #[test]
        fn matching_agrees_with_its_definition(pattern in "[ab*?]{0,8}", name in "[abc]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches(&pattern, &name), slow(&chars(&pattern), &chars(&name)));
        }
    }
}
