//! `selfmade build`, `do`, `chat` and `agent …`: the functions of the pack `agent`, with what they report shown as it happens.

pub(crate) mod build;
pub(crate) mod chat;
pub(crate) mod request;
mod running;
mod show;

use super::budget::BudgetArguments;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Show(show::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Show(arguments) => show::run(session, brain, arguments).await,
    }
}

/// What a build may give to the functions it writes, and how much it may cost.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Limits {
    /// A host that what is written may reach; may be repeated
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// A secret that what is written may get; may be repeated
    #[arg(long, value_name = "NAME")]
    allow_secret: Vec<String>,
    /// A package that what is written may import; may be repeated
    #[arg(long, value_name = "PACKAGE")]
    allow_package: Vec<String>,
    /// The most calls of a language model
    #[arg(long, value_name = "N", default_value_t = 40)]
    most_calls: u32,
    #[command(flatten)]
    budget: BudgetArguments,
}
