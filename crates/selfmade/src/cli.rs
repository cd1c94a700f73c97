//! What can be typed: the global options and the commands. The arguments of each command stand beside it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{
    changes, completions, export, function, import, init, insights, log, pack, run, runs, schedule, search,
    secret, serve, test, token, trigger, warm,
};

const AFTER_HELP: &str = "\
Examples:
  selfmade                                 show the brain and what to try next
  selfmade fn add greet.py                 add or update a function
  selfmade run greet --arg name=Ada        run a function
  selfmade runs list --state failed        see which runs failed
  selfmade trigger add shout_it shout --source greet
  selfmade schedule add nightly greet '0 3 * * *' --arg name=Ada
  selfmade pack load core                  load the functions of a pack
  selfmade search \"split a text\"           find functions
  selfmade log                             see how the brain changed
  selfmade changes revert r12              undo what made revision 12

Environment:
  SELFMADE_HOME         the data folder, unless --home names one
  SELFMADE_DATABASE     the database, unless --database names one
  SELFMADE_SECRETS_KEY  the key that seals secrets, in place of the file secrets.key
  SELFMADE_LISTEN       where `serve` listens, unless --listen says so
  SELFMADE_LOG          what to log on standard error, such as `debug` or `selfmade_store=trace`
  VISUAL, EDITOR        the editor of `fn edit`
  NO_COLOR              no colours

Exit codes:
  0  done                      4  what was named is not there
  1  done in part              5  refused: checks failed, a conflict, the wrong state
  2  wrong usage               6  the database, the disk or a key cannot be used
  3  bad input                 7  a run or a test failed
  70 a bug in selfmade         130 interrupted";

/// An agent server whose abilities are rows in a database
#[derive(Debug, Parser)]
#[command(name = "selfmade", version, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// The data folder [default: SELFMADE_HOME, else .selfmade here or above, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR", overrides_with = "home")]
    pub(crate) home: Option<PathBuf>,
    /// A postgres:// URL or a SQLite file [default: SELFMADE_DATABASE, else brain.db in the data folder]
    #[arg(long, global = true, value_name = "URL", overrides_with = "database")]
    pub(crate) database: Option<String>,
    /// Print one JSON document; errors too, on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print data, warnings and errors only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print all warnings instead of the first few
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// When to colour: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    #[arg(overrides_with = "color")]
    pub(crate) color: When,
    /// Run functions without the layers that `doctor` lists as missing, instead of refusing
    #[arg(long, global = true)]
    pub(crate) allow_weaker_sandbox: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a brain of its own for a folder
    Init(init::Arguments),
    /// Functions: add, list, show, edit, rm, versions, diff, use, dependents
    #[command(subcommand, visible_alias = "function")]
    Fn(function::Command),
    /// Run a function
    Run(run::Arguments),
    /// Runs: list, show, tail, cancel, answer, rerun, replay, prune
    #[command(subcommand)]
    Runs(runs::Command),
    /// Triggers: add, list, show, test, enable, disable, rm, firings
    #[command(subcommand)]
    Trigger(trigger::Command),
    /// Schedules: add, list, show, pause, resume, rm, run
    #[command(subcommand)]
    Schedule(schedule::Command),
    /// Run the tests that functions carry
    Test(test::Arguments),
    /// How functions do, and what to do about it
    Insights(insights::Arguments),
    /// Make ready what functions need to run
    Warm(warm::Arguments),
    /// Carry out queued runs, triggers and schedules until told to stop
    Serve(serve::Arguments),
    /// Packs: load, list
    #[command(subcommand)]
    Pack(pack::Command),
    /// Changesets: list, show, apply, reject, revert, rebase
    #[command(subcommand)]
    Changes(changes::Command),
    /// How the brain changed, newest first
    Log(log::Arguments),
    /// Find functions by name and by what they do
    Search(search::Arguments),
    /// Write the brain as a folder of files
    Export(export::Arguments),
    /// Read a folder that was exported, or the database of a BabyAGI brain
    Import(import::Arguments),
    /// Secrets: set, list, rm
    #[command(subcommand)]
    Secret(secret::Command),
    /// Tokens: add, list, rm
    #[command(subcommand)]
    Token(token::Command),
    /// Which layers of the sandbox this machine offers
    Doctor,
    /// Print the completions of a shell
    Completions(completions::Arguments),
    /// Print the version
    Version,
}
