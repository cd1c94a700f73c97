//! What one exchange may take.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the beginning to the head of the answer: connecting, sending the request, and what the server needs to think.
    pub first_byte: Duration,
    /// Between two pieces of the answer's body.
    pub idle: Duration,
    /// From the beginning to the end of the answer; absent for streams.
    pub total: Option<Duration>,
    /// The most that the answer's body may have.
    pub body_bytes: u64,
}

impl Limits {
    /// For an answer that is read to its end: all of it within this time.
    pub fn whole(time: Duration, body_bytes: u64) -> Limits {
        Limits { first_byte: time, idle: time, total: Some(time), body_bytes }
    }
}
