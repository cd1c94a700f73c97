use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use selfmade_sandbox::egress::{
    AuthorityError, Egress, EgressPolicy, OnMisuse, Proxy, ProxyConfig, SealedSecret, SecretText,
};

use super::world::{Way, World, connect, exchange, get, now, policy, rule, talk, tls};

const PLACEHOLDER: &str = "sealed-api-key-1";
const VALUE: &str = "s3cr3t/value+\"of\" the key";

fn sealed(hosts: &[String], secret_hosts: &[String]) -> EgressPolicy {
    let secret = SealedSecret {
        placeholder: PLACEHOLDER.to_owned(),
        value: SecretText::new(VALUE.to_owned()),
        hosts: secret_hosts.to_vec(),
    };
    EgressPolicy { secrets: vec![secret], ..policy(hosts) }
}

fn authorization() -> String {
    format!("Authorization: Bearer {PLACEHOLDER}\r\n")
}

/// A GET over TLS that ends at the proxy, which the cell trusts.
async fn get_https(world: &World, way: &Way, host: &str, port: u16, path: &str, headers: &str) -> String {
    let (head, stream) = connect(way, &format!("{host}:{port}")).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let stream = tls(stream, host, world.proxy.ca_certificate_pem()).await.unwrap();
    exchange(
        stream,
        &format!("GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{headers}Connection: close\r\n\r\n"),
    )
    .await
}

#[tokio::test]
async fn a_secret_is_put_in_over_http_and_taken_out_of_the_answer() {
    let world = World::new();
    let server = world.http_server().await;
    let listed = [format!("api.test:{}", server.port)];
    let way = world.serve(&sealed(&listed, &listed));
    let url = format!("http://api.test:{}/{PLACEHOLDER}?key={PLACEHOLDER}", server.port);
    let answer = get(&way, &url, &authorization()).await;
    let seen = server.seen().remove(0);
    assert!(seen.contains(&format!("authorization: Bearer {VALUE}\n")), "{seen}");
    assert!(seen.contains("?key=s3cr3t%2Fvalue%2B%22of%22%20the%20key\n"), "{seen}");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(!answer.contains("s3cr3t"), "{answer}");
    assert!(answer.contains(&format!("x-echo: Bearer {PLACEHOLDER}")), "{answer}");
    assert_eq!(answer.matches(PLACEHOLDER).count(), 4, "{answer}");
    let record = world.record().await;
    assert_eq!(record.path, format!("/{PLACEHOLDER}"));
    assert!(!format!("{record:?}").contains("s3cr3t"), "{record:?}");
}

#[tokio::test]
async fn a_secret_is_put_in_over_https_whose_tls_ends_at_the_proxy() {
    let world = World::new();
    let server = world.https_server(&["api.test"]).await;
    let listed = [format!("*.test:{}", server.port)];
    let way = world.serve(&sealed(&listed, &[format!("api.test:{}", server.port)]));
    let answer = get_https(&world, &way, "api.test", server.port, "/a?b=c", &authorization()).await;
    assert!(server.seen()[0].contains(&format!("authorization: Bearer {VALUE}\n")), "{:?}", server.seen());
    assert!(answer.starts_with("HTTP/1.1 200") && !answer.contains("s3cr3t"), "{answer}");
    let records = [world.record().await, world.record().await];
    assert_eq!((records[0].method.as_str(), records[0].scheme), ("CONNECT", "tunnel"));
    assert_eq!(
        (records[1].method.as_str(), records[1].scheme, records[1].path.as_str()),
        ("GET", "https", "/a")
    );
    assert!(!format!("{records:?}").contains("s3cr3t"), "{records:?}");
}

#[tokio::test]
async fn a_secret_is_put_in_inside_basic_credentials() {
    use base64::Engine;
    let encoded = |text: String| base64::engine::general_purpose::STANDARD.encode(text);
    let world = World::new();
    let server = world.http_server().await;
    let listed = [format!("api.test:{}", server.port)];
    let way = world.serve(&sealed(&listed, &listed));
    let sent = encoded(format!("me:{PLACEHOLDER}"));
    let url = format!("http://api.test:{}/", server.port);
    let answer = get(&way, &url, &format!("Authorization: Basic {sent}\r\n")).await;
    let opened = encoded(format!("me:{VALUE}"));
    assert!(server.seen()[0].contains(&opened), "{:?}", server.seen());
    assert!(!answer.contains(&opened[4..]) && answer.contains(PLACEHOLDER), "{answer}");
}

#[tokio::test]
async fn a_placeholder_sent_to_another_host_is_refused_and_recorded() {
    let world = World::new();
    let server = world.http_server().await;
    let hosts = [format!("api.test:{}", server.port), format!("other.test:{}", server.port)];
    let other = format!("http://other.test:{}/", server.port);
    let policy = sealed(&hosts, &hosts[..1]);
    let way = world.serve(&policy);
    for (url, headers) in
        [(other.clone(), authorization()), (format!("{other}?a={PLACEHOLDER}"), String::new())]
    {
        let answer = get(&way, &url, &headers).await;
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("`other.test`"), "{answer}");
        assert_eq!(rule(&world.record().await), "placeholder");
    }
    assert!(world.log.killed.lock().unwrap().is_empty());

    let way = world.serve(&EgressPolicy { on_misuse: OnMisuse::KillJob, ..policy.clone() });
    assert!(get(&way, &other, &authorization()).await.starts_with("HTTP/1.1 403"));
    assert_eq!(world.log.killed.lock().unwrap()[0].0, "job-1");
    assert!(server.seen().is_empty());

    let way = world.serve(&EgressPolicy { on_misuse: OnMisuse::PassPlaceholder, ..policy });
    assert!(get(&way, &other, &authorization()).await.starts_with("HTTP/1.1 200"));
    assert!(
        server.seen()[0].contains(&format!("authorization: Bearer {PLACEHOLDER}\n")),
        "{:?}",
        server.seen()
    );
}

