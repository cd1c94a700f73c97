//! `selfmade completions SHELL`: a script for the shell to load.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Print shell completions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade completions bash > ~/.local/share/bash-completion/completions/selfmade
  selfmade completions zsh > ~/.zfunc/_selfmade
  selfmade completions fish > ~/.config/fish/completions/selfmade.fish")]
pub(crate) struct Arguments {
    shell: Shell,
}

pub(crate) fn run(session: &Session, arguments: &Arguments) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "selfmade", &mut script);
    session.output.raw(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
