//! Servers that do as a test says, byte by byte.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// Answers connections until it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    accepted: mpsc::UnboundedReceiver<()>,
    _serving: JoinSet<()>,
}

/// One connection, as the server has it.
pub(crate) struct Connection {
    stream: BufReader<Box<dyn Stream>>,
    /// To end it rudely.
    socket: Option<std::net::TcpStream>,
}

pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

pub(crate) struct Request {
    pub(crate) line: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn answer(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

impl Server {
    pub(crate) async fn start<F, W>(serve: F) -> Server
    where
        F: FnOnce(Connection) -> W + Clone + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        Server::start_with(None, serve).await
    }

    pub(crate) async fn start_with<F, W>(tls: Option<Arc<rustls::ServerConfig>>, serve: F) -> Server
    where
        F: FnOnce(Connection) -> W + Clone + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, accepted) = mpsc::unbounded_channel();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let _ = tell.send(());
                let (serve, tls) = (serve.clone(), tls.clone());
                connections.spawn(async move {
                    if let Some(connection) = Connection::open(stream, tls).await {
                        serve(connection).await;
                    }
                });
            }
        });
        Server { address, accepted, _serving: serving }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How many connections came since this was asked last.
    pub(crate) fn connections(&mut self) -> usize {
        std::iter::from_fn(|| self.accepted.try_recv().ok()).count()
    }
}

impl Connection {
    /// None if there is no TLS to be had with the client.
    async fn open(stream: TcpStream, tls: Option<Arc<rustls::ServerConfig>>) -> Option<Connection> {
        let (stream, socket): (Box<dyn Stream>, _) = match tls {
            Some(config) => (Box::new(TlsAcceptor::from(config).accept(stream).await.ok()?), None),
            None => {
                let stream = stream.into_std().unwrap();
                let socket = stream.try_clone().unwrap();
                (Box::new(TcpStream::from_std(stream).unwrap()), Some(socket))
            }
        };
        Some(Connection { stream: BufReader::new(stream), socket })
    }

    /// The next request; its body, if it says how long that is.
    pub(crate) async fn request(&mut self) -> Request {
        self.try_request().await.unwrap()
    }

    /// None if the client has closed the connection.
    pub(crate) async fn try_request(&mut self) -> Option<Request> {
        let line = self.line().await?;
        let mut headers = Vec::new();
        while let Some((name, value)) = self.line().await?.split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut request = Request { line, headers, body: Vec::new() };
        let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
        request.body.resize(length, 0);
        self.stream.read_exact(&mut request.body).await.unwrap();
        Some(request)
    }

    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await;
        (read.ok()? > 0).then(|| line.trim_end().to_owned())
    }

    pub(crate) async fn write(&mut self, text: &str) {
        assert!(self.try_write(text).await);
    }

    /// Whether the client took it.
    pub(crate) async fn try_write(&mut self, text: &str) -> bool {
        self.stream.write_all(text.as_bytes()).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// Closes it, and returns when the client has noticed.
    pub(crate) async fn close(mut self) {
        self.stream.shutdown().await.unwrap();
        let mut rest = Vec::new();
        let _ = self.stream.read_to_end(&mut rest).await;
    }

    /// Ends it in the middle of whatever was being said.
    pub(crate) fn reset(self) {
        self.socket.unwrap().shutdown(std::net::Shutdown::Both).unwrap();
    }
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
