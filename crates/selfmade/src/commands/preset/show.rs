//! `selfmade preset show`: one preset.

use model::name::EntryName;
use serde_json::Value;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::run::value;

/// Show a preset, and whether it fits what is live
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade preset show news morning")]
pub(crate) struct Arguments {
    /// The function or graph
    function: EntryName,
    /// The name of the preset
    preset: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let view = brain.preset(&arguments.function, &arguments.preset).await?;
    session.output.answer(&view, |_| {
        let lines = value(&Value::Object(view.preset.input.clone()));
        lines.iter().map(|line| format!("{line}\n")).collect()
    })?;
    if !view.open.is_empty() {
        session.output.note(format!("whoever runs it states `{}`", view.open.join("`, `")));
    }
    if let Some(problem) = &view.problem {
        session.output.warning(format!("it cannot be run as it is: {problem}"));
    }
    Ok(Exit::Done)
}
