//! Server-sent events, read one by one as the standard has them.

use hyper::body::{Body, Bytes};

use super::lines::{LineError, LineReader};

/// One event that has data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Where a stream that breaks off goes on: the last id that was stated, with this event or before it.
    pub id: Option<String>,
    /// Its type; `message` where none is stated.
    pub event: String,
    pub data: String,
}

pub struct SseReader<B> {
    lines: LineReader<B>,
    most_bytes: usize,
    id: Option<String>,
    event: String,
    data: Option<String>,
    is_first_line: bool,
}

impl<B> SseReader<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::error::Error + 'static,
{
    /// Events whose data has more bytes end the stream with an error.
    pub fn new(body: B, most_bytes: usize) -> SseReader<B> {
        SseReader {
            lines: LineReader::new(body, most_bytes),
            most_bytes,
            id: None,
            event: String::new(),
            data: None,
            is_first_line: true,
        }
    }

    /// The next event; none when there are no more. One that is not complete when the stream ends is left out. Nothing is lost if the
    /// future is dropped.
    pub async fn next(&mut self) -> Result<Option<SseEvent>, LineError<B::Error>> {
        while let Some(line) = self.lines.next().await? {
            let line = if std::mem::take(&mut self.is_first_line) {
                line.strip_prefix('\u{feff}').unwrap_or(&line)
            } else {
                &line
            };
            if !line.is_empty() {
                self.field(line);
                if self.data.as_ref().is_some_and(|data| data.len() > self.most_bytes) {
                    return Err(LineError::TooLong { limit: self.most_bytes });
                }
            } else if let Some(event) = self.complete() {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Comments, which keep the connection alive, have no name.
    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => value.clone_into(&mut self.event),
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            _ => {}
        }
    }

    /// An empty line ends an event.
    fn complete(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        let data = self.data.take()?;
        let event = if event.is_empty() { "message".to_owned() } else { event };
        Some(SseEvent { id: self.id.clone(), event, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http_client::lines::tests::body_of;

    async fn events(text: &str) -> Vec<SseEvent> {
        let pieces = text.as_bytes().iter().map(|byte| vec![*byte]).collect();
        let mut reader = SseReader::new(body_of(pieces), 1 << 20);
        let mut events = Vec::new();
        while let Some(event) = reader.next().await.unwrap() {
            events.push(event);
        }
        events
    }

    fn event(id: Option<&str>, event: &str, data: &str) -> SseEvent {
        SseEvent { id: id.map(str::to_owned), event: event.to_owned(), data: data.to_owned() }
    }

    #[tokio::test]
    async fn events_are_found_however_the_bytes_come() {
        let text = ": alive\n\nevent: printed\ndata: {\"text\":\"a: b\"}\n\n:\n\ndata:1\ndata: 2\n\nevent: half\ndata: x\n";
        assert_eq!(
            events(text).await,
            [event(None, "printed", "{\"text\":\"a: b\"}"), event(None, "message", "1\n2"),]
        );
    }

    #[tokio::test]
    async fn the_examples_of_the_standard_are_read_as_it_says() {
        assert_eq!(
            events("data: YHOO\ndata: +2\ndata: 10\n\n").await,
            [event(None, "message", "YHOO\n+2\n10")]
        );
        let text =
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
        assert_eq!(
            events(text).await,
            [
                event(Some("1"), "message", "first event"),
                event(Some(""), "message", "second event"),
                event(Some(""), "message", " third event"),
            ]
        );
        assert_eq!(
            events("data\n\ndata\ndata\n\ndata:").await,
            [event(None, "message", ""), event(None, "message", "\n"),]
        );
        assert_eq!(
            events("\u{feff}data:test\r\n\r\ndata: test\r\r").await,
            [event(None, "message", "test"), event(None, "message", "test"),]
        );
        assert_eq!(events("event: a\n\ndata: 1\n\n").await, [event(None, "message", "1")]);
    }

    #[tokio::test]
    async fn an_event_of_many_lines_is_bounded_too() {
        let pieces = vec![b"data: 0123456789\n".to_vec(); 20];
        let mut reader = SseReader::new(body_of(pieces), 100);
        assert!(matches!(reader.next().await, Err(LineError::TooLong { limit: 100 })));
    }
}
