//! What an applied or proposed Changeset did, as every command that makes one tells it.

use anstyle::Style;
use model::changeset::ChangesetState;
use model::changeset::application::Fate;
use server::app::changesets::{Applied, ChangeView, ChangesetView, Moved};

use super::findings;
use crate::client::{Brain, Changes};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::terminal::style::{BAD, GOOD, NAME, paint};

/// Whether a proposal is applied at once.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Submission {
    /// Propose the changeset instead of applying it
    #[arg(long)]
    propose: bool,
    /// Apply it even if stored callers, triggers, schedules or graphs no longer fit
    #[arg(long, conflicts_with = "propose")]
    force: bool,
}

/// Shows that checks may take a while.
pub(crate) async fn checked<T>(
    output: &Output,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let _progress = Progress::start(output, "checking, resolving packages, running tests");
    work.await
}

/// Applies a proposal at once, or leaves it to be looked at.
pub(crate) async fn submit(
    session: &Session,
    brain: &Brain,
    changes: &Changes,
    submission: Submission,
) -> Result<Exit, Error> {
    if submission.propose {
        let view = checked(&session.output, brain.propose(changes)).await?;
        return proposed(&session.output, &session.settings.program, &view);
    }
    let applied = checked(&session.output, brain.register(changes, submission.force)).await?;
    show(&session.output, &applied)?;
    Ok(Exit::Done)
}

pub(crate) fn show(output: &Output, applied: &Applied) -> Result<(), Error> {
    output.answer(applied, |_| moves(&applied.moves))?;
    tell(output, applied);
    Ok(())
}

/// Everything beside the moves themselves.
pub(crate) fn tell(output: &Output, applied: &Applied) {
    findings::widened(output, &applied.widened);
    findings::warn(output, &applied.warnings);
    match applied.changeset {
        Some(number) => {
            output.note(format!("changeset {number} applied; the brain is at revision {}", applied.revision));
        }
        None => output.note(format!("nothing to change; the brain stays at revision {}", applied.revision)),
    }
}

pub(crate) fn moves(moves: &[Moved]) -> String {
    moves.iter().map(line).collect()
}

fn line(moved: &Moved) -> String {
    let (word, style) = match moved.fate {
        Fate::Added => ("added", GOOD),
        Fate::Updated => ("updated", Style::new()),
        Fate::Deleted => ("deleted", BAD),
        Fate::Recorded => ("recorded", Style::new()),
    };
    let version = match (moved.fate, moved.from, moved.to) {
        (Fate::Updated, Some(from), Some(to)) => format!("@{to} (was @{from})"),
        (_, _, Some(to)) => format!("@{to}"),
        _ => String::new(),
    };
    format!("{} {} {}{version}\n", paint(style, word), moved.key.kind, paint(NAME, moved.key.name.as_str()))
}

/// A Changeset that waits for a decision. One that does not pass its checks is only half of what was asked.
pub(crate) fn proposed(output: &Output, program: &str, view: &ChangesetView) -> Result<Exit, Error> {
    output.answer(view, |_| {
        let line = |change: &ChangeView| format!("{} {}\n", change.action, change.key);
        view.changes.iter().map(line).collect()
    })?;
    let number = view.number;
    let findings: Vec<_> = view.checks.iter().flat_map(|check| check.findings.clone()).collect();
    let failed = view.checks.iter().any(|check| check.verdict == model::changeset::check::Verdict::Failed);
    if failed {
        let errors: Vec<_> = findings
            .iter()
            .filter(|finding| finding.severity == model::changeset::check::Severity::Error)
            .collect();
        output.warning(format!("changeset {number} does not pass its checks, so it cannot be applied"));
        output.report(&findings::errors(&errors));
        return Ok(Exit::InPart);
    }
    findings::warn(output, &findings);
    if view.state == ChangesetState::Checked {
        output.note(format!("changeset {number} is proposed; nothing has changed yet"));
        output.hint(format!(
            "`{program} changes show {number}`, then `{program} changes apply {number}` or `reject`"
        ));
    }
    Ok(Exit::Done)
}
