//! `selfmade doctor`: what this machine offers to keep foreign code in its place, and what to do about what is missing.

use sandbox::{Config, Layer, Sandbox};

use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{ERROR, WARNING, paint};

pub(crate) async fn run(session: &Session) -> Result<Exit, Error> {
    let layers = Sandbox::examine(&Config::default()).await?;
    session.output.answer(&layers, |_| layers.iter().map(line).collect())?;
    let missing: Vec<&Layer> = layers.iter().filter(|layer| !layer.available).collect();
    for layer in &missing {
        if let Some(advice) = &layer.what_to_do {
            session.output.hint(format!("{}: {advice}", layer.name));
        }
    }
    // A machine that lacks a layer is not broken, but whoever asks in a script wants to know.
    Ok(if missing.iter().any(|layer| layer.required) { Exit::Unavailable } else { Exit::Done })
}

fn line(layer: &Layer) -> String {
    let state = match (layer.available, layer.required) {
        (true, _) => "yes    ".to_owned(),
        (false, true) => paint(ERROR, "missing").to_string(),
        (false, false) => paint(WARNING, "without").to_string(),
    };
    let why = layer.why_not.as_ref().map(|why| format!("  ({why})")).unwrap_or_default();
    format!("{state}  {}{why}\n", layer.name)
}
