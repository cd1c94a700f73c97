//! Bodies that nobody reads. A caller that is refused by the head of a request may still be about to send a large body: the
//! response says that the connection ends, and hyper closes it instead of reading on.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

/// As much may have arrived with the head already, and costs nothing to skip.
const SMALL: u64 = 64 << 10;

pub(crate) async fn close(request: Request, next: Next) -> Response {
    if request.body().size_hint().upper().is_some_and(|most| most <= SMALL) {
        return next.run(request).await;
    }
    let is_read = Arc::new(AtomicBool::new(false));
    let watched = Arc::clone(&is_read);
    let request = request.map(|body| Body::new(Watched { body, is_read: watched }));
    let mut response = next.run(request).await;
    if !is_read.load(Ordering::Relaxed) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Notes that a body was read to its end.
struct Watched {
    body: Body,
    is_read: Arc<AtomicBool>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) || self.body.is_end_stream() {
            self.is_read.store(true, Ordering::Relaxed);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
