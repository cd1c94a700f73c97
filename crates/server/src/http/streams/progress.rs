//! Work that somebody waits for: its progress as server-sent events, the last of which is its result.

use std::future::Future;

use axum::http::{HeaderMap, header};
use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};
use model::run::output::{OutputChunk, OutputStream};
use sandbox::Stream as Printed;
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::event_stream::{StreamEvent, answer_to_the_end};
use crate::app::runs::RunProgress;
use crate::error::Error;
use crate::http::problem::Problem;
use crate::http::request::caller::{self, Caller};
use crate::http::state::Door;

/// Whether the caller wants to see the progress.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with("text/event-stream"))
}

/// Where work reports its progress. There is no bound: what a run prints has one of its own.
#[derive(Clone)]
pub(crate) struct Progress(UnboundedSender<Result<StreamEvent, Problem>>);

impl Progress {
    pub(crate) fn report(&self, kind: &str, data: &impl Serialize) {
        // Nobody may look on any more.
        let _ = self.0.send(Ok(StreamEvent::new(kind, data)));
    }

    /// What a Run prints, and what is made for it.
    pub(crate) fn report_run(&self, happened: &RunProgress) {
        match happened {
            RunProgress::Output(stream, text) => {
                let stream = match stream {
                    Printed::Stdout => OutputStream::Stdout,
                    Printed::Stderr => OutputStream::Stderr,
                };
                self.report("printed", &OutputChunk { stream, text: text.clone() });
            }
            RunProgress::Written(written) => self.report("written", written),
            RunProgress::Environment(progress) => self.report("making", progress),
            RunProgress::Yielded(_) | RunProgress::Call(_) | RunProgress::Step(_) => {}
        }
    }

    /// Returns when nobody looks on any more.
    pub(crate) async fn abandoned(&self) {
        self.0.closed().await;
    }
}

/// Does the work on a task of its own, which ends by itself also when its caller goes away. An error before any progress is answered
/// as everywhere else; later, it is the last event. The stream ends with the caller's token or session; the work goes on.
pub(crate) async fn stream<T, W>(
    door: &Door,
    caller: &Caller,
    work: impl FnOnce(Progress) -> W,
) -> Result<Response, Problem>
where
    T: Serialize,
    W: Future<Output = Result<T, Error>> + Send + 'static,
{
    let (report, mut reports) = unbounded_channel();
    let working = work(Progress(report.clone()));
    tokio::spawn(async move {
        let last = working.await.map(|done| StreamEvent::new("done", &done)).map_err(Problem::from);
        let _ = report.send(last);
    });
    let first = tokio::select! {
        first = reports.recv() => first,
        () = caller.lapsed(door.ctx()) => return Err(caller::unknown()),
    };
    match first {
        Some(Ok(first)) => Ok(answer_to_the_end(door, caller, all(first, reports))),
        Some(Err(problem)) => Err(problem),
        None => Err(Problem::internal()),
    }
}

fn all(
    first: StreamEvent,
    reports: UnboundedReceiver<Result<StreamEvent, Problem>>,
) -> impl Stream<Item = StreamEvent> + Send + 'static {
    let rest = stream::unfold(reports, |mut reports| async move { Some((reports.recv().await?, reports)) });
    let rest =
        rest.map(|report| report.unwrap_or_else(|problem| StreamEvent::new("error", &problem.into_body())));
    stream::once(std::future::ready(first)).chain(rest)
}
