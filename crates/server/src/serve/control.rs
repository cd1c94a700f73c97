//! Asking a running server what is its owner's to ask; the other end is `http/control`.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use hyper::{Method, Request, StatusCode, header};
use secrecy::ExposeSecret;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::announcement::Announcement;
use crate::http::operations::control::{SIGN_IN, STATUS};
pub use crate::http::operations::control::{ServerStatus, SignInLink};
use crate::http_client::{HttpClient, HttpError, Limits};

const TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_BYTES: u64 = 1 << 20;

#[derive(Debug, Error)]
pub enum ControlError {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("{address} answered {status}")]
    Refused { address: SocketAddr, status: StatusCode },
    #[error("the response of {address} cannot be read")]
    Unreadable { address: SocketAddr, source: serde_json::Error },
}

pub async fn status(client: &HttpClient, of: &Announcement) -> Result<ServerStatus, ControlError> {
    ask(client, of, Method::GET, STATUS).await
}

/// Another link that signs one browser in.
pub async fn sign_in_url(client: &HttpClient, of: &Announcement) -> Result<String, ControlError> {
    let link: SignInLink = ask(client, of, Method::POST, SIGN_IN).await?;
    Ok(format!("{}{}", of.url, link.path))
}

async fn ask<T: DeserializeOwned>(
    client: &HttpClient,
    of: &Announcement,
    method: Method,
    path: &str,
) -> Result<T, ControlError> {
    let address = of.address;
    let request = Request::builder()
        .method(method)
        .uri(format!("http://{address}{path}"))
        .header(header::AUTHORIZATION, format!("Bearer {}", of.key.expose_secret()))
        .body(Body::empty())
        // What someone wrote into the file may be no key.
        .map_err(|_| HttpError::InvalidUrl)?;
    let answer = client.fetch(request, Limits::whole(TIMEOUT, ANSWER_BYTES)).await?;
    if !answer.status.is_success() {
        return Err(ControlError::Refused { address, status: answer.status });
    }
    serde_json::from_slice(&answer.body).map_err(|source| ControlError::Unreadable { address, source })
}
