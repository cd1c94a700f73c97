//! What stage 1 is told by the supervisor: plain data, the first message on the control socket. The file with the certificates
//! of cells is attached to it, if they may have a way out.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::doctor::Layers;

/// The argument that makes our binary a stage 1.
pub(crate) const STAGE1_ARGUMENT: &str = "sandbox-stage1";
/// The argument that makes our binary report which layers this machine offers.
pub(crate) const PROBE_ARGUMENT: &str = "sandbox-probe";
/// The argument that makes our binary evaluate expressions.
pub(crate) const EXPRESSIONS_ARGUMENT: &str = "sandbox-expressions";

/// Where every cell mounts its own files. Landlock ignores rules on a directory that is mounted over, so the rule is on the
/// directory above.
pub(crate) const PRIVATE: &str = "/private";
pub(crate) const PLACE: &str = "/private/cell";

/// Where cells find the certificates they check servers by. Programs that look at no variable look here.
pub(crate) const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) python: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) variables: Vec<(String, String)>,
    /// Shown read-only at the same paths.
    pub(crate) shown: Vec<PathBuf>,
    pub(crate) layers: Layers,
    /// The user a root supervisor's cells run as.
    pub(crate) user: u32,
    pub(crate) proxy_port: u16,
    /// What a single file of a cell may hold; all of them together have a limit of their own.
    pub(crate) files_bytes: u64,
}

/// What stage 1 says when it fails; when it succeeds the zygote is the next to speak.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) stage1_failed: String,
}
