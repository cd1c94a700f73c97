//! `selfmade insights`: how functions do, and what could be done about it.

use model::name::EntryName;
use model::run::insight::{DependencyStatistics, Statistics};
use serde_json::json;
use server::app::insights::Insight;
use server::clock::Clock;

use super::runs::list::when;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::progress::Progress;
use crate::terminal::style::{BAD, DIM, NAME, TITLE, paint, printable};
use crate::terminal::table::{Cell, Table};
use crate::terminal::time;

/// Show how functions perform, and what to improve
///
/// Times, failures, cold starts and queueing of the newest runs, at most ten thousand per function; for one function also where
/// its time goes and which errors it raises. Suggestions are listed by importance.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade insights                  all functions that ran, the most time first
  selfmade insights report
  selfmade insights report --since 30d")]
pub(crate) struct Arguments {
    /// The function [default: all that ran]
    name: Option<EntryName>,
    /// Only runs since then: a time ago such as 2h or 7d, a date, or a date and time
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    since: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let since = when(&arguments.since, Clock::System.now())?;
    let progress = Progress::start(&session.output, "reading runs");
    let (found, of_one) = match &arguments.name {
        Some(name) => (vec![brain.insight(name, since).await?], true),
        None => (brain.insights(since).await?, false),
    };
    drop(progress);
    session
        .output
        .answer(&json!({ "since": since, "insights": found }), |screen| render(&found, of_one, screen))?;
    if found.iter().all(|insight| insight.statistics.runs == 0) {
        session.output.note(format!("nothing ran since {}", time::exact(since)));
    } else if found.iter().any(|insight| insight.more) {
        session.output.note("there are more runs; these figures are of the newest");
    }
    Ok(Exit::Done)
}

fn render(found: &[Insight], of_one: bool, screen: &Screen) -> String {
    let ran: Vec<&Insight> = found.iter().filter(|insight| insight.statistics.runs > 0).collect();
    let mut out = table(&ran, screen);
    for insight in ran.iter().filter(|_| of_one) {
        out.push_str(&errors(&insight.statistics));
        out.push_str(&dependencies(&insight.statistics, screen));
    }
    let suggestions: Vec<String> = ran.iter().flat_map(|insight| suggestions(insight, of_one)).collect();
    if !suggestions.is_empty() {
        out.push_str(&format!("\n{}\n{}", paint(TITLE, "Suggestions"), suggestions.concat()));
    }
    out
}

fn table(found: &[&Insight], screen: &Screen) -> String {
    let mut table = Table::new(&["function", "runs", "failed", "p50", "p95", "p99", "queued", "cold"], 0);
    for Insight { statistics, .. } in found {
        let failed = Cell::painted(
            if statistics.failed > 0 { BAD } else { DIM },
            share(statistics.failed, statistics.runs),
        );
        table.row(vec![
            Cell::painted(NAME, &statistics.name),
            statistics.runs.to_string().into(),
            failed,
            time::took(statistics.p50_us).into(),
            time::took(statistics.p95_us).into(),
            time::took(statistics.p99_us).into(),
            time::took(statistics.queued_p95_us).into(),
            Cell::painted(DIM, share(statistics.cold, statistics.runs)),
        ]);
    }
    table.render(screen)
}

fn errors(statistics: &Statistics) -> String {
    if statistics.errors.is_empty() {
        return String::new();
    }
    let line = |error: &model::run::insight::ErrorCount| {
        format!("  {:>5}  {}\n", error.runs, printable(&error.error))
    };
    let lines: String = statistics.errors.iter().map(line).collect();
    format!("\n{}\n{lines}", paint(TITLE, "Failed with"))
}

fn dependencies(statistics: &Statistics, screen: &Screen) -> String {
    if statistics.dependencies.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["called", "per run", "repeated", "time"], 0);
    for one in &statistics.dependencies {
        table.row(vec![
            Cell::painted(NAME, &one.name),
            per_run(one, statistics.runs).into(),
            share(one.repeated, one.calls).into(),
            share(one.total_us, statistics.total_us).into(),
        ]);
    }
    let lines: String = table.render(&screen.indented(2)).lines().map(|line| format!("  {line}\n")).collect();
    format!("\n{}\n{lines}", paint(TITLE, "Where its time goes"))
}

fn per_run(one: &DependencyStatistics, runs: u64) -> String {
    let number = one.calls as f64 / runs.max(1) as f64;
    if number >= 10.0 { format!("{number:.0}") } else { format!("{number:.1}") }
}

fn suggestions(insight: &Insight, of_one: bool) -> Vec<String> {
    let name = if of_one { String::new() } else { format!("{}: ", paint(NAME, &insight.statistics.name)) };
    insight.suggestions.iter().map(|one| format!("  {name}{}\n", printable(&one.text))).collect()
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.0} %", part as f64 * 100.0 / whole.max(1) as f64)
}
