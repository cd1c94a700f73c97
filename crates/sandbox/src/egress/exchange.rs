//! One connection of a cell and the requests on it: each is read, decided, sent on and its answer passed back.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::ext::ReasonPhrase;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderValue, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::gate::Gate;
use super::idle::Idle;
use super::message::answer;
use super::message::body::{self, Body, Metered, Searched};
use super::message::head::{self, Target};
use super::policy::OnMisuse;
use super::proxy::{SMALLEST_HEAD, Shared};
use super::record::{Direction, Entry};
use super::refusal::Refusal;
use super::tunnel::Tunnel;
use super::upstream::Upstream;
use super::watched::{Watch, Watched};

pub(super) struct Connection {
    pub(super) shared: Arc<Shared>,
    pub(super) gate: Arc<Gate>,
    /// Where all requests go, if this is the inside of a TLS connection that ends here.
    inside: Option<Target>,
    upstream: tokio::sync::Mutex<Option<Upstream>>,
    /// What the connection becomes once a CONNECT has been answered.
    pub(super) tunnel: Mutex<Option<Tunnel>>,
    pub(super) watch: Watch,
}

impl Connection {
    pub(super) fn new(shared: Arc<Shared>, gate: Arc<Gate>) -> Arc<Connection> {
        let (upstream, tunnel, watch) = Default::default();
        Arc::new(Connection { shared, gate, inside: None, upstream, tunnel, watch })
    }

    fn within(&self, target: Target) -> Arc<Connection> {
        let (upstream, tunnel, watch) = Default::default();
        let (shared, gate) = (self.shared.clone(), self.gate.clone());
        Arc::new(Connection { shared, gate, inside: Some(target), upstream, tunnel, watch })
    }

    /// Serves a connection of the cell, and the tunnel it may become.
    pub(super) async fn serve(self: Arc<Self>, stream: TcpStream) {
        let stream = Idle::new(stream, self.gate.limits.idle_time);
        self.clone().serve_requests(stream).await;
        let tunnel = self.tunnel.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(tunnel) = tunnel {
            tunnel.run(&self).await;
        }
    }

    /// Serves the inside of a TLS connection that ended here.
    pub(super) async fn serve_inside<S>(&self, target: Target, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        self.within(target).serve_requests(stream).await;
    }

    async fn serve_requests<S>(self: Arc<Self>, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let limits = &self.gate.limits;
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time);
        builder.max_buf_size(limits.head_bytes.max(SMALLEST_HEAD));
        let connection = self.clone();
        let service = service_fn(move |request| {
            let connection = connection.clone();
            async move { Ok::<_, Infallible>(connection.answer(request).await) }
        });
        let stream = TokioIo::new(Watched::new(stream, self.watch.clone()));
        let served = builder.serve_connection(stream, service).with_upgrades().await;
        if let Err(error) = served
            && error.is_parse()
        {
            // The library has answered; it never became a request.
            let entry = self.begin("");
            entry.stopped(&Refusal::Malformed { why: "it is not HTTP/1.1 within the limits" });
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let entry = self.begin(request.method().as_str());
        let sound = self.watch.framing().next_is_sound();
        let answered = match *request.method() {
            _ if !sound => Err(Refusal::Malformed {
                why: "the length of its body is stated more than once, or unreadable",
            }),
            Method::CONNECT if self.inside.is_some() => {
                Err(Refusal::NotCarried { what: "a CONNECT within TLS" })
            }
            Method::CONNECT => self.connect(request, &entry).await,
            _ => self.forward(request, &entry).await,
        };
        answered.unwrap_or_else(|refusal| self.refuse(&entry, &refusal))
    }

    fn begin(&self, method: &str) -> Arc<Entry> {
        Entry::begin(self.shared.log.clone(), self.gate.clone(), (self.shared.clock)(), method)
    }

