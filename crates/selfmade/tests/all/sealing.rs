//! Secrets that are sealed for hosts: no function ever has the value, and only their hosts get it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};

use serde_json::json;

use crate::command::Place;

const VALUE: &str = "sk-sealed-0123456789";

const FETCH: &str = r#"
import urllib.error
import urllib.request

import selfmade


@selfmade.function(network=["127.0.0.1:OWN", "127.0.0.1:OTHER"], secrets=["api_key"])
def fetch(port: int):
    """Shows the secret to a host, and says what it had and what came back."""
    headers = {"Authorization": "Bearer " + selfmade.secrets.api_key}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", headers=headers)
    try:
        answer = urllib.request.urlopen(request).read().decode()
    except urllib.error.HTTPError as error:
        answer = error.read().decode()
    return [selfmade.secrets.api_key, answer]
"#;

const PEEK: &str = r#"
import urllib.request

import selfmade


@selfmade.function(network=["127.0.0.1:OWN"])
def peek(port: int):
    """Has no secret, and asks a host that somebody sent one to."""
    return urllib.request.urlopen(f"http://127.0.0.1:{port}/before").read().decode()
"#;

/// Answers every request with the request itself, or `/before` with the one that came before it, and tells what it heard.
fn echo() -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, heard) = channel();
    std::thread::spawn(move || {
        let mut before = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.extend(byte);
            }
            let shown = if head.starts_with(b"GET /before ") { before } else { head.clone() };
            let length = shown.len();
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")
                .unwrap();
            stream.write_all(&shown).unwrap();
            before = head.clone();
            let _ = tell.send(String::from_utf8(head).unwrap());
        }
    });
    (address, heard)
}

fn set(place: &Place, more: &[&str]) {
    let said = place.run_with(&[&["secret", "set", "api_key"], more].concat(), VALUE.as_bytes());
    assert!(said.starts_with("exit: 0"), "{said}");
}

#[test]
fn a_sealed_secret_reaches_its_host_and_no_function() {
    let place = Place::new();
    let ((own, heard), (other, overheard)) = (echo(), echo());
    place.data(&["init"]);
    place.file("home/config.toml", "private_hosts = [\"127.0.0.1\"]\n");
    set(&place, &["--host", &own.to_string()]);
    let ports = [("OWN", own.port()), ("OTHER", other.port())];
    let source =
        ports.iter().fold(FETCH.to_owned(), |text, (word, port)| text.replace(word, &port.to_string()));
    place.add(&source);
    place.add(&PEEK.replace("OWN", &own.port().to_string()));
    let fetch = |to: SocketAddr| place.json(&["run", "fetch", "--arg", &format!("port={}", to.port())]);

    let run = fetch(own);
    let (had, echoed) = (run["output"][0].as_str().unwrap(), run["output"][1].as_str().unwrap());
    assert!(had.starts_with("sealed_"), "{run}");
    assert!(echoed.contains(&format!("Bearer {had}")) && !echoed.contains(VALUE), "{run}");
    assert!(heard.recv().unwrap().contains(&format!("Bearer {VALUE}\r\n")));

    let peeked = place.json(&["run", "peek", "--arg", &format!("port={}", own.port())]);
    let peeked = peeked["output"].as_str().unwrap();
    assert!(peeked.contains("authorization: Bearer ***\r\n") && !peeked.contains(VALUE), "{peeked}");

    let refused = fetch(other);
    assert!(refused["output"][1].as_str().unwrap().contains("egress ("), "{refused}");
    assert!(overheard.try_recv().is_err());
}

#[test]
fn a_secret_stays_sealed_until_it_is_opened_on_purpose() {
    let place = Place::new();
    set(&place, &["--host", "API.example.com", "--host", "*.example.org:8443"]);
    let hosts = || place.json(&["secret", "list"])["secrets"][0]["hosts"].clone();
    assert_eq!(hosts(), json!(["*.example.org:8443", "api.example.com"]));
    set(&place, &[]);
    assert_eq!(hosts(), json!(["*.example.org:8443", "api.example.com"]));
    let refused = place.run_with(&["secret", "set", "api_key"], "two\nlines".as_bytes());
    assert!(refused.contains("contains characters that are not allowed there"), "{refused}");
    let refused = place.run_with(&["secret", "set", "api_key"], b"1234567");
    assert!(refused.contains("its value has 7 bytes, and a value of fewer than 8"), "{refused}");
    set(&place, &["--any-host"]);
    assert_eq!(hosts(), json!([]));
    let refused =
        place.run_with(&["secret", "set", "api_key", "--host", "https://example.com/"], b"12345678");
    assert!(refused.contains("`https://example.com/` is not a host"), "{refused}");
}
