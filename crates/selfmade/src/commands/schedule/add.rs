//! `selfmade schedule add`: a new Schedule, or another one in its place.

use clap::ValueEnum;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use serde_json::json;
use server::app::schedules;

use super::{in_zone, name};
use crate::client::Brain;
use crate::commands::run::named;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// How many of the times to come are shown.
const SHOWN: usize = 5;

/// Add a schedule, or replace the one with that name
///
/// `selfmade serve` runs the target at these times.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade schedule add nightly report '0 3 * * *' --zone Europe/Vienna
  selfmade schedule add workdays greet '30 9 * * MON-FRI' --arg name=Ada
  selfmade schedule add often poll 'every 5m' --overlap skip --missed skip
  selfmade schedule add once greet 2030-12-24T18:00 --arg name=Ada

Times:
  30 9 * * MON-FRI       minute, hour, day of month, month, day of week; or six fields with seconds first
  @hourly @daily @weekly @monthly @yearly
  every 90s, every 5m, every 1h30m
  2030-12-24T18:00       once, in the zone")]
pub(crate) struct Arguments {
    /// The name of the schedule
    name: String,
    /// The function or graph to run
    target: String,
    /// A cron expression, an interval or a time
    times: String,
    /// The time zone
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    zone: String,
    /// An argument by name, as JSON or text
    #[arg(long = "arg", short, value_name = "NAME=VALUE")]
    named: Vec<String>,
    /// Read the arguments from a file with a JSON object; - is standard input
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// Ticks that passed while no server ran: make up for only the newest, none, or all
    #[arg(long, value_name = "POLICY", default_value = "once")]
    missed: MissedTicks,
    /// A tick while the last run is still running: skip it, queue it, or run it in parallel
    #[arg(long, value_name = "POLICY", default_value = "skip")]
    overlap: Overlapping,
    /// Add it paused
    #[arg(long)]
    paused: bool,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MissedTicks {
    Once,
    Skip,
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Overlapping {
    Skip,
    Queue,
    Allow,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let schedule = name(&arguments.name)?;
    let content = content(brain, arguments).await?;
    let applied = brain.put_schedule(&schedule, &content).await?;
    let next = brain.schedule(&schedule, SHOWN).await?.next_times;
    let zone = content.zone;
    let document = json!({ "applied": applied, "next_times": next });
    session.output.answer(&document, |_| {
        let times: String = next.iter().map(|at| format!("  next {}\n", in_zone(*at, &zone))).collect();
        applied::moves(&applied.moves) + &times
    })?;
    applied::tell(&session.output, &applied);
    Ok(Exit::Done)
}

async fn content(brain: &Brain, arguments: Arguments) -> Result<ScheduleContent, Error> {
    let target = name(&arguments.target)?;
    let view = match brain.callable(&target, None).await {
        Ok(view) => Some(view),
        // The checks say so.
        Err(error) if error.exit() == Exit::NotFound => None,
        Err(error) => return Err(error),
    };
    let signature = view.as_ref().map(|view| &view.signature);
    Ok(ScheduleContent {
        description: arguments.description.unwrap_or_default(),
        times: Times::parse(&arguments.times, &arguments.zone)
            .map_err(|error| schedules::unreadable(&error))?,
        input: named(arguments.input.as_deref(), &arguments.named, signature)?,
        zone: arguments.zone,
        target,
        missed: match arguments.missed {
            MissedTicks::Once => Missed::Once,
            MissedTicks::Skip => Missed::Skip,
            MissedTicks::All => Missed::All,
        },
        overlap: match arguments.overlap {
            Overlapping::Skip => Overlap::Skip,
            Overlapping::Queue => Overlap::Queue,
            Overlapping::Allow => Overlap::Allow,
        },
        paused: arguments.paused,
    })
}
