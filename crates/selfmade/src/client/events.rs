//! A stream of server-sent events, read one by one.

use axum::body::Body;
use axum::http::Response;
use http_body_util::BodyExt;

use super::{Brain, decoded};
use crate::error::Error;

/// One event: its type, and its data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) data: String,
}

pub(crate) struct Events<'a> {
    brain: &'a Brain,
    body: Body,
    lines: Lines,
}

impl<'a> Events<'a> {
    pub(super) fn of(brain: &'a Brain, response: Response<Body>) -> Events<'a> {
        Events { brain, body: response.into_body(), lines: Lines::default() }
    }

    /// The next one; none when there will be no more.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, Error> {
        loop {
            if let Some(event) = self.lines.event() {
                return Ok(Some(event));
            }
            let frame = match self.brain {
                Brain::Local(_) => self.body.frame().await,
                Brain::Remote(remote) => remote.in_time(self.body.frame()).await?,
            };
            match frame {
                None => return Ok(None),
                Some(Err(source)) => return Err(decoded::broken_off(self.brain, source)),
                Some(Ok(frame)) => self.lines.add(&frame.into_data().unwrap_or_default()),
            }
        }
    }
}

/// What has come and is not read yet.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
}

impl Lines {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The first event that is there as a whole. Comments, which only keep the connection alive, are none.
    fn event(&mut self) -> Option<Event> {
        loop {
            let end = self.bytes.windows(2).position(|two| two == b"\n\n")?;
            let block: Vec<u8> = self.bytes.drain(..end + 2).collect();
            let text = String::from_utf8_lossy(&block);
            let field = |name: &str| {
                let values = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
                values.map(|value| value.strip_prefix(' ').unwrap_or(value)).collect::<Vec<_>>()
            };
            let data = field("data");
            if !data.is_empty() {
                let kind = field("event").first().copied().unwrap_or("message").to_owned();
                return Some(Event { kind, data: data.join("\n") });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_however_the_bytes_come() {
        let text =
            ": alive\n\nevent: printed\ndata: {\"text\":\"a: b\"}\n\n:\n\ndata:1\ndata: 2\n\nevent: half\n";
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for byte in text.bytes() {
            lines.add(&[byte]);
            found.extend(lines.event());
        }
        let event = |kind: &str, data: &str| Event { kind: kind.to_owned(), data: data.to_owned() };
        assert_eq!(found, [event("printed", "{\"text\":\"a: b\"}"), event("message", "1\n2")]);
    }
}
