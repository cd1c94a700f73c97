//! One command at work: where it speaks, what it was told, and the brain it opened.

use std::path::Path;

use model::actor::Actor;
use server::{Config, Ctx};
use store::Location;

use crate::config::Settings;
use crate::error::Error;
use crate::interrupt::Interrupts;
use crate::output::Output;

/// Whoever types here.
pub(crate) const ACTOR: Actor = Actor::CommandLine;

#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) output: Output,
    pub(crate) settings: Settings,
    pub(crate) interrupts: Interrupts,
}

/// An open brain.
pub(crate) struct Brain {
    pub(crate) ctx: Ctx,
    pub(crate) location: Location,
    /// As it may be shown: without a password.
    pub(crate) database: String,
    /// Whether the database is where it is unless configured.
    is_usual: bool,
    /// Whether the database was made just now.
    pub(crate) is_new: bool,
}

impl Session {
    /// Opens the brain of the data folder, making both where there are none.
    pub(crate) async fn open(&self) -> Result<Brain, Error> {
        self.open_in(&self.settings.home.path).await
    }

    pub(crate) async fn open_in(&self, home: &Path) -> Result<Brain, Error> {
        make_folder(home)?;
        let settings = &self.settings;
        let config = Config::of(home.to_owned(), settings.database.clone(), settings.secrets_key.clone());
        let mut config = config.map_err(server::Error::from)?;
        config.cells.environments.path = settings.path.clone();
        config.cells.sandbox.allow_weaker |= settings.allow_weaker_sandbox;
        let is_new = matches!(&config.database, Location::Sqlite(path) if !path.exists());
        let is_usual = config.database == Location::Sqlite(home.join("brain.db"));
        let database = match &config.database {
            Location::Sqlite(path) => path.display().to_string(),
            server @ Location::Postgres(_) => format!("PostgreSQL at {server}"),
        };
        let location = config.database.clone();
        Ok(Brain { ctx: Ctx::open(config).await?, location, database, is_usual, is_new })
    }

    /// Says which brain is used, and whether it is a new one.
    pub(crate) fn introduce(&self, brain: &Brain) {
        let home = &self.settings.home;
        let made = if brain.is_new { "; made just now" } else { "" };
        let database = if brain.is_usual { String::new() } else { format!(", kept in {}", brain.database) };
        self.output.aside(format!("brain: {} ({}{made}){database}", home.path.display(), home.why));
    }
}

/// Only its owner looks into it.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    if path.exists() && !path.is_dir() {
        return Err(Error::NotAFolder { path: path.to_owned() });
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| Error::write(path, source))
}
