//! What a Run prints, from bytes to text that may be shown: whole characters, with the Run's secrets redacted.
//!
//! The output of a Run without secrets is shown immediately. Otherwise lines are shown when they are complete, and a long
//! line in pieces of [`LONGEST_HELD`] bytes. When output is shown depends on its length and on line breaks, never on its
//! content. A secret on one line is redacted however slowly it is printed; of a multi-line secret each line is redacted on
//! its own, except for lines of three or fewer characters.

use sandbox::Stream;

use crate::secrets::redaction::Redaction;

/// So much of a line is held back while it has no end.
const LONGEST_HELD: usize = 8 << 10;

/// The part of both streams that cannot be shown yet.
#[derive(Default)]
pub(crate) struct Held {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Held {
    /// Adds bytes and gives what can be shown.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8], redaction: &Redaction) -> Option<String> {
        let held = self.of(stream);
        held.extend_from_slice(bytes);
        let mut text = String::new();
        if redaction.is_empty() {
            let whole = whole_characters(held);
            text.push_str(&String::from_utf8_lossy(&held[..whole]));
            held.drain(..whole);
        } else {
            if let Some(end) = held.iter().rposition(|byte| *byte == b'\n') {
                text.push_str(&redaction.printed(&held[..=end]));
                held.drain(..=end);
            }
            if held.len() > LONGEST_HELD {
                let (begun, length) = redaction.printed_so_far(held);
                text.push_str(&begun);
                held.drain(..length);
            }
        }
        (!text.is_empty()).then_some(text)
    }

    /// What is left when no more comes.
    pub(crate) fn rest(&mut self, stream: Stream, redaction: &Redaction) -> Option<String> {
        let rest = std::mem::take(self.of(stream));
        (!rest.is_empty()).then(|| redaction.printed(&rest))
    }

    fn of(&mut self, stream: Stream) -> &mut Vec<u8> {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

/// How many bytes make whole characters; bytes that make none count as whole.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All that is shown, in the pieces in which it is.
    fn shown(pieces: &[&[u8]], redaction: &Redaction) -> Vec<String> {
        let mut held = Held::default();
        let mut shown: Vec<String> =
            pieces.iter().filter_map(|piece| held.push(Stream::Stdout, piece, redaction)).collect();
        shown.extend(held.rest(Stream::Stdout, redaction));
        shown
    }

    #[test]
    fn a_secret_that_comes_in_two_parts_is_redacted() {
        let redaction = Redaction::of([("KEY", "s3cret")]);
        assert_eq!(shown(&[b"a\nkey: s3", b"cret!"], &redaction), ["a\n", "key: [secret KEY]!"]);
    }

    #[test]
    fn a_secret_of_several_lines_is_redacted_though_it_comes_line_by_line() {
        let redaction = Redaction::of([("KEY", "-----BEGIN\nabcd\n-----END")]);
        let expected = ["[secret KEY]\n", "[secret KEY]\n", "[secret KEY]\n"];
        assert_eq!(shown(&[b"-----BEGIN\n", b"abcd\n", b"-----END\n"], &redaction), expected);
    }

    #[test]
    fn without_secrets_everything_is_shown_as_it_comes() {
        assert_eq!(shown(&[b"a", b"b\nc", b"d"], &Redaction::default()), ["a", "b\nc", "d"]);
    }

    #[test]
    fn a_character_that_comes_in_two_parts_stays_one() {
        let text = "ä".as_bytes();
        assert_eq!(shown(&[&text[..1], &text[1..]], &Redaction::default()), ["ä"]);
        let long = "ä".repeat(LONGEST_HELD);
        let redaction = Redaction::of([("KEY", "s3cret")]);
        assert_eq!(shown(&[long.as_bytes(), b"\n"], &redaction).concat(), format!("{long}\n"));
    }

    #[test]
    fn a_long_line_is_shown_in_pieces_and_no_secret_falls_between_them() {
        let redaction = Redaction::of([("KEY", "s3cret")]);
        for before in LONGEST_HELD - 20..LONGEST_HELD + 5 {
            let line = format!("{}s3cret{}", "x".repeat(before), "y".repeat(LONGEST_HELD));
            let pieces: Vec<&[u8]> = line.as_bytes().chunks(100).collect();
            let shown = shown(&pieces, &redaction);
            assert!(shown.len() > 1);
            assert_eq!(shown.concat(), line.replace("s3cret", "[secret KEY]"));
        }
    }

    proptest! {
        /// Neither how it is divided nor how close it comes to the secret makes a difference to when something is shown.
        #[test]
        fn when_something_is_shown_does_not_depend_on_what_it_is(
            pieces in prop::collection::vec("[a-c\n]{0,12}", 0..20),
        ) {
            let of = |value: &str| {
                let pieces: Vec<&[u8]> = pieces.iter().map(String::as_bytes).collect();
                shown(&pieces, &Redaction::of([("KEY", value)]))
            };
            let unlike = of("0123456789");
            prop_assert_eq!(unlike.concat(), pieces.concat());
            let alike: Vec<String> = of("abcabcabcabcabca");
            prop_assert_eq!(unlike.len(), alike.len());
        }
    }
}
