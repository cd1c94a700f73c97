//! Language models: one of a name, each role with at most one.

use model::access::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::llm::{KeySource, Llm, LlmName, Price, Profile, Protocol, Role, ToolMode};
use serde_json::json;
use store::testing::TestDatabase;

use crate::world::{World, at, audit};

fn named(text: &str) -> LlmName {
    text.parse().unwrap()
}

fn model(name: &str, roles: &[Role], n: i64) -> Llm {
    Llm {
        name: named(name),
        protocol: Protocol::Messages,
        base_url: "http://127.0.0.1:1/v1".to_owned(),
        model_id: format!("big/{name}:\u{1f388}"),
        key: KeySource::Secret("k".to_owned()),
        roles: roles.iter().copied().collect(),
        price: Price { input: 3_000_000, cached: Some(1), written: None, output: u64::MAX },
        profile: Profile { sampling: false, ..Profile::usual(Protocol::Messages) },
        probed_at: Some(at(n)),
        updated_at: at(n),
        updated_by: Actor::CommandLine,
    }
}

fn event(name: &str) -> NewEvent {
    NewEvent {
        kind: EventKind::ModelChanged,
        source: name.to_owned(),
        data: json!({}),
        actor: Actor::CommandLine,
        at: at(1),
    }
}

async fn put(world: &World, model: &Llm) {
    world.store.put_model(model, &event(model.name.as_str()), &audit("model.put")).await.unwrap();
}

store::on_both! {
    async fn a_model_is_read_as_it_was_written_and_replaced(database: &TestDatabase) {
        let world = World::open(database).await;
        let first = model("a", &[Role::Strong, Role::Fast], 1);
        put(&world, &first).await;
        assert_eq!(world.store.model(&first.name).await.unwrap(), Some(first));
        assert_eq!(world.store.model(&named("b")).await.unwrap(), None);
        let second = Llm { key: KeySource::None, probed_at: None, ..model("a", &[Role::Embed], 2) };
        put(&world, &second).await;
        assert_eq!(world.store.models().await.unwrap(), [second]);
        assert_eq!(world.store.events_after(0, 10).await.unwrap().len(), 2);
    }

    async fn a_role_goes_to_whoever_gets_it_last(database: &TestDatabase) {
        let world = World::open(database).await;
        put(&world, &model("b", &[Role::Strong, Role::Fast], 1)).await;
        put(&world, &model("a", &[Role::Strong], 1)).await;
        let roles: Vec<Vec<Role>> =
            world.store.models().await.unwrap().into_iter().map(|model| Vec::from_iter(model.roles)).collect();
        assert_eq!(roles, [[Role::Strong], [Role::Fast]], "by name");
    }

    async fn what_was_found_out_is_kept_unless_the_model_was_replaced(database: &TestDatabase) {
        let world = World::open(database).await;
        let first = Llm { probed_at: None, ..model("a", &[Role::Fast], 1) };
        put(&world, &first).await;
        let profile = Profile { tools: ToolMode::Fenced, ..first.profile.clone() };
        let keep = async || {
            world.store.put_model_profile(&first, &profile, at(5), &event("a"), &audit("model.test")).await.unwrap()
        };
        assert!(keep().await);
        let known = Llm { profile: profile.clone(), probed_at: Some(at(5)), ..first.clone() };
        assert_eq!(world.store.model(&first.name).await.unwrap(), Some(known));
        put(&world, &model("a", &[], 2)).await;
        assert!(!keep().await);
        assert_eq!(world.store.events_after(0, 10).await.unwrap().len(), 3, "what was refused is no event");
    }

    async fn a_model_that_is_removed_has_no_role_any_more(database: &TestDatabase) {
        let world = World::open(database).await;
        put(&world, &model("a", &[Role::Strong], 1)).await;
        let remove = async || world.store.remove_model(&named("a"), &event("a"), &audit("model.remove")).await.unwrap();
        assert!(remove().await);
        assert!(!remove().await);
        assert_eq!(world.store.models().await.unwrap(), []);
        put(&world, &model("b", &[], 1)).await;
        assert_eq!(world.store.models().await.unwrap()[0].roles.len(), 0);
    }
}
