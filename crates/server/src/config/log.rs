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

/// A word that is no level would be taken for the name of a library, and everything else would be silent.
fn is_log_filter(filter: &str) -> bool {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    filter.split(',').all(|part| {
        let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
        LEVELS.contains(&level.trim().to_ascii_lowercase().as_str())
    })
}

pub(super) fn read(chosen: &Chosen) -> Result<LogConfig, ConfigError> {
    const LOG: &str = "`off`, `error`, `warn`, `info`, `debug` or `trace`, or levels by target such as `selfmade_store=trace`";
    if chosen.text("log").is_some_and(|filter| !is_log_filter(filter)) {
        return Err(chosen.wrong("log", LOG));
    }
    Ok(LogConfig {
        filter: chosen.text("log").map(str::to_owned),
        format: chosen.word("log_format", LOG_FORMATS, "`text` or `json`")?.unwrap_or_default(),
    })
}
