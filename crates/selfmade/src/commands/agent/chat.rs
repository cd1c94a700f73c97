//! `selfmade chat`: a conversation with a language model that can use the brain.

use std::io::IsTerminal;

use serde_json::{Map, Value, json};

use super::{build, running};
use crate::client::Brain;
use crate::commands::budget::BudgetArguments;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::prompt;
use crate::terminal::style::printable;
use crate::views::{agent, run as run_view};

/// Talk with a language model that can search, run, draft and propose functions
///
/// It has the rights that you have, and what it changes is proposed like every other change. Without a message, it
/// asks for one until you enter an empty line. Each message is a run, shown by `runs list chat`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade chat
  selfmade chat 'which of my functions use the network?'")]
pub(crate) struct Arguments {
    /// One message; its answer goes to standard output
    message: Option<String>,
    /// The role or name of the model
    #[arg(long, default_value = "strong")]
    model: String,
    /// The most calls of the model for one message
    #[arg(long, value_name = "N", default_value_t = 20)]
    most_turns: u32,
    #[command(flatten)]
    budget: BudgetArguments,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let mut talk = Talk { session, brain, messages: json!([]), arguments };
    if let Some(message) = talk.arguments.message.take() {
        return talk.say(&message).await;
    }
    if !std::io::stdin().is_terminal() {
        return Err(Error::Input {
            problem: "there is no message, and nobody at a terminal who could be asked for one".to_owned(),
            hint: format!("`{} chat 'MESSAGE'`", session.settings.program),
        });
    }
    loop {
        let message = prompt::question("you> ")?;
        if message.trim().is_empty() {
            return Ok(Exit::Done);
        }
        talk.say(&message).await?;
    }
}

struct Talk<'a> {
    session: &'a Session,
    brain: &'a Brain,
    /// As the last answer returned them.
    messages: Value,
    arguments: Arguments,
}

impl Talk<'_> {
    async fn say(&mut self, message: &str) -> Result<Exit, Error> {
        let input = [
            ("message", message.into()),
            ("messages", self.messages.take()),
            ("most_turns", self.arguments.most_turns.into()),
            ("role", self.arguments.model.as_str().into()),
        ];
        let input: Map<String, Value> =
            input.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        let budget = self.arguments.budget.limits();
        let run = running::run(self.session, self.brain, "chat", input, budget).await?;
        let output = &self.session.output;
        let Some(account) = build::account(self.session, &run)? else { return run_view::ended(output, &run) };
        self.messages = account["messages"].clone();
        if !output.json {
            output.raw(&format!("{}\n", account["answer"].as_str().unwrap_or_default()))?;
        }
        output.aside(printable(&agent::cost(&account["spent"])));
        Ok(if account["ending"] == "done" { Exit::Done } else { Exit::RunFailed })
    }
}
