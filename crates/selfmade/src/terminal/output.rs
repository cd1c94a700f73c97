//! Where words go: data to standard output, everything else to standard error; as text or as JSON; coloured or not.

use std::io::{ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use jiff::Timestamp;
use serde::Serialize;
use server::clock::Clock;

use super::style::{DIM, HINT, WARNING, paint, printable};
use super::time;
use crate::cli::{Globals, Traceback, When};
use crate::error::Error;

#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) verbose: bool,
    pub(crate) traceback: Traceback,
    quiet: bool,
    color: ColorChoice,
    pub(crate) screen: Screen,
}

/// What is known of where the data is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// How many columns there are; none if it is not a terminal.
    pub(crate) width: Option<usize>,
    /// A terminal is read now, so that times can be told from now; a file may be read at any time.
    now: Option<Timestamp>,
}

impl Screen {
    pub(crate) fn time(&self, time: Timestamp) -> String {
        match self.now {
            Some(now) => time::relative(time, now),
            None => time::exact(time),
        }
    }

    /// With some columns taken for an indentation.
    pub(crate) fn indented(self, columns: usize) -> Screen {
        Screen { width: self.width.map(|width| width.saturating_sub(columns)), ..self }
    }

    #[cfg(test)]
    pub(crate) fn of_width(width: usize) -> Screen {
        Screen { width: Some(width), now: None }
    }
}

impl Output {
    pub(crate) fn new(globals: &Globals) -> Output {
        let color = match globals.color {
            When::Auto => ColorChoice::Auto,
            When::Always => ColorChoice::Always,
            When::Never => ColorChoice::Never,
        };
        // What clap and the panic hook print follows the same choice.
        color.write_global();
        let terminal = std::io::stdout().is_terminal();
        let screen = Screen {
            width: terminal.then(|| usize::from(console::Term::stdout().size().1)),
            now: terminal.then(|| Clock::System.now()),
        };
        let Globals { json, verbose, quiet, traceback, .. } = *globals;
        Output { json, verbose, traceback, quiet, color, screen }
    }

    /// The answer: one JSON document, or the text of it.
    pub(crate) fn answer<T: Serialize>(
        &self,
        document: &T,
        text: impl FnOnce(&Screen) -> String,
    ) -> Result<(), Error> {
        if !self.json {
            return self.data(&text(&self.screen));
        }
        let mut json = serde_json::to_string_pretty(document).map_err(|source| Error::Json { source })?;
        json.push('\n');
        written(std::io::stdout().lock().write_all(json.as_bytes()))
    }

    /// Text on standard output.
    pub(crate) fn data(&self, text: &str) -> Result<(), Error> {
        let mut stdout = AutoStream::new(std::io::stdout().lock(), self.color);
        written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// One more text on standard output, of any number. Says whether someone still reads.
    pub(crate) fn stream(&self, text: &str) -> Result<bool, Error> {
        let mut stdout = AutoStream::new(std::io::stdout().lock(), self.color);
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            result => written(result).map(|()| true),
        }
    }

    /// Bytes on standard output as they are, unless a terminal would act on them.
    pub(crate) fn raw(&self, text: &str) -> Result<(), Error> {
        let mut stdout = std::io::stdout().lock();
        let shown = if self.screen.width.is_some() { printable(text) } else { text.to_owned() };
        written(stdout.write_all(shown.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// What was done, for a person.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.talks() {
            return;
        }
        self.say(text.as_ref());
    }

    /// What is only good to know.
    pub(crate) fn aside(&self, text: impl AsRef<str>) {
        self.note(paint(DIM, text));
    }

    /// Something to look at, though it was done.
    pub(crate) fn warning(&self, text: impl AsRef<str>) {
        if !self.json {
            self.say(&format!("{} {}", paint(WARNING, "warning:"), printable(text.as_ref())));
        }
    }

    pub(crate) fn hint(&self, text: impl AsRef<str>) {
        self.note(format!("{} {}", paint(HINT, "hint:"), printable(text.as_ref())));
    }

    /// A text with its own colours; told also when quiet, but not beside JSON.
    pub(crate) fn report(&self, text: &str) {
        if !self.json {
            self.say(text);
        }
    }

    pub(crate) fn error(&self, error: &Error) {
        let text = if self.json { error.json() } else { error.text() };
        self.say(&text);
    }

    /// Whether there is a person to talk to.
    pub(crate) fn talks(&self) -> bool {
        !self.json && !self.quiet
    }

    fn say(&self, text: &str) {
        let mut stderr = AutoStream::new(std::io::stderr().lock(), self.color);
        // There is nobody left to tell if this fails.
        writeln!(stderr, "{}", text.trim_end_matches('\n')).ok();
    }
}

fn written(result: std::io::Result<()>) -> Result<(), Error> {
    match result {
        Ok(()) => Ok(()),
        // Whoever reads has seen enough; what was asked for is done all the same.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(source) => Err(Error::Write { what: "the output".to_owned(), source }),
    }
}
