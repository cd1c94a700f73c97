//! `selfmade model add`: a language model, and what it takes.

use model::llm::profile::{Profile, Protocol, Reasoning, ToolMode};
use model::llm::{KeySource, LlmName, Price, Role};
use server::app::models::NewModel;

use super::test::report;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Add a language model, or replace one, and find out what it takes
///
/// It is asked a few small questions, unless `--no-test` is given; what it takes is kept, so that nothing it does not take is sent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade model add local --url http://127.0.0.1:11434/v1 --model qwen2.5-coder:7b --role strong --role fast
  selfmade model add gpt --url https://api.openai.com/v1 --model gpt-5 --key-secret openai_api_key --price-input 1.25 --price-output 10
  selfmade model add claude --url https://api.anthropic.com/v1 --model claude-opus-5 --key-env ANTHROPIC_API_KEY")]
pub(crate) struct Arguments {
    /// What you call it
    name: LlmName,
    /// Where its API begins
    #[arg(long, value_name = "URL")]
    url: String,
    /// What its server calls it
    #[arg(long, value_name = "ID")]
    model: String,
    /// chat_completions, responses or messages [default: told by the URL]
    #[arg(long)]
    protocol: Option<Protocol>,
    /// What it is for: strong, fast or embed; may be repeated. A role is taken from the model that has it
    #[arg(long)]
    role: Vec<Role>,
    /// The secret that is sent as its key
    #[arg(long, value_name = "SECRET", conflicts_with = "key_env")]
    key_secret: Option<String>,
    /// The variable of the server's environment that is sent as its key; its name ends in `_API_KEY`
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// Dollars for a million tokens of input
    #[arg(long, value_name = "DOLLARS", value_parser = micro_dollars)]
    price_input: Option<u64>,
    /// Dollars for a million tokens that its server had cached [default: as input]
    #[arg(long, value_name = "DOLLARS", value_parser = micro_dollars)]
    price_cached: Option<u64>,
    /// Dollars for a million tokens that its server writes to its cache [default: as input]
    #[arg(long, value_name = "DOLLARS", value_parser = micro_dollars)]
    price_written: Option<u64>,
    /// Dollars for a million tokens of output
    #[arg(long, value_name = "DOLLARS", value_parser = micro_dollars)]
    price_output: Option<u64>,
    /// How it calls tools, if it is not tested: native, schema or fenced
    #[arg(long, requires = "no_test")]
    tools: Option<ToolMode>,
    /// How it is told how hard to think, if it is not tested: none, effort or adaptive
    #[arg(long, requires = "no_test")]
    reasoning: Option<Reasoning>,
    /// Ask it nothing now
    #[arg(long)]
    no_test: bool,
}

/// Of a number of dollars.
fn micro_dollars(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a price; write dollars for a million tokens, such as `0.25`");
    let dollars: f64 = text.parse().map_err(|_| wrong())?;
    if !(0.0..=1e6).contains(&dollars) {
        return Err(wrong());
    }
    Ok((dollars * 1e6).round() as u64)
}

impl Arguments {
    fn new_model(&self) -> NewModel {
        let protocol = self.protocol.unwrap_or_else(|| Protocol::likely(&self.url));
        let key = match (&self.key_secret, &self.key_env) {
            (Some(secret), _) => KeySource::Secret(secret.clone()),
            (_, Some(variable)) => KeySource::Environment(variable.clone()),
            _ => KeySource::None,
        };
        let usual = Profile::usual(protocol);
        let profile = (self.tools.is_some() || self.reasoning.is_some()).then(|| Profile {
            tools: self.tools.unwrap_or(usual.tools),
            reasoning: self.reasoning.unwrap_or(usual.reasoning),
            ..usual
        });
        NewModel {
            base_url: self.url.clone(),
            model_id: self.model.clone(),
            protocol: Some(protocol),
            key: Some(key),
            roles: self.role.iter().copied().collect(),
            price: Price {
                input: self.price_input.unwrap_or(0),
                cached: self.price_cached,
                written: self.price_written,
                output: self.price_output.unwrap_or(0),
            },
            profile,
        }
    }
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    let view = brain.put_model(name, &arguments.new_model()).await?;
    if arguments.no_test {
        session.output.answer(&view, |_| String::new())?;
        session
            .output
            .note(format!("model `{name}` is stored; `selfmade model test {name}` finds out what it takes"));
        return Ok(Exit::Done);
    }
    session.output.note(format!("model `{name}` is stored; it is asked a few small questions now"));
    let tested = brain.test_model(name).await?;
    report(session, &tested)?;
    Ok(Exit::Done)
}
