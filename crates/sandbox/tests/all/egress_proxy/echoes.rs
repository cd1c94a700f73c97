//! Hosts that show what they were sent, or what somebody else sent them before: a sealed secret does not come back.

use std::io::Write;
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use selfmade_sandbox::egress::{EgressPolicy, SealedSecret, SecretText};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::world::{
    AnyBody, LOOPBACK, PATIENCE, RawServer, Way, World, connect, exchange, get, of_text, policy, rule, tls,
};

const PLACEHOLDER: &str = "sealed-api-key-1";
const VALUE: &str = "s3cr3t/Value+\"of\" key";

fn secret(hosts: &[String]) -> SealedSecret {
    SealedSecret {
        placeholder: PLACEHOLDER.to_owned(),
        value: SecretText::new(VALUE.to_owned()),
        hosts: hosts.to_vec(),
    }
}

/// Of a job that has the secret, and of one that has not and may reach the same host.
fn policies(port: u16) -> [EgressPolicy; 2] {
    let listed = [format!("api.test:{port}")];
    let with = EgressPolicy { secrets: vec![secret(&listed)], ..policy(&listed) };
    let without = EgressPolicy { redact: vec![secret(&listed)], ..policy(&listed) };
    [with, without]
}

fn answer(head: &str, body: &[u8]) -> Vec<Vec<u8>> {
    vec![
        format!("HTTP/1.1 200 OK\r\n{head}Content-Length: {}\r\n\r\n", body.len()).into_bytes(),
        body.to_vec(),
    ]
}

async fn says(world: &World, pieces: Vec<Vec<u8>>) -> RawServer {
    world.raw_server(move |_| pieces.clone()).await
}

/// What a job with and one without the secret get from a server that says this.
async fn both(pieces: Vec<Vec<u8>>) -> [String; 2] {
    let world = World::new();
    let server = says(&world, pieces).await;
    let url = format!("http://api.test:{}/", server.port);
    let [with, without] = policies(server.port).map(|policy| world.serve(&policy));
    [get(&with, &url, "").await, get(&without, &url, "").await]
}

#[tokio::test]
async fn a_job_without_the_secret_gets_answers_of_its_host_without_it() {
    let text = format!("<{VALUE}>");
    let [with, without] = both(answer(&format!("X-Echo: {VALUE}\r\n"), text.as_bytes())).await;
    assert!(with.contains(&format!("x-echo: {PLACEHOLDER}\r\n")), "{with}");
    assert!(with.contains(&format!("<{PLACEHOLDER}>")), "{with}");
    // Its placeholder is not told either.
    assert!(without.contains("x-echo: ***\r\n") && without.contains("<***>"), "{without}");
}

#[tokio::test]
async fn tls_to_a_secrets_host_ends_at_the_proxy_for_jobs_without_the_secret_by_any_port() {
    let world = World::new();
    let shown = Arc::new(|_: &hyper::http::request::Parts, _: &str| {
        hyper::Response::<AnyBody>::new(of_text(format!("<{VALUE}>")))
    });
    let server = world.https_server_with(&["api.test", "sub.api.test"], shown).await;
    for (secret_host, host) in
        [("api.test", "api.test"), ("*.test", "api.test"), ("*.api.test:444", "sub.api.test")]
    {
        let strike = vec![secret(&[secret_host.to_owned()])];
        let listed = [format!("{host}:{}", server.port)];
        let way = world.serve(&EgressPolicy { redact: strike, ..policy(&listed) });
        let (_, stream) = connect(&way, &listed[0]).await;
        let stream = tls(stream, host, world.proxy.ca_certificate_pem()).await.unwrap();
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", listed[0]);
        let answer = exchange(stream, &request).await;
        assert!(answer.contains("<***>"), "{secret_host}: {answer}");
    }
}

