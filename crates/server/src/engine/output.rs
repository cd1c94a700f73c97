//! What a Run prints, from bytes to texts that may be shown: whole characters, without secrets.

use sandbox::Stream;

use crate::redaction::Redaction;

/// The part of both streams that cannot be shown yet.
#[derive(Default)]
pub(crate) struct Held {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Held {
    /// Adds bytes and gives what can be shown: all but the beginning of a character, or of what may become a secret.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8], redaction: &Redaction) -> Option<String> {
        let held = self.of(stream);
        held.extend_from_slice(bytes);
        let whole = whole_characters(held);
        // The beginning of a secret ends in the middle of a character, too.
        let whole = whole.min(held.len() - redaction.begun(held));
        show(held.drain(..whole).as_slice(), redaction)
    }

    /// What is left when no more comes.
    pub(crate) fn rest(&mut self, stream: Stream, redaction: &Redaction) -> Option<String> {
        show(&std::mem::take(self.of(stream)), redaction)
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

fn show(bytes: &[u8], redaction: &Redaction) -> Option<String> {
    if bytes.is_empty() {
        return None;
    }
    Some(redaction.cut_text(&String::from_utf8_lossy(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_comes_in_two_parts_is_struck_out() {
        let redaction = Redaction::of([("KEY", "s3cret")]);
        let mut held = Held::default();
        assert_eq!(held.push(Stream::Stdout, b"a\nkey: s3", &redaction).as_deref(), Some("a\nkey: "));
        assert_eq!(held.push(Stream::Stdout, b"cret!", &redaction).as_deref(), Some("[secret KEY]!"));
        assert_eq!(held.rest(Stream::Stdout, &redaction), None);
    }

    #[test]
    fn a_secret_of_several_lines_is_struck_out_though_it_comes_line_by_line() {
        let redaction = Redaction::of([("KEY", "-----BEGIN\nabc\n-----END")]);
        let mut held = Held::default();
        assert_eq!(held.push(Stream::Stdout, b"-----BEGIN\n", &redaction), None);
        assert_eq!(held.push(Stream::Stdout, b"abc\n", &redaction), None);
        let last = held.push(Stream::Stdout, b"-----END\n", &redaction);
        assert_eq!(last.as_deref(), Some("[secret KEY]\n"));
    }

    #[test]
    fn what_begins_like_a_secret_and_is_none_is_shown() {
        let redaction = Redaction::of([("KEY", "s3cret")]);
        let mut held = Held::default();
        assert_eq!(held.push(Stream::Stdout, b"s3", &redaction), None);
        assert_eq!(held.push(Stream::Stdout, b"ven", &redaction).as_deref(), Some("s3ven"));
        assert_eq!(held.push(Stream::Stdout, b" s", &redaction).as_deref(), Some(" "));
        assert_eq!(held.rest(Stream::Stdout, &redaction).as_deref(), Some("s"));
    }

    #[test]
    fn a_character_that_comes_in_two_parts_stays_one() {
        let mut held = Held::default();
        let text = "ä".as_bytes();
        assert_eq!(held.push(Stream::Stderr, &text[..1], &Redaction::default()), None);
        assert_eq!(held.push(Stream::Stderr, &text[1..], &Redaction::default()).as_deref(), Some("ä"));
    }
}
