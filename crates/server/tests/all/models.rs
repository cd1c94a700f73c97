//! Stored language models: added, tested, replaced and removed; what a test of one finds out.

use model::event::EventKind;
use model::llm::scripted::ScriptedReply;
use model::llm::{
    CacheMode, Ending, KeySource, LlmName, Profile, Protocol, Reasoning, Role, SchemaMode, TokenLimit,
    ToolMode,
};
use serde_json::json;
use server::Error;
use server::app::models::{self, NewModel};
use server::llm::testing::{Asked, Behaviour, ScriptedModel};
use store::on_both;
use store::testing::TestDatabase;

use crate::engine::script::Stage;
use crate::world::ME;

fn name(text: &str) -> LlmName {
    text.parse().unwrap()
}

fn at(base_url: &str) -> NewModel {
    NewModel {
        base_url: base_url.to_owned(),
        model_id: "m".to_owned(),
        protocol: None,
        key: None,
        roles: [Role::Strong].into(),
        price: Default::default(),
        profile: None,
    }
}

/// A model that takes everything, and does as it is told.
fn obedient(asked: &Asked, _: usize) -> Behaviour {
    let body = &asked.body;
    let is = |key: &str| !body[key].is_null();
    let effort = [&body["reasoning_effort"], &body["reasoning"]["effort"], &body["output_config"]["effort"]];
    if effort.iter().any(|effort| **effort == "no_such_effort") {
        return Behaviour::status(400, "Invalid value: 'no_such_effort'");
    }
    let wants_schema = is("response_format") || is("text") || body["output_config"]["format"].is_object();
    Behaviour::Reply(if is("tools") {
        ScriptedReply::call("c", "weather", "{\"city\": \"Paris\"}")
    } else if wants_schema {
        ScriptedReply::text("{\"side\": \"left\"}")
    } else if asked.text.contains("Count from") {
        ScriptedReply { ending: Some(Ending::Length), ..ScriptedReply::text("1 2 3") }
    } else {
        ScriptedReply::text("I am ready.")
    })
}

/// A small model on a server that ignores what it does not know.
fn small(asked: &Asked, _: usize) -> Behaviour {
    let body = &asked.body;
    let text = if asked.text.contains("Count from") {
        let is_limited = body["max_tokens"].is_number();
        let count = ScriptedReply::text(&"1 ".repeat(if is_limited { 10 } else { 100 }));
        return Behaviour::Reply(count);
    } else if asked.text.contains("begins with ```json") {
        "```json\n{\"tool\": \"weather\", \"arguments\": {\"city\": \"Paris\"}}\n```"
    } else {
        "Hello!"
    };
    Behaviour::Reply(ScriptedReply::text(text))
}

/// A model that thinks, and takes neither sampling nor the old name of the limit.
fn thinker(asked: &Asked, before: usize) -> Behaviour {
    for field in ["temperature", "max_tokens"] {
        if !asked.body[field].is_null() {
            return Behaviour::status(400, &format!("Unsupported parameter: '{field}'"));
        }
    }
    obedient(asked, before)
}

async fn probed(stage: &Stage, protocol: Protocol, script: fn(&Asked, usize) -> Behaviour) -> Profile {
    let server = ScriptedModel::start(script).await.unwrap();
    let new = NewModel { protocol: Some(protocol), ..at(&server.base_url()) };
    models::put(&stage.ctx, &ME, &name("m"), new).await.unwrap();
    let tested = models::test(&stage.ctx, &ME, &name("m")).await.unwrap();
    let stored = models::get(&stage.ctx, &ME, &name("m")).await.unwrap();
    assert_eq!(stored.model, tested.model.model);
    assert!(stored.model.probed_at.is_some() && tested.usage.output > 0, "{tested:?}");
    stored.model.profile
}

