//! Egress: the only way out of a cell. A proxy outside the cell accepts on a listener inside the cell's network namespace,
//! resolves names itself, lets through what the job's policy lists, and records every request.
//!
//! The policy is data. Which policy a job gets, and where the records are kept, is the caller's business; so is placing the
//! certificates and the environment variables in the cell.
//!
//! A sealed secret is put in for its own hosts, in header values (also inside `Basic` credentials), path and query; never in
//! bodies. Its value is replaced back in the header values and the body of what these hosts answer, as a net against
//! accidents: a host that transforms the value before it echoes it is not seen through. What keeps the value is that it
//! goes to its hosts alone. `Upgrade` (websockets) is not carried, except inside a tunnel to a host without sealed secrets.

mod address;
mod authority;
mod body;
mod exchange;
mod gate;
mod head;
mod framing;
mod host;
mod idle;
mod policy;
mod proxy;
mod record;
mod redact;
mod refusal;
mod resolve;
mod roots;
mod seal;
mod tunnel;
mod upstream;
mod variables;

use std::any::Any;
mod watched;
use std::os::fd::OwnedFd;

pub use self::authority::AuthorityError;
pub use self::host::{Host, HostRule};
pub use self::policy::{EgressLimits, EgressPolicy, OnMisuse, SealedSecret, SecretText};
pub use self::proxy::{Proxy, ProxyConfig};
pub use self::record::{Decision, EgressLog, EgressRecord};
pub use self::resolve::{Resolver, SystemResolver};
pub use self::variables::proxy_variables;

/// Whoever serves the cells' only way out.
pub trait Egress: Send + Sync {
    /// Serves what connects to `listener`, a TCP socket listening on the cell's own loopback, until the guard is dropped.
    fn serve(&self, listener: OwnedFd, policy: &EgressPolicy) -> std::io::Result<Box<dyn Any + Send>>;
}
