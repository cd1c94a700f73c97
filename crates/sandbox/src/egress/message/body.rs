//! Bodies on their way through: counted, bounded, and with secrets redacted where they come from a secret's host.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};

use super::coding::{Coding, Decoder};
use crate::egress::gate::Gate;
use crate::egress::host::Host;
use crate::egress::record::{Direction, Entry};
use crate::egress::refusal::Refusal;
use crate::egress::sealed::redactor::{Redactor, StreamRedactor};

pub(crate) type BodyError = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type Body = UnsyncBoxBody<Bytes, BodyError>;
type Polled = Poll<Option<Result<Frame<Bytes>, BodyError>>>;

pub(crate) fn of_text(text: String) -> Body {
    Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed_unsync()
}

/// A body of one side, as it is given to the other. Trailers are left out.
pub(crate) struct Metered {
    pub(crate) inner: Incoming,
    pub(crate) way: Direction,
    pub(crate) gate: Arc<Gate>,
    pub(crate) entry: Arc<Entry>,
}

impl Metered {
    /// Takes bytes from what the job may still move.
    fn charge(&self, bytes: usize) -> Result<u64, BodyError> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.gate.charge(self.way, bytes).map_err(|refusal| self.stop(refusal))?;
        Ok(bytes)
    }

    fn stop(&self, refusal: Refusal) -> BodyError {
        self.entry.stopped(&refusal);
        refusal.into()
    }
}

impl HttpBody for Metered {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Polled {
        loop {
            let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(context)) else {
                return Poll::Ready(None);
            };
            let Ok(data) = frame?.into_data() else { continue };
            let length = self.charge(data.len())?;
            self.entry.count(self.way, length);
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// An answer's body: its coding undone, and secrets redacted.
pub(crate) struct Searched {
    inner: Metered,
    host: Host,
    decoder: Option<Decoder>,
    redactor: Option<StreamRedactor>,
    ended: bool,
}

impl Searched {
    pub(crate) fn new(
        inner: Metered,
        host: Host,
        coding: Coding,
        redactor: Option<Arc<Redactor>>,
    ) -> Searched {
        let decoder = Decoder::new(coding).filter(|_| !inner.is_end_stream());
        Searched { inner, host, decoder, redactor: redactor.map(StreamRedactor::new), ended: false }
    }

    /// What is decoded counts, too: a little may become a lot.
    fn decoded(&self, decoded: Vec<u8>) -> Result<Bytes, BodyError> {
        self.inner.charge(decoded.len())?;
        Ok(decoded.into())
    }

    fn undecodable(&self, error: &std::io::Error) -> BodyError {
        let why = format!("its content encoding is broken: {error}");
        self.inner.stop(Refusal::Answer { host: self.host.clone(), why })
    }

    /// The next bytes without their coding, or none at the end.
    fn poll_plain(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BodyError>>> {
        loop {
            if let Some(decoder) = &mut self.decoder {
                match decoder.step() {
                    Ok(None) => {}
                    Ok(Some(decoded)) => return Poll::Ready(Some(self.decoded(decoded))),
                    Err(error) => return Poll::Ready(Some(Err(self.undecodable(&error)))),
                }
            }
            let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(context)) else {
                let last = self.decoder.take().map(|mut decoder| decoder.finish());
                return Poll::Ready(last.map(|last| match last {
                    Ok(decoded) => self.decoded(decoded),
                    Err(error) => Err(self.undecodable(&error)),
                }));
            };
            let Ok(data) = frame?.into_data() else { continue };
            match &mut self.decoder {
                Some(decoder) => decoder.feed(data),
                None => return Poll::Ready(Some(Ok(data))),
            }
        }
    }
}

impl HttpBody for Searched {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Polled {
        while !self.ended {
            let data = match ready!(self.poll_plain(context)) {
                Some(data) => {
                    let data = data?;
                    self.redactor.as_mut().map(|redactor| redactor.push(&data).into()).unwrap_or(data)
                }
                None => {
                    self.ended = true;
                    self.redactor.as_mut().map(|redactor| redactor.finish().into()).unwrap_or_default()
                }
            };
            // All of it may be held back for now.
            if !data.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
        }
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
            && self.decoder.is_none()
            && self.redactor.as_ref().is_none_or(StreamRedactor::holds_nothing)
    }

    fn size_hint(&self) -> SizeHint {
        match self.redactor {
            Some(_) if !self.inner.is_end_stream() => SizeHint::default(),
            _ => self.inner.size_hint(),
        }
    }
}
