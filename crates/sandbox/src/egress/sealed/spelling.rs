//! The ways in which a text may write a secret: as it is, in letters of either case, with any of its characters escaped as in URLs,
//! JSON, Python and HTML, and inside base64 of either alphabet, whatever stands before it there.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use zeroize::Zeroizing;

/// The longest way to write one character that is read here: `\u002f`, `&quot;`, `&#x2f;`.
const LONGEST_READING: usize = 6;
/// Not a character of any secret: stands for `+` and `-`, which the two alphabets of base64 use for the same.
const PLUS: u8 = 0x80;
/// The same for `/` and `_`.
const SLASH: u8 = 0x81;
/// What an escape may begin with, and `+`, which stands for a blank in URLs.
const ESCAPES: &[u8] = b"%\\&+";

/// One sequence of characters that is looked for.
pub(crate) struct Spelling {
    /// In lower case.
    characters: Zeroizing<Vec<u8>>,
    /// In base64 a character before and after these may hold some bits of the secret, too.
    before: bool,
    after: bool,
}

impl Spelling {
    /// All sequences for a value of printable ASCII: as it is, and as base64 at each of the three places it may have there.
    pub(crate) fn all(value: &str) -> Vec<Spelling> {
        let mut all = vec![Spelling {
            characters: Zeroizing::new(value.to_ascii_lowercase().into_bytes()),
            before: false,
            after: false,
        }];
        all.extend((0..3).map(|place| Spelling::base64(value, place)));
        all
    }

    /// What base64 makes of the value behind `place` bytes that are not known.
    fn base64(value: &str, place: usize) -> Spelling {
        let padded = Zeroizing::new([&[0; 2][..place], value.as_bytes()].concat());
        let encoded = Zeroizing::new(STANDARD_NO_PAD.encode(&*padded));
        // Each character holds six bits. Those that hold bits of the value alone are certain.
        let (begin, end) = ((place * 8).div_ceil(6), padded.len() * 8 / 6);
        let character = |byte: &u8| match byte {
            b'+' => PLUS,
            b'/' => SLASH,
            other => other.to_ascii_lowercase(),
        };
        Spelling {
            characters: Zeroizing::new(encoded.as_bytes()[begin..end].iter().map(character).collect()),
            before: place > 0,
            after: end < encoded.len(),
        }
    }

    /// No text that is read as this is longer.
    pub(crate) fn longest(&self) -> usize {
        (self.characters.len() + 2) * LONGEST_READING
    }

    /// The two bytes that a text may begin with that is read as this, apart from a character before it that holds some of its bits.
    pub(crate) fn beginnings(&self) -> impl Iterator<Item = [u8; 2]> {
        let (character, next) = (self.characters[0], self.characters[1]);
        let firsts = (0..=u8::MAX).filter(move |first| may_begin(character, *first));
        firsts.flat_map(move |first| {
            let whole = is(character, first) || first == b'+';
            let goes_on = move |second| escape_goes_on(first, second) || whole && may_begin(next, second);
            (0..=u8::MAX).filter(move |second| goes_on(*second)).map(move |second| [first, second])
        })
    }

    /// How much of the beginning of the text is read as this; the most, if there are several readings.
    pub(crate) fn at_start_of(&self, text: &[u8], scratch: &mut Scratch) -> Option<usize> {
        if self.before
            && text.first().is_some_and(|byte| is_base64(*byte))
            && let Some(length) = self.certain(&text[1..], scratch)
        {
            return Some(1 + length);
        }
        self.certain(text, scratch)
    }

    fn certain(&self, text: &[u8], scratch: &mut Scratch) -> Option<usize> {
        if !may_begin(self.characters[0], *text.first()?) {
            return None;
        }
        scratch.ends.clear();
        scratch.ends.push(0);
        for character in self.characters.iter() {
            scratch.next.clear();
            for end in &scratch.ends {
                for (byte, length) in readings(&text[*end..]) {
                    let end = end + length;
                    if is(*character, byte) && !scratch.next.contains(&end) {
                        scratch.next.push(end);
                    }
                }
            }
            std::mem::swap(&mut scratch.ends, &mut scratch.next);
            if scratch.ends.is_empty() {
                return None;
            }
        }
        let end = *scratch.ends.iter().max()?;
        let bits_after = self.after.then(|| readings(&text[end..]).find(|(byte, _)| is_base64(*byte)));
        Some(end + bits_after.flatten().map_or(0, |(_, length)| length))
    }
}

/// Where the readings of what was compared so far end. Almost always there is one; only a secret with a backslash or a percent sign can
/// have several. Kept, so that looking for secrets allocates nothing.
#[derive(Default)]
pub(crate) struct Scratch {
    ends: Vec<usize>,
    next: Vec<usize>,
}

/// Whether a byte can stand in a text that is read as a secret. All others end it.
pub(crate) fn can_stand_in(byte: u8) -> bool {
    byte == b' ' || byte.is_ascii_graphic()
}

fn is(character: u8, byte: u8) -> bool {
    match character {
        PLUS => byte == b'+' || byte == b'-',
        SLASH => byte == b'/' || byte == b'_',
        other => byte.to_ascii_lowercase() == other,
    }
}

