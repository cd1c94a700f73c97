//! `selfmade init`: a brain that belongs to a folder.

use std::path::PathBuf;

use serde_json::json;

use crate::config::{PROJECT_FOLDER, Why};
use crate::error::{Error, Exit};
use crate::session::Session;

/// Create a brain for a folder
///
/// Commands in that folder and below use it. The brain is the subfolder `.selfmade`, which git ignores.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade init             a brain for this folder, in .selfmade
  selfmade init projects/a  a brain for that folder")]
pub(crate) struct Arguments {
    /// The folder the brain is for [default: the current one]
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
        session.output.note("created a brain there; commands in that folder and below use it");
    } else {
        session.output.note("there is already a brain; nothing was changed");
    }
    if session.settings.home.why == Why::Variable {
        session.output.warning("SELFMADE_HOME is set and takes precedence until it is unset");
    }
    brain.ctx.close().await;
    Ok(Exit::Done)
}

fn home(session: &Session, dir: Option<PathBuf>) -> Result<PathBuf, Error> {
    let given = session.settings.home.why == Why::Option;
    match dir {
        Some(dir) if given => Err(Error::Input {
            problem: format!("both `--home` and `{}` say where to create the brain", dir.display()),
            hint: "omit one of them: `--home` is the data folder itself, the other is the folder to create it in".to_owned(),
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
        hint: format!("create it first with `mkdir -p {}`", dir.display()),
    }
}
