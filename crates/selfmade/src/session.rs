//! One command at work: where it speaks, what it was told, and the brain it asks.

use std::path::Path;
use std::time::Duration;

use model::access::actor::Actor;
use server::Ctx;
use server::http_client::HttpClient;
use server::serve::announcement;
use store::Location;

use crate::client::{Brain, Local, Remote};
use crate::config::Settings;
use crate::error::Error;
use crate::terminal::interrupt::Interrupts;
use crate::terminal::output::Output;

/// A server of this machine answers at once; the brain can be used without it.
const ANSWER: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) output: Output,
    pub(crate) settings: Settings,
    pub(crate) interrupts: Interrupts,
}

impl Session {
    /// The server that was named; else the one that serves the brain of the data folder; else that brain, making both where
    /// there are none.
    pub(crate) async fn open(&self) -> Result<Brain, Error> {
        if let Some(server) = &self.settings.server {
            let remote = Remote::new(&server.url, server.token.as_ref(), self.http_client()?)?;
            return Ok(Brain::Remote(Box::new(remote)));
        }
        match self.served().await? {
            Some(brain) => Ok(brain),
            None => self.open_here().await.map(|local| Brain::Local(Box::new(local))),
        }
    }

    /// The brain of the data folder itself, whoever serves it.
    pub(crate) async fn open_here(&self) -> Result<Local, Error> {
        self.open_in(&self.settings.home.path).await
    }

    pub(crate) async fn open_in(&self, home: &Path) -> Result<Local, Error> {
        make_folder(home)?;
        let config = self.settings.config(home)?;
        let (location, serve) = (config.database.clone(), config.serve.clone());
        let is_new = matches!(&location, Location::Sqlite(path) if !path.exists());
        let is_usual = location == Location::Sqlite(home.join("brain.db"));
        Ok(Local::new(Ctx::open(config).await?, location, serve, is_usual, is_new))
    }

    /// With the certificate authorities and the proxy that the data folder or the environment names.
    pub(crate) fn http_client(&self) -> Result<HttpClient, Error> {
        Ok(HttpClient::new(self.settings.config(&self.settings.home.path)?.http_client))
    }

    /// As it may be shown: without a password.
    pub(crate) fn database(&self) -> Result<String, Error> {
        Ok(Local::shown(&self.settings.config(&self.settings.home.path)?.database))
    }

    /// The server of this brain, if it answers to the key it left in the data folder.
    async fn served(&self) -> Result<Option<Brain>, Error> {
        let home = &self.settings.home.path;
        if !home.is_dir() {
            return Ok(None);
        }
        let Some(found) = announcement::find(home)? else { return Ok(None) };
        if !found.serves(&self.settings.config(home)?.database) {
            return Ok(None);
        }
        let url = format!("http://{}", found.address);
        let Ok(mut remote) = Remote::new(&url, Some(&found.key), self.http_client()?) else {
            return Ok(None);
        };
        remote.found = Some(found.pid);
        let brain = Brain::Remote(Box::new(remote));
        let asked = tokio::time::timeout(ANSWER, brain.caller()).await;
        let is_ours = asked.is_ok_and(|answer| answer.is_ok_and(|caller| caller.actor == Actor::CommandLine));
        Ok(is_ours.then_some(brain))
    }

    /// Says which brain is used, and whether it is a new one.
    pub(crate) fn introduce(&self, brain: &Brain) {
        let home = &self.settings.home;
        let text = match brain {
            Brain::Local(local) => {
                let made = if local.is_new { "; created just now" } else { "" };
                let kept =
                    if local.is_usual { String::new() } else { format!(", kept in {}", local.database) };
                format!("brain: {} ({}{made}){kept}", home.path.display(), home.why)
            }
            Brain::Remote(remote) => match remote.found {
                Some(pid) => {
                    let (folder, why, url) = (home.path.display(), &home.why, &remote.url);
                    format!("brain: {folder} ({why}), served at {url} by process {pid}")
                }
                None => format!("brain: {} ({})", remote.url, self.server_why()),
            },
        };
        self.output.aside(text);
        if let Brain::Remote(remote) = brain
            && remote.is_open()
        {
            self.output.warning(format!(
                "the token is sent to {} without encryption; use a URL that begins with https://",
                remote.url
            ));
        }
    }

    /// Why that server is asked.
    pub(crate) fn server_why(&self) -> &'static str {
        match &self.settings.server {
            Some(server) if server.by_option => "given by --server",
            _ => "given by SELFMADE_SERVER",
        }
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