#[tokio::test]
async fn a_secret_of_a_host_without_port_is_not_sent_in_clear() {
    let world = World::new();
    let listed = ["api.test".to_owned()];
    let way = world.serve(&sealed(&listed, &listed));
    let answer = get(&way, "http://api.test/", &authorization()).await;
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("use https"), "{answer}");
    assert_eq!(rule(&world.record().await), "cleartext-secret");
}

#[tokio::test]
async fn the_inside_of_a_terminated_connection_goes_to_its_own_host_only() {
    let world = World::new();
    let server = world.https_server(&["api.test", "other.test"]).await;
    let port = server.port;
    let hosts = [format!("api.test:{port}"), format!("other.test:{port}")];
    let way = world.serve(&sealed(&hosts, &hosts[..1]));
    for request in [
        format!("GET / HTTP/1.1\r\nHost: other.test:{port}\r\nConnection: close\r\n\r\n"),
        format!("GET https://other.test:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n"),
        format!("GET http://api.test:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n"),
        format!("CONNECT other.test:{port} HTTP/1.1\r\nConnection: close\r\n\r\n"),
    ] {
        let (_, stream) = connect(&way, &hosts[0]).await;
        let stream = tls(stream, "api.test", world.proxy.ca_certificate_pem()).await.unwrap();
        let answer = exchange(stream, &request).await;
        assert!(answer.starts_with("HTTP/1.1 40"), "{request}: {answer}");
    }
    let (_, stream) = connect(&way, &hosts[0]).await;
    assert!(tls(stream, "other.test", world.proxy.ca_certificate_pem()).await.is_err());
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_secret_is_not_sent_to_a_server_that_cannot_prove_its_name() {
    let world = World::new();
    let server = world.https_server(&["impostor.test"]).await;
    let listed = [format!("api.test:{}", server.port)];
    let way = world.serve(&sealed(&listed, &listed));
    let answer = get_https(&world, &way, "api.test", server.port, "/", &authorization()).await;
    assert!(answer.starts_with("HTTP/1.1 502") && answer.contains("ertificate"), "{answer}");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn an_answer_that_cannot_be_searched_for_secrets_is_not_passed_on() {
    let world = World::new();
    let server = world.http_server().await;
    let listed = [format!("api.test:{}", server.port)];
    let way = world.serve(&sealed(&listed, &listed));
    let answer =
        get(&way, &format!("http://api.test:{}/packed", server.port), "Accept-Encoding: gzip\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
    assert!(server.seen()[0].contains("accept-encoding: identity\n"), "{:?}", server.seen());
}

#[tokio::test]
async fn answers_without_a_body_stay_without_one() {
    let world = World::new();
    let server = world.http_server().await;
    let listed = [format!("api.test:{}", server.port)];
    let way = world.serve(&sealed(&listed, &listed));
    let url = format!("http://api.test:{}", server.port);
    let answer = talk(&way, &format!("HEAD {url}/big HTTP/1.1\r\nConnection: close\r\n\r\n")).await;
    assert!(answer.contains("content-length: 100000\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
    for path in ["/204", "/304"] {
        let answer = get(&way, &format!("{url}{path}"), "").await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {}", &path[1..])) && answer.ends_with("\r\n\r\n"),
            "{answer}"
        );
        assert!(!answer.contains("chunked"), "{answer}");
    }
}

#[tokio::test]
async fn secrets_and_placeholders_that_cannot_work_are_refused_with_the_policy() {
    let world = World::new();
    let secret = |placeholder: &str, value: &str| SealedSecret {
        placeholder: placeholder.to_owned(),
        value: SecretText::new(value.to_owned()),
        hosts: vec!["api.test".to_owned()],
    };
    for secrets in [
        vec![secret("short", VALUE)],
        vec![secret("with space", VALUE)],
        vec![secret("placeholder-1", "")],
        vec![secret("placeholder-1", "s3cr3t!")],
        vec![secret("placeholder-1", "s3cr3t\r\nvalue")],
        vec![secret("placeholder-1", "s3cr3t-größer")],
        vec![secret("placeholder-1", VALUE), secret("placeholder-12", VALUE)],
        vec![secret("placeholder-1", VALUE), secret("placeholder-1", VALUE)],
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let refused = EgressPolicy { secrets, ..policy(&[]) };
        let error = world.proxy.serve(listener.into(), &refused).err().unwrap();
        assert!(!error.to_string().contains("s3cr3t"), "{error}");
    }
}

#[test]
fn a_policy_can_be_printed_without_its_secrets() {
    assert!(!format!("{:?}", sealed(&[], &[])).contains("s3cr3t"));
}

#[test]
fn the_authority_is_made_once_and_read_by_its_owner_alone() {
    let world = World::new();
    let again = || {
        Proxy::new(ProxyConfig {
            folder: world.folder.path().to_owned(),
            log: world.log.clone(),
            resolver: world.names.clone(),
            clock: Arc::new(now),
            extra_roots_pem: String::new(),
        })
    };
    let second = again().unwrap();
    assert_eq!(world.proxy.ca_certificate_pem(), second.ca_certificate_pem());
    assert!(!second.ca_bundle_pem().contains("PRIVATE"));
    assert!(second.ca_bundle_pem().contains(second.ca_certificate_pem().trim()));
    assert!(second.ca_bundle_pem().matches("BEGIN CERTIFICATE").count() > 50);
    let files: Vec<_> =
        std::fs::read_dir(world.folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(std::fs::metadata(&files[0]).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&files[0], std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(again(), Err(AuthorityError::Exposed { .. })));
}
