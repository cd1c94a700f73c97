//! `selfmade runs prune`: old records go.

use server::app::operations::retention::Retention;
use server::clock::Clock;

use super::list::when;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::progress::Progress;
use crate::terminal::style::counted;
use crate::views::run;

/// Permanently remove the records of old runs
///
/// With their calls, steps, output and files. Runs that have not ended are kept, and so are those that
/// started a run that is kept. Events and firings are kept as well: `keep_event_days` is for those.
///
/// Free space in the database file is returned to the disk. For a file created by an older version, this requires rewriting it
/// once with `--rewrite`. PostgreSQL reuses free space by itself.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs prune --before 30d
  selfmade runs prune --before 30d --keep 1000     but keep the newest thousand
  selfmade runs prune --keep 1000                  keep only the newest thousand
  selfmade runs prune --max-size 2G
  selfmade runs prune --before 30d --rewrite       rewrite the database file without its free space")]
#[group(skip)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["before", "keep", "max_size"])))]
pub(crate) struct Arguments {
    /// Remove runs that ended before then: a time ago such as 30d, a date, or a date and time
    #[arg(long, value_name = "WHEN")]
    before: Option<String>,
    /// Always keep at least this many of the newest runs
    #[arg(long, value_name = "N")]
    keep: Option<u32>,
    /// Remove the oldest until the records take at most this much, such as 500M or 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_size: Option<u64>,
    /// Rewrite the database file to return all free space; this blocks writes and needs disk space for a copy
    #[arg(long)]
    rewrite: bool,
}

/// With less free room than this nobody gains by writing the file again.
const WORTH_A_HINT: u64 = 1 << 20;

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let now = Clock::System.now();
    let since = arguments.before.as_deref().map(|text| when(text, now)).transpose()?;
    let keep = Retention { since, newest: arguments.keep, bytes: arguments.max_size };
    let progress = Progress::start(&session.output, "removing old runs");
    let pruned = brain.prune(&keep, arguments.rewrite).await?;
    drop(progress);
    session.output.answer(&pruned, |_| String::new())?;
    let runs = counted(usize::try_from(pruned.runs).unwrap_or(usize::MAX), "run");
    let freed = match pruned.freed_bytes {
        Some(bytes) => format!("; the database file became {} smaller", run::size(bytes)),
        None => "; PostgreSQL will reuse the space".to_owned(),
    };
    session.output.note(format!("removed {runs}, about {}{freed}", run::size(pruned.bytes)));
    if pruned.free_bytes >= WORTH_A_HINT {
        let free = run::size(pruned.free_bytes);
        session.output.hint(format!("{free} of the file are unused; `--rewrite` returns them to the disk"));
    }
    Ok(Exit::Done)
}

/// A number, perhaps with `k`, `M` or `G` for thousands, millions and thousand millions.
fn bytes(text: &str) -> Result<u64, String> {
    let unit = |letter: char| match letter {
        'k' | 'K' => Some(1_000_u64),
        'm' | 'M' => Some(1_000_000),
        'g' | 'G' => Some(1_000_000_000),
        _ => None,
    };
    let (digits, factor) = match text.chars().last().and_then(unit) {
        Some(factor) => (&text[..text.len() - 1], factor),
        None => (text, 1),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number.ok_or_else(|| "expected a number of bytes, such as `500M` or `2G`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_with_a_letter_or_without() {
        assert_eq!(bytes("12"), Ok(12));
        assert_eq!(bytes("500M"), Ok(500_000_000));
        assert_eq!(bytes("2g"), Ok(2_000_000_000));
        for wrong in ["", "M", "-1", "1.5G", "99999999999999999999", "99999999999999999G"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
