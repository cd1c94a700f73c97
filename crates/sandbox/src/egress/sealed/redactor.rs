//! Redacts secrets in what a host answers, in one piece or in a stream whose pieces may end anywhere.
//!
//! How much of a stream is held back never depends on what it says or on what the secrets are, except that a secret of more than
//! 500 bytes takes a longer piece. Whatever ends a line passes all before it on, because no secret has a line end in it, and so does
//! every other byte that is not printable ASCII. Of what follows the last such byte the last [`HELD`] bytes wait for more, or for the
//! end. So events and lines come at once, and a secret that comes in pieces is found however long the pause between them.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::spelling::{Scratch, Spelling, can_stand_in, is_base64};

/// Enough for every way to write a secret of 500 bytes.
const HELD: usize = 4096;

/// What is looked for, and what stands there instead.
pub(crate) struct Redactor {
    spellings: Vec<(Spelling, Arc<str>)>,
    /// Which two bytes may begin a secret, a bit for each two: almost nowhere in a text there is more to be compared.
    begins: Vec<u64>,
    held: usize,
}

impl Redactor {
    /// Of values, each with what stands in its place. Where two are the same, the first counts.
    pub(crate) fn new<'a>(values: impl IntoIterator<Item = (&'a str, &'a str)>) -> Redactor {
        let mut spellings = Vec::new();
        for (value, instead) in values {
            let instead: Arc<str> = instead.into();
            spellings.extend(Spelling::all(value).into_iter().map(|spelling| (spelling, instead.clone())));
        }
        let mut begins = vec![0; 1 << 10];
        for [first, second] in spellings.iter().flat_map(|(spelling, _)| spelling.beginnings()) {
            let pair = u16::from_be_bytes([first, second]);
            begins[usize::from(pair >> 6)] |= 1 << (pair & 63);
        }
        let longest = spellings.iter().map(|(spelling, _)| spelling.longest()).max().unwrap_or(0);
        Redactor { spellings, begins, held: longest.next_power_of_two().max(HELD) }
    }

    /// A text without the secrets, or `None` where there are none in it.
    pub(crate) fn text(self: &Arc<Redactor>, text: &[u8]) -> Option<Vec<u8>> {
        let mut stream = StreamRedactor::new(self.clone());
        stream.held = Zeroizing::new(text.to_vec());
        let redacted = stream.finish();
        stream.found.then_some(redacted)
    }

    /// The longest secret that the text begins with, and what stands in its place.
    fn at_start_of(&self, text: &[u8], scratch: &mut Scratch) -> Option<(usize, &str)> {
        // In base64 a character may come before it that holds some of its bits.
        let candidate = self.may_begin(text) || is_base64(text[0]) && self.may_begin(&text[1..]);
        if !candidate {
            return None;
        }
        let mut longest: Option<(usize, &str)> = None;
        for (spelling, instead) in &self.spellings {
            if let Some(length) = spelling.at_start_of(text, scratch)
                && longest.is_none_or(|(known, _)| length > known)
            {
                longest = Some((length, instead));
            }
        }
        longest
    }

    fn may_begin(&self, text: &[u8]) -> bool {
        let [first, second, ..] = text else { return false };
        let pair = u16::from_be_bytes([*first, *second]);
        self.begins[usize::from(pair >> 6)] >> (pair & 63) & 1 == 1
    }
}

/// A stream out of which secrets are redacted.
pub(crate) struct StreamRedactor {
    redactor: Arc<Redactor>,
    held: Zeroizing<Vec<u8>>,
    /// How much of what is held belongs to a secret that was replaced already. It is looked at again, because another secret may begin in it.
    redacted: usize,
    found: bool,
    scratch: Scratch,
}

impl StreamRedactor {
    pub(crate) fn new(redactor: Arc<Redactor>) -> StreamRedactor {
        StreamRedactor {
            redactor,
            held: Zeroizing::default(),
            redacted: 0,
            found: false,
            scratch: Scratch::default(),
        }
    }

    pub(crate) fn holds_nothing(&self) -> bool {
        self.held.is_empty()
    }

