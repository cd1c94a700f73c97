//! Texts of a graph as they can be shown.

use serde_json::Value;

use crate::graph::Node;
use crate::graph::exchange::original_block;

/// The longest title and the longest line of a box, in columns.
pub(super) const TITLE: usize = 34;
pub(super) const LINE: usize = 40;

/// How many columns of a terminal it takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Wide characters of East Asia, and pictures, take two.
fn columns(c: char) -> usize {
    const WIDE: [(u32, u32); 9] = [
        (0x1100, 0x115f),
        (0x2e80, 0xa4cf),
        (0xac00, 0xd7a3),
        (0xf900, 0xfaff),
        (0xfe30, 0xfe6f),
        (0xff00, 0xff60),
        (0xffe0, 0xffe6),
        (0x1f300, 0x1faff),
        (0x20000, 0x3fffd),
    ];
    let code = c as u32;
    if WIDE.iter().any(|(first, last)| (*first..=*last).contains(&code)) { 2 } else { 1 }
}

/// One line without what controls a terminal or the direction of text, cut to so many columns.
pub(super) fn line(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    let mut last = (0, 0);
    for c in text.chars().map(visible) {
        if used + columns(c) > most {
            out.truncate(last.0);
            out.push('…');
            return out;
        }
        if used + columns(c) <= most.saturating_sub(1) {
            last = (out.len() + c.len_utf8(), used + columns(c));
        }
        out.push(c);
        used += columns(c);
    }
    out
}

fn visible(c: char) -> char {
    let turns =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    match c {
        '\n' | '\r' | '\t' => ' ',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() || turns => '\u{fffd}',
        c => c,
    }
}

/// What a node is called: by its editor, by its border name, or by its block, also if that is missing.
pub(super) fn title(node: &Node) -> String {
    let text = |value: Option<&Value>| {
        value.and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    let noted = ["title", "customized_name"].into_iter().find_map(|key| text(node.metadata.get(key)));
    let named = || text(node.input.get("name")).filter(|_| node.block == "@input" || node.block == "@output");
    let missing = || original_block(node).filter(|_| node.block == "@placeholder");
    noted.or_else(named).or_else(missing).unwrap_or_else(|| node.block.trim_start_matches('@').to_owned())
}

/// A constant in a few characters.
pub(super) fn constant(value: &Value) -> String {
    const LOOKED_AT: usize = 200;
    match value {
        // Of a long text only the beginning is looked at.
        Value::String(text) => Value::from(text.chars().take(LOOKED_AT).collect::<String>()).to_string(),
        Value::Array(items) if items.len() > 8 => format!("[{} items]", items.len()),
        Value::Object(map) if map.len() > 8 => format!("{{{} keys}}", map.len()),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_by_columns_and_has_nothing_that_controls() {
        assert_eq!(line("größer", 6), "größer");
        assert_eq!(line("größer", 4), "grö…");
        assert_eq!(line("日本語", 5), "日本…");
        assert_eq!(line("a\u{1b}[2J\u{202e}b\nc", 20), "a\u{fffd}[2J\u{fffd}b c");
        assert_eq!(line("abc", 0), "…");
        for most in 1..9 {
            assert!(width(&line("日a本b語c日", most)) <= most, "{most}");
        }
    }
}
