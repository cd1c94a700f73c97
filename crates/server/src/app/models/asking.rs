//! A model that is about to be asked: chosen by role or name, with its key at hand.

use model::access::secret::Secret;
use model::budget::Price;
use model::llm::choice::{ChoiceError, choose};
use model::llm::reply::usage_json;
use model::llm::{ChatRequest, KeySource, Llm, Protocol, Role, ToolMode, Usage, openai};
use secrecy::{ExposeSecret, SecretBox};
use serde_json::{Map, Value, json};

use super::known;
use crate::ctx::Ctx;
use crate::error::Error;
use crate::llm::{self, ModelConfig, ModelError, Probed, Reach};
use crate::secrets::opening::open_known;
use crate::secrets::redaction::Redaction;

/// With the key, which is nobody's but the model's server's.
pub(crate) struct OpenModel {
    pub(crate) model: Llm,
    key: Option<SecretBox<Vec<u8>>>,
    /// Strikes the key out of what the server shows.
    pub(crate) redaction: Redaction,
    is_configured: bool,
    /// Whether functions may name another model of the same server for a reply, and one for embeddings.
    takes_names: (bool, bool),
}

/// What a model answered, and what it took.
pub(crate) struct Asked {
    pub(crate) reply: Value,
    pub(crate) usage: Usage,
}

/// How far a request got that has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Nothing,
    /// The server refused it, which costs nothing.
    Refused,
    /// It may have been answered.
    Unknown,
}

impl Sent {
    pub(crate) fn of(error: &Error) -> Sent {
        match error {
            Error::Model(error) if error.is_input() => Sent::Nothing,
            Error::Model(ModelError::Refused { .. } | ModelError::Later { .. }) => Sent::Refused,
            _ => Sent::Unknown,
        }
    }
}

/// The model of a role or name, for code that asks it. A name that no model has is for `fallback`, where there is one: functions that are
/// written for another server name its models.
pub(crate) async fn open_for(ctx: &Ctx, wanted: &str, fallback: Option<Role>) -> Result<OpenModel, Error> {
    let views = known(ctx).await?;
    let configured = views.iter().any(|view| view.configured);
    let models: Vec<Llm> = views.into_iter().map(|view| view.model).collect();
    let chosen = match (choose(&models, wanted), fallback) {
        (Err(ChoiceError::Unknown { .. }), Some(role)) => choose(&models, role.as_str()),
        (chosen, _) => chosen,
    };
    let model = chosen.map_err(ModelError::from)?.clone();
    open(ctx, model, configured).await
}

/// A model with its key.
pub(crate) async fn open(ctx: &Ctx, model: Llm, configured: bool) -> Result<OpenModel, Error> {
    let config = &ctx.engine.config.model;
    let (label, key) = match &model.key {
        KeySource::None => (String::new(), None),
        KeySource::Environment(variable) => {
            let key = config.variables.get(variable).ok_or_else(|| ModelError::NoVariable {
                name: model.name.clone(),
                variable: variable.clone(),
            })?;
            (variable.clone(), Some(SecretBox::new(Box::new(key.expose_secret().as_bytes().to_vec()))))
        }
        KeySource::Secret(secret) => match open_known(ctx, secret).await {
            Ok((known, key)) => {
                check_seal(&model, &known)?;
                (secret.clone(), Some(key))
            }
            // A server of one's own may ask for none.
            Err(Error::Absent { .. }) if configured && config.url.is_some() => (String::new(), None),
            Err(Error::Absent { .. }) => {
                return Err(ModelError::NoSecret { name: model.name, secret: secret.clone() }.into());
            }
            Err(error) => return Err(error),
        },
    };
    let shown =
        key.as_ref().map(|key| String::from_utf8_lossy(key.expose_secret().trim_ascii()).into_owned());
    let redaction = Redaction::of(shown.as_deref().map(|key| (label.as_str(), key)));
    let takes_names = (configured && config.name.is_none(), configured);
    Ok(OpenModel { is_configured: configured, takes_names, model, key, redaction })
}

