//! `selfmade test`: the tests that Functions carry, in cells.

use model::name::EntryName;
use serde_json::json;
use server::app::functions::run_tests::TestReport;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::progress::Progress;
use crate::terminal::style::{BAD, DIM, GOOD, NAME, paint, printable};

/// Run the tests of functions
///
/// They run in cells, several at once, without network and with the mocks that each test declares. Exit code 7 means that a test failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade test                        all tests of the brain
  selfmade test greet shout
  selfmade test shout --dependents     and of everything that calls it")]
pub(crate) struct Arguments {
    /// The functions [default: all]
    names: Vec<EntryName>,
    /// Also the tests of everything that calls them, directly or indirectly
    #[arg(long, requires = "names")]
    dependents: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let reports = {
        let _progress = Progress::start(&session.output, "running tests");
        brain.test(&arguments.names, arguments.dependents).await?
    };
    let failed = reports.iter().filter(|report| !report.passed).count();
    let passed = reports.len() - failed;
    let document = json!({ "tests": reports, "passed": passed, "failed": failed });
    session.output.answer(&document, |_| reports.iter().map(line).collect())?;
    match (passed, failed) {
        (0, 0) => session.output.note("there are no tests"),
        (_, 0) => session.output.note(format!("{passed} passed")),
        (_, _) => session.output.note(format!("{passed} passed, {failed} failed")),
    }
    Ok(if failed > 0 { Exit::RunFailed } else { Exit::Done })
}

fn line(report: &TestReport) -> String {
    let verdict = if report.passed { paint(GOOD, "passed") } else { paint(BAD, "failed") };
    let name = report.name.as_ref().map(|name| paint(DIM, format!(" ({name})"))).unwrap_or_default();
    let why = report.why.as_ref().map(|why| indented(why)).unwrap_or_default();
    format!("{verdict}  {} {}{name}\n{why}", paint(NAME, report.function.as_str()), report.number)
}

fn indented(text: &str) -> String {
    printable(text).lines().map(|line| format!("        {line}\n")).collect()
}
