//! `selfmade graph …`: Graphs and their drafts.

mod add;
mod blocks;
mod check;
mod diff;
mod draft;
mod draw;
mod estimate;
mod export;
mod file;
mod import;
mod list;
pub(crate) mod pins;
mod rm;
mod run;
mod show;
mod source;
mod upgrade;
mod upgrades;
mod use_version;
mod versions;

use model::name::EntryName;

use self::draft::{apply, discard, drafts, edit, pack, patch, pin, rebase, unpack};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Arguments),
    #[command(visible_alias = "new")]
    Add(add::Arguments),
    Show(show::Arguments),
    Edit(edit::Arguments),
    Check(check::Arguments),
    Patch(patch::Arguments),
    Apply(apply::Arguments),
    Discard(discard::Arguments),
    Rebase(rebase::Arguments),
    Drafts(drafts::Arguments),
    Pack(pack::Arguments),
    Unpack(unpack::Arguments),
    Versions(versions::Arguments),
    Use(use_version::Arguments),
    Diff(diff::Arguments),
    #[command(visible_alias = "remove")]
    Rm(rm::Arguments),
    Run(Box<run::Arguments>),
    Pin(pin::Arguments),
    Unpin(pin::UnpinArguments),
    Blocks(blocks::Arguments),
    Import(import::Arguments),
    Export(export::Arguments),
    Draw(draw::Arguments),
    Estimate(estimate::Arguments),
    Upgrades(upgrades::Arguments),
    Upgrade(upgrade::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::List(arguments) => list::run(session, brain, arguments).await,
        Command::Add(arguments) => add::run(session, brain, arguments).await,
        Command::Show(arguments) => show::run(session, brain, &arguments).await,
        Command::Edit(arguments) => edit::run(session, brain, arguments).await,
        Command::Check(arguments) => check::run(session, brain, &arguments).await,
        Command::Patch(arguments) => patch::run(session, brain, &arguments).await,
        Command::Apply(arguments) => apply::run(session, brain, &arguments).await,
        Command::Discard(arguments) => discard::run(session, brain, &arguments).await,
        Command::Rebase(arguments) => rebase::run(session, brain, &arguments).await,
        Command::Drafts(arguments) => drafts::run(session, brain, &arguments).await,
        Command::Pack(arguments) => pack::run(session, brain, arguments).await,
        Command::Unpack(arguments) => unpack::run(session, brain, &arguments).await,
        Command::Versions(arguments) => versions::run(session, brain, &arguments).await,
        Command::Use(arguments) => use_version::run(session, brain, &arguments).await,
        Command::Diff(arguments) => diff::run(session, brain, &arguments).await,
        Command::Rm(arguments) => rm::run(session, brain, arguments).await,
        Command::Run(arguments) => run::run(session, brain, *arguments).await,
        Command::Pin(arguments) => pin::run(session, brain, arguments).await,
        Command::Unpin(arguments) => pin::unpin(session, brain, arguments).await,
        Command::Blocks(arguments) => blocks::run(session, brain, &arguments).await,
        Command::Import(arguments) => import::run(session, brain, arguments).await,
        Command::Export(arguments) => export::run(session, brain, &arguments).await,
        Command::Draw(arguments) => draw::run(session, brain, &arguments).await,
        Command::Estimate(arguments) => estimate::run(session, brain, &arguments).await,
        Command::Upgrades(arguments) => upgrades::run(session, brain, &arguments).await,
        Command::Upgrade(arguments) => upgrade::run(session, brain, &arguments).await,
    }
}

/// A name as it was typed. What is no name is refused by the rule for names, with its hint.
fn name(text: &str) -> Result<EntryName, Error> {
    Ok(EntryName::new(text).map_err(server::Error::from)?)
}
