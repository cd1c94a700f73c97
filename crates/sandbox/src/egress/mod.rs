//! Egress: what a cell may reach. The policy is data here; the proxy that keeps it stands outside the cell and is handed a
//! listener inside the cell's network namespace.

use std::any::Any;
use std::os::fd::OwnedFd;

/// Hosts a job may reach, each as `host`, `host:port` or `*.domain`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EgressPolicy {
    pub hosts: Vec<String>,
}

/// Whoever serves the cells' only way out.
pub trait Egress: Send + Sync {
    /// Serves what connects to `listener`, a TCP socket listening on the cell's own loopback, until the guard is dropped.
    fn serve(&self, listener: OwnedFd, policy: &EgressPolicy) -> std::io::Result<Box<dyn Any + Send>>;
}
