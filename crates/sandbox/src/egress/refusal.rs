//! Why a request did not go through, in words for whoever reads the exception in the cell. The cell's own secrets and the rest
//! of the policy are never in them.

use std::net::IpAddr;

use thiserror::Error;

use super::host::Host;
use super::record::Direction;

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum Refusal {
    #[error("host `{host}` is not listed; add `{host}` to the function's `network` grant")]
    NotListed { host: Host },
    #[error(
        "port {port} of host `{host}` is not listed; add `{host}:{port}` to the function's `network` grant"
    )]
    Port { host: Host, port: u16 },
    #[error(
        "host `{host}` has the address `{address}`, which is not public; list it in `private_hosts` in `config.toml` in the data folder"
    )]
    Private { host: Host, address: IpAddr },
    #[error("the request is malformed or ambiguous: {why}")]
    Malformed { why: &'static str },
    #[error(
        "the placeholder `{placeholder}` must not be sent to host `{host}`, which is not one of its secret's hosts"
    )]
    Misuse { placeholder: String, host: Host },
    #[error(
        "the secret `{placeholder}` goes to host `{host}` over https only; use https, or ask for `{host}:{port}`"
    )]
    Cleartext { placeholder: String, host: Host, port: u16 },
    #[error(
        "the placeholder `{placeholder}` is in the name of a header; secrets are inserted only into header values, the path and the query"
    )]
    HeaderName { placeholder: String },
    #[error("the TLS server name is not the host `{host}` that was requested")]
    ServerName { host: Host },
    #[error("only TLS goes through a tunnel to host `{host}`; use http:// for plain requests")]
    NotTls { host: Host },
    #[error("the proxy does not support {what}")]
    NotCarried { what: &'static str },
    #[error("the job has used up the bytes it may {}", if *.way == Direction::Up { "send" } else { "receive" })]
    Bytes { way: Direction },
    #[error("the connection ended before the request was complete")]
    Cut,
    #[error("host `{host}` cannot be found: {why}")]
    Unknown { host: Host, why: String },
    #[error("host `{host}` cannot be reached: {why}")]
    Unreachable { host: Host, why: String },
    #[error("host `{host}` sent a response that cannot be passed on: {why}")]
    Answer { host: Host, why: String },
}

impl Refusal {
    /// What it is called in the record.
    pub(super) fn rule(&self) -> &'static str {
        match self {
            Refusal::NotListed { .. } => "not-listed",
            Refusal::Port { .. } => "port",
            Refusal::Private { .. } => "private-address",
            Refusal::Malformed { .. } => "malformed",
            Refusal::Misuse { .. } => "placeholder",
            Refusal::HeaderName { .. } => "header-name",
            Refusal::Cleartext { .. } => "cleartext-secret",
            Refusal::ServerName { .. } => "server-name",
            Refusal::NotTls { .. } => "not-tls",
            Refusal::NotCarried { .. } => "not-carried",
            Refusal::Bytes { .. } => "bytes",
            Refusal::Cut => "cut",
            Refusal::Unknown { .. } => "unknown-host",
            Refusal::Unreachable { .. } => "unreachable",
            Refusal::Answer { .. } => "answer",
        }
    }

    /// Whether it was the other side, not the policy.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Refusal::Unknown { .. } | Refusal::Unreachable { .. } | Refusal::Answer { .. })
    }

    pub(super) fn status(&self) -> u16 {
        match self {
            Refusal::Malformed { .. } => 400,
            _ if self.is_failure() => 502,
            _ => 403,
        }
    }
}
