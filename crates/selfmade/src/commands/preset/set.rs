//! `selfmade preset set`: adds a preset, or replaces one.

use model::name::EntryName;

use crate::client::Brain;
use crate::commands::run::named;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Store a named input of a function or graph, or replace one
///
/// Required parameters may be left out; whoever runs it states them. Do not put secrets into presets: grant them to the
/// function.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade preset set news morning --arg topic=rust --arg count=5
  selfmade preset set report weekly --input weekly.json")]
pub(crate) struct Arguments {
    /// The function or graph
    function: EntryName,
    /// The name of the preset
    preset: String,
    /// An argument by name, as JSON or text
    #[arg(long = "arg", short, value_name = "NAME=VALUE")]
    named: Vec<String>,
    /// Read the arguments from a file with a JSON object; - is standard input
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let view = brain.callable(&arguments.function, None).await?;
    let input = named(arguments.input.as_deref(), &arguments.named, Some(&view.signature))?;
    let preset = brain.put_preset(&arguments.function, &arguments.preset, &input).await?;
    session.output.answer(&preset, |_| String::new())?;
    let (function, name) = (&arguments.function, &arguments.preset);
    session.output.note(format!("`selfmade run {function} --preset \"{name}\"` runs it"));
    Ok(Exit::Done)
}
