//! `selfmade test`: the tests that Functions carry, in cells.

use model::changeset::gates::mutants::{MutantFate, TriedMutant};
use model::name::EntryName;
use serde_json::json;
use server::app::functions::mutants::MutantReport;
use server::app::functions::run_tests::TestReport;

use super::runs::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::progress::Progress;
use crate::terminal::style::{BAD, DIM, GOOD, NAME, paint, printable};
use crate::views::applied;

/// Run the tests of functions, or add one made from a recorded run
///
/// They run in cells, several at once, without network and with the mocks that each test declares. Exit code 7 means that a test failed.
/// With --mutants they run on copies of the functions with one mistake each, and a mistake that no test notices is shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade test                        all tests of the brain
  selfmade test greet shout
  selfmade test shout --dependents     and of everything that calls it
  selfmade test shout --mutants        would they notice a mistake?
  selfmade test add --from 391ab633    what this run did becomes a test of its function")]
pub(crate) struct Arguments {
    /// The functions [default: all]
    names: Vec<EntryName>,
    /// Also the tests of everything that calls them, directly or indirectly
    #[arg(long, requires = "names")]
    dependents: bool,
    /// Run them on copies of the functions with one mistake each
    #[arg(long, conflicts_with = "dependents")]
    mutants: bool,
    /// With `add`: make a test of this run, which is its id or the beginning or end of it
    #[arg(long, value_name = "RUN", conflicts_with_all = ["dependents", "mutants"])]
    from: Option<Reference>,
    /// What the test made of a run is called
    #[arg(long, value_name = "NAME", requires = "from")]
    name: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    if let Some(from) = &arguments.from {
        return add(session, brain, &arguments, from).await;
    }
    if arguments.mutants {
        return mutate(session, brain, &arguments.names).await;
    }
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

/// `add` is a name like others unless a run is named.
async fn add(
    session: &Session,
    brain: &Brain,
    arguments: &Arguments,
    from: &Reference,
) -> Result<Exit, Error> {
    if arguments.names.iter().map(EntryName::as_str).ne(["add"]) {
        return Err(Error::Input {
            problem: "`--from` makes a test of a run, whose function is known".to_owned(),
            hint: "write `selfmade test add --from RUN`".to_owned(),
        });
    }
    let run = from.id(brain).await?;
    let work = brain.test_of_run(run, arguments.name.as_deref());
    let done = applied::checked(&session.output, work).await?;
    applied::show(&session.output, &done)?;
    Ok(Exit::Done)
}

async fn mutate(session: &Session, brain: &Brain, names: &[EntryName]) -> Result<Exit, Error> {
    let reports = {
        let _progress = Progress::start(&session.output, "running tests on mutants");
        brain.test_mutants(names).await?
    };
    let all = || reports.iter().flat_map(|report| &report.mutants);
    let survived = all().filter(|mutant| mutant.fate == MutantFate::Survived).count();
    let noticed =
        all().filter(|mutant| matches!(mutant.fate, MutantFate::Caught | MutantFate::Crashed)).count();
    let document = json!({ "functions": reports, "noticed": noticed, "survived": survived });
    session.output.answer(&document, |_| reports.iter().map(mutants).collect())?;
    match (noticed, survived) {
        (0, 0) => session.output.note("there are no tests to run on mutants"),
        (_, 0) => session.output.note(format!("the tests notice all {noticed} mutants")),
        (_, _) => {
            session
                .output
                .warning(format!("the tests do not notice {survived} of {} mutants", noticed + survived));
        }
    }
    Ok(Exit::Done)
}

/// What no test notices, and a line for those without tests.
fn mutants(report: &MutantReport) -> String {
    let name = paint(NAME, report.function.as_str());
    if report.tests == 0 {
        return format!("{}  {name} has no tests\n", paint(BAD, "unknown"));
    }
    let survived: Vec<&TriedMutant> =
        report.mutants.iter().filter(|mutant| mutant.fate == MutantFate::Survived).collect();
    if survived.is_empty() {
        return format!("{}  {name}: {} mutants\n", paint(GOOD, "noticed"), report.mutants.len());
    }
    let line = |mutant: &&TriedMutant| {
        format!(
            "        line {}: {}\n        {}  {}\n",
            mutant.line,
            printable(&mutant.before),
            paint(DIM, "might as well be"),
            printable(&mutant.after)
        )
    };
    let (some, all) = (survived.len(), report.mutants.len());
    let lines: String = survived.iter().map(line).collect();
    format!("{}  {name}: {some} of {all} mutants\n{lines}", paint(BAD, "survived"))
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
