//! Reading a request: who sends it, what they may do, its parameters and its body.

pub(crate) mod authorization;
pub(crate) mod caller;
pub(crate) mod cookie;
pub(crate) mod entries;
pub(crate) mod extract;
mod field_error;
pub(crate) mod in_process;
mod json;
pub(crate) mod owner;
pub(crate) mod paging;
pub(crate) mod query;
pub(crate) mod query_names;
pub(crate) mod run_path;
pub(crate) mod spool;
pub(crate) mod upload;
pub(crate) mod upload_slots;
