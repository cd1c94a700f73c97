//! Sends the traces of Runs that have ended, some together. A collector that does not answer costs traces, and nothing else.

use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::{Request, StatusCode, Uri, header};
use model::ids::RunId;
use model::run::Run;
use sandbox::CancellationToken;
use thiserror::Error;
use tokio::sync::mpsc;

use super::context::TraceContext;
use super::otlp;
use super::spans::{self, Span};
use crate::ctx::Ctx;
use crate::error::Error as AppError;
use crate::http_client::{HttpError, Limits, retry_after};

/// The number of Runs exported together.
const AT_ONCE: usize = 64;
/// Spans of one Run; what a Run did beyond that is in its record alone.
const SPANS: usize = 2_000;
/// How long the first waits for more.
const GATHER: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(10);
/// A collector answers with a few words.
const ANSWER_BYTES: u64 = 1 << 20;
/// How often a collector is asked before its traces are left out.
const ATTEMPTS: u32 = 3;
const REST: Duration = Duration::from_secs(1);
/// However long a collector asks for: meanwhile the traces of other Runs wait.
const LONGEST_REST: Duration = Duration::from_secs(30);
/// What is left when the server stops may take so long.
const LAST: Duration = Duration::from_secs(5);
/// Runs in Runs in Runs, and so on.
const DEPTH: usize = 32;
/// OTLP over HTTP.
const OTLP_PORT: u16 = 4318;

