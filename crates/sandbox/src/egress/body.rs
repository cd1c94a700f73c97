//! Bodies on their way through: counted, bounded, and with secrets replaced back where they come from a secret's host.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};

use super::gate::Gate;
use super::record::{Entry, Way};
use super::redact::Redactor;

pub(super) type BodyError = Box<dyn std::error::Error + Send + Sync>;
pub(super) type Body = UnsyncBoxBody<Bytes, BodyError>;

pub(super) fn of_text(text: String) -> Body {
    Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed_unsync()
}

/// A body of one side, as it is given to the other. Trailers are left out.
pub(super) struct Metered {
    pub(super) inner: Incoming,
    pub(super) way: Way,
    pub(super) gate: Arc<Gate>,
    pub(super) entry: Arc<Entry>,
    pub(super) redactor: Option<Redactor>,
}

impl HttpBody for Metered {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        loop {
            let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(context)) else {
                let last = self.redactor.as_mut().map_or_else(Vec::new, Redactor::finish);
                return Poll::Ready((!last.is_empty()).then(|| Ok(Frame::data(last.into()))));
            };
            let Ok(data) = frame?.into_data() else { continue };
            let length = u64::try_from(data.len()).unwrap_or(u64::MAX);
            if let Err(refusal) = self.gate.spend(self.way, length) {
                self.entry.stopped(&refusal);
                return Poll::Ready(Some(Err(refusal.into())));
            }
            self.entry.count(self.way, length);
            let data = match &mut self.redactor {
                Some(redactor) => redactor.push(&data).into(),
                None => data,
            };
            // What is held back as the beginning of a secret may be all there is for now.
            if !data.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream() && self.redactor.as_ref().is_none_or(Redactor::holds_nothing)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.redactor {
            Some(redactor) if redactor.changes_length() && !self.inner.is_end_stream() => SizeHint::default(),
            _ => self.inner.size_hint(),
        }
    }
}