#[tokio::test]
async fn parts_of_a_whole_are_not_asked_for_and_not_passed_on() {
    let world = World::new();
    let server = world.http_server().await;
    let url = format!("http://api.test:{}/", server.port);
    let ways = policies(server.port).map(|policy| world.serve(&policy));
    for way in &ways {
        let asking = "Range: bytes=0-4\r\nIf-Range: \"x\"\r\nRequest-Range: bytes=0-4\r\nA-IM: vcdiff\r\nAccept-Charset: utf-16\r\nAccept-Encoding: br\r\n";
        get(way, &url, asking).await;
    }
    let expected = format!("GET /\naccept-encoding: identity\nhost: api.test:{}\n", server.port);
    for seen in server.seen() {
        let mut lines: Vec<&str> = seen.lines().collect();
        lines[1..].sort_unstable();
        assert_eq!(lines.join("\n") + "\n", expected);
    }
    for part in [
        "HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\n\r\ns3cr3",
        "HTTP/1.1 226 IM Used\r\nContent-Length: 5\r\n\r\ns3cr3",
        "HTTP/1.1 200 OK\r\nContent-Type: Multipart/ByteRanges; boundary=x\r\nContent-Length: 5\r\n\r\ns3cr3",
        "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-byteranges\r\nContent-Length: 5\r\n\r\ns3cr3",
    ] {
        for got in both(vec![part.into()]).await {
            assert!(got.starts_with("HTTP/1.1 502") && got.contains("request the whole"), "{part}: {got}");
            assert!(!got.contains("s3cr3"), "{got}");
        }
    }
}

#[tokio::test]
async fn a_host_without_secrets_is_asked_for_parts_as_before() {
    let world = World::new();
    let server = world.http_server().await;
    let hosts = [format!("api.test:{}", server.port), format!("other.test:{}", server.port)];
    let way = world.serve(&EgressPolicy { redact: vec![secret(&hosts[..1])], ..policy(&hosts) });
    get(&way, &format!("http://{}/", hosts[1]), "Range: bytes=0-4\r\nAccept-Encoding: br\r\n").await;
    assert!(server.seen()[0].contains("range: bytes=0-4\naccept-encoding: br\n"), "{:?}", server.seen());
}

#[tokio::test]
async fn what_a_later_request_shows_of_basic_credentials_is_redacted() {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    for user in ["", "u", "us", "user"] {
        let sent = STANDARD.encode(format!("{user}:{VALUE}"));
        let shown = format!("<Basic {sent}|{}>", URL_SAFE_NO_PAD.encode(format!("{user}:{VALUE}")));
        for got in both(answer("", shown.as_bytes())).await {
            let before = &sent[..(user.len() + 1) / 3 * 4];
            assert!(got.contains(&format!("<Basic {before}")) && got.contains(">\r\n"), "{got}");
            let body = got.split("\r\n\r\n").nth(1).unwrap();
            // The characters that hold some bits of the secret are gone, too.
            assert!(!body.contains(&sent[before.len() + 2..before.len() + 6]), "{got}");
            assert!(body.len() < 120, "{got}");
        }
    }
}

#[tokio::test]
async fn headers_with_a_secret_in_their_names_are_left_out() {
    let value = "Secret-Value-In-A-Name";
    let world = World::new();
    let server = says(&world, answer(&format!("X-{value}: 1\r\nX-Other: 2\r\n"), b"")).await;
    let listed = [format!("api.test:{}", server.port)];
    let secret = SealedSecret { value: SecretText::new(value.to_owned()), ..secret(&listed) };
    let way = world.serve(&EgressPolicy { redact: vec![secret], ..policy(&listed) });
    let got = get(&way, &format!("http://{}/", listed[0]), "").await;
    assert!(!got.to_ascii_lowercase().contains("secret-value") && got.contains("x-other: 2"), "{got}");
}

