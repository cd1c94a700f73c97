//! SQLite: a file, one thread that writes it, a few connections that read it.
//!
//! `open` decides whether a file is ours, `migrate` updates its schema, `writer` commits in groups, `readers` read in
//! parallel, `session` runs statements, `parameters` maps values to parameters, and `fault` converts errors.

pub(crate) mod backup;
mod fault;
mod migrate;
mod open;
mod parameters;
mod readers;
mod session;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;

use self::readers::Readers;
pub(in crate::db) use self::writer::Maintenance;
use self::writer::Writer;
use super::announcer::Announcer;
use super::{Batch, Durability, Migration, Read, Row};
use crate::{Activity, Error};

#[derive(Clone)]
pub(crate) struct Sqlite {
    writer: Writer,
    readers: Readers,
}

impl Sqlite {
    pub(super) async fn open(
        path: &Path,
        migrations: &'static [Migration],
        announcer: &Announcer,
    ) -> Result<Sqlite, Error> {
        let (path, announcer) = (path.to_owned(), announcer.clone());
        let opening = tokio::task::spawn_blocking(move || {
            let session = open::open(&path, migrations)?;
            let readers = Readers::start(&path)?;
            Ok(Sqlite { writer: Writer::start(session, announcer)?, readers })
        });
        opening.await.unwrap_or(Err(Error::Closed))
    }

    /// Reads on the calling thread, by the connection that writes while nobody writes. A reader of a WAL database hardly ever
    /// has to wait; when this one has to, it leaves the waiting to a reader thread.
    pub(super) async fn look_up(&self, read: Read) -> Result<Vec<Row>, Error> {
        match self.writer.look_up(&read).unwrap_or_else(|| self.readers.inline(&read)) {
            Err(Error::Busy { .. }) => Ok(self.read(vec![read]).await?.pop().unwrap_or_default()),
            answer => answer,
        }
    }

    pub(super) async fn read(&self, reads: Vec<Read>) -> Result<Vec<Vec<Row>>, Error> {
        self.readers.read(reads).await
    }

    pub(super) async fn write(&self, batch: Batch, durability: Durability) -> Result<Vec<Vec<Row>>, Error> {
        self.writer.write(batch, durability).await
    }

    pub(super) async fn maintain(&self, what: Maintenance) -> Result<(), Error> {
        self.writer.maintain(what).await
    }

    pub(super) fn activity(&self) -> Activity {
        self.writer.activity()
    }

    /// The writer closes last: the last connection to go folds the write-ahead log into the file, and only the writer
    /// may write.
    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}
