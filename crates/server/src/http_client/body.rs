//! The body of an answer: as it comes, bounded in size, and ended by a server that stalls.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::error::HttpError;
use super::limits::Limits;

#[derive(Debug)]
pub struct ResponseBody {
    body: Incoming,
    host: String,
    limits: Limits,
    /// When all of it has to be there.
    deadline: Option<Instant>,
    /// How many more bytes may come.
    left: u64,
    /// Set while nothing comes.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl ResponseBody {
    pub(super) fn new(
        body: Incoming,
        host: String,
        limits: Limits,
        deadline: Option<Instant>,
    ) -> Result<ResponseBody, HttpError> {
        let answer = ResponseBody { left: limits.body_bytes, body, host, limits, deadline, waiting: None };
        // A server that says beforehand how much it will send is spared sending it.
        if answer.body.size_hint().lower() > limits.body_bytes {
            return Err(answer.too_large());
        }
        Ok(answer)
    }

    fn too_large(&self) -> HttpError {
        HttpError::TooLarge { host: self.host.clone(), limit: self.limits.body_bytes }
    }

    /// Ready when the server has been silent for too long.
    fn poll_silence(&mut self, context: &mut Context<'_>) -> Poll<HttpError> {
        let idle = Instant::now() + self.limits.idle;
        let until = self.deadline.map_or(idle, |deadline| deadline.min(idle));
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if waiting.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        let host = self.host.clone();
        Poll::Ready(match (self.limits.total, self.deadline) {
            (Some(limit), Some(deadline)) if deadline <= Instant::now() => HttpError::TooSlow { host, limit },
            _ => HttpError::Stalled { host, limit: self.limits.idle },
        })
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Pending => self.poll_silence(context).map(|silence| Some(Err(silence))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Ready(Some(Err(source))) => {
                Poll::Ready(Some(Err(HttpError::BrokenOff { host: self.host.clone(), source })))
            }
            Poll::Ready(Some(Ok(frame))) => {
                self.waiting = None;
                let size = frame.data_ref().map_or(0, Bytes::len) as u64;
                match self.left.checked_sub(size) {
                    Some(left) => self.left = left,
                    None => return Poll::Ready(Some(Err(self.too_large()))),
                }
                Poll::Ready(Some(Ok(frame)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
