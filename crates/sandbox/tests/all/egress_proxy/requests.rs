use std::net::IpAddr;

use selfmade_sandbox::egress::{Decision, EgressPolicy};
use tokio::io::AsyncWriteExt;

use super::world::{World, connect, exchange, get, policy, rule, talk, tls, tls_as};

#[tokio::test]
async fn a_listed_host_is_reached_and_recorded_without_its_query() {
    let world = World::new();
    let server = world.http_server().await;
    let listed = format!("api.test:{}", server.port);
    let way = world.serve(&policy(std::slice::from_ref(&listed)));
    let answer = get(&way, &format!("http://API.test.:{}/a/b?token=1", server.port), "X-Own: 1\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(server.seen()[0].starts_with("GET /a/b?token=1\n"), "{:?}", server.seen());
    assert!(server.seen()[0].contains(&format!("host: {listed}\n")), "{:?}", server.seen());
    let record = world.record().await;
    assert_eq!(record.decision, Decision::Allowed { rule: listed });
    assert_eq!((record.method.as_str(), record.scheme, record.path.as_str()), ("GET", "http", "/a/b"));
    assert_eq!((record.host.as_str(), record.port, record.status), ("api.test", server.port, Some(200)));
    assert_eq!(record.address.unwrap().to_string(), format!("127.0.0.1:{}", server.port));
    assert_eq!(record.label, "job-1");
    assert!(record.bytes_down > 0 && record.failure.is_none(), "{record:?}");
}

#[tokio::test]
async fn a_body_goes_up_with_its_length_or_in_chunks() {
    let world = World::new();
    let server = world.http_server().await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let start = format!("POST http://api.test:{}/ HTTP/1.1\r\nConnection: close\r\n", server.port);
    talk(&way, &format!("{start}Content-Length: 5\r\n\r\nhello")).await;
    assert_eq!(world.record().await.bytes_up, 5);
    talk(&way, &format!("{start}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")).await;
    assert_eq!(world.record().await.bytes_up, 5);
    let start = start.replace("POST", "GET");
    talk(&way, &format!("{start}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")).await;
    assert_eq!(world.record().await.bytes_up, 5);
    assert!(server.seen().iter().all(|seen| seen.ends_with("hello")), "{:?}", server.seen());
}

#[tokio::test]
async fn one_connection_carries_several_requests_each_decided_for_itself() {
    let world = World::new();
    let server = world.http_server().await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let url = format!("http://api.test:{}", server.port);
    let text = format!(
        "GET {url}/1 HTTP/1.1\r\n\r\nGET {url}/2 HTTP/1.1\r\n\r\nGET http://other.test/ HTTP/1.1\r\nConnection: close\r\n\r\n"
    );
    let answer = talk(&way, &text).await;
    assert_eq!(answer.matches("HTTP/1.1 200").count(), 2, "{answer}");
    assert_eq!(answer.matches("HTTP/1.1 403").count(), 1, "{answer}");
    assert_eq!(
        world.names.asked.lock().unwrap().len(),
        1,
        "the second request used the first one's connection"
    );
}

#[tokio::test]
async fn a_tunnel_carries_tls_untouched() {
    let world = World::new();
    let server = world.https_server(&["api.test"]).await;
    let way = world.serve(&policy(&[format!("*.test:{}", server.port)]));
    let (head, stream) = connect(&way, &format!("api.test:{}", server.port)).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let stream = tls(stream, "api.test", &world.test_root()).await.unwrap();
    let answer = exchange(stream, "GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let record = world.record().await;
    assert_eq!((record.method.as_str(), record.scheme), ("CONNECT", "tunnel"));
    assert!(record.bytes_up > 200 && record.bytes_down > 200, "{record:?}");
}

#[tokio::test]
async fn a_tunnel_to_one_host_does_not_carry_tls_to_another() {
    let world = World::new();
    let server = world.https_server(&["other.test"]).await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let (_, stream) = connect(&way, &format!("api.test:{}", server.port)).await;
    assert!(tls(stream, "other.test", &world.test_root()).await.is_err());
    assert_eq!(rule(&world.record().await), "server-name");
}

#[tokio::test]
async fn a_tunnel_to_a_name_does_not_carry_tls_that_keeps_the_name_back() {
    let world = World::new();
    let server = world.https_server(&["api.test"]).await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let (_, stream) = connect(&way, &format!("api.test:{}", server.port)).await;
    assert!(tls_as(stream, "api.test", &world.test_root(), false).await.is_err());
    assert_eq!(rule(&world.record().await), "server-name");
}

#[tokio::test]
async fn a_tunnel_carries_nothing_but_tls() {
    let world = World::new();
    let server = world.http_server().await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let (_, stream) = connect(&way, &format!("api.test:{}", server.port)).await;
    exchange(stream, "GET / HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n").await;
    assert_eq!(rule(&world.record().await), "not-tls");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_refusal_names_the_host_and_what_to_ask_for() {
    let world = World::new();
    let way = world.serve(&policy(&["api.test".to_owned()]));
    let answer = get(&way, "http://other.test/", "").await;
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert!(answer.ends_with("add `other.test` to the function's `network` grant\n"), "{answer}");
    assert_eq!(rule(&world.record().await), "not-listed");
    let answer = get(&way, "http://api.test:8080/", "").await;
    assert!(answer.contains("add `api.test:8080`"), "{answer}");
    assert_eq!(rule(&world.record().await), "port");
    let (head, _) = connect(&way, "other.test:443").await;
    assert!(head.starts_with("HTTP/1.1 403 egress (not-listed): host `other.test`"), "{head}");
    assert_eq!(rule(&world.record().await), "not-listed");
    assert!(world.names.asked.lock().unwrap().is_empty(), "names are resolved only if listed");
}

#[tokio::test]
async fn an_address_that_is_not_public_is_refused_unless_listed() {
    let world = World::new();
    let server = world.http_server().await;
    let hosts = vec![format!("api.test:{}", server.port), format!("127.0.0.1:{}", server.port)];
    let url = format!("http://api.test:{}/", server.port);
    let way = world.serve(&EgressPolicy { private: Vec::new(), ..policy(&hosts) });
    for url in [&url, &format!("http://127.0.0.1:{}/", server.port)] {
        assert!(get(&way, url, "").await.starts_with("HTTP/1.1 403"), "{url}");
        assert_eq!(rule(&world.record().await), "private-address");
    }
    for listed in ["127.0.0.1", "127.0.0.0/8", "api.test"] {
        let way = world.serve(&EgressPolicy { private: vec![listed.to_owned()], ..policy(&hosts) });
        assert!(get(&way, &url, "").await.starts_with("HTTP/1.1 200"), "{listed}");
    }
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn a_host_listed_as_private_still_does_not_reach_link_local_addresses() {
    let world = World::new();
    let policy = EgressPolicy { private: vec!["api.test".to_owned()], ..policy(&["api.test".to_owned()]) };
    let way = world.serve(&policy);
    for address in
        ["169.254.169.254", "0.0.0.0", "::ffff:169.254.169.254", "64:ff9b::a00:1", "fe80::1", "ff02::1"]
    {
        world.names.answers.lock().unwrap().push_back(vec![address.parse::<IpAddr>().unwrap()]);
        assert!(get(&way, "http://api.test/", "").await.starts_with("HTTP/1.1 403"), "{address}");
        assert_eq!(rule(&world.record().await), "private-address");
    }
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_checked_and_connected_by_one_answer() {
    let world = World::new();
    let server = world.http_server().await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let url = format!("http://api.test:{}/", server.port);
    let bad: IpAddr = "10.0.0.1".parse().unwrap();
    world.names.answers.lock().unwrap().extend([
        vec![super::world::LOOPBACK],
        vec![bad],
        vec![bad, super::world::LOOPBACK],
    ]);
    assert!(get(&way, &url, "").await.starts_with("HTTP/1.1 200"));
    assert_eq!(world.names.asked.lock().unwrap().len(), 1);
    assert!(get(&way, &url, "").await.starts_with("HTTP/1.1 403"));
    assert!(
        get(&way, &url, "").await.starts_with("HTTP/1.1 200"),
        "the bad one of two addresses is passed over"
    );
    assert_eq!(world.names.asked.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn requests_with_two_readings_are_refused() {
    let world = World::new();
    let server = world.http_server().await;
    let port = server.port;
    let way = world.serve(&policy(&[format!("api.test:{port}"), format!("other.test:{port}")]));
    let post = format!("POST http://api.test:{port}/ HTTP/1.1\r\nConnection: close\r\n");
    let cases = [
        format!("{post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        format!("{post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
        format!("{post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        format!("{post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("{post}Host: api.test:{port}\r\nHost: api.test:{port}\r\n\r\n"),
        format!("{post}Host: other.test:{port}\r\n\r\n"),
        format!("{post}X-Folded: a\r\n b\r\n\r\n"),
        format!("{post}X-Space : a\r\n\r\n"),
        format!("{post}Content-Length: +1\r\n\r\na"),
        format!("GET /relative HTTP/1.1\r\nHost: api.test:{port}\r\nConnection: close\r\n\r\n"),
        format!("GET https://api.test:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n"),
        format!("GET ftp://api.test:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n"),
        "CONNECT api.test HTTP/1.1\r\n\r\n".to_owned(),
        "\x16\x03\x01 not http at all\r\n\r\n".to_owned(),
    ];
    for case in cases {
        let answer = talk(&way, &case).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{case:?}: {answer:?}");
        assert_eq!(rule(&world.record().await), "malformed", "{case:?}");
    }
    assert!(server.seen().is_empty(), "{:?}", server.seen());
}

#[tokio::test]
async fn a_length_beside_chunks_is_refused_and_ends_the_connection() {
    let world = World::new();
    let server = world.http_server().await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let url = format!("http://api.test:{}/", server.port);
    let first = format!("POST {url} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    let rest = "0\r\n\r\nGET http://hidden.test/ HTTP/1.1\r\nConnection: close\r\n\r\n";
    for headers in [
        "Content-Length: 65\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 65",
        "Content-Length: 5\r\nContent-Length: 5",
    ] {
        let answer = talk(&way, &format!("{first}POST {url} HTTP/1.1\r\n{headers}\r\n\r\n{rest}")).await;
        assert_eq!(answer.matches("HTTP/1.1 200").count(), 1, "{answer}");
        assert!(answer.contains("HTTP/1.1 400") && answer.contains("stated more than once"), "{answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 2, "{answer}");
        world.record().await;
        assert_eq!(rule(&world.record().await), "malformed");
    }
    assert!(server.seen().iter().all(|seen| seen.ends_with("hello")), "{:?}", server.seen());
}

#[tokio::test]
async fn headers_between_neighbours_and_the_ones_they_name_end_at_the_proxy() {
    let world = World::new();
    let server = world.http_server().await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let headers = "Proxy-Authorization: Basic eDp5\r\nX-Hop: 1\r\nConnection: x-hop, host, upgrade\r\nUpgrade: websocket\r\nTE: trailers\r\n";
    get(&way, &format!("http://api.test:{}/", server.port), headers).await;
    assert_eq!(server.seen(), [format!("GET /\nhost: api.test:{}\n", server.port)]);
}

#[tokio::test]
async fn a_server_whose_certificate_is_not_trusted_is_an_error_of_the_client_in_a_tunnel() {
    let world = World::new();
    let server = world.https_server(&["api.test"]).await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let (_, stream) = connect(&way, &format!("api.test:{}", server.port)).await;
    assert!(tls(stream, "api.test", world.proxy.ca_certificate_pem()).await.is_err());
}

#[tokio::test]
async fn a_host_that_is_down_is_a_failure_of_an_allowed_request() {
    let world = World::new();
    let port = world.http_server().await.port;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let way = world.serve(&policy(&[format!("api.test:{closed}"), format!("api.test:{port}")]));
    let answer = get(&way, &format!("http://api.test:{closed}/"), "").await;
    assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
    let record = world.record().await;
    assert!(matches!(record.decision, Decision::Allowed { .. }) && record.failure.is_some(), "{record:?}");
}

#[tokio::test]
async fn a_half_open_stream_of_a_tunnel_that_never_speaks_tls_is_recorded_as_cut() {
    let world = World::new();
    let server = world.https_server(&["api.test"]).await;
    let way = world.serve(&policy(&[format!("api.test:{}", server.port)]));
    let (_, mut stream) = connect(&way, &format!("api.test:{}", server.port)).await;
    stream.shutdown().await.unwrap();
    assert_eq!(rule(&world.record().await), "cut");
}
