//! Runs every check and every test of the repository, after setting up what they need.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::paths::Paths;
use crate::postgres::Postgres;
use crate::python::Python;
use crate::report::Report;
use crate::{babyagi, deny, process, schemathesis, sdk};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the Rust tests whose names contain one of these; with `--only`, the tests of those steps
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,
    /// Run only this step; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// The formatting of the Rust sources
    Fmt,
    /// The lints
    Clippy,
    /// Licences, bans and sources of the dependencies
    Deny,
    /// The Rust tests, with a PostgreSQL and BabyAGI's packs at hand
    Rust,
    /// The examples in the documentation
    Doc,
    /// The Python SDK's types, and its tests against the server
    Sdk,
    /// The packs' Python tests
    Packs,
    /// The HTTP door against its own description, by Schemathesis
    Http,
}

impl Args {
    fn wants(&self, step: Step) -> bool {
        match (self.only.is_empty(), self.filters.is_empty()) {
            (true, true) => true,
            (true, false) => step == Step::Rust,
            (false, _) => self.only.contains(&step),
        }
    }
}

pub(crate) fn run(paths: &Paths, args: &Args) -> Result<()> {
    let mut report = Report::default();
    if args.wants(Step::Fmt) {
        report.step("formatting", || fmt(paths));
    }
    if args.wants(Step::Clippy) {
        report.step("lints", || clippy(paths));
    }
    if args.wants(Step::Deny) {
        report.step("dependencies", || deny::run(paths));
    }
    if args.wants(Step::Rust) {
        rust(paths, &args.filters, &mut report);
    }
    if args.wants(Step::Doc) {
        report.step("documentation examples", || doc(paths, &args.filters));
    }
    if args.wants(Step::Sdk) {
        report.step("types of the Python SDK", || sdk::types(paths));
        report.step("Python SDK", || {
            let server = sdk::server(paths)?;
            process::run(unittest(paths, "sdk/python/tests", &args.filters)?.env("SELFMADE_BINARY", server))
        });
        report.step("BabyAGI's packs and examples on the Python SDK", || drop_in(paths, &args.filters));
    }
    if args.wants(Step::Packs) {
        report.step("packs", || packs(paths, &args.filters));
    }
    if args.wants(Step::Http) {
        report.step("HTTP against its description (Schemathesis)", || schemathesis::run(paths));
    }
    report.finish()
}

fn fmt(paths: &Paths) -> Result<()> {
    need_component(paths, "fmt", "rustfmt")?;
    process::run(paths.cargo().args(["fmt", "--all", "--check"])).context("`cargo fmt --all` puts it right")
}

