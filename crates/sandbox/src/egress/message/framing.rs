//! Where requests begin and end on a connection, read along with the HTTP library. The library mends a head that states the
//! length of its body twice and does not tell; the next server might read such a request differently, so it is refused.

/// Follows the bytes of one connection.
#[derive(Default)]
pub(crate) struct Framing {
    at: At,
    /// What is known of the current line.
    line: Vec<u8>,
    head: Head,
    /// Heads that were read to their end.
    read: u64,
    /// Requests that were asked about.
    asked: u64,
    /// The first request that must not go on, counted from 1. So must none after it.
    unsound: Option<u64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum At {
    #[default]
    Head,
    Body(u64),
    ChunkSize,
    Chunk(u64),
    Trailer,
    /// Nothing that comes is looked at.
    Nowhere,
}

/// What the lines of a head say of its body.
#[derive(Default)]
struct Head {
    lines: u64,
    lengths: u64,
    codings: u64,
    length: Option<u64>,
}

impl Framing {
    /// Takes the bytes that the library is about to read.
    pub(crate) fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let taken = match self.at {
                At::Nowhere => return,
                At::Body(left) | At::Chunk(left) => self.skip(left, bytes.len()),
                At::Head | At::ChunkSize | At::Trailer => self.take_line(bytes),
            };
            bytes = &bytes[taken..];
        }
    }

    /// Whether the next request has one reading only.
    pub(crate) fn next_is_sound(&mut self) -> bool {
        self.asked += 1;
        self.unsound.is_none_or(|unsound| self.asked < unsound)
    }

    /// What follows is not HTTP.
    pub(crate) fn stop(&mut self) {
        *self = Framing { at: At::Nowhere, ..Framing::default() };
    }

    fn skip(&mut self, left: u64, there: usize) -> usize {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(there);
        let left = left - taken as u64;
        self.at = match (self.at, left) {
            (At::Body(_), 0) => At::Head,
            (At::Body(_), left) => At::Body(left),
            (_, 0) => At::ChunkSize,
            (_, left) => At::Chunk(left),
        };
        taken
    }

    /// Lines are as long as the library lets them be, which stops reading when it has too much.
    fn take_line(&mut self, bytes: &[u8]) -> usize {
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            self.line.extend_from_slice(bytes);
            return bytes.len();
        };
        self.line.extend_from_slice(&bytes[..end]);
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        self.at = match self.at {
            At::Head => self.head_line(line),
            At::ChunkSize => self.chunk_size(line),
            _ if line.is_empty() => At::Head,
            at => at,
        };
        end + 1
    }

    fn head_line(&mut self, line: &[u8]) -> At {
        if line.is_empty() {
            // Empty lines may come before a request.
            return if self.head.lines == 0 { At::Head } else { self.end_of_head() };
        }
        self.head.lines += 1;
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return At::Head };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        // The first line is no header, whatever its URL has before a colon.
        let is = |wanted: &[u8]| self.head.lines > 1 && name.eq_ignore_ascii_case(wanted);
        if is(b"content-length") {
            self.head.lengths += 1;
            self.head.length = number(value, 10);
        } else if is(b"transfer-encoding") {
            self.head.codings += 1;
        }
        At::Head
    }

    fn end_of_head(&mut self) -> At {
        let head = std::mem::take(&mut self.head);
        self.read += 1;
        match (head.lengths, head.codings, head.length) {
            (0, 0, _) | (1, 0, Some(0)) => At::Head,
            (1, 0, Some(length)) => At::Body(length),
            (0, 1, _) => At::ChunkSize,
            _ => self.refuse(self.read),
        }
    }

    fn chunk_size(&mut self, line: &[u8]) -> At {
        let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        match number(digits, 16) {
            Some(0) => At::Trailer,
            // With the line end after it.
            Some(size) => At::Chunk(size.saturating_add(2)),
            None => self.refuse(self.read + 1),
        }
    }

    fn refuse(&mut self, request: u64) -> At {
        self.unsound = Some(request);
        At::Nowhere
    }
}

fn number(digits: &[u8], radix: u32) -> Option<u64> {
    let plain = digits.iter().all(u8::is_ascii_alphanumeric);
    plain.then(|| u64::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::Framing;

    const TWO: &str = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n";

    /// How many requests go on before one that does not, up to nine.
    fn sound(pieces: &[&[u8]]) -> usize {
        let mut framing = Framing::default();
        for piece in pieces {
            framing.pass(piece);
        }
        (0..9).take_while(|_| framing.next_is_sound()).count()
    }

    #[test]
    fn a_head_with_two_lengths_is_found_behind_any_body() {
        let double = format!("POST / HTTP/1.1\r\nA: b\r\n{TWO}\r\n");
        for before in [
            "",
            "\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\nHost: a\n\n",
            "POST / HTTP/1.1\r\ncontent-LENGTH:  7 \r\n\r\nA: b\r\n\r",
            "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\n\r\n\r\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
        ] {
            let expected = usize::from(before.len() > 2);
            assert_eq!(sound(&[before.as_bytes(), double.as_bytes()]), expected, "{before:?}");
        }
    }

    #[test]
    fn lengths_stated_twice_in_any_way_are_found() {
        for headers in [
            "Content-Length: 5\r\nContent-Length: 5\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "TRANSFER-ENCODING: chunked\r\nX: y\r\ncontent-length: 5\r\n",
            "Content-Length: five\r\n",
            "Content-Length: +5\r\n",
        ] {
            let head = format!("POST / HTTP/1.1\r\n{headers}\r\n");
            assert_eq!(sound(&[head.as_bytes()]), 0, "{headers:?}");
        }
    }

    #[test]
    fn what_looks_like_a_head_inside_a_body_is_none() {
        let inside = format!("POST / HTTP/1.1\r\n{TWO}\r\n");
        let whole = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{inside}", inside.len());
        assert_eq!(sound(&[whole.as_bytes(), whole.as_bytes()]), 9);
        let url = "GET http://content-length:1/ HTTP/1.1\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(sound(&[url.as_bytes()]), 9);
    }

    #[test]
    fn a_chunk_of_no_known_size_ends_all_requests_after_it() {
        let broken = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nsize\r\n";
        assert_eq!(sound(&[broken.as_bytes()]), 1);
    }

    #[test]
    fn a_tunnel_is_not_looked_at() {
        let mut framing = Framing::default();
        framing.pass(b"CONNECT a:443 HTTP/1.1\r\n\r\n");
        assert!(framing.next_is_sound());
        framing.stop();
        framing.pass(format!("\x16\r\n{TWO}\r\n").as_bytes());
        assert!(framing.next_is_sound());
    }

    proptest! {
        #[test]
        fn pieces_are_read_as_the_whole_is(cuts in proptest::collection::vec(0_usize..200, 0..6)) {
            let body = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
            let text = format!("{body}GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc{body}POST / HTTP/1.1\r\n{TWO}\r\n");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
            prop_assert_eq!(sound(&pieces), 3);
        }
    }
}
