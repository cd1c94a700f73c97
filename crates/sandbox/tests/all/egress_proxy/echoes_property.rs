//! For random secrets, hosts and requests: what reaches the cell never holds the secret, in none of the forms that are promised.

use std::io::Write;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD, URL_SAFE_NO_PAD};
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_oneof, proptest};
use selfmade_sandbox::egress::{EgressPolicy, SealedSecret, SecretText};

use super::world::{World, get, policy};

const PLACEHOLDER: &str = "sealed-api-key-1";

/// How a host writes what it was sent.
#[derive(Clone, Copy, Debug)]
enum Written {
    Plain,
    UpperCase,
    Percent { lower: bool, plus: bool },
    Json { slashes: bool, unicode: bool },
    Base64 { before: usize, url_safe: bool },
}

fn written() -> impl Strategy<Value = Written> {
    prop_oneof![
        Just(Written::Plain),
        Just(Written::UpperCase),
        any::<(bool, bool)>().prop_map(|(lower, plus)| Written::Percent { lower, plus }),
        any::<(bool, bool)>().prop_map(|(slashes, unicode)| Written::Json { slashes, unicode }),
        (0..4_usize, any::<bool>()).prop_map(|(before, url_safe)| Written::Base64 { before, url_safe }),
    ]
}

impl Written {
    fn write(self, text: &str) -> String {
        match self {
            Written::Plain => text.to_owned(),
            Written::UpperCase => text.to_ascii_uppercase(),
            Written::Percent { lower, plus } => text.bytes().map(|byte| percent(byte, lower, plus)).collect(),
            Written::Json { slashes, unicode } => {
                let json = serde_json::to_string(text).unwrap();
                let json = if slashes { json.replace('/', "\\/") } else { json };
                if unicode { json.replace(['<', '&'], "\\u003c").replace('+', "\\u002B") } else { json }
            }
            Written::Base64 { before, url_safe } => {
                let text = format!("{}{text}", &"usr:"[..before]);
                if url_safe { URL_SAFE_NO_PAD.encode(text) } else { STANDARD.encode(text) }
            }
        }
    }
}

fn percent(byte: u8, lower: bool, plus: bool) -> String {
    match byte {
        b' ' if plus => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte if lower => format!("%{byte:02x}"),
        byte => format!("%{byte:02X}"),
    }
}

/// Where a host shows it.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Body(Coding),
    Header,
    HeaderName,
    Location,
    Reason,
    Trailer,
}

#[derive(Clone, Copy, Debug)]
enum Coding {
    None,
    Gzip,
    Deflate,
    TransferGzip,
}

fn shown() -> impl Strategy<Value = Shown> {
    prop_oneof![
        4 => prop_oneof![Just(Coding::None), Just(Coding::Gzip), Just(Coding::Deflate), Just(Coding::TransferGzip)]
            .prop_map(Shown::Body),
        1 => Just(Shown::Header),
        1 => Just(Shown::HeaderName),
        1 => Just(Shown::Location),
        1 => Just(Shown::Reason),
        1 => Just(Shown::Trailer),
    ]
}

/// Where a request has the placeholder.
#[derive(Clone, Debug)]
enum Sent {
    Bearer,
    Basic { user: String },
    Query,
    Path,
    Cookie,
}

fn sent() -> impl Strategy<Value = Sent> {
    prop_oneof![
        Just(Sent::Bearer),
        "[a-z]{0,4}".prop_map(|user| Sent::Basic { user }),
        Just(Sent::Query),
        Just(Sent::Path),
        Just(Sent::Cookie),
    ]
}