on_both! {
    async fn what_a_model_takes_is_found_out(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        for protocol in Protocol::ALL {
            let everything = Profile {
                token_limit: match protocol {
                    Protocol::ChatCompletions => TokenLimit::MaxCompletionTokens,
                    Protocol::Responses => TokenLimit::MaxOutputTokens,
                    Protocol::Messages => TokenLimit::MaxTokens,
                },
                reasoning: if *protocol == Protocol::Messages { Reasoning::Adaptive } else { Reasoning::Effort },
                ..Profile::usual(*protocol)
            };
            assert_eq!(probed(&stage, *protocol, obedient).await, everything);
        }
        let least = Profile {
            token_limit: TokenLimit::MaxTokens,
            reasoning: Reasoning::NotTaken,
            tools: ToolMode::Fenced,
            schema: SchemaMode::Prompt,
            cache: CacheMode::Automatic,
            ..Profile::usual(Protocol::ChatCompletions)
        };
        assert_eq!(probed(&stage, Protocol::ChatCompletions, small).await, least);
        let thinks = probed(&stage, Protocol::ChatCompletions, thinker).await;
        assert_eq!((thinks.token_limit, thinks.sampling, thinks.reasoning), (TokenLimit::MaxCompletionTokens, false, Reasoning::Effort));
    }

    async fn what_is_known_of_a_model_is_kept_while_it_is_the_same(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let server = ScriptedModel::start(small).await.unwrap();
        models::put(&stage.ctx, &ME, &name("m"), at(&server.base_url())).await.unwrap();
        models::test(&stage.ctx, &ME, &name("m")).await.unwrap();
        let again = models::put(&stage.ctx, &ME, &name("m"), NewModel { roles: [Role::Fast].into(), ..at(&server.base_url()) }).await.unwrap();
        assert_eq!((again.model.profile.tools, again.model.probed_at.is_some()), (ToolMode::Fenced, true));
        let other = models::put(&stage.ctx, &ME, &name("m"), NewModel { model_id: "n".to_owned(), ..at(&server.base_url()) }).await.unwrap();
        assert_eq!((other.model.profile.tools, other.model.probed_at), (ToolMode::Native, None));
        let events = stage.ctx.store.events_after(0, 10).await.unwrap();
        let changes: Vec<_> = events.iter().filter(|event| event.fact.kind == EventKind::ModelChanged).map(|event| event.fact.data["change"].clone()).collect();
        assert_eq!(changes, [json!("put"), json!("tested"), json!("put"), json!("put")]);
        models::remove(&stage.ctx, &ME, &name("m")).await.unwrap();
        assert!(matches!(models::get(&stage.ctx, &ME, &name("m")).await, Err(Error::Absent { noun: "model", .. })));
    }

    async fn a_model_that_cannot_be_reached_is_stored_and_its_test_says_why(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let refused = |new: NewModel| {
            let ctx = stage.ctx.clone();
            async move { models::put(&ctx, &ME, &name("m"), new).await.unwrap_err().to_string() }
        };
        assert!(refused(at("localhost:1")).await.contains("is not the URL of a model's server"));
        let variable = Some(KeySource::Environment("DATABASE_URL".to_owned()));
        assert!(refused(NewModel { key: variable, ..at("http://h") }).await.contains("ends in `_API_KEY`"));
        let server = ScriptedModel::of(vec![Behaviour::status(401, "no")]).await.unwrap();
        models::put(&stage.ctx, &ME, &name("m"), at(&server.base_url())).await.unwrap();
        let error = models::test(&stage.ctx, &ME, &name("m")).await.unwrap_err();
        assert_eq!((error.code(), server.asked().len()), ("model_failed", 1));
        assert!(error.to_string().contains("refused with 401: no; set the right key"), "{error}");
        assert_eq!(models::get(&stage.ctx, &ME, &name("m")).await.unwrap().model.probed_at, None);
    }

    async fn a_model_for_embeddings_is_asked_for_a_vector(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let server = ScriptedModel::of(vec![]).await.unwrap();
        let new = NewModel { roles: [Role::Embed].into(), ..at(&server.base_url()) };
        models::put(&stage.ctx, &ME, &name("e"), new).await.unwrap();
        assert_eq!(models::test(&stage.ctx, &ME, &name("e")).await.unwrap().said, "a vector of 8 numbers");
    }

    async fn what_is_configured_is_a_model_while_none_is_stored(database: &TestDatabase) {
        let server = ScriptedModel::start(obedient).await.unwrap();
        let url = server.base_url();
        let stage = Stage::configured(database, |config| config.engine.model.url = Some(url)).await;
        let list = models::list(&stage.ctx, &ME).await.unwrap();
        assert_eq!((list.len(), list[0].configured, list[0].model.name.as_str()), (1, true, "default"));
        assert!(models::test(&stage.ctx, &ME, &name("default")).await.unwrap().model.configured);
        models::put(&stage.ctx, &ME, &name("m"), at("http://127.0.0.1:1/v1")).await.unwrap();
        let list = models::list(&stage.ctx, &ME).await.unwrap();
        assert_eq!((list.len(), list[0].configured), (1, false));
    }
}
