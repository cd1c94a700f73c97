//! Which content of a graph a command is about.

use model::version::VersionNumber;

use crate::client::GraphSource;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Source {
    /// This version, instead of the live one
    #[arg(long, value_name = "N", conflicts_with = "draft")]
    version: Option<VersionNumber>,
    /// Its draft
    #[arg(long)]
    draft: bool,
}

impl Source {
    pub(super) fn which(self) -> GraphSource {
        GraphSource { version: self.version, draft: self.draft }
    }
}
