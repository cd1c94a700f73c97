//! `selfmade trigger add`: a new Trigger, or another one in its place.

use model::trigger::on::On;
use model::trigger::senders::Senders;
use model::trigger::{RateLimit, TriggerContent};

use super::name;
use crate::client::Brain;
use crate::commands::run::named;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Add a trigger, or replace the one with that name
///
/// When a matching event happens, the target is run. Its first parameter gets the event's payload, unless --arg or --input
/// set the parameters. `selfmade trigger test NAME` shows what it would have done.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade trigger add shout_it shout --source greet         run shout after each run of greet
  selfmade trigger add check_it check --on function.updated --source 'report.*'
  selfmade trigger add alarm page_me --on run.failed --rate 1/10m --arg text='{{ event.source }} failed'
  selfmade trigger add good_ones publish --source rate --condition 'event.output.score > 0.8'
  selfmade trigger add mail_in sort_mail --on custom.mail --debounce 5s
  selfmade trigger add push build --on webhook.received --source github --secret GITHUB

Events:
  run.finished run.failed run.cancelled          their source is the function
  function.added function.updated function.deleted   also graph, trigger, schedule
  changeset.applied secret.changed preset.changed schedule.ticked webhook.received custom.NAME
  changeset.rejected                             somebody decided against a proposed changeset
  question.asked changeset.proposed schedule.failing something waits for a person or keeps failing")]
pub(crate) struct Arguments {
    /// The name of the trigger
    name: String,
    /// The function or graph to run
    target: String,
    /// The kind of event, or a pattern such as 'run.*'
    #[arg(long, value_name = "KIND", default_value = "run.finished")]
    on: String,
    /// Only events from this name, or from names that match this pattern
    #[arg(long, value_name = "NAME|PATTERN")]
    source: Option<String>,
    /// Only events for which this is true, such as 'event.output.score > 0.8'
    #[arg(long, value_name = "EXPRESSION")]
    condition: Option<String>,
    /// Set a parameter, as JSON or text; '{{ event.output }}' is taken from the event
    #[arg(long = "arg", short, value_name = "NAME=VALUE")]
    named: Vec<String>,
    /// Read the parameters from a file with a JSON object; - is standard input
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// At most this many runs in this time, such as 10/1m
    #[arg(long, value_name = "RUNS/TIME", value_parser = rate)]
    rate: Option<RateLimit>,
    /// Wait until events pause for this long, and run once for the last of them
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    debounce: Option<u64>,
    /// Accept webhooks signed with this secret, instead of ones with a token
    #[arg(long, value_name = "NAME", conflicts_with = "anybody")]
    secret: Option<String>,
    /// Accept webhooks from anyone who knows the URL
    #[arg(long)]
    anybody: bool,
    /// Add it disabled
    #[arg(long)]
    disabled: bool,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let trigger = name(&arguments.name)?;
    let applied = brain.put_trigger(&trigger, &content(arguments)?).await?;
    applied::show(&session.output, &applied)?;
    Ok(Exit::Done)
}

fn content(arguments: Arguments) -> Result<TriggerContent, Error> {
    let mapped = arguments.input.is_some() || !arguments.named.is_empty();
    let input = named(arguments.input.as_deref(), &arguments.named, None)?;
    Ok(TriggerContent {
        description: arguments.description.unwrap_or_default(),
        on: kind(&arguments.on)?,
        source: arguments.source,
        condition: arguments.condition,
        target: name(&arguments.target)?,
        input: mapped.then_some(input),
        enabled: !arguments.disabled,
        rate_limit: arguments.rate,
        debounce_ms: arguments.debounce,
        senders: match arguments.secret {
            Some(secret) => Some(Senders::Secret(secret)),
            None => arguments.anybody.then_some(Senders::Anybody),
        },
    })
}

fn kind(text: &str) -> Result<On, Error> {
    text.parse().map_err(|error: model::event::EventKindError| Error::Input {
        problem: error.to_string(),
        hint: "`selfmade trigger add --help` lists the kinds; a pattern such as `run.*` fits several"
            .to_owned(),
    })
}

/// `10/1m`.
fn rate(text: &str) -> Result<RateLimit, String> {
    let bad = || "expected a number of runs and a time, such as `10/1m`".to_owned();
    let (runs, time) = text.split_once('/').ok_or_else(bad)?;
    let milliseconds = milliseconds(time).map_err(|_| bad())?;
    if milliseconds % 1000 != 0 {
        return Err("expected whole seconds, such as `10/1m`".to_owned());
    }
    Ok(RateLimit { runs: runs.parse().map_err(|_| bad())?, seconds: milliseconds / 1000 })
}

fn milliseconds(text: &str) -> Result<u64, String> {
    let time: Option<jiff::SignedDuration> = text.parse().ok();
    let milliseconds = time.and_then(|time| u64::try_from(time.as_millis()).ok());
    milliseconds.ok_or_else(|| "expected a time, such as `500ms`, `5s` or `1m`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_of_runs_in_a_time() {
        assert_eq!(rate("10/1m"), Ok(RateLimit { runs: 10, seconds: 60 }));
        assert_eq!(rate("1/1h30m"), Ok(RateLimit { runs: 1, seconds: 5400 }));
        for wrong in ["10", "10/", "x/1m", "-1/1m", "10/soon", "1/500ms"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
        assert_eq!(milliseconds("500ms"), Ok(500));
        assert!(milliseconds("-5s").is_err());
    }
}
