//! A body while it is received: in memory while it is small, in a file once it is not. The file has no name, so nothing is
//! left of it when it is closed, even by a crash.

use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;

use super::json;
use crate::blocking::blocking;
use crate::error::Error;
use crate::http::problem::Problem;

/// Written to the file at once, and read from it.
const PIECE: usize = 1 << 20;

pub(crate) struct Spool {
    folder: PathBuf,
    most_held: usize,
    /// What is not in the file.
    held: Vec<u8>,
    file: Option<File>,
}

impl Spool {
    /// Holds so many bytes in memory; if there are more, all of it goes to a file in this folder.
    pub(crate) fn new(folder: PathBuf, most_held: usize) -> Spool {
        Spool { folder, most_held, held: Vec::new(), file: None }
    }

    pub(crate) async fn add(&mut self, data: &[u8]) -> Result<(), Problem> {
        self.held.extend_from_slice(data);
        let most = if self.file.is_some() { PIECE } else { self.most_held };
        if self.held.len() > most { self.write().await } else { Ok(()) }
    }

    /// All of it, ready to be parsed.
    pub(crate) async fn finish(mut self) -> Result<Spool, Problem> {
        if self.file.is_some() {
            self.write().await?;
        }
        Ok(self)
    }

    /// Puts into the file what is held.
    async fn write(&mut self) -> Result<(), Problem> {
        let (folder, held, file) = (self.folder.clone(), std::mem::take(&mut self.held), self.file.take());
        let written = blocking(move || {
            let mut file = match file {
                Some(file) => file,
                None => {
                    std::fs::create_dir_all(&folder)?;
                    tempfile::tempfile_in(&folder)?
                }
            };
            file.write_all(&held)?;
            Ok(file)
        });
        let failed = |source| Error::Write { path: self.folder.clone(), source };
        self.file = Some(written.await.map_err(failed)?);
        Ok(())
    }

    /// As it is. It reads a file, and blocks.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, Problem> {
        let Some(mut file) = self.file else { return Ok(self.held) };
        let mut bytes = Vec::new();
        let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
        read.map_err(|source| Error::Read { path: self.folder.clone(), source })?;
        Ok(bytes)
    }

    /// As JSON. It reads a file, and blocks.
    pub(crate) fn parse<T: DeserializeOwned>(self) -> Result<T, Problem> {
        let Some(mut file) = self.file else { return json::parse(&self.held) };
        let failed = |source| Error::Read { path: self.folder.clone(), source };
        file.rewind().map_err(failed)?;
        let parsed = serde_json::from_reader(BufReader::with_capacity(PIECE, file));
        // To say what is wrong with which field, all of it would have to be in memory.
        parsed.map_err(|error| json::unexplained(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_large_goes_through_a_file_that_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("uploads");
        let text = format!("[{}]", vec!["\"x\""; 1_000].join(","));
        for most_held in [10_000, 100, 0] {
            let mut spool = Spool::new(place.clone(), most_held);
            for piece in text.as_bytes().chunks(37) {
                spool.add(piece).await.unwrap();
                assert!(spool.file.is_some() || spool.held.len() <= most_held);
            }
            let spool = spool.finish().await.unwrap();
            assert_eq!(spool.file.is_some(), most_held < text.len());
            assert_eq!(spool.parse::<Vec<String>>().unwrap().len(), 1_000);
            assert_eq!(std::fs::read_dir(&place).map_or(0, Iterator::count), 0);
            let mut spool = Spool::new(place.clone(), most_held);
            spool.add(text.as_bytes()).await.unwrap();
            assert_eq!(spool.finish().await.unwrap().bytes().unwrap(), text.as_bytes());
        }
    }
}