/// Where a collector takes traces: a URL with `/v1/traces` at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(Uri);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it must be a URL that begins with `http://` or `https://`")]
pub struct EndpointError;

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Endpoint, EndpointError> {
        let uri: Uri = text.parse().map_err(|_| EndpointError)?;
        let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let (Some(scheme), Some(authority)) = (scheme, authority) else { return Err(EndpointError) };
        // The port that collectors listen at; over TLS they are behind something that listens at the usual one.
        let authority = match authority.port_u16() {
            None if scheme == "http" => format!("{}:{OTLP_PORT}", authority.host()),
            _ => authority.to_string(),
        };
        let path = uri.path().trim_end_matches('/');
        let path = if path.ends_with("/v1/traces") { path.to_owned() } else { format!("{path}/v1/traces") };
        let url = Uri::builder().scheme(scheme).authority(authority).path_and_query(path).build();
        url.map(Endpoint).map_err(|_| EndpointError)
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a collector did not take traces.
#[derive(Debug, Error)]
enum ExportError {
    #[error("{}", .0.in_full())]
    Http(#[from] HttpError),
    #[error("it answered {status}")]
    Refused {
        status: StatusCode,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
}

impl ExportError {
    /// How long to wait before the next attempt.
    fn rest(&self) -> Duration {
        match self {
            ExportError::Refused { retry_after: Some(time), .. } => (*time).min(LONGEST_REST),
            _ => REST,
        }
    }
}

/// Tells a collector of every Run that ends here from now on, until `stop`, and then of those that are left.
pub fn export(ctx: Ctx, endpoint: Endpoint, stop: CancellationToken) -> impl Future<Output = ()> + Send {
    let ended = ctx.traces.listen();
    async move {
        if let Some(ended) = ended {
            export_all(&ctx, &endpoint, ended, &stop).await;
        }
    }
}

async fn export_all(
    ctx: &Ctx,
    endpoint: &Endpoint,
    mut ended: mpsc::Receiver<RunId>,
    stop: &CancellationToken,
) {
    let mut runs = Vec::with_capacity(AT_ONCE);
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            first = ended.recv() => runs.extend(first),
        }
        gather(&mut ended, &mut runs, stop).await;
        export_runs(ctx, endpoint, std::mem::take(&mut runs), stop).await;
    }
    let last = async {
        while let Ok(run) = ended.try_recv() {
            runs.push(run);
            while runs.len() < AT_ONCE
                && let Ok(run) = ended.try_recv()
            {
                runs.push(run);
            }
            export_runs(ctx, endpoint, std::mem::take(&mut runs), stop).await;
        }
    };
    let _ = tokio::time::timeout(LAST, last).await;
}

async fn gather(ended: &mut mpsc::Receiver<RunId>, runs: &mut Vec<RunId>, stop: &CancellationToken) {
    let more = async {
        while runs.len() < AT_ONCE {
            let room = AT_ONCE - runs.len();
            if ended.recv_many(runs, room).await == 0 {
                return;
            }
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        _ = tokio::time::timeout(GATHER, more) => {}
    }
}

async fn export_runs(ctx: &Ctx, endpoint: &Endpoint, runs: Vec<RunId>, stop: &CancellationToken) {
    let mut told = Vec::new();
    for run in &runs {
        match of_run(ctx, *run).await {
            Ok(spans) => told.extend(spans),
            Err(error) => tracing::debug!(run.id = %run, "the trace of run {run} cannot be read: {error}"),
        }
    }
    let count = runs.len() as u64;
    let traces = &ctx.metrics.traces;
    match send_again(ctx, endpoint, &told, stop).await {
        Ok(()) => traces.exported.fetch_add(count, Ordering::Relaxed),
        Err(error) => {
            tracing::warn!("{count} traces were rejected by the collector: {error}");
            traces.dropped.fetch_add(count, Ordering::Relaxed)
        }
    };
}

async fn of_run(ctx: &Ctx, id: RunId) -> Result<Vec<Span>, AppError> {
    let Some(run) = ctx.store.run(id).await? else { return Ok(Vec::new()) };
    let calls = ctx.store.calls(id).await?;
    let steps = ctx.store.steps(id).await?;
    let under = trace_of(ctx, &run).await?;
    let mut told = spans::of_record(&run, &calls, &steps, under);
    told.truncate(SPANS);
    Ok(told)
}

/// The trace of the outermost Run, and the Step that started this one. Without anything around it, a Run is a trace of its own.
async fn trace_of(ctx: &Ctx, run: &Run) -> Result<TraceContext, AppError> {
    let mut span = 0;
    if let Some(parent) = run.parent {
        let steps = ctx.store.steps(parent).await?;
        let step = steps.iter().find(|step| step.child == Some(run.run_id));
        span = step.map_or(spans::of_run(parent), |step| spans::of_step(parent, step.position));
    }
    let (mut root, mut above) = (run.run_id, run.parent);
    for _ in 0..DEPTH {
        let Some(parent) = above else { break };
        root = parent;
        above = ctx.store.run(parent).await?.and_then(|run| run.parent);
    }
    match ctx.traces.given(root) {
        Some(given) if span == 0 => Ok(given),
        Some(given) => Ok(TraceContext { span, ..given }),
        None => Ok(TraceContext { trace: root.0.as_u128(), span }),
    }
}

async fn send_again(
    ctx: &Ctx,
    endpoint: &Endpoint,
    spans: &[Span],
    stop: &CancellationToken,
) -> Result<(), ExportError> {
    if spans.is_empty() {
        return Ok(());
    }
    let body = Bytes::from(otlp::request(&ctx.engine.node.to_string(), spans).to_string());
    let mut attempt = 1;
    loop {
        match send(ctx, endpoint, body.clone()).await {
            Err(error) if attempt < ATTEMPTS && !stop.is_cancelled() => {
                tracing::debug!("the collector did not accept traces; retrying: {error}");
                attempt += 1;
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = ctx.clock.wait_until(ctx.clock.now() + error.rest()) => {}
                }
            }
            done => return done,
        }
    }
}

async fn send(ctx: &Ctx, endpoint: &Endpoint, body: Bytes) -> Result<(), ExportError> {
    let request = Request::post(&endpoint.0)
        .header(header::CONTENT_TYPE, "application/json")
        .body(body.into())
        .map_err(|_| HttpError::InvalidUrl)?;
    let answer = ctx.http_client.fetch(request, Limits::whole(TIMEOUT, ANSWER_BYTES)).await?;
    if answer.status.is_success() {
        return Ok(());
    }
    Err(ExportError::Refused { status: answer.status, retry_after: retry_after(&answer.headers) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_named_by_its_url() {
        let shown = |text: &str| text.parse::<Endpoint>().map(|endpoint| endpoint.to_string());
        assert_eq!(shown("http://localhost").unwrap(), "http://localhost:4318/v1/traces");
        assert_eq!(shown("http://otel.example:80/base/").unwrap(), "http://otel.example:80/base/v1/traces");
        assert_eq!(shown("http://otel:4318/v1/traces").unwrap(), "http://otel:4318/v1/traces");
        assert_eq!(shown("https://otel.example/base").unwrap(), "https://otel.example/base/v1/traces");
        assert_eq!(shown("https://otel.example:4318").unwrap(), "https://otel.example:4318/v1/traces");
        for text in ["", "localhost:4318", "ftp://otel.example", "http://me:hunter2@otel.example"] {
            assert_eq!(shown(text), Err(EndpointError), "{text}");
        }
    }
}
