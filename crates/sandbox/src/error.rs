//! Why the sandbox could not do its part. How a function ended is never an error here.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum Error {
    #[error(
        "this machine does not support the whole sandbox: {missing}; {what_to_do}, or run code you trust with `--allow-weaker-sandbox`"
    )]
    Weak { missing: String, what_to_do: String },
    #[error("cannot determine which sandbox layers this machine supports by starting `{program}`: {why}")]
    Probe { program: PathBuf, why: String },
    #[error("cannot start the environment `{environment}`: {why}")]
    Zygote { environment: String, why: String },
    #[error("cannot make a cell of the environment `{environment}`: {why}")]
    Cell { environment: String, why: String },
    #[error("cannot open network access for a cell: {why}")]
    Egress { why: String },
    #[error("the job cannot be sent: {why}")]
    Job { why: String },
    #[error("the sandbox is stopped")]
    Stopped,
    #[error("a system call failed: {0}")]
    System(#[from] io::Error),
}
