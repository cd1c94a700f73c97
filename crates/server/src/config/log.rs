//! What is logged, and how.

use crate::settings::{Chosen, ConfigError};

/// What a server logs unless configured.
pub const DEFAULT_LOG: &str = "warn";

pub(super) const LOG_FORMATS: &[(&str, LogFormat)] = &[("text", LogFormat::Text), ("json", LogFormat::Json)];

/// What is logged, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogConfig {
    /// A level, or levels by target; absent is up to the command.
    pub filter: Option<String>,
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

pub(super) fn read(chosen: &Chosen) -> Result<LogConfig, ConfigError> {
    Ok(LogConfig {
        filter: chosen.text("log").map(str::to_owned),
        format: chosen.word("log_format", LOG_FORMATS, "`text` or `json`")?.unwrap_or_default(),
    })
}
