//! Answers that go on. `event_stream` is the one builder: of a source it makes server-sent events or a WebSocket; `progress` makes a
//! source of work that somebody waits for.

pub(crate) mod event_stream;
pub(crate) mod progress;
mod sse;
mod websocket;
