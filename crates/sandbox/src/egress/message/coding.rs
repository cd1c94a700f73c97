//! Codings of answers: which ones can be undone, and undoing them, so that what is inside can be searched for secrets.

use std::io::{self, Write};

use flate2::write::{MultiGzDecoder, ZlibDecoder};
use hyper::HeaderMap;
use hyper::body::Bytes;
use hyper::header::{CONTENT_ENCODING, HeaderName, TRANSFER_ENCODING};

/// Undone at once. A byte becomes a thousand at most, so this bounds what is held in memory.
const STEP: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Plain,
    Gzip,
    Deflate,
}

impl Coding {
    /// What `Content-Encoding` says; `None` if it cannot be undone here.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Coding> {
        let mut coding = Coding::Plain;
        for name in listed(headers, &CONTENT_ENCODING) {
            let named = match name?.to_ascii_lowercase().as_str() {
                "identity" => continue,
                "gzip" | "x-gzip" => Coding::Gzip,
                "deflate" => Coding::Deflate,
                _ => return None,
            };
            // Nobody packs twice but to hide something.
            if coding != Coding::Plain {
                return None;
            }
            coding = named;
        }
        Some(coding)
    }
}

/// Whether an answer is transferred as it is or in chunks, which the library undoes. Other transfer codings are never asked for.
pub(crate) fn is_transferred_plainly(headers: &HeaderMap) -> bool {
    let chunked = |name: Option<&str>| name.is_some_and(|name| name.eq_ignore_ascii_case("chunked"));
    listed(headers, &TRANSFER_ENCODING).all(chunked) && listed(headers, &TRANSFER_ENCODING).count() <= 1
}

/// The elements of a header that is a list; `None` for one that is not text.
fn listed<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = Option<&'a str>> {
    headers.get_all(name).iter().flat_map(|value| {
        let text = value.to_str().ok();
        let elements =
            text.unwrap_or_default().split(',').map(str::trim).filter(|element| !element.is_empty());
        text.is_none().then_some(None).into_iter().chain(elements.map(Some))
    })
}

/// Undoes the coding of a body, a little at a time.
pub(crate) struct Decoder {
    decoding: Decoding,
    waiting: Bytes,
    begun: bool,
}

enum Decoding {
    Gzip(MultiGzDecoder<Vec<u8>>),
    Deflate(ZlibDecoder<Vec<u8>>),
}

impl Decoder {
    /// `None` where there is nothing to undo.
    pub(crate) fn new(coding: Coding) -> Option<Decoder> {
        let decoding = match coding {
            Coding::Plain => return None,
            Coding::Gzip => Decoding::Gzip(MultiGzDecoder::new(Vec::new())),
            Coding::Deflate => Decoding::Deflate(ZlibDecoder::new(Vec::new())),
        };
        Some(Decoder { decoding, waiting: Bytes::new(), begun: false })
    }

    /// Takes a piece, to be called when [`Decoder::step`] has nothing to do.
    pub(crate) fn feed(&mut self, piece: Bytes) {
        self.begun = true;
        self.waiting = piece;
    }

    /// What the next bytes become, which may be nothing; `None` if there are no more for now.
    pub(crate) fn step(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.waiting.is_empty() {
            return Ok(None);
        }
        let piece = self.waiting.split_to(STEP.min(self.waiting.len()));
        match &mut self.decoding {
            Decoding::Gzip(decoder) => write(decoder, &piece)?,
            Decoding::Deflate(decoder) => write(decoder, &piece)?,
        }
        Ok(Some(self.take()))
    }

    /// What is left at the end; fails if there should be more.
    pub(crate) fn finish(&mut self) -> io::Result<Vec<u8>> {
        if self.begun {
            self.begun = false;
            match &mut self.decoding {
                Decoding::Gzip(decoder) => decoder.try_finish()?,
                Decoding::Deflate(decoder) => decoder.try_finish()?,
            }
        }
        Ok(self.take())
    }

    fn take(&mut self) -> Vec<u8> {
        std::mem::take(match &mut self.decoding {
            Decoding::Gzip(decoder) => decoder.get_mut(),
            Decoding::Deflate(decoder) => decoder.get_mut(),
        })
    }
}

/// Everything that can be known by now, too: an answer may pause.
fn write(decoder: &mut impl Write, piece: &[u8]) -> io::Result<()> {
    decoder.write_all(piece)?;
    decoder.flush()
}

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;
    use hyper::header::{CONTENT_ENCODING, HeaderName, HeaderValue, TRANSFER_ENCODING};

    use super::{Coding, is_transferred_plainly};

    fn headers(name: &HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn one_known_coding_can_be_undone_and_nothing_else() {
        let of = |values: &[&str]| Coding::of(&headers(&CONTENT_ENCODING, values));
        assert_eq!(of(&[]), Some(Coding::Plain));
        assert_eq!(of(&["identity", ""]), Some(Coding::Plain));
        assert_eq!(of(&["GZip"]), Some(Coding::Gzip));
        assert_eq!(of(&["identity, x-gzip"]), Some(Coding::Gzip));
        assert_eq!(of(&["deflate"]), Some(Coding::Deflate));
        for unknown in [&["br"][..], &["gzip, gzip"], &["gzip", "deflate"], &["gzip\u{e9}"], &["none"]] {
            assert_eq!(of(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn chunks_are_the_only_transfer_coding() {
        let plainly = |values: &[&str]| is_transferred_plainly(&headers(&TRANSFER_ENCODING, values));
        assert!(plainly(&[]) && plainly(&["Chunked"]));
        for other in [&["gzip, chunked"][..], &["gzip", "chunked"], &["chunked, chunked"], &["identity"]] {
            assert!(!plainly(other), "{other:?}");
        }
    }
}
