//! Presets: one of a name for each callable, listed by both, seen by those who may touch the callable.

use model::access::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::preset::Preset;
use serde_json::json;
use store::PresetFilter;
use store::testing::TestDatabase;

use crate::world::{World, at, audit, name, names as names_of};

fn preset(callable: &str, named: &str, n: i64) -> Preset {
    Preset {
        callable: name(callable),
        name: named.to_owned(),
        input: json!({"b": n, "a": "ü \u{1f388} \0"}).as_object().unwrap().clone(),
        created_at: at(n),
        updated_at: at(n),
        updated_by: Actor::CommandLine,
    }
}

fn event(callable: &str) -> NewEvent {
    NewEvent {
        kind: EventKind::PresetChanged,
        source: callable.to_owned(),
        data: json!({}),
        actor: Actor::CommandLine,
        at: at(1),
    }
}

async fn put(world: &World, preset: &Preset) {
    let event = event(preset.callable.as_str());
    world.store.put_preset(preset, &event, &audit("preset.set")).await.unwrap();
}

fn named(presets: Vec<Preset>) -> Vec<String> {
    presets.into_iter().map(|preset| format!("{}/{}", preset.callable, preset.name)).collect()
}

store::on_both! {
    async fn a_preset_is_read_as_it_was_written_and_replaced(database: &TestDatabase) {
        let world = World::open(database).await;
        let first = preset("f", "daily", 1);
        put(&world, &first).await;
        assert_eq!(world.store.preset(&name("f"), "daily").await.unwrap(), Some(first.clone()));
        assert_eq!(world.store.preset(&name("g"), "daily").await.unwrap(), None);
        put(&world, &preset("f", "daily", 2)).await;
        let second = Preset { created_at: at(1), ..preset("f", "daily", 2) };
        assert_eq!(world.store.preset(&name("f"), "daily").await.unwrap(), Some(second));
        assert_eq!(world.store.events_after(0, 10).await.unwrap().len(), 2);
    }

    async fn presets_are_listed_by_callable_and_name_and_bounded_by_the_scope(database: &TestDatabase) {
        let world = World::open(database).await;
        for (callable, named) in [("web.b", "x"), ("web.a", "y"), ("web.a", "x"), ("mail", "x")] {
            put(&world, &preset(callable, named, 1)).await;
        }
        let list = async |filter: PresetFilter, limit| named(world.store.presets(&filter, limit).await.unwrap());
        let all = PresetFilter::default;
        assert_eq!(list(all(), 9).await, ["mail/x", "web.a/x", "web.a/y", "web.b/x"]);
        let after = Some(("web.a".to_owned(), "x".to_owned()));
        assert_eq!(list(PresetFilter { after, ..all() }, 1).await, ["web.a/y"]);
        let callables = vec!["web.a".to_owned(), "mail".to_owned()];
        assert_eq!(list(PresetFilter { callables: callables.clone(), ..all() }, 9).await, ["mail/x", "web.a/x", "web.a/y"]);
        let scope = names_of(&["web.*"]);
        assert_eq!(list(PresetFilter { callables, scope, ..all() }, 9).await, ["web.a/x", "web.a/y"]);
    }

    async fn what_is_not_there_cannot_be_removed(database: &TestDatabase) {
        let world = World::open(database).await;
        put(&world, &preset("f", "daily", 1)).await;
        let remove = async || {
            let audit = audit("preset.remove");
            world.store.remove_preset(&name("f"), "daily", &event("f"), &audit).await.unwrap()
        };
        assert!(remove().await);
        assert!(!remove().await);
        assert_eq!(world.store.events_after(0, 10).await.unwrap().len(), 2, "what was refused is no event");
    }
}
