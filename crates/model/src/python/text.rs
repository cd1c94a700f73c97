//! The text of a source: what is refused before it is read, its one normal form, and where each of its places was
//! in the text that the author sent. Everything else works on a [`Text`] and asks it for positions.

use super::error::{SourceError, SourceErrorKind};

/// The longest source that is read, of a function or a pack file. Hand-written functions are a few kilobytes; a
/// longer text is refused before any work is spent on it.
pub const MAX_SOURCE_BYTES: usize = 1 << 20;

/// A source with `\n` line ends and no byte-order mark, that remembers where its lines came from.
#[derive(Debug, Clone)]
pub(super) struct Text {
    text: String,
    lines: Vec<Origin>,
    /// How many characters precede each block of [`BLOCK`] bytes, so that a position in a long line is found without
    /// counting the whole line.
    characters: Vec<usize>,
}

const BLOCK: usize = 256;

/// Where a line of a [`Text`] starts, and where it was in what the author sent.
#[derive(Debug, Clone, Copy)]
struct Origin {
    start: usize,
    line: u32,
    /// How many characters were taken off its start.
    removed: u32,
}

/// One line of a text that is being put together: its content without the line end, and its origin.
pub(super) struct Piece {
    pub(super) content: String,
    pub(super) line: u32,
    pub(super) removed: u32,
}

/// The text of bytes that must be UTF-8; a byte-order mark is dropped.
pub fn decode(bytes: &[u8]) -> Result<&str, SourceError> {
    Text::from_bytes(bytes)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // The check above has refused everything else.
    Ok(std::str::from_utf8(bytes).unwrap_or_default())
}

impl Text {
    /// Checks size, bytes and declared encoding, and normalises line ends.
    pub(super) fn new(source: &str) -> Result<Text, SourceError> {
        check_size(source.len())?;
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        let text = source.replace("\r\n", "\n").replace('\r', "\n");
        let text = Text::of(text);
        if let Some(offset) = text.text.find('\0') {
            return Err(text
                .error(SourceErrorKind::NulByte, offset, "the source contains a NUL byte")
                .hint("write it as `\\0` inside a string"));
        }
        text.check_cookie()?;
        Ok(text)
    }

    /// The same for bytes, which must be UTF-8.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Text, SourceError> {
        check_size(bytes.len())?;
        let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        match std::str::from_utf8(&bytes[start..]) {
            Ok(source) => Text::new(source),
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[start..start + error.valid_up_to()]).into_owned();
                // A file in another encoding that says so deserves to be told about that instead.
                let text = Text::of(valid.replace("\r\n", "\n").replace('\r', "\n"));
                text.check_cookie()?;
                Err(text
                    .error(SourceErrorKind::Encoding, text.text.len(), "the source is not valid UTF-8 here")
                    .hint("save the file as UTF-8"))
            }
        }
    }

    fn of(text: String) -> Text {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let lines = starts.zip(1..).map(|(start, line)| Origin { start, line, removed: 0 }).collect();
        Text { characters: characters(&text), text, lines }
    }

    /// A text of lines that may come from different places.
    pub(super) fn assemble(pieces: impl IntoIterator<Item = Piece>) -> Text {
        let mut text = String::new();
        let mut lines = Vec::new();
        for piece in pieces {
            lines.push(Origin { start: text.len(), line: piece.line, removed: piece.removed });
            text.push_str(&piece.content);
            text.push('\n');
        }
        let last = lines.last().map_or(1, |origin| origin.line);
        lines.push(Origin { start: text.len(), line: last, removed: 0 });
        Text { characters: characters(&text), text, lines }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// How many lines there are, counting the empty one after a final line end.
    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// The index, from 0, of the line that holds `offset`.
    pub(super) fn line_index(&self, offset: usize) -> usize {
        self.lines.partition_point(|origin| origin.start <= offset).saturating_sub(1)
    }

    /// The content of a line without its end.
    pub(super) fn line(&self, index: usize) -> &str {
        let start = self.lines[index].start;
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next.start);
        self.text[start..end].trim_end_matches('\n')
    }

    pub(super) fn line_start(&self, index: usize) -> usize {
        self.lines[index].start
    }

    /// The line as a piece of another text, without its first `removed` characters, which must be ASCII.
    pub(super) fn piece(&self, index: usize, removed: usize) -> Piece {
        let origin = self.lines[index];
        Piece {
            content: self.line(index)[removed..].to_owned(),
            line: origin.line,
            removed: origin.removed + count(removed),
        }
    }

    /// Line and column, both from 1, in the text that the author sent.
    pub(super) fn position(&self, offset: usize) -> (u32, u32) {
        let offset = offset.min(self.text.len());
        let origin = self.lines[self.line_index(offset)];
        let column = self.characters_before(offset).saturating_sub(self.characters_before(origin.start));
        (origin.line, origin.removed + count(column) + 1)
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.characters[block] + begun(&self.text.as_bytes()[block * BLOCK..offset])
    }

    pub(super) fn error(
        &self,
        kind: SourceErrorKind,
        offset: usize,
        message: impl Into<String>,
    ) -> SourceError {
        let (line, column) = self.position(offset);
        SourceError { kind, line, column, message: message.into(), hint: None }
    }

    /// PEP 263: one of the first two lines may name an encoding. Only UTF-8 is understood.
    fn check_cookie(&self) -> Result<(), SourceError> {
        for index in 0..self.line_count().min(2) {
            let line = self.line(index).trim_start_matches([' ', '\t', '\x0c']);
            if let Some(name) = line.strip_prefix('#').and_then(cookie) {
                if is_utf8(name) {
                    return Ok(());
                }
                let message =
                    format!("the source declares the encoding `{name}`, but only UTF-8 is supported");
                let error = self.error(SourceErrorKind::Encoding, self.line_start(index), message);
                return Err(error.hint("save the file as UTF-8 and remove this comment"));
            }
            if !line.is_empty() && !line.starts_with('#') {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl SourceError {
    pub(super) fn hint(mut self, hint: impl Into<String>) -> SourceError {
        self.hint = Some(hint.into());
        self
    }
}

fn check_size(bytes: usize) -> Result<(), SourceError> {
    if bytes <= MAX_SOURCE_BYTES {
        return Ok(());
    }
    Err(SourceError {
        kind: SourceErrorKind::TooLarge,
        line: 1,
        column: 1,
        message: format!("the source has {bytes} bytes; the limit is {MAX_SOURCE_BYTES}"),
        hint: Some("read large data at run time instead of writing it into the source".to_owned()),
    })
}

fn characters(text: &str) -> Vec<usize> {
    let mut total = 0;
    let before = text.as_bytes().chunks(BLOCK).map(|block| {
        let before = total;
        total += begun(block);
        before
    });
    let mut characters: Vec<usize> = before.collect();
    characters.push(total);
    characters
}

/// How many characters begin in the bytes: all bytes but those that continue one.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
}

/// The encoding named in a comment, if it names one.
fn cookie(comment: &str) -> Option<&str> {
    let at = comment.find("coding")?;
    let rest = comment[at + "coding".len()..].strip_prefix([':', '='])?.trim_start_matches([' ', '\t']);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// ASCII is a part of UTF-8, so a source that claims less than it may is fine.
fn is_utf8(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['_', '.'], "-");
    matches!(name.as_str(), "utf-8" | "utf8" | "u8" | "utf" | "utf-8-sig" | "ascii" | "us-ascii")
}

/// Sources are at most [`MAX_SOURCE_BYTES`] long, so no count in them exceeds 32 bits.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