impl Sent {
    fn path_and_headers(&self) -> (String, String) {
        match self {
            Sent::Bearer => ("/".to_owned(), format!("Authorization: Bearer {PLACEHOLDER}\r\n")),
            Sent::Basic { user } => {
                let credentials = STANDARD.encode(format!("{user}:{PLACEHOLDER}"));
                ("/".to_owned(), format!("Authorization: Basic {credentials}\r\n"))
            }
            Sent::Query => (format!("/?a=b&key={PLACEHOLDER}&c=d"), String::new()),
            Sent::Path => (format!("/a/{PLACEHOLDER}/b"), String::new()),
            Sent::Cookie => ("/".to_owned(), format!("Cookie: a=b; key={PLACEHOLDER}\r\n")),
        }
    }
}

#[derive(Clone, Debug)]
struct Echo {
    written: Written,
    shown: Shown,
    /// The value alone, and not the whole request.
    alone: bool,
    range: bool,
    cuts: Vec<prop::sample::Index>,
}

impl Echo {
    /// The answer of a host to a request, of which it honours the range, in pieces.
    fn answer(&self, value: &str, kept: &str, request: &str) -> Vec<Vec<u8>> {
        let text = self.written.write(if self.alone { value } else { kept });
        let line = text.replace(['\r', '\n'], " ");
        let asked = request.to_ascii_lowercase().contains("\r\nrange:");
        match self.shown {
            Shown::Body(_) if asked => {
                let half = text.len() / 2;
                let head = format!("HTTP/1.1 206 Partial Content\r\nContent-Length: {half}\r\n\r\n");
                vec![head.into_bytes(), text.as_bytes()[..half].to_vec()]
            }
            Shown::Body(coding) => self.body(coding, &format!("begin {text} end")),
            Shown::Header => head("200 OK", &format!("X-Echo: {line}\r\n")),
            Shown::HeaderName => {
                let token = |byte: char| if byte.is_ascii_alphanumeric() { byte } else { '-' };
                head("200 OK", &format!("X-{}: 1\r\n", line.chars().map(token).collect::<String>()))
            }
            Shown::Location => head("302 Found", &format!("Location: /login?next={line}\r\n")),
            Shown::Reason => head(&format!("200 {line}"), ""),
            Shown::Trailer => {
                let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n";
                vec![format!("{head}5\r\nbegin\r\n4\r\n end\r\n0\r\nX: {line}\r\n\r\n").into_bytes()]
            }
        }
    }

    fn body(&self, coding: Coding, text: &str) -> Vec<Vec<u8>> {
        let gzip = || {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let (header, body) = match coding {
            Coding::None => ("Transfer-Encoding: chunked", text.as_bytes().to_vec()),
            Coding::Gzip => ("Content-Encoding: gzip\r\nTransfer-Encoding: chunked", gzip()),
            Coding::TransferGzip => ("Transfer-Encoding: gzip, chunked", gzip()),
            Coding::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(text.as_bytes()).unwrap();
                ("Content-Encoding: deflate\r\nTransfer-Encoding: chunked", encoder.finish().unwrap())
            }
        };
        let mut cuts: Vec<usize> = self.cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        let mut pieces = vec![format!("HTTP/1.1 200 OK\r\n{header}\r\n\r\n").into_bytes()];
        for cut in cuts.windows(2).filter(|cut| cut[0] < cut[1]) {
            let mut chunk = format!("{:x}\r\n", cut[1] - cut[0]).into_bytes();
            chunk.extend_from_slice(&body[cut[0]..cut[1]]);
            pieces.push([chunk.as_slice(), b"\r\n"].concat());
        }
        pieces.push(b"0\r\n\r\n".to_vec());
        pieces
    }
}

fn head(status: &str, headers: &str) -> Vec<Vec<u8>> {
    vec![format!("HTTP/1.1 {status}\r\n{headers}Content-Length: 9\r\n\r\nbegin end").into_bytes()]
}