    /// Takes a piece and gives what is certain by now.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        let line_end = self.held.iter().rposition(|byte| !can_stand_in(*byte)).map_or(0, |at| at + 1);
        self.pass(line_end.max(self.held.len().saturating_sub(self.redactor.held)))
    }

    /// Gives what was held back.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.pass(self.held.len())
    }

    /// Decides all places before `until`.
    fn pass(&mut self, until: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(until);
        let mut redacted = self.redacted;
        for at in 0..until {
            let found = self.redactor.at_start_of(&self.held[at..], &mut self.scratch);
            let Some((length, instead)) = found else { continue };
            self.found = true;
            if redacted <= at {
                out.extend_from_slice(&self.held[redacted..at]);
                out.extend_from_slice(instead.as_bytes());
            }
            redacted = redacted.max(at + length);
        }
        out.extend_from_slice(&self.held[redacted.min(until)..until]);
        self.redacted = redacted.saturating_sub(until);
        self.held = Zeroizing::new(self.held[until..].to_vec());
        out
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

    use super::{HELD, Redactor, StreamRedactor};

    fn stream_redactor(values: &[&str]) -> StreamRedactor {
        let values: Vec<(&str, &str)> = values.iter().map(|value| (*value, "***")).collect();
        StreamRedactor::new(Arc::new(Redactor::new(values)))
    }

    fn redacted(values: &[&str], text: &str) -> String {
        let mut redactor = stream_redactor(values);
        let mut out = redactor.push(text.as_bytes());
        out.extend(redactor.finish());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_byte_of_every_secret_is_redacted() {
        let values = ["first-secret", "secret-second", "cret-sec"];
        assert_eq!(redacted(&values, "a first-secret b"), "a *** b");
        assert_eq!(redacted(&values, "a first-secret-second b"), "a *** b");
        assert_eq!(redacted(&values, "first-secretfirst-secret"), "******");
        assert_eq!(redacted(&values, "first-secre"), "first-secre");
    }

    #[test]
    fn what_stands_for_it_is_of_the_longest_and_then_of_the_first() {
        let redactor =
            Redactor::new([("the-same-value", "1"), ("the-same-value", "2"), ("the-same-value-and", "3")]);
        let redactor = Arc::new(redactor);
        assert_eq!(redactor.text(b"(the-same-value)").unwrap(), b"(1)");
        assert_eq!(redactor.text(b"(the-same-value-and)").unwrap(), b"(3)");
        assert!(redactor.text(b"(the-same-valu)").is_none());
    }

    #[test]
    fn a_line_is_passed_on_when_it_ends_and_the_end_of_one_that_goes_on_is_held() {
        let mut redactor = stream_redactor(&["s3cr3t-value"]);
        assert_eq!(redactor.push(b"data: one s3cr3t-value\n"), b"data: one ***\n");
        assert_eq!(redactor.push(b"\ndata: two s3cr3t-"), b"\n");
        assert_eq!(redactor.push(b"value\r"), b"data: two ***\r");
        assert_eq!(redactor.push(&[b'x'; 2 * HELD]).len(), HELD);
        assert_eq!(redactor.finish().len(), HELD);
        assert!(redactor.holds_nothing());
    }

    #[test]
    fn a_long_secret_is_found_in_its_longest_spelling() {
        let value: String = (0..8192).map(|number| format!("{number:x}.")).collect();
        let text: String = value.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        let mut redactor = stream_redactor(&[&value]);
        let mut out: Vec<u8> = text.as_bytes().chunks(1000).flat_map(|piece| redactor.push(piece)).collect();
        out.extend(redactor.finish());
        assert_eq!(out, b"***");
    }

    /// Texts with secrets in them, whole and in parts.
    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("s3cr3t-va".to_owned()),
            Just("s3cr3t-value".to_owned()),
            Just("value/other".to_owned()),
            Just("czNjcjN0LXZhbHVl".to_owned()),
            Just("s3cr3t-value%2fother".to_owned()),
            "[a-z%\\\\&+ \n]{0,6}",
        ];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    fn pieces<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect()
    }

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(text in text(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..9)) {
            let mut redactor = stream_redactor(&["s3cr3t-value", "value/other"]);
            let mut out: Vec<u8> = pieces(&text, &cuts).iter().flat_map(|piece| redactor.push(piece)).collect();
            out.extend(redactor.finish());
            prop_assert_eq!(String::from_utf8(out).unwrap(), redacted(&["s3cr3t-value", "value/other"], &text));
        }

        #[test]
        fn when_something_is_passed_on_does_not_depend_on_the_secrets(
            text in "[ab\n]{0,60}", one in "[ab]{61,500}", other in "[a-z]{61,500}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
        ) {
            let (mut left, mut right) = (stream_redactor(&[&one]), stream_redactor(&[&other, "another-one"]));
            for piece in pieces(&text, &cuts) {
                prop_assert_eq!(left.push(piece), right.push(piece));
            }
        }
    }
}
