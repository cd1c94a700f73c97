//! Names to addresses, outside the cell. What comes back is checked by [`super::gate`] and connected to as it is.

use std::io;
use std::net::IpAddr;

use crate::host::BoxFuture;

pub trait Resolver: Send + Sync {
    /// Asked once for each connection that is opened.
    fn resolve(&self, name: String) -> BoxFuture<io::Result<Vec<IpAddr>>>;
}

/// The resolver of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, name: String) -> BoxFuture<io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
