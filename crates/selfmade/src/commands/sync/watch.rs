//! Syncs whenever a file or the brain changes.

use std::path::Path;
use std::time::{Duration, SystemTime};

use model::revision::Revision;

use super::{Arguments, entry_paths, once};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// How long after saving a file somebody waits at most. File systems do not tell of changes in a way that works on all of them.
const EVERY: Duration = Duration::from_millis(500);

#[derive(PartialEq)]
struct Seen {
    files: Vec<(String, Option<SystemTime>, u64)>,
    revision: Revision,
}

pub(super) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let stopped = session.interrupts.cancelling();
    let mut ticks = tokio::time::interval(EVERY);
    let mut last = None;
    session.output.note("syncing whenever something changes; Ctrl-C stops");
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stopped.cancelled() => return Ok(Exit::Done),
        }
        let now = Seen { files: files(&arguments.dir)?, revision: brain.holds().await?.revision };
        if last.as_ref() == Some(&now) {
            continue;
        }
        last = Some(now);
        // What does not pass its checks is mended in an editor, and tried again when it is saved.
        if let Err(error) = once(session, brain, arguments).await {
            session.output.error(&error);
        }
    }
}

fn files(folder: &Path) -> Result<Vec<(String, Option<SystemTime>, u64)>, Error> {
    let seen = |path: String| {
        let metadata = std::fs::metadata(folder.join(&path)).ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        (path, modified, metadata.map_or(0, |metadata| metadata.len()))
    };
    Ok(entry_paths(folder)?.into_iter().map(seen).collect())
}