#[tokio::test]
async fn a_placeholder_in_the_name_of_a_header_is_refused() {
    let world = World::new();
    let server = world.http_server().await;
    let [with, _] = policies(server.port).map(|policy| world.serve(&policy));
    let url = format!("http://api.test:{}/", server.port);
    let got = get(&with, &url, &format!("X-{}: 1\r\n", PLACEHOLDER.to_ascii_uppercase())).await;
    assert!(got.starts_with("HTTP/1.1 403") && got.contains("in the name of a header"), "{got}");
    assert_eq!(rule(&world.record().await), "header-name");
    assert!(server.seen().is_empty());
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn what_is_packed_is_unpacked_and_searched() {
    let text = format!("<{VALUE}>");
    for (coding, packed) in [("gzip", gzip(&text)), ("X-GZip", gzip(&text)), ("deflate", zlib(&text))] {
        let [with, without] = both(answer(&format!("Content-Encoding: {coding}\r\n"), &packed)).await;
        assert!(with.contains(&format!("<{PLACEHOLDER}>")), "{coding}: {with}");
        assert!(without.contains("<***>") && !without.contains("content-encoding"), "{coding}: {without}");
    }
}

#[tokio::test]
async fn what_cannot_be_unpacked_is_not_passed_on() {
    let packed = gzip(&format!("<{VALUE}>"));
    for head in [
        "Content-Encoding: br\r\n",
        "Content-Encoding: gzip, gzip\r\n",
        "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n",
        "Content-Type: text/plain; charset=\"UTF-16LE\"\r\n",
    ] {
        for got in both(answer(head, &packed)).await {
            assert!(got.starts_with("HTTP/1.1 502"), "{head}: {got}");
        }
    }
    for transfer in ["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked", "gzip", "x-unknown, chunked"] {
        let mut bytes = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {transfer}\r\n\r\n").into_bytes();
        bytes.extend(format!("{:x}\r\n", packed.len()).into_bytes());
        bytes.extend([packed.as_slice(), b"\r\n0\r\n\r\n"].concat());
        for got in both(vec![bytes]).await {
            assert!(
                got.starts_with("HTTP/1.1 502") && got.contains("transfer encoding"),
                "{transfer}: {got}"
            );
        }
    }
    // Cut off, or not what it says.
    for body in [&packed[..packed.len() - 9], b"s3cr3t/Value+"] {
        for got in both(answer("Content-Encoding: gzip\r\n", body)).await {
            assert!(!got.ends_with("0\r\n\r\n") && !got.contains("s3cr3t"), "{got}");
        }
    }
}

#[tokio::test]
async fn a_little_that_becomes_a_lot_is_bounded_by_what_the_job_may_receive() {
    let packed = gzip(&"x".repeat(10_000_000));
    let world = World::new();
    let server = says(&world, answer("Content-Encoding: gzip\r\n", &packed)).await;
    let [mut with, _] = policies(server.port);
    with.limits.bytes_down = 1_000_000;
    let got = get(&world.serve(&with), &format!("http://api.test:{}/", server.port), "").await;
    assert!(got.len() < 1_100_000, "{}", got.len());
    assert_eq!(rule(&world.record().await), "bytes");
}

#[tokio::test]
async fn reasons_and_trailers_are_left_out_and_redirects_are_searched() {
    let head = format!("HTTP/1.1 302 {VALUE}\r\nLocation: /?a=s3cr3t%2fvalue%2B%22of%22+key\r\n");
    let body = format!("Transfer-Encoding: chunked\r\nTrailer: x\r\n\r\n0\r\nx: {VALUE}\r\n\r\n");
    let [with, without] = both(vec![(head + &body).into_bytes()]).await;
    assert!(with.starts_with("HTTP/1.1 302 Found\r\n"), "{with}");
    assert!(with.contains(&format!("location: /?a={PLACEHOLDER}\r\n")), "{with}");
    assert!(without.contains("location: /?a=***\r\n") && !without.contains("s3cr3t"), "{without}");
}

/// Reads until this much was said.
async fn hear(stream: &mut TcpStream, until: &str) -> String {
    let mut heard = Vec::new();
    while !String::from_utf8_lossy(&heard).contains(until) {
        heard.push(timeout(PATIENCE, stream.read_u8()).await.unwrap().unwrap());
    }
    String::from_utf8(heard).unwrap()
}

async fn ask(way: &Way, url: &str) -> TcpStream {
    let mut stream = TcpStream::connect(way.at).await.unwrap();
    stream.write_all(format!("GET {url} HTTP/1.1\r\nConnection: close\r\n\r\n").as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn events_come_at_once_and_a_secret_that_comes_in_two_is_found_after_any_pause() {
    let world = World::new();
    let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let [way, _] = policies(port).map(|policy| world.serve(&policy));
    let mut client = ask(&way, &format!("http://api.test:{port}/")).await;
    let (mut server, _) = listener.accept().await.unwrap();
    let (begin, end) = VALUE.split_at(9);
    server.write_all(b"HTTP/1.1 200 OK\r\n\r\ndata: first\n\n").await.unwrap();
    hear(&mut client, "data: first\n\n").await;
    server.write_all(format!("data: {begin}").as_bytes()).await.unwrap();
    // Another answer of the proxy comes through meanwhile: what it had to say of the first has been said.
    get(&way, "http://elsewhere.test/", "").await;
    server.write_all(format!("{end}\n\n").as_bytes()).await.unwrap();
    let heard = hear(&mut client, "\n\n").await;
    assert!(heard.contains(&format!("data: {PLACEHOLDER}\n\n")) && !heard.contains("s3cr3t"), "{heard}");
    server.write_all(format!("data: unfinished {begin}").as_bytes()).await.unwrap();
    server.shutdown().await.unwrap();
    hear(&mut client, &format!("data: unfinished {begin}")).await;
}

#[tokio::test]
async fn no_secret_is_in_the_records() {
    use base64::Engine;
    let world = World::new();
    let server = world.http_server().await;
    let encoded = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(VALUE);
    for policy in policies(server.port) {
        let way = world.serve(&policy);
        let url = format!("http://api.test:{}/s3cr3t%2fvalue%2B%22of%22%20key/{encoded}", server.port);
        get(&way, &url, "").await;
        let record = world.record().await;
        assert!(!record.path.contains("s3cr3t") && !record.path.contains(&encoded[..20]), "{record:?}");
        assert!(record.path.starts_with('/') && record.path.contains("/"), "{record:?}");
    }
    let value = "S3cr3t-In-A-Host";
    let hosts = [format!("*.test:{}", server.port)];
    let secret = SealedSecret { value: SecretText::new(value.to_owned()), ..secret(&hosts) };
    let way = world.serve(&EgressPolicy { secrets: vec![secret], ..policy(&[]) });
    get(&way, &format!("http://{value}.test/"), "").await;
    let record = world.record().await;
    assert_eq!(record.host, format!("{PLACEHOLDER}.test"));
    assert!(!format!("{record:?}").to_ascii_lowercase().contains("s3cr3t"), "{record:?}");
}

#[tokio::test]
async fn what_was_sent_before_is_not_shown_in_parts_or_whole_to_anybody() {
    let world = World::new();
    let kept = Arc::new(Mutex::new(String::new()));
    let server = world
        .raw_server({
            let kept = kept.clone();
            move |request: &str| {
                let before = std::mem::replace(&mut *kept.lock().unwrap(), request.to_owned());
                answer("", before.as_bytes())
            }
        })
        .await;
    let url = format!("http://api.test:{}/?q={PLACEHOLDER}", server.port);
    let [with, without] = policies(server.port).map(|policy| world.serve(&policy));
    get(&with, &url, &format!("Authorization: Bearer {PLACEHOLDER}\r\n")).await;
    assert!(kept.lock().unwrap().contains(VALUE));
    let got = get(&without, &url, "").await;
    assert!(got.contains("authorization: Bearer ***\r\n") && got.contains("/?q=*** HTTP"), "{got}");
    assert!(!got.contains("s3cr3t"), "{got}");
}
