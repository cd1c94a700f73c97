//! `selfmade trigger test`: what a Trigger would do, without doing it.

use model::event::{EventKind, EventKindError};
use server::app::triggers::Verdict;
use server::app::triggers::{Rehearsal, Trial};
use server::clock::Clock;

use super::name;
use crate::client::{Brain, TrialEvent};
use crate::commands::runs::list::when;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, GOOD, counted, paint, printable};
use crate::terminal::table::{Cell, Table};

/// Show what a trigger would have fired on, without running anything
///
/// Without --event and --on, it tries the events of the last day. A disabled trigger is tested as if it were
/// enabled.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade trigger test check_it                 what it would have fired on, in the last day
  selfmade trigger test check_it --since 7d
  selfmade trigger test check_it --event 4711    with an event that happened
  selfmade trigger test check_it --on run.finished --source greet --data '{\"output\": 1}'")]
pub(crate) struct Arguments {
    name: String,
    /// Try events since then: a time ago such as 2h or 7d, a date, or a date and time
    #[arg(long, value_name = "WHEN", default_value = "24h")]
    since: String,
    /// Try only the event with this number
    #[arg(long, value_name = "EVENT", conflicts_with_all = ["on", "since"])]
    event: Option<u64>,
    /// Try a made-up event of this kind
    #[arg(long, value_name = "KIND", conflicts_with = "since")]
    on: Option<String>,
    /// The source of the made-up event
    #[arg(long, value_name = "NAME", requires = "on", default_value = "")]
    source: String,
    /// The data of the made-up event, as JSON
    #[arg(long, value_name = "JSON", requires = "on", default_value = "{}")]
    data: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let trigger = name(&arguments.name)?;
    if let Some(event) = event(&arguments)? {
        let trial = brain.try_trigger(&trigger, &event).await?;
        session.output.answer(&trial, |_| one(&trial))?;
        return Ok(Exit::Done);
    }
    let since = when(&arguments.since, Clock::System.now())?;
    let rehearsal = brain.rehearse(&trigger, since).await?;
    session.output.answer(&rehearsal, |screen| table(&rehearsal.verdicts, screen))?;
    conclude(session, &rehearsal);
    Ok(Exit::Done)
}

/// The one Event that is meant, if one is.
fn event(arguments: &Arguments) -> Result<Option<TrialEvent>, Error> {
    if let Some(seq) = arguments.event {
        return Ok(Some(TrialEvent::Event { seq }));
    }
    let Some(kind) = &arguments.on else { return Ok(None) };
    let kind: EventKind = kind.parse().map_err(|error: EventKindError| Error::Input {
        problem: error.to_string(),
        hint: "a made-up event has one kind".to_owned(),
    })?;
    let data = serde_json::from_str(&arguments.data).map_err(|error| Error::Input {
        problem: format!("`--data` is not valid JSON: {error}"),
        hint: "write for example `--data '{\"output\": 1}'`".to_owned(),
    })?;
    Ok(Some(TrialEvent::MadeUp { kind, source: arguments.source.clone(), data }))
}

fn one(trial: &Trial) -> String {
    let verdict = &trial.verdict;
    let mut out = match verdict.fires {
        true => format!("{}\n", paint(GOOD, &verdict.why)),
        false => format!("{} {}\n", paint(BAD, "it does not fire:"), printable(&verdict.why)),
    };
    if let Some(input) = &trial.input {
        let input = serde_json::Value::Object(input.clone());
        out.push_str(&format!("`{}` would get {}\n", trial.target, printable(&input.to_string())));
    }
    if let Some(problem) = &trial.problem {
        out.push_str(&format!("{} {}\n", paint(BAD, "but nothing would run:"), printable(problem)));
    }
    out
}

fn table(verdicts: &[Verdict], screen: &Screen) -> String {
    let mut table = Table::new(&["event", "when", "kind", "source", "fires", "why"], 5);
    for verdict in verdicts {
        let (word, style) = if verdict.fires { ("yes", GOOD) } else { ("no", DIM) };
        table.row(vec![
            verdict.seq.to_string().into(),
            Cell::painted(DIM, screen.time(verdict.at)),
            verdict.kind.as_str().into(),
            verdict.source.as_str().into(),
            Cell::painted(style, word),
            verdict.why.as_str().into(),
        ]);
    }
    table.render(screen)
}

fn conclude(session: &Session, rehearsal: &Rehearsal) {
    let fitting = counted(rehearsal.verdicts.len(), "event");
    let since = crate::terminal::time::exact(rehearsal.since);
    session.output.note(format!(
        "since {since} it would have fired {}, out of {fitting} of its kind and source",
        counted(rehearsal.fires, "time")
    ));
    if !rehearsal.complete {
        session.output.warning("there are more events than were tried; the oldest were skipped");
    }
}
