//! Sealed secrets: where placeholders stand in a request, and putting the values in for a secret's own hosts.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{AUTHORIZATION, HeaderValue};
use hyper::http::request::Parts;
use zeroize::Zeroizing;

use super::gate::{invalid, read_rule};
use super::head::Target;
use super::host::HostRule;
use super::policy::{OnMisuse, SealedSecret};
use super::redact::{Pair, Redactor, swap};
use super::refusal::Refusal;

/// Shorter values would be found by chance all over an answer, so they are not replaced back.
const SHORTEST_REDACTED: usize = 6;

pub(super) struct Seals(Vec<Seal>);

struct Seal {
    secret: SealedSecret,
    rules: Vec<HostRule>,
}

impl Seals {
    pub(super) fn new(secrets: &[SealedSecret]) -> io::Result<Seals> {
        for (index, secret) in secrets.iter().enumerate() {
            let placeholder = &secret.placeholder;
            let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            let inside = |(other, it): (usize, &SealedSecret)| {
                other != index && placeholder.contains(it.placeholder.as_str())
            };
            if placeholder.len() < 8 || !placeholder.bytes().all(known) {
                return Err(invalid(format!(
                    "`{placeholder}` is no placeholder; use at least 8 of A-Z a-z 0-9 _ -"
                )));
            }
            if secrets.iter().enumerate().any(inside) {
                return Err(invalid(format!("the placeholder `{placeholder}` has another one inside")));
            }
            let value = secret.value.expose();
            if value.is_empty() || value.contains(char::is_control) {
                return Err(invalid(format!(
                    "the secret of `{placeholder}` is empty or has control characters"
                )));
            }
        }
        let seal = |secret: &SealedSecret| {
            let rules = secret.hosts.iter().map(|text| read_rule(text)).collect::<io::Result<_>>()?;
            Ok(Seal { secret: secret.clone(), rules })
        };
        secrets.iter().map(seal).collect::<io::Result<_>>().map(Seals)
    }

    /// Whether any secret belongs to this host, so that its TLS must end at the proxy.
    pub(super) fn has_secrets_for(&self, target: &Target) -> bool {
        self.0.iter().any(|seal| seal.belongs_to(target))
    }

    /// Puts values in for placeholders, or says which one must not go there. The answer undoes it in what comes back.
    pub(super) fn put_in(
        &self,
        target: &Target,
        on_misuse: OnMisuse,
        head: &mut Parts,
    ) -> Result<Option<Redactor>, Refusal> {
        if on_misuse != OnMisuse::PassPlaceholder {
            self.refuse_strays(target, head)?;
        }
        if !self.has_secrets_for(target) {
            return Ok(None);
        }
        let mut undo = self.redacted();
        self.put_in_headers(target, head, &mut undo)?;
        self.put_in_url(target, head)?;
        Ok(Some(Redactor::new(undo)))
    }

    fn put_in_headers(&self, target: &Target, head: &mut Parts, undo: &mut Vec<Pair>) -> Result<(), Refusal> {
        let pairs = self.pairs(target, str::to_owned);
        for (name, value) in &mut head.headers {
            let inside = if name == AUTHORIZATION { basic(value) } else { None };
            let changed = match inside {
                Some(credentials) => swap(&credentials, &pairs).map(|opened| {
                    let encoded = STANDARD.encode(&*opened);
                    let shown = STANDARD.encode(&*credentials);
                    undo.push(Pair::new(encoded.as_bytes(), shown.as_bytes()));
                    Zeroizing::new(format!("Basic {encoded}").into_bytes())
                }),
                None => swap(value.as_bytes(), &pairs),
            };
            let Some(changed) = changed else { continue };
            *value = HeaderValue::from_bytes(&changed)
                .map_err(|_| Refusal::Malformed { why: "a secret does not fit into a header" })?;
            value.set_sensitive(true);
        }
        Ok(())
    }

    fn put_in_url(&self, target: &Target, head: &mut Parts) -> Result<(), Refusal> {
        let Some(opened) = swap(path_and_query(head).as_bytes(), &self.pairs(target, percent_encoded)) else {
            return Ok(());
        };
        let malformed = Refusal::Malformed { why: "a secret does not fit into the URL" };
        head.uri = hyper::Uri::try_from(&**opened).map_err(|_| malformed)?;
        Ok(())
    }

    fn refuse_strays(&self, target: &Target, head: &Parts) -> Result<(), Refusal> {
        for seal in self.0.iter().filter(|seal| !seal.opens_for(target)) {
            let placeholder = seal.secret.placeholder.as_bytes();
            let has = |text: &[u8]| text.windows(placeholder.len()).any(|part| part == placeholder);
            let in_header = |value: &HeaderValue| {
                has(value.as_bytes()) || basic(value).is_some_and(|credentials| has(&credentials))
            };
            if !has(path_and_query(head).as_bytes()) && !head.headers.values().any(in_header) {
                continue;
            }
            let (placeholder, host) = (seal.secret.placeholder.clone(), target.host.clone());
            return Err(match seal.belongs_to(target) {
                true => Refusal::Cleartext { placeholder, host, port: target.port },
                false => Refusal::Misuse { placeholder, host },
            });
        }
        Ok(())
    }

    /// Placeholder and value of the secrets that may go to this host.
    fn pairs(&self, target: &Target, written: impl Fn(&str) -> String) -> Vec<Pair> {
        let open = self.0.iter().filter(|seal| seal.opens_for(target));
        let pair = |seal: &Seal| {
            let value = Zeroizing::new(written(seal.secret.value.expose()));
            Pair::new(seal.secret.placeholder.as_bytes(), value.as_bytes())
        };
        open.map(pair).collect()
    }

    /// All values as they are, in a URL and in JSON, each with its placeholder.
    fn redacted(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for seal in &self.0 {
            let value = seal.secret.value.expose();
            let json = Zeroizing::new(serde_json::Value::from(value).to_string());
            let mut spellings =
                vec![value.to_owned(), percent_encoded(value), json.trim_matches('"').to_owned()];
            spellings.dedup();
            for spelling in spellings.into_iter().map(Zeroizing::new) {
                if spelling.len() >= SHORTEST_REDACTED {
                    pairs.push(Pair::new(spelling.as_bytes(), seal.secret.placeholder.as_bytes()));
                }
            }
        }
        pairs
    }
}

impl Seal {
    fn belongs_to(&self, target: &Target) -> bool {
        self.rules.iter().any(|rule| rule.allows(&target.host, target.port))
    }

    fn opens_for(&self, target: &Target) -> bool {
        let opens =
            |rule: &HostRule| rule.allows(&target.host, target.port) && (target.tls || rule.names_port());
        self.rules.iter().any(opens)
    }
}

/// User and password, where a header's value is `Basic` credentials.
fn basic(value: &HeaderValue) -> Option<Zeroizing<Vec<u8>>> {
    let (scheme, credentials) = value.to_str().ok()?.split_once(' ')?;
    let decoded =
        scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(credentials.trim()).ok())??;
    Some(Zeroizing::new(decoded))
}

fn path_and_query(head: &Parts) -> &str {
    head.uri.path_and_query().map_or("/", |both| both.as_str())
}

fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode).collect()
}
