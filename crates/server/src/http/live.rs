//! Work that somebody looks on at: what it does meanwhile, as server-sent events, the last of which is what came of it.

use std::future::Future;

use axum::http::{HeaderMap, header};
use axum::response::Response;
use axum::response::sse::Event as Sent;
use futures_util::{Stream, StreamExt, stream};
use model::output::{OutputChunk, OutputStream};
use sandbox::Stream as Printed;
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::caller::{self, Caller};
use super::door::Door;
use super::problem::Problem;
use super::sse;
use crate::app::error::Error;
use crate::engine::Happened;

/// Whether the caller wants to look on.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with("text/event-stream"))
}

/// Where work tells what it does. There is no bound: what a run prints has one of its own.
#[derive(Clone)]
pub(super) struct Telling(UnboundedSender<Result<Sent, Problem>>);

impl Telling {
    pub(super) fn tell(&self, kind: &str, data: &impl Serialize) {
        // Nobody may look on any more.
        let _ = self.0.send(Ok(sent(kind, data)));
    }

    /// What a Run prints, and what is made for it.
    pub(super) fn hear(&self, happened: &Happened) {
        match happened {
            Happened::Output(stream, text) => {
                let stream = match stream {
                    Printed::Stdout => OutputStream::Stdout,
                    Printed::Stderr => OutputStream::Stderr,
                };
                self.tell("printed", &OutputChunk { stream, text: text.clone() });
            }
            Happened::Environment(progress) => self.tell("making", progress),
            Happened::Yielded(_) | Happened::Call(_) | Happened::Step(_) => {}
        }
    }

    /// Returns when nobody looks on any more.
    pub(super) async fn forsaken(&self) {
        self.0.closed().await;
    }
}

/// Does the work on a task of its own, which ends by itself also when its caller goes away. What goes wrong before anything was
/// told is refused as everywhere else; later, it is the last event. Whoever looks on with a token or a session that has ended is told no
/// more; the work goes on.
pub(super) async fn show<T, W>(
    door: &Door,
    caller: &Caller,
    work: impl FnOnce(Telling) -> W,
) -> Result<Response, Problem>
where
    T: Serialize,
    W: Future<Output = Result<T, Error>> + Send + 'static,
{
    let (tell, mut told) = unbounded_channel();
    let working = work(Telling(tell.clone()));
    tokio::spawn(async move {
        let last = working.await.map(|done| sent("done", &done)).map_err(Problem::from);
        let _ = tell.send(last);
    });
    let first = tokio::select! {
        first = told.recv() => first,
        () = caller.lapsed(door.ctx()) => return Err(caller::unknown()),
    };
    match first {
        Some(Ok(first)) => Ok(sse::answer(door, caller, all(first, told))),
        Some(Err(problem)) => Err(problem),
        None => Err(Problem::internal()),
    }
}

fn all(
    first: Sent,
    told: UnboundedReceiver<Result<Sent, Problem>>,
) -> impl Stream<Item = Sent> + Send + 'static {
    let rest = stream::unfold(told, |mut told| async move { Some((told.recv().await?, told)) });
    let rest = rest.map(|told| told.unwrap_or_else(|problem| sent("error", &problem.into_body())));
    stream::once(std::future::ready(first)).chain(rest)
}

fn sent(kind: &str, data: &impl Serialize) -> Sent {
    let data = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    Sent::default().event(kind).data(data)
}
