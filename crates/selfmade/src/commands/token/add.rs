//! `selfmade token add`: a new Token, whose text is shown once.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use model::access::grantable::{Grant, Grantable};
use model::access::token::TokenRole;
use serde_json::json;
use server::clock::Clock;
use server::http::Made;

use crate::client::{Brain, NewToken};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::time;

/// Create a token and print it, once
///
/// Only its hash is kept, so it cannot be shown again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade token add ci --role builder --expires 30d
  selfmade token add dashboard --role viewer
  selfmade token add web --only 'web.*' --only greet > token.txt
  selfmade token add web-ci --role builder --only 'web.*' --uses 'text.*' --grants host:api.example.com")]
pub(crate) struct Arguments {
    name: String,
    /// admin, builder, runner or viewer
    #[arg(long, default_value_t = TokenRole::Runner)]
    role: TokenRole,
    /// Names that it may touch, by pattern; may be repeated
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Other functions that its functions may call, by pattern; may be repeated
    #[arg(long, value_name = "PATTERN")]
    uses: Vec<String>,
    /// What its functions may be granted: secret:NAME, host:HOST, model, brain:read, brain:propose, files or all; may be
    /// repeated [default: all without `--only`, nothing with it]
    #[arg(long, value_name = "GRANT")]
    grants: Vec<Grant>,
    /// When it expires: a time from now such as 30d or 12h, or a date (start of the day, UTC)
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let now = Clock::System.now();
    let expires_at = arguments.expires.as_deref().map(|text| expiry(text, now)).transpose()?;
    let new = NewToken {
        name: arguments.name,
        role: arguments.role,
        patterns: arguments.only,
        uses: arguments.uses,
        grants: (!arguments.grants.is_empty()).then_some(Grantable(arguments.grants)),
        expires_at,
    };
    let Made { token, text } = brain.add_token(&new).await?;
    let document = json!({ "text": text, "token": token });
    session.output.answer(&document, |_| format!("{text}\n"))?;
    let until = match token.expires_at {
        Some(end) => format!(" until {}", time::exact(end)),
        None => String::new(),
    };
    session
        .output
        .note(format!("token `{}` ({}) is valid{until}; it is shown only now", token.name, token.role));
    Ok(Exit::Done)
}

fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    let bad = |problem: String| Error::Input {
        problem,
        hint: "write a time from now such as `30d` or `12h`, or a future date such as `2030-01-31`"
            .to_owned(),
    };
    let end = moment(text, now).ok_or_else(|| bad(format!("`{text}` is not a valid expiry time")))?;
    if end > now { Ok(end) } else { Err(bad(format!("`{text}` has already passed"))) }
}

fn moment(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Some(time) = time::written(text) {
        return Some(time);
    }
    let span: Span = text.parse().ok()?;
    Some(now.to_zoned(TimeZone::UTC).checked_add(span).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Result<String, String> {
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        expiry(text, now).map(|end| end.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_token_ends_after_a_time_or_on_a_day() {
        assert_eq!(end("30d").unwrap(), "2026-03-02T12:00:00Z");
        assert_eq!(end("12h").unwrap(), "2026-02-01T00:00:00Z");
        assert_eq!(end("1 month").unwrap(), "2026-02-28T12:00:00Z");
        assert_eq!(end("2026-12-31").unwrap(), "2026-12-31T00:00:00Z");
    }

    #[test]
    fn an_end_that_is_over_or_none_is_refused() {
        assert_eq!(end("2020-01-01").unwrap_err(), "`2020-01-01` has already passed");
        assert_eq!(end("soon").unwrap_err(), "`soon` is not a valid expiry time");
        assert!(end("-3d").is_err());
    }
}
