//! The few colours there are. Text is painted always; whether the colours reach the reader is the output's part.

use anstyle::{AnsiColor, Style};

pub(crate) const TITLE: Style = Style::new().bold();
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// Paints a text that may have come from anywhere: what would steer a terminal is made visible first.
pub(crate) fn paint(style: Style, text: impl AsRef<str>) -> String {
    format!("{style}{}{style:#}", printable(text.as_ref()))
}

/// The text without control characters, which a stored name, description or source could carry to the terminal.
/// Line ends and tabs stay.
pub(crate) fn printable(text: &str) -> String {
    let visible = |c: char| match c {
        '\n' | '\t' => c,
        // Unicode has pictures of the first 32.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        c if c.is_control() || is_direction(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(visible).collect()
}

/// Marks that reorder what is shown, so that a source reads other than it runs.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `1 function`, `2 functions`, `3 entries`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// The text on one line.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_steer_the_terminal() {
        assert_eq!(printable("a\x1b[31mb\u{9b}c\u{202e}d\te\n"), "a␛[31mb\u{fffd}c\u{fffd}d\te\n");
        assert_eq!(one_line("a\n  b\t c "), "a b c");
    }
}
