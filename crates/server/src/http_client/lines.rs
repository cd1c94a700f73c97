//! A body that is read line by line while it comes: server-sent events, and JSON with an object a line.

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum LineError<E: std::error::Error + 'static> {
    #[error(transparent)]
    Body(E),
    #[error("a line of the answer is longer than {limit} bytes")]
    TooLong { limit: usize },
}

pub struct LineReader<B> {
    body: B,
    longest: usize,
    bytes: Vec<u8>,
    /// Where the next line begins in `bytes`.
    begin: usize,
    /// How far they were searched for its end.
    searched: usize,
    /// A carriage return ended the last line; a line feed right behind it belongs to it.
    after_return: bool,
}

impl<B> LineReader<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::error::Error + 'static,
{
    pub fn new(body: B, longest: usize) -> LineReader<B> {
        LineReader { body, longest, bytes: Vec::new(), begin: 0, searched: 0, after_return: false }
    }

    /// The next line, without its end; none when there are no more. What a body has behind its last line end counts as a line. Nothing
    /// is lost if the future is dropped.
    pub async fn next(&mut self) -> Result<Option<String>, LineError<B::Error>> {
        loop {
            if let Some(line) = self.line() {
                return Ok(Some(line));
            }
            if self.bytes.len() - self.begin > self.longest {
                return Err(LineError::TooLong { limit: self.longest });
            }
            match self.body.frame().await {
                None => return Ok(self.rest()),
                Some(Err(error)) => return Err(LineError::Body(error)),
                Some(Ok(frame)) => self.add(&frame.into_data().unwrap_or_default()),
            }
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.begin);
        self.searched -= self.begin;
        self.begin = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The first line that is there as a whole.
    fn line(&mut self) -> Option<String> {
        if self.after_return && self.begin < self.bytes.len() {
            self.after_return = false;
            if self.bytes[self.begin] == b'\n' {
                self.begin += 1;
                self.searched = self.begin;
            }
        }
        let found = self.bytes[self.searched..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let Some(length) = found else {
            self.searched = self.bytes.len();
            return None;
        };
        let end = self.searched + length;
        let line = String::from_utf8_lossy(&self.bytes[self.begin..end]).into_owned();
        self.after_return = self.bytes[end] == b'\r';
        self.begin = end + 1;
        self.searched = self.begin;
        Some(line)
    }

    fn rest(&mut self) -> Option<String> {
        let rest = String::from_utf8_lossy(&self.bytes[self.begin..]).into_owned();
        (self.bytes, self.begin, self.searched) = (Vec::new(), 0, 0);
        (!rest.is_empty()).then_some(rest)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::convert::Infallible;

    use futures_util::stream;
    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn body_of(pieces: Vec<Vec<u8>>) -> impl Body<Data = Bytes, Error = Infallible> + Unpin {
        let frame = |piece: Vec<u8>| Ok(Frame::data(Bytes::from(piece)));
        StreamBody::new(stream::iter(pieces.into_iter().map(frame)))
    }

    async fn lines(pieces: Vec<Vec<u8>>) -> Vec<String> {
        let mut reader = LineReader::new(body_of(pieces), 1 << 20);
        let mut lines = Vec::new();
        while let Some(line) = reader.next().await.unwrap() {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn every_kind_of_line_end_counts() {
        let text = "a\nb\r\nc\rd\r\r\ne";
        assert_eq!(lines(vec![text.into()]).await, ["a", "b", "c", "d", "", "e"]);
        assert_eq!(lines(vec![]).await, [""; 0]);
        assert_eq!(lines(vec!["\n".into()]).await, [""]);
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_not_kept_for_ever() {
        let mut reader =
            LineReader::new(body_of(vec![b"short\n".to_vec(), vec![b'x'; 50], vec![b'x'; 51]]), 100);
        assert_eq!(reader.next().await.unwrap().as_deref(), Some("short"));
        assert!(matches!(reader.next().await, Err(LineError::TooLong { limit: 100 })));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_the_bytes_come(text in "[aä\r\n]{0,40}", cuts in prop::collection::vec(0usize..40, 0..8)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut <= text.len()).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|pair| text.as_bytes()[pair[0]..pair[1]].to_vec()).collect();
            let whole = vec![text.as_bytes().to_vec()];
            prop_assert_eq!(runtime.block_on(lines(pieces)), runtime.block_on(lines(whole)));
        }
    }
}
