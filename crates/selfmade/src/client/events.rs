//! A stream of server-sent events, read one by one.

use axum::body::Body;
use axum::http::Response;
use server::http_client::{LineError, SseEvent, SseReader};

use super::{Brain, decoded};
use crate::error::Error;

/// A run is the largest thing that is sent as one event, and what is recorded of its output is bounded.
const EVENT_BYTES: usize = 256 << 20;

pub(crate) struct Events<'a> {
    brain: &'a Brain,
    reader: SseReader<Body>,
}

impl<'a> Events<'a> {
    pub(super) fn of(brain: &'a Brain, response: Response<Body>) -> Events<'a> {
        Events { brain, reader: SseReader::new(response.into_body(), EVENT_BYTES) }
    }

    /// The next one; none when there will be no more.
    pub(crate) async fn next(&mut self) -> Result<Option<SseEvent>, Error> {
        self.reader.next().await.map_err(|error| match error {
            LineError::Body(source) => decoded::broken_off(self.brain, source),
            error @ LineError::TooLong { .. } => decoded::unreadable(self.brain, error),
        })
    }
}