/// Whether somebody who tries can read the value in this.
fn can_be_read(value: &str, answer: &str) -> bool {
    let body = without_chunks(answer);
    let has = |text: &str| text.to_ascii_lowercase().contains(&value.to_ascii_lowercase());
    let unquoted = body.replace("\\/", "/").replace("\\\"", "\"").replace("\\\\", "\\");
    let unquoted = unquoted.replace("\\u002B", "+").replace("\\u003c", "<");
    let name: String = value.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    has(&body)
        || has(&unquoted)
        || has(&unescaped(&body))
        || has(&unescaped(&body.replace('+', " ")))
        // A value with other characters than names may have is not the value any more.
        || (name == value && body.to_ascii_lowercase().contains(&name.to_ascii_lowercase()))
        || in_base64(value, &body)
}

/// The chunks of a body put together, with the head before it.
fn without_chunks(answer: &str) -> String {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    if !head.contains("transfer-encoding: chunked") {
        return answer.to_owned();
    }
    let (mut whole, mut rest) = (format!("{head}\r\n\r\n"), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0).min(after.len());
        whole.push_str(&after[..size]);
        rest = after[size..].strip_prefix("\r\n").unwrap_or("");
    }
    whole
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (first, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether decoding from any place gives the value.
fn in_base64(value: &str, text: &str) -> bool {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let engine = GeneralPurpose::new(&alphabet::STANDARD, config);
    let text = text.replace('-', "+").replace('_', "/");
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '+' && c != '/');
    runs.filter(|run| run.len() >= value.len()).any(|run| {
        (0..4).any(|from| {
            let run = &run[from..];
            let run = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { run };
            let decoded = engine.decode(run).unwrap_or_default();
            decoded.windows(value.len()).any(|part| part == value.as_bytes())
        })
    })
}

async fn check(value: &str, sent: &Sent, echo: &Echo) -> Result<(), String> {
    let world = World::new();
    let kept = Arc::new(Mutex::new(String::new()));
    let server = {
        let (kept, echo, value) = (kept.clone(), echo.clone(), value.to_owned());
        world.raw_server(move |request: &str| {
            let mut kept = kept.lock().unwrap();
            // What was sent with the secret is shown from then on.
            if kept.is_empty() {
                *kept = request.to_owned();
            }
            echo.answer(&value, &kept, request)
        })
    }
    .await;
    let listed = [format!("api.test:{}", server.port)];
    let secret = SealedSecret {
        placeholder: PLACEHOLDER.to_owned(),
        value: SecretText::new(value.to_owned()),
        hosts: listed.to_vec(),
    };
    let with = world.serve(&EgressPolicy { secrets: vec![secret.clone()], ..policy(&listed) });
    let without = world.serve(&EgressPolicy { redact: vec![secret], ..policy(&listed) });
    let (path, headers) = sent.path_and_headers();
    let range = if echo.range { "Range: bytes=0-99\r\n" } else { "" };
    let url = format!("http://{}{path}", listed[0]);
    let refused = matches!(echo.shown, Shown::Body(Coding::TransferGzip));
    for (way, headers) in
        [(&with, format!("{headers}{range}")), (&with, range.to_owned()), (&without, range.to_owned())]
    {
        let got = get(way, &url, &headers).await;
        if can_be_read(value, &got) {
            return Err(format!("`{value}` can be read in {got:?}"));
        }
        // It must not hold by passing nothing on.
        let whole = got.contains("begin") && got.contains("end");
        if !refused && !whole {
            return Err(format!("what surrounds the secret is not in {got:?}"));
        }
    }
    let record = format!("{:?}", world.record().await);
    if record.contains(value) { Err(format!("`{value}` is in {record}")) } else { Ok(()) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn a_sealed_secret_never_comes_back(
        value in prop_oneof!["[A-Za-z0-9-]{8,40}", "[ -~]{8,60}", "[!-~]{8,200}"],
        sent in sent(), written in written(), shown in shown(), alone in any::<bool>(), range in any::<bool>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        // A blank at either end of a header's value is not part of it.
        let value = format!("k{:k<7}", value.trim());
        let echo = Echo { written, shown, alone, range, cuts };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let checked = runtime.block_on(check(&value, &sent, &echo));
        prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
    }
}
