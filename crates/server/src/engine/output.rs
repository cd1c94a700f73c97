//! What a Run prints, from bytes to texts that may be shown: whole characters, without secrets.

use sandbox::Stream;

use crate::redaction::Redaction;

/// A line without an end is shown in parts of this size, even if a secret might be cut in two by that.
const LONGEST_LINE: usize = 64 << 10;

/// The part of both streams that cannot be shown yet.
#[derive(Default)]
pub(crate) struct Held {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Held {
    /// Adds bytes and gives what can be shown. With secrets to strike out only whole lines can.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8], redaction: &Redaction) -> Option<String> {
        let held = self.of(stream);
        held.extend_from_slice(bytes);
        let whole = if redaction.is_empty() || held.len() > LONGEST_LINE {
            whole_characters(held)
        } else {
            held.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1)
        };
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
    Some(redaction.text(&String::from_utf8_lossy(bytes)).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_comes_in_two_parts_is_struck_out() {
        let redaction = Redaction::of([("KEY", "s3cret")]);
        let mut held = Held::default();
        assert_eq!(held.push(Stream::Stdout, b"a\nkey: s3", &redaction).as_deref(), Some("a\n"));
        assert_eq!(held.push(Stream::Stdout, b"cret", &redaction), None);
        assert_eq!(held.rest(Stream::Stdout, &redaction).as_deref(), Some("key: [secret KEY]"));
    }

    #[test]
    fn a_character_that_comes_in_two_parts_stays_one() {
        let mut held = Held::default();
        let text = "ä".as_bytes();
        assert_eq!(held.push(Stream::Stderr, &text[..1], &Redaction::default()), None);
        assert_eq!(held.push(Stream::Stderr, &text[1..], &Redaction::default()).as_deref(), Some("ä"));
    }
}