fn clippy(paths: &Paths) -> Result<()> {
    need_component(paths, "clippy", "clippy")?;
    process::run(paths.cargo().args([
        "clippy",
        "--workspace",
        "--all-features",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))
}

/// Installs a component of the toolchain that a minimal installation leaves out.
fn need_component(paths: &Paths, command: &str, component: &str) -> Result<()> {
    if process::succeeds(paths.cargo().args([command, "--version"])) {
        return Ok(());
    }
    process::run(Command::new("rustup").args(["component", "add", component]))
        .with_context(|| format!("{component} is missing; add it to the Rust toolchain"))
}

fn rust(paths: &Paths, filters: &[String], report: &mut Report) {
    let postgres = report.step("PostgreSQL for the tests", Postgres::start);
    let packs = report.step("BabyAGI's packs for the tests", || babyagi::wheel(paths, &Python::find()?));
    let nextest = process::succeeds(paths.cargo().args(["nextest", "--version"]));
    let title =
        if nextest { "Rust tests (cargo nextest)" } else { "Rust tests (cargo test; no cargo-nextest here)" };
    report.step(title, || {
        let mut tests = if nextest { nextest_run(paths, filters) } else { cargo_test(paths, filters) };
        set_up(&mut tests, postgres.as_ref(), packs.as_deref());
        process::run(&mut tests)
    });
}

fn nextest_run(paths: &Paths, filters: &[String]) -> Command {
    let mut tests = paths.cargo();
    tests.args(["nextest", "run", "--workspace", "--all-features", "--no-fail-fast"]).args(filters);
    tests
}

/// `--tests` means all targets that have tests, and leaves the documentation's examples to their own step.
fn cargo_test(paths: &Paths, filters: &[String]) -> Command {
    let mut tests = paths.cargo();
    tests.args(["test", "--workspace", "--all-features", "--tests", "--no-fail-fast", "--"]).args(filters);
    tests
}

/// Tells the tests what is there. What could not be set up is a failed step already, so leaving it out hides nothing.
fn set_up(tests: &mut Command, postgres: Option<&Postgres>, packs: Option<&Path>) {
    tests.env_remove("SELFMADE_TEST_POSTGRES").env_remove("SELFMADE_TEST_BABYAGI");
    if let Some(postgres) = postgres {
        tests.env("SELFMADE_TEST_POSTGRES", postgres.url());
    }
    if let Some(packs) = packs {
        tests.env("SELFMADE_TEST_BABYAGI", packs);
    }
}

fn doc(paths: &Paths, filters: &[String]) -> Result<()> {
    process::run(
        paths
            .cargo()
            .args(["test", "--workspace", "--all-features", "--doc", "--no-fail-fast", "--"])
            .args(filters),
    )
}

/// The tests of `selfmade.babyagi`. Packages that BabyAGI's functions import are kept in the cache.
fn drop_in(paths: &Paths, filters: &[String]) -> Result<()> {
    let server = sdk::server(paths)?;
    let examples = babyagi::examples(paths)?;
    let mut tests = unittest_with(Command::new(&examples.python), paths, "sdk/python/tests/babyagi", filters);
    tests.env("SELFMADE_BINARY", server).env("SELFMADE_TEST_BABYAGI", &examples.folder);
    tests.env("SELFMADE_TEST_ENVIRONMENTS", paths.cache().join("babyagi-environments"));
    process::run(&mut tests)
}

/// The Python tests of a folder, with the SDK on the path.
fn unittest(paths: &Paths, folder: &str, filters: &[String]) -> Result<Command> {
    Ok(unittest_with(Python::find()?.command(), paths, folder, filters))
}

fn unittest_with(mut tests: Command, paths: &Paths, folder: &str, filters: &[String]) -> Command {
    let sdk: PathBuf = paths.root().join("sdk/python/src");
    tests.current_dir(paths.root()).env("PYTHONPATH", sdk).args(["-m", "unittest", "discover", "-s", folder]);
    for filter in filters {
        tests.args(["-k", filter]);
    }
    tests
}

/// The packs' tests load and run them with the real program too; the measurement of the agent's loop tests itself.
fn packs(paths: &Paths, filters: &[String]) -> Result<()> {
    let server = sdk::server(paths)?;
    process::run(unittest(paths, "packs/tests", filters)?.env("SELFMADE_BINARY", server))?;
    process::run(&mut unittest(paths, "bench/eval", filters)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(filters: &[&str], only: &[Step]) -> Args {
        Args { filters: filters.iter().map(ToString::to_string).collect(), only: only.to_vec() }
    }

    fn wanted(args: &Args) -> usize {
        Step::value_variants().iter().filter(|step| args.wants(**step)).count()
    }

    #[test]
    fn without_arguments_every_step_runs() {
        assert_eq!(wanted(&args(&[], &[])), Step::value_variants().len());
    }

    #[test]
    fn a_filter_alone_means_the_rust_tests() {
        let args = args(&["claim"], &[]);
        assert!(args.wants(Step::Rust));
        assert_eq!(wanted(&args), 1);
    }

    #[test]
    fn only_names_the_steps_whatever_is_filtered() {
        let args = args(&["slug"], &[Step::Packs, Step::Sdk]);
        assert!(args.wants(Step::Packs) && args.wants(Step::Sdk));
        assert_eq!(wanted(&args), 2);
    }
}
