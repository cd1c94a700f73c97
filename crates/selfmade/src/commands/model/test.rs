//! `selfmade model test`: what a language model takes, and whether it answers.

use model::llm::LlmName;
use server::app::models::TestedModel;

use super::show::lines;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Ask a language model a few small questions, and keep what it takes
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade model test local")]
pub(crate) struct Arguments {
    name: LlmName,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let tested = brain.test_model(&arguments.name).await?;
    report(session, &tested)?;
    Ok(Exit::Done)
}

pub(super) fn report(session: &Session, tested: &TestedModel) -> Result<(), Error> {
    session.output.answer(tested, |_| lines(&tested.model.model))?;
    let seconds = tested.duration_ms as f64 / 1000.0;
    let (tokens, cost) = (tested.usage.total(), tested.cost as f64 / 1e6);
    session.output.note(format!("it answers: {}", tested.said.trim()));
    session.output.note(format!("the questions took {seconds:.1} s, {tokens} tokens and ${cost:.4}"));
    for note in &tested.notes {
        session.output.warning(note.clone());
    }
    if tested.model.configured {
        session.output.note(
            "it is configured, not stored, so what it takes is not kept; `selfmade model add` stores one",
        );
    }
    Ok(())
}
