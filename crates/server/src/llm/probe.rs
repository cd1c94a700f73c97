//! Finds out what a model takes, by asking it a few small questions (`model::llm::probe`).

use model::llm::probe;
use model::llm::{
    CacheMode, ChatReply, ChatRequest, Llm, Profile, Protocol, Reasoning, SchemaMode, TokenLimit, ToolMode,
    Usage, wire,
};

use super::error::ModelError;
use super::exchange::Reach;

/// What was found out.
pub(crate) struct Probed {
    pub(crate) profile: Profile,
    /// What the model said when it was greeted.
    pub(crate) said: String,
    /// What all the questions took.
    pub(crate) usage: Usage,
    /// What is unusual about it, in words.
    pub(crate) notes: Vec<String>,
}

pub(crate) async fn probe(reach: &Reach<'_>) -> Result<Probed, ModelError> {
    let mut prober =
        Prober { reach: *reach, model: reach.model.clone(), usage: Usage::default(), notes: Vec::new() };
    prober.model.profile = Profile::usual(reach.model.protocol);
    prober.limit().await?;
    prober.sampling().await?;
    prober.reasoning().await?;
    prober.schema().await?;
    prober.tools().await?;
    let said = prober.ask(&probe::greeting()).await?.0.text;
    let Prober { model, usage, notes, .. } = prober;
    Ok(Probed { profile: model.profile, said, usage, notes })
}

struct Prober<'a> {
    reach: Reach<'a>,
    /// With the profile as far as it is known.
    model: Llm,
    usage: Usage,
    notes: Vec<String>,
}

impl Prober<'_> {
    async fn ask(&mut self, request: &ChatRequest) -> Result<(ChatReply, bool), ModelError> {
        let reach = Reach { model: &self.model, ..self.reach };
        let (reply, is_streamed) = reach.chat_and_how(request, &|_| {}).await?;
        let (sum, more) = (&mut self.usage, &reply.usage);
        sum.input += more.input;
        sum.cached += more.cached;
        sum.written += more.written;
        sum.output += more.output;
        Ok((reply, is_streamed))
    }

    /// The same, where a refusal of a field is an answer too.
    async fn try_to(&mut self, request: &ChatRequest) -> Result<Option<(ChatReply, bool)>, ModelError> {
        match self.ask(request).await {
            Err(error) if error.is_about_parameter() => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// The first question also shows whether the server streams and takes marks for its cache.
    async fn limit(&mut self) -> Result<(), ModelError> {
        let protocol = self.model.protocol;
        let mut answered = None;
        let mut last = None;
        for (cache, streams) in [(true, true), (false, true), (true, false), (false, false)] {
            if !cache && protocol != Protocol::Messages {
                continue;
            }
            self.model.profile.cache =
                if cache { Profile::usual(protocol).cache } else { CacheMode::Automatic };
            self.model.profile.streams = streams;
            for limit in probe::token_limits(protocol) {
                self.model.profile.token_limit = *limit;
                match self.ask(&probe::limited()).await {
                    Ok((reply, is_streamed)) => {
                        self.model.profile.streams = is_streamed;
                        answered = Some(is_streamed);
                        if probe::is_limited(&reply) {
                            return Ok(());
                        }
                    }
                    Err(error) if error.is_about_parameter() => last = Some(error),
                    Err(error) => return Err(error),
                }
            }
            if answered.is_some() {
                self.model.profile.token_limit = TokenLimit::NotTaken;
                self.notes.push("it answers, and keeps no limit of tokens".to_owned());
                return Ok(());
            }
        }
        // Each of them was refused.
        Err(last.unwrap_or_else(|| ModelError::Url { url: self.model.base_url.clone() }))
    }

    async fn sampling(&mut self) -> Result<(), ModelError> {
        self.model.profile.sampling = true;
        self.model.profile.sampling = self.try_to(&probe::sampled()).await?.is_some();
        Ok(())
    }

    /// A field that is taken is refused with a value that there is not, and accepted with one that there is.
    async fn reasoning(&mut self) -> Result<(), ModelError> {
        let protocol = self.model.protocol;
        let reach = Reach { model: &self.model, ..self.reach };
        let body = wire::encode(&reach.target(), &ChatRequest { effort: None, ..probe::reasoned() })?.body;
        let body = probe::with_wrong_effort(protocol, body);
        let wrong = reach.exchange(protocol.chat_path(), &body, self.model.profile.streams, &|_| {}).await;
        let is_checked = match wrong {
            Ok(_) => false,
            Err(error) if error.is_about_parameter() => true,
            Err(error) => return Err(error),
        };
        self.model.profile.reasoning = probe::reasoning(protocol);
        if !is_checked || self.try_to(&probe::reasoned()).await?.is_none() {
            self.model.profile.reasoning = Reasoning::NotTaken;
        }
        Ok(())
    }

    async fn schema(&mut self) -> Result<(), ModelError> {
        self.model.profile.schema = SchemaMode::Native;
        let answer = self.try_to(&probe::constrained()).await?;
        if !answer.is_some_and(|(reply, _)| probe::is_constrained(&reply)) {
            self.model.profile.schema = SchemaMode::Prompt;
        }
        Ok(())
    }

    async fn tools(&mut self) -> Result<(), ModelError> {
        for mode in probe::tool_modes(&self.model.profile) {
            self.model.profile.tools = *mode;
            if self.try_to(&probe::calling()).await?.is_some_and(|(reply, _)| probe::is_called(&reply)) {
                return Ok(());
            }
        }
        self.model.profile.tools = ToolMode::Fenced;
        if !self.try_to(&probe::calling()).await?.is_some_and(|(reply, _)| probe::is_called(&reply)) {
            self.notes.push(
                "it called no tool in any way that was tried; agents will not work well with it".to_owned(),
            );
        }
        Ok(())
    }
}