    async fn forward(
        &self,
        request: Request<Incoming>,
        entry: &Arc<Entry>,
    ) -> Result<Response<Body>, Refusal> {
        let (mut head, body) = request.into_parts();
        let method = head.method.clone();
        let target = Target::of_request(&head, self.inside.as_ref())?;
        entry.asked(&target, if target.tls { "https" } else { "http" }, head.uri.path());
        head::check(&head, &target)?;
        entry.allowed(self.gate.admit(&target.host, target.port)?);
        if method == Method::TRACE {
            return Err(Refusal::NotCarried { what: "TRACE" });
        }
        self.prepare(&mut head, &target)?;
        let body = self.metered(body, Direction::Up, entry).boxed_unsync();
        let answer = self.send(&target, Request::from_parts(head, body), entry).await?;
        self.pass_on(answer, &target, &method, entry)
    }

    /// Makes the head what the next server gets.
    fn prepare(&self, head: &mut Parts, target: &Target) -> Result<(), Refusal> {
        let malformed = Refusal::Malformed { why: "its URL cannot be sent on" };
        let path = head.uri.path_and_query().map_or("/", |both| both.as_str()).to_owned();
        head.uri = path.parse().map_err(|_| malformed)?;
        head.version = Version::HTTP_11;
        let chunked = head.headers.contains_key(TRANSFER_ENCODING);
        head::strip_hops(&mut head.headers);
        if chunked {
            // Without it the library would take a GET to have no body.
            head.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        }
        head.headers.insert(HOST, target.header());
        if self.gate.seals.are_for(&target.host) {
            head::ask_for_the_whole(&mut head.headers);
        }
        self.gate.seals.put_in(target, self.gate.on_misuse, head)?;
        let path_bytes = u64::try_from(path.len()).unwrap_or(u64::MAX);
        self.gate.charge(Direction::Up, head::weight(&head.headers).saturating_add(path_bytes))
    }

    async fn send(
        &self,
        target: &Target,
        mut request: Request<Body>,
        entry: &Arc<Entry>,
    ) -> Result<Response<Incoming>, Refusal> {
        let mut kept = self.upstream.lock().await;
        if let Some(upstream) = kept.as_mut()
            && upstream.serves(target).await
        {
            entry.connected(upstream.address);
            match upstream.send(request).await {
                Ok(answer) => return Ok(answer),
                // The server closed the kept connection before it had the request.
                Err((_, Some(unsent))) => request = unsent,
                Err((refusal, None)) => return Err(refusal),
            }
        }
        *kept = None;
        let mut upstream = Upstream::open(&self.shared, &self.gate, target).await?;
        entry.connected(upstream.address);
        let answer = upstream.send(request).await.map_err(|(refusal, _)| refusal)?;
        *kept = Some(upstream);
        Ok(answer)
    }

    fn pass_on(
        &self,
        answer: Response<Incoming>,
        target: &Target,
        method: &Method,
        entry: &Arc<Entry>,
    ) -> Result<Response<Body>, Refusal> {
        let redactor = self.gate.seals.redactor_for(&target.host);
        let (mut head, body) = answer.into_parts();
        let coding = answer::make_fit(&mut head, method, redactor.as_ref())
            .map_err(|why| Refusal::Answer { host: target.host.clone(), why: why.to_owned() })?;
        self.gate.charge(Direction::Down, head::weight(&head.headers))?;
        entry.answered(head.status.as_u16());
        let body =
            Searched::new(self.metered(body, Direction::Down, entry), target.host.clone(), coding, redactor);
        Ok(Response::from_parts(head, body.boxed_unsync()))
    }

    fn metered(&self, inner: Incoming, way: Direction, entry: &Arc<Entry>) -> Metered {
        Metered { inner, way, gate: self.gate.clone(), entry: entry.clone() }
    }

    /// Says no, in the status line too: clients show that much of a refused CONNECT.
    fn refuse(&self, entry: &Entry, refusal: &Refusal) -> Response<Body> {
        entry.stopped(refusal);
        entry.answered(refusal.status());
        if let (OnMisuse::KillJob, Refusal::Misuse { .. }) = (self.gate.on_misuse, refusal) {
            self.shared.log.kill(&self.gate.label, &refusal.to_string());
        }
        let text = format!("egress ({}): {refusal}", refusal.rule());
        let reason = ReasonPhrase::try_from(text.clone().into_bytes());
        let mut response = Response::new(body::of_text(text + "\n"));
        *response.status_mut() = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::FORBIDDEN);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if let Ok(reason) = reason {
            response.extensions_mut().insert(reason);
        }
        if matches!(refusal, Refusal::Malformed { .. }) {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
