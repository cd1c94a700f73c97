//! This node: the Runs it owns, their slots and leases, and the worker that claims queued ones.

pub(crate) mod admission;
pub(crate) mod awaited;
pub(crate) mod database_retry;
pub(crate) mod leases;
pub(crate) mod owned_runs;
pub(crate) mod recovery;
pub(crate) mod unflushed;
pub(crate) mod worker;
