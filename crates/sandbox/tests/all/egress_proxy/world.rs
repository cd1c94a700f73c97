//! A proxy, a log that remembers, a resolver that answers from a list, and servers that echo what they are sent.

use std::any::Any;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use selfmade_sandbox::BoxFuture;
use selfmade_sandbox::egress::{
    Decision, Egress, EgressLog, EgressPolicy, EgressRecord, Proxy, ProxyConfig, Resolver,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::{TlsAcceptor, TlsConnector, client::TlsStream};
use tokio_util::task::AbortOnDropHandle;

pub(crate) const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

pub(crate) struct World {
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) log: Arc<Log>,
    pub(crate) names: Arc<Names>,
    pub(crate) folder: tempfile::TempDir,
    authority: CertifiedIssuer<'static, KeyPair>,
    records: tokio::sync::Mutex<mpsc::UnboundedReceiver<EgressRecord>>,
}

/// A job's proxy; dropping it ends the job.
pub(crate) struct Way {
    pub(crate) at: SocketAddr,
    pub(crate) guard: Box<dyn Any + Send>,
}

impl World {
    pub(crate) fn new() -> World {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // A leaf with the same name as its issuer would look self-signed.
        params.distinguished_name.push(DnType::CommonName, "authority of the tests");
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (sender, records) = mpsc::unbounded_channel();
        let log = Arc::new(Log { records: sender, killed: Mutex::default() });
        let names = Arc::new(Names::default());
        let proxy = Proxy::new(ProxyConfig {
            folder: folder.path().to_owned(),
            log: log.clone(),
            resolver: names.clone(),
            clock: Arc::new(now),
            extra_roots_pem: authority.pem(),
        });
        let records = tokio::sync::Mutex::new(records);
        World { proxy: Arc::new(proxy.unwrap()), log, names, folder, authority, records }
    }

    pub(crate) fn serve(&self, policy: &EgressPolicy) -> Way {
        let listener = std::net::TcpListener::bind((LOOPBACK, 0)).unwrap();
        let at = listener.local_addr().unwrap();
        Way { at, guard: self.proxy.serve(listener.into(), policy).unwrap() }
    }

    pub(crate) async fn record(&self) -> EgressRecord {
        self.records.lock().await.recv().await.unwrap()
    }

    /// A plain server.
    pub(crate) async fn http_server(&self) -> Server {
        Server::start(|stream| async { Ok(stream) }, Arc::new(echo)).await
    }

    /// A plain server that answers each request, given as text, with bytes in pieces, and closes.
    pub(crate) async fn raw_server(
        &self,
        answer: impl Fn(&str) -> Vec<Vec<u8>> + Send + 'static,
    ) -> RawServer {
        let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let Ok(byte) = stream.read_u8().await else { break };
                    request.push(byte);
                }
                for piece in answer(&String::from_utf8_lossy(&request)) {
                    // The proxy may have heard enough.
                    let _ = stream.write_all(&piece).await;
                    let _ = stream.flush().await;
                }
            }
        });
        RawServer { port, _task: AbortOnDropHandle::new(task) }
    }

    /// A server with a certificate of the test's authority for these names.
    pub(crate) async fn https_server(&self, names: &[&str]) -> Server {
        self.https_server_with(names, Arc::new(echo)).await
    }

    /// The same, answering in another way.
    pub(crate) async fn https_server_with(&self, names: &[&str], answer: Arc<Answer>) -> Server {
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let leaf = CertificateParams::new(names).unwrap().signed_by(&key, &self.authority).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = rustls::ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Server::start(move |stream| acceptor.clone().accept(stream), answer).await
    }

    pub(crate) fn test_root(&self) -> String {
        self.authority.pem()
    }
}

#[allow(clippy::disallowed_methods, reason = "certificates are checked against the real time by the clients")]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

/// Lists the hosts, and loopback as private.
pub(crate) fn policy(hosts: &[String]) -> EgressPolicy {
    EgressPolicy {
        hosts: hosts.to_vec(),
        private: vec!["127.0.0.1".to_owned()],
        label: "job-1".to_owned(),
        ..EgressPolicy::default()
    }
}

pub(crate) struct Log {
    records: mpsc::UnboundedSender<EgressRecord>,
    pub(crate) killed: Mutex<Vec<(String, String)>>,
}

impl EgressLog for Log {
    fn record(&self, record: EgressRecord) {
        // The test may have ended.
        let _ = self.records.send(record);
    }

    fn kill(&self, label: &str, why: &str) {
        self.killed.lock().unwrap().push((label.to_owned(), why.to_owned()));
    }
}