/// A secret that is sealed for hosts is sent to no other.
fn check_seal(model: &Llm, secret: &Secret) -> Result<(), ModelError> {
    let host = model.host();
    if secret.hosts.is_empty() || secret.is_sealed_for(&host) {
        return Ok(());
    }
    let (name, secret) = (model.name.clone(), secret.name.clone());
    Err(ModelError::SealedForOthers { name, secret, host })
}

impl OpenModel {
    pub(crate) async fn chat(
        &self,
        ctx: &Ctx,
        request: &ChatRequest,
        heard: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Asked, Error> {
        let reply = self.reach(ctx).chat(request, heard).await?;
        let usage = reply.usage;
        Ok(Asked { reply: reply.into_json(self.model.name.as_str(), &self.model.price), usage })
    }

    /// A request in the form of OpenAI's API. A model that speaks it gets it as it is.
    pub(crate) async fn complete(
        &self,
        ctx: &Ctx,
        mut request: Map<String, Value>,
        heard: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Asked, Error> {
        let named = self.naming(&request, self.takes_names.0);
        let reach = Reach { model: &named, ..self.reach(ctx) };
        let has_tools = request.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty());
        let speaks_it = named.protocol == Protocol::ChatCompletions
            && (!has_tools || named.profile.tools == ToolMode::Native);
        let (mut reply, usage, notes) = if speaks_it {
            let notes = openai::adapt(&mut request, &named.profile);
            let (whole, usage) = reach.pass(named.protocol.chat_path(), request).await?;
            (whole, usage, notes)
        } else {
            let request = openai::read(request).map_err(ModelError::from)?;
            let reply = reach.chat(&request, heard).await?;
            (openai::write(&reply, &named.model_id), reply.usage, reply.notes)
        };
        self.account(&mut reply, &usage, &notes);
        Ok(Asked { reply, usage })
    }

    /// A request for embeddings in the form of OpenAI's API.
    pub(crate) async fn embed(&self, ctx: &Ctx, request: Map<String, Value>) -> Result<Asked, Error> {
        let named = self.naming(&request, self.takes_names.1);
        let Some(path) = named.protocol.embeddings_path() else {
            let (name, protocol) = (named.name, named.protocol.as_str());
            return Err(ModelError::NoEmbeddings { name, protocol }.into());
        };
        let (mut reply, usage) = Reach { model: &named, ..self.reach(ctx) }.pass(path, request).await?;
        self.account(&mut reply, &usage, &[]);
        Ok(Asked { reply, usage })
    }

    /// What it costs, if that is known: it was stated, or the model is on this machine and costs nothing.
    pub(crate) fn known_price(&self, config: &ModelConfig) -> Option<Price> {
        if self.is_configured {
            return config.price;
        }
        let is_stated = self.model.price != Default::default();
        (is_stated || self.model.is_local()).then(|| Price::from(&self.model.price))
    }

    pub(crate) async fn probe(&self, ctx: &Ctx) -> Result<Probed, Error> {
        Ok(llm::probe(&Reach { is_test: true, ..self.reach(ctx) }).await?)
    }

    pub(crate) fn is_for_embeddings_alone(&self) -> bool {
        self.model.roles.iter().eq([&Role::Embed])
    }

    pub(crate) fn redacted(&self, text: &str) -> String {
        self.redaction.text(text).into_owned()
    }

    /// Beside what OpenAI's API has: which model it was, tokens and cost as `model.chat` has them, and notes.
    fn account(&self, reply: &mut Value, usage: &Usage, notes: &[String]) {
        if let Some(fields) = reply.as_object_mut() {
            let usage = usage_json(usage, &self.model.price);
            let account = json!({ "model": self.model.name, "usage": usage, "notes": notes });
            fields.insert("selfmade".to_owned(), account);
        }
    }

    /// The model that a function names, if the server's configuration leaves that to functions.
    fn naming(&self, request: &Map<String, Value>, takes_names: bool) -> Llm {
        let mut model = self.model.clone();
        if let (true, Some(name)) = (takes_names, request.get("model").and_then(Value::as_str)) {
            name.clone_into(&mut model.model_id);
        }
        model
    }

    fn reach<'a>(&'a self, ctx: &'a Ctx) -> Reach<'a> {
        Reach {
            client: &ctx.http_client,
            clock: &ctx.clock,
            model: &self.model,
            key: self.key.as_ref(),
            is_test: false,
        }
    }
}
