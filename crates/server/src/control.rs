//! Asking a running server what is its owner's to ask; the other end is `http/control`.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request};
use secrecy::ExposeSecret;
use serde::de::DeserializeOwned;

use crate::announcement::Announcement;
use crate::http::control::{SIGN_IN, STATUS};
pub use crate::http::control::{ServerStatus, SignInLink};
use crate::outgoing::{self, OutgoingError};

const TIME: Duration = Duration::from_secs(10);

pub async fn status(of: &Announcement) -> Result<ServerStatus, OutgoingError> {
    ask(of, Method::GET, STATUS).await
}

/// Another link that signs one browser in.
pub async fn sign_in_url(of: &Announcement) -> Result<String, OutgoingError> {
    let link: SignInLink = ask(of, Method::POST, SIGN_IN).await?;
    Ok(format!("{}{}", of.url, link.path))
}

async fn ask<T: DeserializeOwned>(of: &Announcement, method: Method, path: &str) -> Result<T, OutgoingError> {
    let address = of.address.to_string();
    let failed = |detail: String| OutgoingError::Exchange { address: address.clone(), detail };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", &address)
        .header("authorization", format!("Bearer {}", of.key.expose_secret()))
        .body(Full::new(Bytes::new()))
        .map_err(|error| failed(error.to_string()))?;
    let (status, body) = outgoing::send(&address, request, TIME).await?;
    if !status.is_success() {
        return Err(failed(format!("it answered {status}")));
    }
    serde_json::from_slice(&body).map_err(|error| failed(error.to_string()))
}
