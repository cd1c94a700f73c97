//! `selfmade demo build`: what a build is like, without a language model: its answers are a recording, everything else is real.

use model::budget;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::cafe::Stage;
use super::recording::{Answer, Recording};
use super::tell_commands;
use crate::client::Brain;
use crate::commands::agent;
use crate::config::Why;
use crate::error::{Error, Exit};
use crate::session::Session;

const RECORDING: &str = include_str!("../../../demos/build.json");

/// Watch the agent build a function, from a recording of a language model
///
/// Only the model's answers are recorded. The searches, the tests in cells and the checks are made now, and the first
/// candidate really fails. The brain is temporary, unless --home names one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade demo build
  selfmade demo build --home ./demo     keep the brain, to look around in it")]
pub(crate) struct Arguments {}

#[derive(Deserialize)]
struct Demo {
    goal: String,
    examples: Vec<String>,
    answers: Vec<Answer>,
}

pub(crate) async fn run(session: &Session) -> Result<Exit, Error> {
    let demo: Demo = serde_json::from_str(RECORDING).map_err(|error| Error::Input {
        problem: format!("the recording of the demo cannot be read: {error}"),
        hint: "report this: it is a mistake in selfmade".to_owned(),
    })?;
    let recording = Recording::serve(demo.answers).await?;
    let mut stage = Stage::of(session)?;
    let settings = &mut stage.session.settings;
    settings.given = std::mem::take(&mut settings.given)
        .flag("model_url", Some(format!("http://{}/v1", recording.address)))
        .flag("model_name", Some("recording".to_owned()));
    let brain = Brain::Local(Box::new(stage.session.open_here().await?));
    let done = show(&stage.session, &brain, &demo.goal, &demo.examples).await;
    brain.close().await;
    done
}

async fn show(session: &Session, brain: &Brain, goal: &str, examples: &[String]) -> Result<Exit, Error> {
    let output = &session.output;
    session.introduce(brain);
    output.note("This is a recording: what the language model says was recorded. The searches, tests and checks are made now.");
    let shown: String = examples.iter().map(|example| format!(" --example '{example}'")).collect();
    output.note(format!("$ selfmade build '{goal}'{shown}"));
    let input: Map<String, Value> =
        [("goal".to_owned(), goal.into()), ("examples".to_owned(), json!(examples))].into_iter().collect();
    let exit = agent::build::build(session, brain, input, budget::Limits::default(), true).await?;
    if session.settings.home.why == Why::Demo {
        output.note(
            "The brain of this demo is gone now; `selfmade model add` configures a model for your own.",
        );
    } else {
        output.note("Look at:");
        tell_commands(
            session,
            &[
                ("agent show last:build", "the build again"),
                ("log", "the change it made"),
                ("test", "its tests"),
            ],
        );
    }
    Ok(exit)
}
