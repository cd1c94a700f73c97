//! `selfmade model show`: one language model.

use model::llm::{KeySource, Llm, LlmName, Role};

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::time;

/// Show a language model: how it is reached, and what it takes
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade model show local")]
pub(crate) struct Arguments {
    name: LlmName,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let view = brain.model(&arguments.name).await?;
    session.output.answer(&view, |_| lines(&view.model))?;
    Ok(Exit::Done)
}

/// A line for each thing that is known of it.
pub(super) fn lines(model: &Llm) -> String {
    let profile = &model.profile;
    let probed = match model.probed_at {
        Some(at) => time::exact(at),
        None => "never: what it takes is assumed".to_owned(),
    };
    let yes_no = |is_so: bool| if is_so { "yes" } else { "no" };
    let rows = [
        ("url", model.base_url.clone()),
        ("model", model.model_id.clone()),
        ("protocol", model.protocol.to_string()),
        ("key", key(&model.key)),
        ("roles", roles(model)),
        ("price", price(model)),
        ("tested", probed),
        ("tools", profile.tools.to_string()),
        ("schemas", profile.schema.to_string()),
        ("reasoning", profile.reasoning.to_string()),
        ("sampling", yes_no(profile.sampling).to_owned()),
        ("token limit", profile.token_limit.to_string()),
        ("cache", profile.cache.to_string()),
        ("streams", yes_no(profile.streams).to_owned()),
    ];
    rows.iter().map(|(name, value)| format!("{name:<12} {value}\n")).collect()
}

pub(super) fn key(key: &KeySource) -> String {
    match key {
        KeySource::None => "none".to_owned(),
        KeySource::Secret(secret) => format!("secret {secret}"),
        KeySource::Environment(variable) => format!("variable {variable}"),
    }
}

pub(super) fn roles(model: &Llm) -> String {
    model.roles.iter().map(|role: &Role| role.as_str()).collect::<Vec<_>>().join(", ")
}

/// Dollars for a million tokens.
fn price(model: &Llm) -> String {
    let dollars = |micro: u64| format!("${}", micro as f64 / 1e6);
    let price = &model.price;
    if price.input == 0 && price.output == 0 {
        return "none".to_owned();
    }
    let cached = price.cached.map(|cached| format!(", {} if cached", dollars(cached))).unwrap_or_default();
    format!("{} in{cached}, {} out, for a million tokens", dollars(price.input), dollars(price.output))
}
