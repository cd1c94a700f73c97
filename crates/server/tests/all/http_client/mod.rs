//! The client of outgoing HTTP, against servers that behave in every way a server may.

mod pooling;
pub(crate) mod servers;
mod streaming;
pub(crate) mod tls;

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, header};
use server::http_client::{HttpClient, HttpClientConfig, HttpError, Limits};

use self::servers::{Server, answer};

/// Long enough for a busy machine, where nothing is expected to take time.
const LIMITS: Limits = Limits {
    first_byte: Duration::from_secs(30),
    idle: Duration::from_secs(30),
    total: None,
    body_bytes: 1 << 20,
};
/// Where running into the limit is what is tested.
const SOON: Duration = Duration::from_millis(50);

fn client() -> HttpClient {
    HttpClient::new(HttpClientConfig::default())
}

fn get(url: &str) -> Request<Body> {
    Request::get(url).body(Body::empty()).unwrap()
}

fn post(url: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(url).body(body.into()).unwrap()
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let server = Server::start(async |mut connection| {
        connection.request().await;
        std::future::pending::<()>().await;
    })
    .await;
    let limits = Limits { first_byte: SOON, ..LIMITS };
    let error = client().fetch(get(&server.url("/")), limits).await.unwrap_err();
    assert!(matches!(error, HttpError::NoAnswer { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("`{}` did not answer within 0.05 s", server.address));
}

#[tokio::test]
async fn a_body_that_stalls_is_given_up() {
    let server = Server::start(async |mut connection| {
        connection.request().await;
        connection.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").await;
        std::future::pending::<()>().await;
    })
    .await;
    let error = client().fetch(get(&server.url("/")), Limits { idle: SOON, ..LIMITS }).await.unwrap_err();
    assert!(matches!(error, HttpError::Stalled { .. }), "{error:?}");
    let whole = Limits { total: Some(SOON), ..LIMITS };
    let error = client().fetch(get(&server.url("/")), whole).await.unwrap_err();
    assert!(matches!(error, HttpError::TooSlow { .. }), "{error:?}");
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_not_taken_for_a_whole_one() {
    for head in ["content-length: 10", "transfer-encoding: chunked"] {
        let server = Server::start(async move |mut connection| {
            connection.request().await;
            connection.write(&format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n4\r\nhalf")).await;
            connection.reset();
        })
        .await;
        let error = client().fetch(get(&server.url("/")), LIMITS).await.unwrap_err();
        assert!(matches!(error, HttpError::BrokenOff { .. }), "{head}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_is_no_larger_than_it_may_be() {
    let server = Server::start(async |mut connection| {
        let length = connection.request().await.path().trim_start_matches('/').to_owned();
        let head = match length.parse::<usize>() {
            Ok(length) => format!("content-length: {length}"),
            Err(_) => "transfer-encoding: chunked".to_owned(),
        };
        connection.write(&format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n")).await;
        // As much as anybody takes.
        while connection.try_write("4\r\nmore\r\n").await {}
    })
    .await;
    let limits = Limits { body_bytes: 100, ..LIMITS };
    for path in ["/101", "/endless"] {
        let error = client().fetch(get(&server.url(path)), limits).await.unwrap_err();
        assert!(matches!(error, HttpError::TooLarge { limit: 100, .. }), "{path}: {error:?}");
    }
    assert_eq!(client().fetch(get(&server.url("/100")), limits).await.unwrap().body.len(), 100);
}

#[tokio::test]
async fn a_redirect_is_handed_back_and_the_key_goes_nowhere_else() {
    let mut other = Server::start(async |mut connection| {
        connection.request().await;
    })
    .await;
    let to = other.url("/stolen");
    let server = Server::start(async move |mut connection| {
        let request = connection.request().await;
        assert_eq!(request.header("authorization"), Some("Bearer hunter2"));
        connection
            .write(&format!("HTTP/1.1 307 Elsewhere\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"))
            .await;
    })
    .await;
    let mut request = get(&server.url("/"));
    request.headers_mut().insert(header::AUTHORIZATION, "Bearer hunter2".parse().unwrap());
    let answer = client().fetch(request, LIMITS).await.unwrap();
    assert_eq!((answer.status.as_u16(), other.connections()), (307, 0));
}

#[tokio::test]
async fn only_urls_of_servers_are_asked() {
    for url in ["/path", "ftp://host/", "http://me:hunter2@host/"] {
        let error = client().fetch(get(url), LIMITS).await.unwrap_err();
        assert!(matches!(error, HttpError::InvalidUrl), "{url}: {error:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    // Bound and left again, so that nobody else has it.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = client().fetch(get(&format!("http://{address}/")), LIMITS).await.unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }), "{error:?}");
    assert_eq!(error.in_full(), format!("cannot connect to `{address}`: Connection refused (os error 111)"));
}

/// Stands in for a proxy: takes one tunnel, and answers what is asked through it itself.
#[tokio::test]
async fn a_proxy_is_used_when_it_is_configured_and_not_for_this_machine() {
    let mut proxy = Server::start(async |mut connection| {
        let request = connection.request().await;
        assert_eq!(request.line, "CONNECT models.test:80 HTTP/1.1");
        connection.write("HTTP/1.1 200 OK\r\n\r\n").await;
        let request = connection.request().await;
        assert_eq!((request.path(), request.header("host")), ("/v1", Some("models.test")));
        connection.write(&answer("through the proxy")).await;
    })
    .await;
    let mut beside = Server::start(async |mut connection| {
        connection.request().await;
        connection.write(&answer("beside it")).await;
    })
    .await;
    let config =
        HttpClientConfig { proxy: Some(proxy.url("").parse().unwrap()), ..HttpClientConfig::default() };
    let client = HttpClient::new(config);
    let through = client.fetch(get("http://models.test/v1"), LIMITS).await.unwrap();
    assert_eq!(through.body, "through the proxy");
    let here = client.fetch(get(&beside.url("/")), LIMITS).await.unwrap();
    assert_eq!(here.body, "beside it");
    assert_eq!((proxy.connections(), beside.connections()), (1, 1));
}
