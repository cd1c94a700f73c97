//! The log: what the program has to say about itself while it works. It goes to standard error, as text or as a JSON object a
//! line. A server logs warnings unless
//! configured, one in the background all that `info` means, every other command nothing.

use std::io::IsTerminal;

use server::config::{DEFAULT_LOG, LogConfig, LogFormat};
use tracing_subscriber::EnvFilter;

use crate::cli::Command;
use crate::config::Settings;
use crate::error::Error;

pub(crate) fn start(settings: &Settings, command: Option<&Command>) -> Result<(), Error> {
    // A configuration that cannot be read is told by whoever needs it; some commands need none.
    let LogConfig { filter, format } =
        settings.config(&settings.home.path).map(|config| config.log).unwrap_or_default();
    let usual = match command {
        // Nobody sees what it says but whoever reads its log.
        Some(Command::Serve(arguments)) if arguments.background => Some("info".to_owned()),
        Some(Command::Serve(_)) => Some(DEFAULT_LOG.to_owned()),
        _ => None,
    };
    let Some(filter) = filter.or(usual) else { return Ok(()) };
    let log = tracing_subscriber::fmt()
        .with_env_filter(parse(&filter)?)
        .with_writer(std::io::stderr)
        // A line that cannot be written, as on a full disk, is lost. By default the subscriber would report the loss with
        // `eprintln!`, which panics because it fails for the same reason.
        .log_internal_errors(false)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => {
            log.json().flatten_event(true).with_span_list(false).with_current_span(true).init();
        }
    }
    Ok(())
}

fn parse(filter: &str) -> Result<EnvFilter, Error> {
    EnvFilter::try_new(directives(filter)).map_err(|error| Error::Input {
        problem: format!("`{filter}` is not a valid log filter: {error}"),
        hint: "write `off`, `error`, `warn`, `info`, `debug` or `trace`, or levels by target such as `selfmade_store=trace`"
            .to_owned(),
    })
}

/// A level alone is ours: what the libraries have to say at `info` and below is for whoever asks for it by name.
fn directives(filter: &str) -> String {
    match filter {
        "info" | "debug" | "trace" => format!("warn,selfmade={filter}"),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_alone_is_for_our_own_crates() {
        assert_eq!(directives("info"), "warn,selfmade=info");
        assert_eq!(directives("warn"), "warn");
        assert_eq!(directives("selfmade_store=trace"), "selfmade_store=trace");
    }

    #[test]
    fn what_is_no_level_is_refused() {
        assert!(parse("info").is_ok());
        assert!(parse("selfmade=loud").is_err());
    }
}
