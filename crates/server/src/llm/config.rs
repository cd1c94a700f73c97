//! The language model that is configured and not stored.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::access::actor::Actor;
use model::budget;
use model::llm::{KeySource, Llm, LlmName, Price, Profile, Protocol, Role};
use secrecy::SecretString;

/// Which language model functions use while none is stored.
#[derive(Clone, Debug)]
pub struct ModelConfig {
    /// `[model] url`: where the API begins, such as `http://127.0.0.1:11434/v1`; OpenAI's if absent.
    pub url: Option<String>,
    /// `[model] name`: asked for instead of what functions name.
    pub name: Option<String>,
    /// `[model] key`: the secret that is sent as the key.
    pub key: String,
    /// `[model] price`: what it costs, if that is known.
    pub price: Option<budget::Price>,
    /// Variables of the environment that may hold keys of stored models: those whose names end in `_API_KEY`.
    pub variables: BTreeMap<String, SecretString>,
}

impl Default for ModelConfig {
    fn default() -> ModelConfig {
        let key = "openai_api_key".to_owned();
        ModelConfig { url: None, name: None, key, price: None, variables: BTreeMap::new() }
    }
}

const OPENAI: &str = "https://api.openai.com/v1";
/// What the configured model is called.
const DEFAULT: &str = "default";
/// Asked for where neither the configuration nor the function names a model.
const USUAL_ID: &str = "gpt-4o-mini";

impl ModelConfig {
    /// As if it were stored, for every role. What it takes is not probed.
    pub fn as_model(&self) -> Option<Llm> {
        Some(Llm {
            name: LlmName::new(DEFAULT).ok()?,
            protocol: Protocol::ChatCompletions,
            base_url: self.url.clone().unwrap_or_else(|| OPENAI.to_owned()),
            model_id: self.name.clone().unwrap_or_else(|| USUAL_ID.to_owned()),
            key: KeySource::Secret(self.key.clone()),
            roles: Role::ALL.iter().copied().collect(),
            price: self.price.map(Price::from).unwrap_or_default(),
            profile: Profile::usual(Protocol::ChatCompletions),
            probed_at: None,
            updated_at: Timestamp::UNIX_EPOCH,
            updated_by: Actor::CommandLine,
        })
    }
}
