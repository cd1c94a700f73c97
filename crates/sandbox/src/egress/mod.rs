//! Egress: the only way out of a cell. A proxy outside the cell accepts on a listener inside the cell's network namespace,
//! resolves names itself, lets through what the job's policy lists, and records every request.
//!
//! The policy is data. Which policy a job gets, and where the records are kept, is the caller's business. The certificates are
//! put into the view that a zygote and its cells share, and the variables into the job; cells without a way out have neither
//! to wait nor to pay for them.
//!
//! A sealed secret is put in for its own hosts, in header values (also inside `Basic` credentials), path and query; never in
//! bodies. It is redacted of what these hosts answer to any job, headers and bodies, in the spellings of [`spelling`]. What could not be
//! searched is not asked for (ranges, codings) and not passed on. A host that transforms the value in another way before it shows it
//! is not seen through: what keeps the value is that it goes to its hosts alone. `Upgrade` (websockets) is not carried, except inside a
//! tunnel to a host that no sealed secret is for.

mod address;
mod authority;
mod bundle;
mod exchange;
mod gate;
mod host;
mod idle;
mod message;
mod policy;
mod proxy;
mod record;
mod refusal;
mod resolve;
mod roots;
mod sealed;
mod tunnel;
mod upstream;
mod variables;
mod watched;

use std::any::Any;
use std::os::fd::OwnedFd;

pub use self::authority::AuthorityError;
pub(crate) use self::bundle::in_memory;
pub use self::host::{Host, HostRule};
pub use self::policy::{EgressLimits, EgressPolicy, OnMisuse, SHORTEST_SEALED, SealedSecret, SecretText};
pub use self::proxy::{Proxy, ProxyConfig};
pub use self::record::{Decision, EgressLog, EgressRecord, LONGEST_PATH};
pub use self::resolve::{Resolver, SystemResolver};
pub use self::roots::trusted_roots;
pub use self::variables::proxy_variables;

/// Whoever serves the cells' only way out.
pub trait Egress: Send + Sync {
    /// Serves what connects to `listener`, a TCP socket listening on the cell's own loopback, until the guard is dropped.
    fn serve(&self, listener: OwnedFd, policy: &EgressPolicy) -> std::io::Result<Box<dyn Any + Send>>;

    /// What programs in a cell check servers by, in PEM: the public authorities, and its own if it ends TLS itself.
    fn ca_bundle_pem(&self) -> &str;
}
