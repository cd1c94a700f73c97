//! This node: the Runs it has in hand, their slots and leases, and the worker that claims queued ones.

pub(crate) mod admission;
pub(crate) mod awaited;
pub(crate) mod database_retry;
pub(crate) mod in_hand;
pub(crate) mod leases;
pub(crate) mod recovery;
pub(crate) mod unflushed;
pub(crate) mod worker;
