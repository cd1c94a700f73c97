//! A server, asked over HTTP, with TLS where its address says so.

use std::time::Duration;

use axum::body::Body;
use axum::http::uri::{Authority, Scheme};
use axum::http::{HeaderValue, Method, Request, Response, Uri, header};
use secrecy::{ExposeSecret, SecretString};
use server::http_client::{HttpClient, HttpError, Limits};

use crate::error::Error;

/// What is only read is answered sooner; a stream says that it is alive every 15 seconds.
const ANSWER: Duration = Duration::from_secs(60);
/// Tests of a large pack may take long, and are waited for.
const WORK: Duration = Duration::from_secs(3600);
/// More than any brain that is exported.
const ANSWER_BYTES: u64 = 4 << 30;

pub(crate) struct Remote {
    pub(crate) url: String,
    scheme: Scheme,
    authority: Authority,
    /// What stands before the paths of the API, behind a proxy.
    prefix: String,
    token: Option<HeaderValue>,
    /// The process that serves the brain of this data folder, if we found it there.
    pub(crate) found: Option<u32>,
    client: HttpClient,
}

impl Remote {
    pub(crate) fn new(url: &str, token: Option<&SecretString>, client: HttpClient) -> Result<Remote, Error> {
        let (scheme, authority, prefix) = parts(url)?;
        let token = token.map(bearer).transpose()?;
        let url = url.trim_end_matches('/').to_owned();
        Ok(Remote { url, scheme, authority, prefix, token, found: None, client })
    }

    /// Whether others on the way could read the token.
    pub(crate) fn is_open(&self) -> bool {
        let host = self.authority.host().trim_start_matches('[').trim_end_matches(']');
        let here = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        self.scheme == Scheme::HTTP && !here && self.token.is_some()
    }

    pub(super) async fn ask(
        &self,
        mut request: Request<Body>,
        keeps_open: bool,
    ) -> Result<Response<Body>, Error> {
        self.complete(&mut request);
        let is_quick = *request.method() == Method::GET || keeps_open;
        let limits = Limits {
            first_byte: if is_quick { ANSWER } else { WORK },
            idle: ANSWER,
            total: None,
            body_bytes: if keeps_open { u64::MAX } else { ANSWER_BYTES },
        };
        match self.client.send(request, limits).await {
            Ok(response) => Ok(response.map(Body::new)),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// What stands before the paths of the API.
    pub(super) fn base(&self) -> String {
        format!("{}://{}{}", self.scheme, self.authority, self.prefix)
    }

    fn complete(&self, request: &mut Request<Body>) {
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let url = format!("{}{target}", self.base());
        *request.uri_mut() = url.parse().unwrap_or_default();
        request.headers_mut().extend(self.token.clone().map(|token| (header::AUTHORIZATION, token)));
    }

    /// Why there is no answer, or no more of it.
    pub(super) fn failed(&self, error: HttpError) -> Error {
        let server = self.url.clone();
        match error {
            HttpError::NoAnswer { limit, .. } | HttpError::Stalled { limit, .. } => {
                Error::Silent { server, seconds: limit.as_secs() }
            }
            // The host is named already.
            HttpError::Connect { source, .. } | HttpError::Closed { source, .. } => {
                Error::Unreachable { server, source }
            }
            error => Error::BrokenOff { server, source: Box::new(error) },
        }
    }
}

fn parts(url: &str) -> Result<(Scheme, Authority, String), Error> {
    let wrong = || Error::Input {
        problem: format!("`{url}` is not the URL of a server"),
        hint: "write for example `http://127.0.0.1:7333` or `https://brain.example`".to_owned(),
    };
    let parts = url.parse::<Uri>().map_err(|_| wrong())?.into_parts();
    let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else { return Err(wrong()) };
    let path = parts.path_and_query.as_ref().map_or("/", |target| target.path());
    let is_plain = parts.path_and_query.as_ref().is_none_or(|target| target.query().is_none());
    if !is_plain || authority.as_str().contains('@') || ![Scheme::HTTP, Scheme::HTTPS].contains(&scheme) {
        return Err(wrong());
    }
    // People copy the address of the API itself.
    let path = path.trim_end_matches('/');
    Ok((scheme, authority, path.strip_suffix("/api/v1").unwrap_or(path).to_owned()))
}

fn bearer(token: &SecretString) -> Result<HeaderValue, Error> {
    let text = format!("Bearer {}", token.expose_secret());
    let mut value = HeaderValue::from_str(&text).map_err(|_| Error::Input {
        problem: "the token contains characters that no token has".to_owned(),
        hint: "give it as `selfmade token add` printed it".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use server::http_client::HttpClientConfig;

    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_a_host_and_perhaps_a_path_before_the_api() {
        let taken = |url: &str| {
            parts(url).map(|(scheme, authority, prefix)| format!("{scheme} {authority} {prefix}")).ok()
        };
        assert_eq!(taken("http://127.0.0.1:7333").unwrap(), "http 127.0.0.1:7333 ");
        assert_eq!(taken("https://brain.example/").unwrap(), "https brain.example ");
        assert_eq!(taken("https://example.org/brain/api/v1/").unwrap(), "https example.org /brain");
        for wrong in
            ["", "brain.example", "localhost:7333", "ftp://x", "http://a@b", "http://a/?b", "http://"]
        {
            assert!(taken(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_token_is_sent_in_the_open_only_to_this_machine() {
        let client = HttpClient::new(HttpClientConfig::default());
        let open =
            |url: &str| Remote::new(url, Some(&SecretString::from("t")), client.clone()).unwrap().is_open();
        assert!(open("http://brain.example") && open("http://10.0.0.5:7333"));
        assert!(!open("https://brain.example") && !open("http://localhost:1") && !open("http://[::1]:7333"));
        assert!(
            !Remote::new("http://brain.example", None, client.clone()).unwrap().is_open(),
            "there is none to read"
        );
    }
}
