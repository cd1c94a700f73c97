//! Sealed secrets: where placeholders stand in a request, putting the values in for a secret's own hosts, and for which hosts values are
//! redacted of the answers.

use std::io;
use std::sync::{Arc, OnceLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use zeroize::Zeroizing;

use super::redactor::Redactor;
use super::replace::{Pair, replace};
use super::spelling::{can_stand_in, percent_encoded};
use crate::egress::gate::{invalid, read_rule};
use crate::egress::host::{Host, HostRule};
use crate::egress::message::head::Target;
use crate::egress::policy::{EgressPolicy, OnMisuse, SHORTEST_SEALED, SealedSecret};
use crate::egress::refusal::Refusal;

/// What stands for a secret that the job is not handed. Its placeholder would tell of a secret that is not the job's business.
const NOT_HANDED: &str = "***";

pub(crate) struct Seals {
    /// What is put in for the job.
    handed: Vec<Seal>,
    /// What is redacted besides.
    others: Vec<Seal>,
    /// Made when the first host is asked for which anything is redacted.
    redactor: OnceLock<Arc<Redactor>>,
}

struct Seal {
    secret: SealedSecret,
    rules: Vec<HostRule>,
}

impl Seals {
    pub(crate) fn new(policy: &EgressPolicy) -> io::Result<Seals> {
        for (index, secret) in policy.secrets.iter().enumerate() {
            let placeholder = &secret.placeholder;
            let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            let inside = |(other, it): (usize, &SealedSecret)| {
                other != index && placeholder.contains(it.placeholder.as_str())
            };
            if placeholder.len() < 8 || !placeholder.bytes().all(known) {
                return Err(invalid(format!(
                    "`{placeholder}` is not a placeholder; use at least 8 of A-Z a-z 0-9 _ -"
                )));
            }
            if policy.secrets.iter().enumerate().any(inside) {
                return Err(invalid(format!("the placeholder `{placeholder}` contains another one")));
            }
        }
        let handed = policy.secrets.iter().map(Seal::new).collect::<io::Result<_>>()?;
        let others = policy.redact.iter().filter(|secret| !policy.secrets.contains(secret));
        let others = others.map(Seal::new).collect::<io::Result<_>>()?;
        Ok(Seals { handed, others, redactor: OnceLock::new() })
    }

    /// Whether a secret is for this host, by any port and whoever has it, so that TLS must end at the proxy and answers are searched.
    pub(crate) fn are_for(&self, host: &Host) -> bool {
        self.all().any(|seal| seal.rules.iter().any(|rule| rule.covers(host)))
    }

    /// What is redacted of the answers of this host, if anything.
    pub(crate) fn redactor_for(&self, host: &Host) -> Option<Arc<Redactor>> {
        self.are_for(host).then(|| self.redactor())
    }

    /// A text for the records.
    pub(crate) fn redacted(&self, text: String) -> String {
        if self.all().next().is_none() {
            return text;
        }
        let redacted = self.redactor().text(text.as_bytes());
        redacted.map_or(text, |redacted| String::from_utf8_lossy(&redacted).into_owned())
    }

    fn redactor(&self) -> Arc<Redactor> {
        let make = || {
            let handed = self.handed.iter().map(|seal| (seal, seal.secret.placeholder.as_str()));
            let all = handed.chain(self.others.iter().map(|seal| (seal, NOT_HANDED)));
            Arc::new(Redactor::new(all.map(|(seal, instead)| (seal.secret.value.expose(), instead))))
        };
        self.redactor.get_or_init(make).clone()
    }

    fn all(&self) -> impl Iterator<Item = &Seal> {
        self.handed.iter().chain(&self.others)
    }

    /// Puts values in for placeholders, or says which one must not go there.
    pub(crate) fn put_in(
        &self,
        target: &Target,
        on_misuse: OnMisuse,
        head: &mut Parts,
    ) -> Result<(), Refusal> {
        if on_misuse != OnMisuse::PassPlaceholder {
            self.refuse_strays(target, head)?;
        }
        self.refuse_names(target, head)?;
        self.put_in_headers(target, head)?;
        self.put_in_url(target, head)
    }

    fn put_in_headers(&self, target: &Target, head: &mut Parts) -> Result<(), Refusal> {
        let pairs = self.pairs(target, str::to_owned);
        for (name, value) in &mut head.headers {
            let inside = if name == AUTHORIZATION { basic(value) } else { None };
            let changed = match inside {
                Some(credentials) => replace(&credentials, &pairs).map(|opened| {
                    Zeroizing::new(format!("Basic {}", STANDARD.encode(&*opened)).into_bytes())
                }),
                None => replace(value.as_bytes(), &pairs),
            };
            let Some(changed) = changed else { continue };
            *value = HeaderValue::from_bytes(&changed)
                .map_err(|_| Refusal::Malformed { why: "a secret does not fit into a header" })?;
            value.set_sensitive(true);
        }
        Ok(())
    }

    fn put_in_url(&self, target: &Target, head: &mut Parts) -> Result<(), Refusal> {
        let pairs = self.pairs(target, percent_encoded);
        let Some(opened) = replace(path_and_query(head).as_bytes(), &pairs) else {
            return Ok(());
        };
        let malformed = Refusal::Malformed { why: "a secret does not fit into the URL" };
        head.uri = hyper::Uri::try_from(&**opened).map_err(|_| malformed)?;
        Ok(())
    }

    fn refuse_strays(&self, target: &Target, head: &Parts) -> Result<(), Refusal> {
        for seal in self.handed.iter().filter(|seal| !seal.opens_for(target)) {
            let placeholder = seal.secret.placeholder.as_bytes();
            let has = |text: &[u8]| text.windows(placeholder.len()).any(|part| part == placeholder);
            let in_header = |(name, value): (&HeaderName, &HeaderValue)| {
                seal.is_in_name(name)
                    || has(value.as_bytes())
                    || basic(value).is_some_and(|credentials| has(&credentials))
            };
            if !has(path_and_query(head).as_bytes()) && !head.headers.iter().any(in_header) {
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

    /// Servers show names of headers in ways of their own, and no client needs a secret there.
    fn refuse_names(&self, target: &Target, head: &Parts) -> Result<(), Refusal> {
        let mut open = self.handed.iter().filter(|seal| seal.opens_for(target));
        let named = open.find(|seal| head.headers.keys().any(|name| seal.is_in_name(name)));
        match named {
            Some(seal) => Err(Refusal::HeaderName { placeholder: seal.secret.placeholder.clone() }),
            None => Ok(()),
        }
    }

    /// Placeholder and value of the secrets that may go to this host.
    fn pairs(&self, target: &Target, written: impl Fn(&str) -> String) -> Vec<Pair<'_>> {
        let open = self.handed.iter().filter(|seal| seal.opens_for(target));
        open.map(|seal| Pair {
            from: &seal.secret.placeholder,
            to: Zeroizing::new(written(seal.secret.value.expose())),
        })
        .collect()
    }
}

impl Seal {
    fn new(secret: &SealedSecret) -> io::Result<Seal> {
        let (placeholder, value) = (&secret.placeholder, secret.value.expose());
        if value.len() < SHORTEST_SEALED || !value.bytes().all(can_stand_in) {
            return Err(invalid(format!(
                "the secret of `{placeholder}` cannot be sealed: it must be at least {SHORTEST_SEALED} characters of printable ASCII"
            )));
        }
        let rules = secret.hosts.iter().map(|text| read_rule(text)).collect::<io::Result<_>>()?;
        Ok(Seal { secret: secret.clone(), rules })
    }

    fn belongs_to(&self, target: &Target) -> bool {
        self.rules.iter().any(|rule| rule.allows(&target.host, target.port))
    }

    fn opens_for(&self, target: &Target) -> bool {
        let opens =
            |rule: &HostRule| rule.allows(&target.host, target.port) && (target.tls || rule.names_port());
        self.rules.iter().any(opens)
    }

    /// Names of headers have no case.
    fn is_in_name(&self, name: &HeaderName) -> bool {
        name.as_str().contains(&self.secret.placeholder.to_ascii_lowercase())
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
