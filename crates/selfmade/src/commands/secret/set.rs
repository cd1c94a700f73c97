//! `selfmade secret set`: a value from the terminal, standard input or a file; never from the command line, where
//! other users and the shell's history would see it.

use std::io::IsTerminal;
use std::path::PathBuf;

use model::access::secret::{MAX_SECRET_BYTES, check_secret, check_secret_name};
use secrecy::{ExposeSecret, SecretBox};
use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::terminal::prompt;

/// Store a secret, or give it a new value
///
/// The value is prompted for without echo, or read from standard input or a file; one trailing line break is
/// ignored. It cannot be given on the command line, where others could see it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade secret set openai_api_key
  pass show openai | selfmade secret set openai_api_key
  selfmade secret set openai_api_key --host api.openai.com
  selfmade secret set tls_key --value-file key.pem")]
pub(crate) struct Arguments {
    /// The name that functions use for it, a Python identifier
    name: String,
    /// Read the value from this file
    #[arg(long, value_name = "FILE")]
    value_file: Option<PathBuf>,
    /// Seal it for this host (`host`, `host:port` or `*.domain`; may be repeated): functions get a placeholder, and the value
    /// is inserted on the way to the host, so no function ever sees it
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// Give functions the value again, if it was sealed for hosts
    #[arg(long, conflicts_with = "host")]
    any_host: bool,
}

impl Arguments {
    /// None where it stays as it was.
    fn hosts(&self) -> Option<&[String]> {
        (self.any_host || !self.host.is_empty()).then_some(&self.host)
    }
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    // Asked before the value is: nobody wants to type one for nothing.
    check_secret_name(name).map_err(server::Error::from)?;
    let value = SecretBox::new(Box::new(without_line_end(value(session, &arguments)?)));
    check_secret(name, value.expose_secret()).map_err(server::Error::from)?;
    brain.set_secret(name, &value, arguments.hosts()).await?;
    session.output.answer(&json!({ "name": name }), |_| String::new())?;
    let hosts = if arguments.host.is_empty() {
        String::new()
    } else {
        format!(", sealed for {}", arguments.host.join(", "))
    };
    session.output.note(format!("secret `{name}` is stored, encrypted{hosts}"));
    Ok(Exit::Done)
}

fn value(session: &Session, arguments: &Arguments) -> Result<Vec<u8>, Error> {
    if let Some(path) = &arguments.value_file {
        return files::read(path);
    }
    if std::io::stdin().is_terminal() {
        let question = format!("Value of `{}` (not shown): ", arguments.name);
        return prompt::hidden(&question, MAX_SECRET_BYTES + 2, &session.interrupts);
    }
    Ok(files::read_file(files::STDIN)?.bytes)
}

fn without_line_end(mut value: Vec<u8>) -> Vec<u8> {
    if value.ends_with(b"\n") {
        value.pop();
        if value.ends_with(b"\r") {
            value.pop();
        }
    }
    value
}
