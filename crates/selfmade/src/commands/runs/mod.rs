//! `selfmade runs …`: Runs.

mod answer;
mod cancel;
mod extend;
mod held;
pub(crate) mod list;
mod nodes;
mod prune;
mod release;
mod replay;
mod rerun;
mod resume;
mod show;
mod tail;

use model::ids::RunId;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Nodes(nodes::Arguments),
    Tail(tail::Arguments),
    Cancel(cancel::Arguments),
    Answer(answer::Arguments),
    Extend(extend::Arguments),
    Held(held::Arguments),
    Release(release::Arguments),
    Resume(resume::Arguments),
    Rerun(rerun::Arguments),
    Replay(replay::Arguments),
    Prune(prune::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::List(arguments) => list::run(session, brain, arguments).await,
        Command::Show(arguments) => show::run(session, brain, arguments).await,
        Command::Nodes(arguments) => nodes::run(session, brain, arguments).await,
        Command::Tail(arguments) => tail::run(session, brain, arguments).await,
        Command::Cancel(arguments) => cancel::run(session, brain, arguments).await,
        Command::Answer(arguments) => answer::run(session, brain, arguments).await,
        Command::Extend(arguments) => extend::run(session, brain, arguments).await,
        Command::Held(arguments) => held::run(session, brain, arguments).await,
        Command::Release(arguments) => release::run(session, brain, arguments).await,
        Command::Resume(arguments) => resume::run(session, brain, arguments).await,
        Command::Rerun(arguments) => rerun::run(session, brain, arguments).await,
        Command::Replay(arguments) => replay::run(session, brain, arguments).await,
        Command::Prune(arguments) => prune::run(session, brain, arguments).await,
    }
}

/// How a Run is named: by its id, or as much of its beginning or end as fits no other.
#[derive(Clone, Debug)]
pub(crate) struct Reference(String);

impl From<String> for Reference {
    fn from(text: String) -> Reference {
        Reference(text)
    }
}

impl Reference {
    pub(crate) async fn id(&self, brain: &Brain) -> Result<RunId, Error> {
        brain.run_id(&self.0).await
    }
}
