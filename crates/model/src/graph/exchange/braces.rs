//! `{name}` of templates of 2024, which is `{{name}}` since 2025. Newer files say what they mean: theirs may be code.

/// Doubles the braces around names, as the server of 2024 did before it filled a template.
pub(super) fn double(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match verbatim(rest).or_else(|| name(rest)) {
            Some((taken, written)) => {
                out.push_str(&written);
                taken
            }
            None => {
                out.push('{');
                1
            }
        };
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

/// What is Jinja already.
fn verbatim(rest: &str) -> Option<(usize, String)> {
    let marks = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];
    let (_, end) = marks.into_iter().find(|(begin, _)| rest.starts_with(begin))?;
    let taken = rest[2..].find(end).map_or(2, |at| at + 4);
    Some((taken, rest[..taken].to_owned()))
}

/// `{name}`, `{texts[0]}` or `{post.title}`.
fn name(rest: &str) -> Option<(usize, String)> {
    let end = rest.find('}')?;
    let inner = &rest[1..end];
    let is_path = inner.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && inner.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c));
    is_path.then(|| (end + 1, format!("{{{{{inner}}}}}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_doubled_and_nothing_else() {
        for (old, new) in [
            ("Hi {name}, {texts[0]}!", "Hi {{name}}, {{texts[0]}}!"),
            ("{{a}} {% if b %}{c}{% endif %}", "{{a}} {% if b %}{{c}}{% endif %}"),
            ("{\"json\": {a}} {", "{\"json\": {{a}}} {"),
            ("{{ open {x}", "{{ open {{x}}"),
        ] {
            assert_eq!(double(old), new);
        }
    }
}
