//! `selfmade init`: a brain that belongs to a folder.

use std::path::PathBuf;

use serde_json::json;

use crate::config::{PROJECT_FOLDER, Why};
use crate::error::{Error, Exit};
use crate::session::Session;

/// Make a brain of its own for a folder
///
/// Everything below that folder then uses it. The brain is the folder `.selfmade` in it, which git leaves alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade init             a brain for this folder, in .selfmade
  selfmade init projects/a  a brain for that folder")]
pub(crate) struct Arguments {
    /// The folder the brain is for [default: this one]
    dir: Option<PathBuf>,
}

pub(crate) async fn run(session: &Session, arguments: Arguments) -> Result<Exit, Error> {
    let home = home(session, arguments.dir)?;
    let was_there = home.is_dir();
    let brain = session.open_in(&home).await?;
    let made = !was_there || brain.is_new;
    if made {
        let ignore = home.join(".gitignore");
        std::fs::write(&ignore, "*\n").map_err(|source| Error::write(ignore, source))?;
    }
    let document = json!({ "home": home, "database": brain.database, "created": made });
    session.output.answer(&document, |_| format!("{}\n", home.display()))?;
    if made {
        session.output.note("made a brain there; commands in and below that folder use it");
    } else {
        session.output.note("there is a brain already; nothing was changed");
    }
    if session.settings.home.why == Why::Variable {
        session.output.warning("SELFMADE_HOME is set, and wins over it until it is unset");
    }
    brain.ctx.close().await;
    Ok(Exit::Done)
}

fn home(session: &Session, dir: Option<PathBuf>) -> Result<PathBuf, Error> {
    let given = session.settings.home.why == Why::Option;
    match dir {
        Some(dir) if given => Err(Error::Input {
            problem: format!("both `--home` and `{}` say where the brain shall be", dir.display()),
            hint: "leave one of them out: `--home` names the data folder itself, the other the folder it is made in".to_owned(),
        }),
        None if given => Ok(session.settings.home.path.clone()),
        Some(dir) => {
            let dir = session.settings.here.join(dir);
            if dir.is_dir() { Ok(dir.join(PROJECT_FOLDER)) } else { Err(no_folder(&dir)) }
        }
        None => Ok(session.settings.here.join(PROJECT_FOLDER)),
    }
}

fn no_folder(dir: &std::path::Path) -> Error {
    Error::Input {
        problem: format!("there is no folder `{}`", dir.display()),
        hint: format!("make it first, with `mkdir -p {}`", dir.display()),
    }
}