/// Whether what is read as this character may begin with this byte.
fn may_begin(character: u8, byte: u8) -> bool {
    is(character, byte) || ESCAPES.contains(&byte) && (byte != b'+' || character == b' ')
}

pub(crate) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)
}

/// The characters that a text may begin with, each with how many bytes it takes.
fn readings(text: &[u8]) -> impl Iterator<Item = (u8, usize)> {
    let plain = text.first().map(|byte| (*byte, 1));
    let escaped = plain.filter(|(byte, _)| ESCAPES.contains(byte)).and_then(|_| escape(text));
    plain.into_iter().chain(escaped).chain(twice_escaped(text))
}

/// In a URL that stands inside a URL.
fn twice_escaped(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'%', b'2', b'5', high, low, ..] => Some((hex(*high, *low)?, 5)),
        _ => None,
    }
}

fn escape(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'+', ..] => Some((b' ', 1)),
        [b'%', high, low, ..] => Some((hex(*high, *low)?, 3)),
        [b'\\', b'u' | b'U', b'0', b'0', high, low, ..] => Some((hex(*high, *low)?, 6)),
        [b'\\', b'x' | b'X', high, low, ..] => Some((hex(*high, *low)?, 4)),
        [b'\\', byte @ (b'"' | b'\'' | b'\\' | b'/'), ..] => Some((*byte, 2)),
        [b'&', rest @ ..] => entity(rest).map(|(byte, length)| (byte, length + 1)),
        _ => None,
    }
}

fn escape_goes_on(first: u8, second: u8) -> bool {
    match first {
        b'%' => second.is_ascii_hexdigit(),
        b'\\' => b"uUxX\"'\\/".contains(&second),
        b'&' => second == b'#' || second.is_ascii_alphabetic(),
        _ => false,
    }
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? * 16 + digit(low)?)
}

/// What stands after the `&` of a character reference in HTML.
fn entity(text: &[u8]) -> Option<(u8, usize)> {
    let end = text.iter().take(LONGEST_READING - 1).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&text[..end]).ok()?.to_ascii_lowercase();
    let byte = match name.as_str() {
        "amp" => b'&',
        "lt" => b'<',
        "gt" => b'>',
        "quot" => b'"',
        "apos" => b'\'',
        number => match number.strip_prefix('#')? {
            hexadecimal if hexadecimal.starts_with('x') => u8::from_str_radix(&hexadecimal[1..], 16).ok()?,
            decimal => decimal.parse().ok()?,
        },
    };
    Some((byte, end + 1))
}

/// A value as it is put into a URL.
pub(crate) fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    use super::{Scratch, Spelling, percent_encoded};

    /// The longest beginning of the text that is read as the value.
    fn read(value: &str, text: &str) -> Option<usize> {
        let mut scratch = Scratch::default();
        Spelling::all(value).iter().filter_map(|all| all.at_start_of(text.as_bytes(), &mut scratch)).max()
    }

    #[test]
    fn escapes_of_any_kind_are_read_together() {
        let value = r#"a/"b"&\c'd e"#;
        for text in [
            r#"a/"b"&\c'd e"#,
            "A/\"B\"&\\C'D E",
            r#"a\/\"b\"&\\c'd e"#,
            r"a\u002F\u0022b\u0022\u0026\u005cc\u0027d\u0020e",
            r#"a/"b"&\x5cc\'d e"#,
            "a%2f%22b%22%26%5Cc%27d+e",
            "a%252F%2522b%2522%2526%255cc%2527d%2520e",
            "a/&quot;b&quot;&amp;\\c&#39;d e",
            "&#97;&#x2F;&QUOT;b&#034;&amp;\\c&#x27;d&#32;e",
        ] {
            assert_eq!(read(value, text), Some(text.len()), "{text}");
            assert_eq!(read(value, &text[..text.len() - 1]), None, "{text}");
        }
    }

    #[test]
    fn what_looks_like_an_escape_may_be_the_secret_itself() {
        for value in ["%41%2541%25", r"\\\u0041\\\x", "&amp;&#38;+ +"] {
            for text in [value.to_owned(), percent_encoded(value), percent_encoded(&percent_encoded(value))] {
                assert_eq!(read(value, &text), Some(text.len()), "{text}");
            }
        }
    }

    #[test]
    fn base64_is_read_behind_anything_and_takes_the_characters_that_hold_some_of_its_bits() {
        let value = "s3cr3t~value?>";
        for before in ["", "u", "us", "usr", "user:"] {
            for after in ["", "a", "ab"] {
                let whole = format!("{before}{value}{after}");
                for text in [STANDARD.encode(&whole), URL_SAFE.encode(&whole)] {
                    let known = STANDARD.encode(before).trim_end_matches('=').len();
                    // The last character of what comes before may hold bits of both.
                    let begin = if before.len() % 3 == 0 { known } else { known - 1 };
                    let length = read(value, &text[begin..]).unwrap_or_else(|| panic!("{text} from {begin}"));
                    let bits = (before.len() + value.len()) * 8;
                    assert_eq!(begin + length, bits.div_ceil(6), "{text} from {begin}");
                }
            }
        }
    }
}
