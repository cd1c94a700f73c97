//! One file a verb, one folder a noun. Each command parses, calls a verb of the server, and shows its answer.

pub(crate) mod changes;
pub(crate) mod completions;
mod doctor;
pub(crate) mod export;
pub(crate) mod function;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod insights;
pub(crate) mod log;
pub(crate) mod pack;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schedule;
pub(crate) mod search;
pub(crate) mod secret;
pub(crate) mod serve;
mod status;
pub(crate) mod test;
pub(crate) mod token;
pub(crate) mod trigger;
mod version;
pub(crate) mod warm;

use crate::cli::Command;
use crate::error::{Error, Exit};
use crate::session::{Brain, Session};

pub(crate) async fn run(session: &Session, command: Option<Command>) -> Result<Exit, Error> {
    // These need no brain.
    let command = match command {
        Some(Command::Init(arguments)) => return init::run(session, arguments).await,
        Some(Command::Completions(arguments)) => return completions::run(session, &arguments),
        Some(Command::Doctor) => return doctor::run(session).await,
        Some(Command::Version) => return version::run(session),
        other => other,
    };
    let brain = session.open().await?;
    // The overview says it itself.
    if command.is_some() {
        session.introduce(&brain);
    }
    let done = with_brain(session, &brain, command).await;
    brain.ctx.close().await;
    done
}

async fn with_brain(session: &Session, brain: &Brain, command: Option<Command>) -> Result<Exit, Error> {
    match command {
        None => status::run(session, brain).await,
        Some(Command::Fn(command)) => function::run(session, brain, command).await,
        Some(Command::Run(arguments)) => run::run(session, brain, arguments).await,
        Some(Command::Runs(command)) => runs::run(session, brain, command).await,
        Some(Command::Trigger(command)) => trigger::run(session, brain, command).await,
        Some(Command::Schedule(command)) => schedule::run(session, brain, command).await,
        Some(Command::Test(arguments)) => test::run(session, brain, arguments).await,
        Some(Command::Insights(arguments)) => insights::run(session, brain, arguments).await,
        Some(Command::Warm(arguments)) => warm::run(session, brain, arguments).await,
        Some(Command::Serve(arguments)) => serve::run(session, brain, arguments).await,
        Some(Command::Pack(command)) => pack::run(session, brain, command).await,
        Some(Command::Changes(command)) => changes::run(session, brain, command).await,
        Some(Command::Log(arguments)) => log::run(session, brain, arguments).await,
        Some(Command::Search(arguments)) => search::run(session, brain, arguments).await,
        Some(Command::Export(arguments)) => export::run(session, brain, arguments).await,
        Some(Command::Import(arguments)) => import::run(session, brain, arguments).await,
        Some(Command::Secret(command)) => secret::run(session, brain, command).await,
        Some(Command::Token(command)) => token::run(session, brain, command).await,
        Some(Command::Init(_) | Command::Completions(_) | Command::Doctor | Command::Version) => {
            Ok(Exit::Done)
        }
    }
}
