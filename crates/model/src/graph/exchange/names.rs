//! Names of entries from titles, which are any text.

use std::collections::HashSet;

use crate::name::EntryName;

/// A part of a dotted name; what is longer is cut.
const MAX_PART: usize = 60;

/// A name for each title, the main graph's first. Those of the others begin with it, because files repeat each other's graphs.
pub(super) fn derive(titles: &[&str]) -> Vec<EntryName> {
    let main = titles.first().map_or_else(String::new, |title| part(title));
    let mut taken = HashSet::new();
    let names = titles.iter().enumerate().map(|(at, title)| {
        let wanted = if at == 0 { main.clone() } else { format!("{main}.{}", part(title)) };
        let mut name = wanted.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    });
    names.filter_map(|name| EntryName::new(&name).ok()).collect()
}

/// Lower-case letters, digits and single underscores; a Python identifier that is neither a keyword nor a builtin.
fn part(title: &str) -> String {
    let mut name = clean(title);
    name.truncate(MAX_PART);
    let mut name = name.trim_end_matches('_').to_owned();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, if name.is_empty() { "agent" } else { "agent_" });
    }
    // The names that are refused are short words, and none of them ends with an underscore.
    if EntryName::new(&name).is_err() {
        name.push('_');
    }
    name
}

/// Lower-case ASCII letters and digits, and one underscore for whatever is between them.
pub(super) fn clean(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    name.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_names_and_none_twice() {
        let names = derive(&[
            "Lead Finder! (v2)",
            "Text to Email",
            "Text to email",
            "print",
            "日本",
            "3 tips",
            "class",
        ]);
        let names: Vec<&str> = names.iter().map(EntryName::as_str).collect();
        insta::assert_debug_snapshot!(names, @r#"
        [
            "lead_finder_v2",
            "lead_finder_v2.text_to_email",
            "lead_finder_v2.text_to_email_2",
            "lead_finder_v2.print_",
            "lead_finder_v2.agent",
            "lead_finder_v2.agent_3_tips",
            "lead_finder_v2.class_",
        ]
        "#);
        assert_eq!(derive(&[&"a".repeat(900), ""]).len(), 2);
    }
}
