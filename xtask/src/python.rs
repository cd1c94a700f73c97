//! Finds a Python that is new enough.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process;

/// The oldest Python that the SDK and the packs support.
const OLDEST: (u32, u32) = (3, 10);

pub(crate) struct Python {
    program: String,
}

impl Python {
    pub(crate) fn find() -> Result<Python> {
        let mut seen = Vec::new();
        for program in ["python3", "python", "python3.13", "python3.12", "python3.11", "python3.10"] {
            let Ok(version) = process::read(Command::new(program).arg("--version")) else { continue };
            if parse(&version).is_some_and(|found| found >= OLDEST) {
                return Ok(Python { program: program.to_owned() });
            }
            seen.push(format!("`{program}` is {version}"));
        }
        if seen.is_empty() {
            seen.push("none was found on the PATH".to_owned());
        }
        bail!("Python 3.10 or newer is needed, but {}; install it and run this again", seen.join(", "))
    }

    /// The interpreter, leaving no compiled files behind in the source tree.
    pub(crate) fn command(&self) -> Command {
        let mut python = Command::new(&self.program);
        python.env("PYTHONDONTWRITEBYTECODE", "1");
        python
    }
}

/// The major and minor version in a line such as `Python 3.11.7`.
fn parse(line: &str) -> Option<(u32, u32)> {
    let mut parts = line.strip_prefix("Python ")?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(parse("Python 3.9.18").unwrap() < OLDEST);
        assert!(parse("Python 3.13.0rc1").unwrap() > OLDEST);
        assert_eq!(parse("Python 3.10.0"), Some(OLDEST));
        assert_eq!(parse("pyenv: python3: command not found"), None);
    }
}