/// Answers as told, in order; then, and by default, with loopback.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) answers: Mutex<VecDeque<Vec<IpAddr>>>,
    pub(crate) asked: Mutex<Vec<String>>,
}

impl Resolver for Names {
    fn resolve(&self, name: String) -> BoxFuture<io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(name);
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or_else(|| vec![LOOPBACK]);
        Box::pin(async move { Ok(answer) })
    }
}

/// What a server says to a request, given with its body as text.
pub(crate) type Answer = dyn Fn(&Parts, &str) -> Response<AnyBody> + Send + Sync;
pub(crate) type AnyBody = UnsyncBoxBody<Bytes, Infallible>;

/// A server that says whatever it is told to.
pub(crate) struct RawServer {
    pub(crate) port: u16,
    _task: AbortOnDropHandle<()>,
}

/// A server that remembers what it was sent: request line, headers, body.
pub(crate) struct Server {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    async fn start<F, A, S>(wrap: F, answer: Arc<Answer>) -> Server
    where
        F: Fn(TcpStream) -> A + Send + 'static,
        A: Future<Output = io::Result<S>> + Send + 'static,
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let told = seen.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (wrapped, told, answer) = (wrap(stream), told.clone(), answer.clone());
                tokio::spawn(async move {
                    let Ok(stream) = wrapped.await else { return };
                    let service = service_fn(move |request| respond(request, told.clone(), answer.clone()));
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Server { port, seen, task }
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn respond(
    request: Request<Incoming>,
    told: Arc<Mutex<Vec<String>>>,
    answer: Arc<Answer>,
) -> Result<Response<AnyBody>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let body = String::from_utf8_lossy(&body);
    told.lock().unwrap().push(as_text(&head, &body));
    Ok(answer(&head, &body))
}

fn as_text(head: &Parts, body: &str) -> String {
    let mut text = format!("{} {}\n", head.method, head.uri);
    for (name, value) in &head.headers {
        text += &format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes()));
    }
    text + body
}

/// Answers with what came. `/big` gives 100 000 bytes, `/204` that status.
fn echo(head: &Parts, body: &str) -> Response<AnyBody> {
    let mut response = Response::new(of_text(match head.uri.path() {
        "/big" => "x".repeat(100_000),
        "/204" | "/304" => String::new(),
        _ => as_text(head, body),
    }));
    if let Some(value) = head.headers.get("authorization") {
        response.headers_mut().insert("x-echo", value.clone());
    }
    if let Ok(status @ (204 | 304)) = head.uri.path()[1..].parse::<u16>() {
        *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap();
    }
    if head.uri.path() == "/packed" {
        response.headers_mut().insert("content-encoding", "br".parse().unwrap());
    }
    response
}

pub(crate) fn of_text(text: String) -> AnyBody {
    Full::new(Bytes::from(text)).boxed_unsync()
}

/// Sends text to the proxy and reads until it closes.
pub(crate) async fn talk(way: &Way, text: &str) -> String {
    let stream = TcpStream::connect(way.at).await.unwrap();
    exchange(stream, text).await
}

pub(crate) async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, text: &str) -> String {
    // The proxy may refuse before it has read all.
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.flush().await;
    read_all(&mut stream).await
}

pub(crate) async fn read_all<S: AsyncRead + Unpin>(stream: &mut S) -> String {
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut piece).await {
        answer.extend_from_slice(&piece[..length]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// A GET by way of the proxy that closes after.
pub(crate) async fn get(way: &Way, url: &str, headers: &str) -> String {
    talk(way, &format!("GET {url} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n")).await
}

/// Opens a tunnel and gives the answer's head with the stream.
pub(crate) async fn connect(way: &Way, authority: &str) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(way.at).await.unwrap();
    let text = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n");
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { break };
        head.push(byte);
    }
    (String::from_utf8(head).unwrap(), stream)
}

/// TLS as a cell speaks it, trusting these roots alone.
pub(crate) async fn tls(stream: TcpStream, name: &str, roots_pem: &str) -> io::Result<TlsStream<TcpStream>> {
    tls_as(stream, name, roots_pem, true).await
}

/// The same, saying the name or keeping it back.
pub(crate) async fn tls_as(
    stream: TcpStream,
    name: &str,
    roots_pem: &str,
    said: bool,
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = rustls::RootCertStore::empty();
    for root in CertificateDer::pem_slice_iter(roots_pem.as_bytes()) {
        roots.add(root.unwrap()).unwrap();
    }
    let mut config = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.enable_sni = said;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

pub(crate) fn rule(record: &EgressRecord) -> &str {
    match &record.decision {
        Decision::Allowed { rule } => rule,
        Decision::Refused { rule, .. } => rule,
    }
}

/// Long enough for a slow machine, short enough to fail a test that hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
