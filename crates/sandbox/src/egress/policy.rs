//! What one job may reach and which secrets are put in for it, as plain data. [`super::gate`] decides by it.

use std::fmt;
use std::io;
use std::time::Duration;

use zeroize::Zeroizing;

use super::gate::Gate;

/// Nothing may be reached by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EgressPolicy {
    /// Hosts a job may reach, each as `host`, `host:port` or `*.domain`, optionally with a port; without one, 80 and 443.
    /// Names are written in ASCII (`xn--…`), IPv6 addresses in brackets.
    pub hosts: Vec<String>,
    /// What may be reached although its address is not public: a host or `*.domain` of `hosts`, an address, or a network
    /// such as `10.1.0.0/16`. Link-local, multicast and unspecified addresses must be listed as addresses.
    pub private: Vec<String>,
    /// Put in for this job.
    pub secrets: Vec<SealedSecret>,
    /// Redacted in what their hosts answer this job, though it is not handed them: the same host may show what another job sent. Those of
    /// `secrets` are redacted in any case.
    pub redact: Vec<SealedSecret>,
    pub on_misuse: OnMisuse,
    pub limits: EgressLimits,
    /// Told back in every record, so that one log serves all jobs.
    pub label: String,
}

impl EgressPolicy {
    /// Whether every host, address and placeholder can be understood; if not, which one cannot.
    pub fn check(&self) -> io::Result<()> {
        Gate::new(self).map(drop)
    }
}

/// A shorter value would stand by chance in what its hosts answer, and what is redacted there could be guessed.
pub const SHORTEST_SEALED: usize = 8;

/// A secret the cell knows by its placeholder alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecret {
    /// At least eight of `A-Z a-z 0-9 _ -`; no other secret's placeholder within it.
    pub placeholder: String,
    /// At least [`SHORTEST_SEALED`] characters of printable ASCII.
    pub value: SecretText,
    /// As in [`EgressPolicy::hosts`], and these are reachable only if listed there too. Without a port the value is put in over
    /// HTTPS alone.
    pub hosts: Vec<String>,
}

/// What happens when a placeholder is sent to a host that is not its secret's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMisuse {
    /// The request is refused.
    #[default]
    Block,
    /// The request goes out with the placeholder as it is.
    PassPlaceholder,
    /// The request is refused and the log's `kill` is called.
    KillJob,
}

/// Bounds for one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressLimits {
    /// Further connections wait until one closes.
    pub connections: usize,
    /// The head of a request or an answer; the library underneath takes no less than 8 KiB.
    pub head_bytes: usize,
    pub bytes_up: u64,
    pub bytes_down: u64,
    /// For a client to finish a request's head or a handshake.
    pub head_time: Duration,
    pub connect_time: Duration,
    /// Without a byte in either direction.
    pub idle_time: Duration,
    /// For one connection, whatever goes over it.
    pub total_time: Duration,
}

impl Default for EgressLimits {
    fn default() -> EgressLimits {
        EgressLimits {
            connections: 64,
            head_bytes: 64 * 1024,
            bytes_up: 256 * 1024 * 1024,
            bytes_down: 1024 * 1024 * 1024,
            head_time: Duration::from_secs(30),
            connect_time: Duration::from_secs(10),
            // A model may think for minutes before it answers with its first byte.
            idle_time: Duration::from_secs(300),
            total_time: Duration::from_secs(3600),
        }
    }
}

/// A text that is wiped when dropped and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    pub fn new(text: String) -> SecretText {
        SecretText(Zeroizing::new(text))
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}
