//! One file a verb, one folder a noun. Each command parses, asks the brain, and shows its answer.

pub(crate) mod agent;
pub(crate) mod background;
pub(crate) mod backup;
mod budget;
pub(crate) mod changes;
pub(crate) mod completions;
pub(crate) mod demo;
mod doctor;
pub(crate) mod export;
pub(crate) mod function;
pub(crate) mod graph;
mod graph_options;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod insights;
pub(crate) mod log;
pub(crate) mod model;
pub(crate) mod pack;
pub(crate) mod preset;
pub(crate) mod restore;
pub(crate) mod run;
pub(crate) mod run_code;
pub(crate) mod runs;
pub(crate) mod schedule;
pub(crate) mod search;
pub(crate) mod secret;
pub(crate) mod serve;
pub(crate) mod session;
mod status;
pub(crate) mod sync;
pub(crate) mod test;
pub(crate) mod token;
pub(crate) mod trigger;
mod version;
pub(crate) mod warm;

use crate::cli::Command;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

pub(crate) async fn run(session: &Session, command: Option<Command>) -> Result<Exit, Error> {
    if let Some(name) = command.as_ref().and_then(here_alone) {
        refuse_server(session, name)?;
    }
    // These need no brain.
    let command = match command {
        Some(Command::Init(arguments)) => return init::run(session, arguments).await,
        Some(Command::Completions(arguments)) => return completions::run(session, &arguments),
        Some(Command::Doctor) => return doctor::run(session).await,
        Some(Command::Version) => return version::run(session),
        Some(Command::Backup(arguments)) => return backup::run(session, arguments).await,
        Some(Command::Restore(arguments)) => return restore::run(session, arguments).await,
        Some(Command::Start(arguments)) => return background::start::run(session, arguments).await,
        Some(Command::Stop(arguments)) => return background::stop::run(session, arguments).await,
        Some(Command::Status(_)) => return background::status::run(session).await,
        Some(Command::SignIn(_)) => return background::sign_in::run(session).await,
        // It has a brain of its own.
        Some(Command::Demo(demo::Command::Build(_))) => return demo::run_apart(session).await,
        // And this one the brain itself.
        Some(Command::Serve(arguments)) if arguments.show_config => return serve::show_config(session),
        Some(Command::Serve(arguments)) => return serve::run(session, arguments).await,
        other => other,
    };
    let brain = session.open().await?;
    // The overview says it itself.
    if command.is_some() {
        session.introduce(&brain);
    }
    let done = with_brain(session, &brain, command).await;
    brain.close().await;
    done
}

/// The name of a command that is about this machine.
fn here_alone(command: &Command) -> Option<&'static str> {
    match command {
        Command::Init(_) => Some("init"),
        Command::Completions(_) => Some("completions"),
        Command::Doctor => Some("doctor"),
        Command::Version => Some("version"),
        Command::Serve(_) => Some("serve"),
        Command::Backup(_) => Some("backup"),
        Command::Restore(_) => Some("restore"),
        Command::Start(_) => Some("start"),
        Command::Stop(_) => Some("stop"),
        Command::SignIn(_) => Some("sign-in"),
        _ => None,
    }
}

fn refuse_server(session: &Session, name: &str) -> Result<(), Error> {
    if !session.settings.server.as_ref().is_some_and(|server| server.by_option) {
        return Ok(());
    }
    Err(Error::Input {
        problem: format!("`{name}` is about this machine, but `--server` is another one"),
        hint: format!("omit `--server`, or run `selfmade {name}` there"),
    })
}

async fn with_brain(session: &Session, brain: &Brain, command: Option<Command>) -> Result<Exit, Error> {
    match command {
        None => status::run(session, brain).await,
        Some(Command::Fn(command)) => function::run(session, brain, command).await,
        Some(Command::Graph(command)) => graph::run(session, brain, command).await,
        Some(Command::Run(arguments)) => run::run(session, brain, arguments).await,
        Some(Command::RunCode(arguments)) => run_code::run(session, brain, arguments).await,
        Some(Command::Build(arguments)) => agent::build::run(session, brain, arguments).await,
        Some(Command::Do(arguments)) => agent::request::run(session, brain, arguments).await,
        Some(Command::Chat(arguments)) => agent::chat::run(session, brain, arguments).await,
        Some(Command::Agent(command)) => agent::run(session, brain, command).await,
        Some(Command::Runs(command)) => runs::run(session, brain, command).await,
        Some(Command::Trigger(command)) => trigger::run(session, brain, command).await,
        Some(Command::Schedule(command)) => schedule::run(session, brain, command).await,
        Some(Command::Test(arguments)) => test::run(session, brain, arguments).await,
        Some(Command::Insights(arguments)) => insights::run(session, brain, arguments).await,
        Some(Command::Warm(arguments)) => warm::run(session, brain, arguments).await,
        Some(Command::Pack(command)) => pack::run(session, brain, command).await,
        Some(Command::Changes(command)) => changes::run(session, brain, command).await,
        Some(Command::Log(arguments)) => log::run(session, brain, arguments).await,
        Some(Command::Search(arguments)) => search::run(session, brain, arguments).await,
        Some(Command::Export(arguments)) => export::run(session, brain, arguments).await,
        Some(Command::Import(arguments)) => import::run(session, brain, arguments).await,
        Some(Command::Sync(arguments)) => sync::run(session, brain, arguments).await,
        Some(Command::Preset(command)) => preset::run(session, brain, command).await,
        Some(Command::Model(command)) => model::run(session, brain, command).await,
        Some(Command::Secret(command)) => secret::run(session, brain, command).await,
        Some(Command::Token(command)) => token::run(session, brain, command).await,
        Some(Command::Session(command)) => session::run(session, brain, command).await,
        Some(Command::Demo(command)) => demo::run(session, brain, command).await,
        // They were executed without a brain.
        Some(
            Command::Init(_)
            | Command::Completions(_)
            | Command::Doctor
            | Command::Version
            | Command::Backup(_)
            | Command::Restore(_)
            | Command::Start(_)
            | Command::Stop(_)
            | Command::Status(_)
            | Command::SignIn(_)
            | Command::Serve(_),
        ) => Ok(Exit::Done),
    }
}
