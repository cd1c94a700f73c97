//! What can be typed: the global options and the commands. The arguments of each command stand beside it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use server::settings::SettingInputs;

use crate::commands::{
    background, backup, changes, completions, demo, export, function, graph, import, init, insights, log,
    pack, preset, restore, run, runs, schedule, search, secret, serve, session, test, token, trigger, warm,
};

const AFTER_HELP: &str = "\
Examples:
  selfmade                                 show the brain and what to try next
  selfmade fn add greet.py                 add or update a function
  selfmade run greet --arg name=Ada        run a function
  selfmade graph add news.json             add or update a graph
  selfmade runs list --state failed        see which runs failed
  selfmade trigger add shout_it shout --source greet
  selfmade schedule add nightly greet '0 3 * * *' --arg name=Ada
  selfmade pack load core                  load the functions of a pack
  selfmade search \"split a text\"           find functions
  selfmade log                             see how the brain changed
  selfmade changes revert r12              undo revision 12

Environment:
  SELFMADE_HOME         the data folder, unless --home names one
  SELFMADE_DATABASE     the database, unless --database names one
  SELFMADE_SERVER       the server to use, unless --server, --home or --database is given
  SELFMADE_TOKEN        the token for that server, unless --token or --token-file is given
  SELFMADE_SECRETS_KEY  the key that encrypts secrets, instead of the file secrets.key
  SELFMADE_LISTEN       the address `serve` listens on, unless --listen is given
  SELFMADE_LOG          what to log on standard error, unless --log is given
  SELFMADE_…            every other setting; `serve --show-config` lists them
  VISUAL, EDITOR        the editor of `fn edit` and `graph edit`
  NO_COLOR              no colours

Exit codes:
  0  success                   4  not found
  1  partial success           5  refused: checks failed, a conflict, the wrong state
  2  usage error               6  the database, the disk or a key is unavailable
  3  bad input                 7  a run or a test failed
  8  a run waits for an answer
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
    /// Use the server at this URL instead [default: SELFMADE_SERVER]
    #[arg(long, global = true, value_name = "URL", overrides_with = "server", conflicts_with_all = ["home", "database"])]
    pub(crate) server: Option<String>,
    /// The token for that server [default: SELFMADE_TOKEN]; other users of this machine can see it
    #[arg(long, global = true, value_name = "TOKEN", overrides_with = "token")]
    pub(crate) token: Option<String>,
    /// Read the token from this file
    #[arg(long, global = true, value_name = "FILE", overrides_with = "token_file", conflicts_with = "token")]
    pub(crate) token_file: Option<PathBuf>,
    /// Print one JSON document; errors too, to standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only data, warnings and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print all warnings, not just the first few
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// How much of a traceback to show: short (frames of libraries are folded) or full
    #[arg(long, global = true, value_name = "HOW", default_value = "short", hide_possible_values = true)]
    #[arg(overrides_with = "traceback")]
    pub(crate) traceback: Traceback,
    /// When to use colour: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    #[arg(overrides_with = "color")]
    pub(crate) color: When,
    /// Run functions even if sandbox layers are missing (see `doctor`)
    #[arg(long, global = true, conflicts_with = "server")]
    pub(crate) allow_weaker_sandbox: bool,
    /// What to log on standard error: off, error, warn, info, debug, trace, or levels by target
    #[arg(long, global = true, value_name = "LEVEL", overrides_with = "log")]
    pub(crate) log: Option<String>,
    /// Log format: text or json
    #[arg(long, global = true, value_name = "FORMAT", overrides_with = "log_format")]
    pub(crate) log_format: Option<String>,
}

impl Cli {
    /// With the server that a demo names as its argument.
    pub(crate) fn with_named_server(mut self) -> Cli {
        if let Some(Command::Demo(demo)) = &self.command
            && let Some(url) = demo.url()
        {
            self.globals.server = Some(url.to_owned());
        }
        self
    }

    /// Adds the flags to what the environment says.
    pub(crate) fn given(&self, variables: SettingInputs) -> SettingInputs {
        let globals = &self.globals;
        let given = variables
            .flag("database", globals.database.clone())
            .flag("allow_weaker_sandbox", globals.allow_weaker_sandbox.then(|| "true".to_owned()))
            .flag("log", globals.log.clone())
            .flag("log_format", globals.log_format.clone());
        match &self.command {
            Some(Command::Serve(arguments)) => arguments.flags.given(given),
            Some(Command::Start(arguments)) => arguments.flags.given(given),
            _ => given,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Traceback {
    Short,
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a brain for a folder
    Init(init::Arguments),
    /// Functions: add, list, show, edit, rm, versions, diff, use, dependents, why
    #[command(subcommand, visible_alias = "function")]
    Fn(function::Command),
    /// Graphs: list, add, show, edit, check, patch, apply, discard, rebase, drafts, pack, unpack, pin, unpin, versions, use, diff, rm, run, blocks, import, export, draw, estimate, upgrades, upgrade
    #[command(subcommand)]
    Graph(graph::Command),
    /// Run a function or graph
    Run(run::Arguments),
    /// Runs: list, show, nodes, tail, cancel, answer, held, release, resume, rerun, replay, prune
    #[command(subcommand)]
    Runs(runs::Command),
    /// Triggers: add, list, show, test, enable, disable, rm, firings
    #[command(subcommand)]
    Trigger(trigger::Command),
    /// Schedules: add, list, show, pause, resume, rm, run
    #[command(subcommand)]
    Schedule(schedule::Command),
    /// Run the tests of functions
    Test(test::Arguments),
    /// Show how functions perform, and what to improve
    Insights(insights::Arguments),
    /// Prepare the environments of functions
    Warm(warm::Arguments),
    /// Serve the API, queued runs, triggers and schedules
    Serve(serve::Arguments),
    /// Start a server in the background
    Start(background::start::Arguments),
    /// Stop the server
    Stop(background::stop::Arguments),
    /// Show whether a server is running, and its health
    Status(background::status::Arguments),
    /// Print a link that signs in a browser
    SignIn(background::sign_in::Arguments),
    /// Packs: load, list
    #[command(subcommand)]
    Pack(pack::Command),
    /// Changesets: list, show, apply, reject, revert, rebase
    #[command(subcommand)]
    Changes(changes::Command),
    /// Show the history of the brain, newest first
    Log(log::Arguments),
    /// Find functions and graphs by name and by what they do
    Search(search::Arguments),
    /// Export the brain to a folder of files
    Export(export::Arguments),
    /// Import an exported folder or a BabyAGI database
    Import(import::Arguments),
    /// Back up the whole brain to one file, even while it is in use
    Backup(backup::Arguments),
    /// Restore the brain from a backup
    Restore(restore::Arguments),
    /// Presets, named inputs: set, list, show, rm
    #[command(subcommand)]
    Preset(preset::Command),
    /// Secrets: set, list, rm
    #[command(subcommand)]
    Secret(secret::Command),
    /// Tokens: add, list, rm
    #[command(subcommand)]
    Token(token::Command),
    /// Sessions of signed-in browsers: list, rm
    #[command(subcommand)]
    Session(session::Command),
    /// Demos: populate, reddit
    #[command(subcommand)]
    Demo(demo::Command),
    /// Show which sandbox layers this machine supports
    Doctor,
    /// Print shell completions
    Completions(completions::Arguments),
    /// Print the version
    Version,
}
