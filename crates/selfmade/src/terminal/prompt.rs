//! Asks at the terminal; for a secret, without showing what is typed.

use std::io::{BufRead, BufReader, Read, Write};

use super::interrupt::Interrupts;
use crate::error::Error;

/// Asks at the terminal itself, so that neither standard output nor a redirected input is in the way.
#[cfg(unix)]
pub(crate) fn hidden(question: &str, limit: usize, interrupts: &Interrupts) -> Result<Vec<u8>, Error> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

    let failed = |source: std::io::Error| Error::Read { what: "the terminal".to_owned(), source };
    let mut terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(failed)?;
    let before = tcgetattr(&terminal).map_err(|error| failed(error.into()))?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    silent.local_modes.insert(LocalModes::ECHONL);

    write!(terminal, "{question}").map_err(failed)?;
    let handle = std::sync::Arc::new(terminal.try_clone().map_err(failed)?);
    let restore = move || {
        tcsetattr(&*handle, OptionalActions::Flush, &before).ok();
    };
    interrupts.restoring(restore, || {
        tcsetattr(&terminal, OptionalActions::Flush, &silent).map_err(|error| failed(error.into()))?;
        let mut line = Vec::new();
        // One more than allowed, so that too much is noticed and not cut.
        BufReader::new(&terminal).take(limit as u64 + 1).read_until(b'\n', &mut line).map_err(failed)?;
        Ok(line)
    })
}

#[cfg(not(unix))]
pub(crate) fn hidden(_: &str, _: usize, _: &Interrupts) -> Result<Vec<u8>, Error> {
    Err(Error::Input {
        problem: "a secret cannot be typed here without being shown".to_owned(),
        hint: "pipe it in, or use `--value-file`".to_owned(),
    })
}

/// Asks a question and reads one line; that there is none is no answer.
pub(crate) fn question(question: &str) -> Result<String, Error> {
    let failed = |source: std::io::Error| Error::Read { what: "the terminal".to_owned(), source };
    let mut stderr = std::io::stderr().lock();
    write!(stderr, "{question}").and_then(|()| stderr.flush()).map_err(failed)?;
    let mut line = String::new();
    if std::io::stdin().lock().take(1 << 20).read_line(&mut line).map_err(failed)? == 0 {
        return Err(Error::Input {
            problem: "no answer was given".to_owned(),
            hint: "the run is still waiting; answer with `selfmade runs answer`".to_owned(),
        });
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Whether somebody says yes.
pub(crate) fn confirmed(text: &str) -> Result<bool, Error> {
    let answer = question(text)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
