//! Deleting: refused where others would be left behind, and what must go goes along.

use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::{GraphContent, Node};
use server::app::changesets;
use server::app::changesets::drafts::Intent;
use store::testing::TestDatabase;

use crate::world::{
    ME, World, answering, calling, delete, findings, key, name, schedule, schedule_key, trigger, trigger_key,
};

/// A graph that does next to nothing.
fn storing() -> Content {
    Content::Graph(GraphContent {
        nodes: vec![Node::new("a", "@store").with("input", 1)],
        ..GraphContent::default()
    })
}

fn graph_key(text: &str) -> EntryKey {
    EntryKey::new(EntryKind::Graph, name(text))
}

store::on_both! {
    // BabyAGI deletes anyway, and the next function takes over the id and with it the dependents.
    async fn what_others_call_is_not_deleted_and_they_are_named(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("dep", 1), calling("b", "dep"), calling("a", "dep")]).await.unwrap();
        let before = database.dump().await;
        let error = world.register(vec![delete("dep")]).await.unwrap_err();
        assert_eq!(
            findings(&error),
            ["dep: cannot be deleted: `a`, `b` depend on it (delete or change them in the same changeset)"]
        );
        assert_eq!(database.dump().await, before);
    }

    async fn it_is_deleted_when_they_go_or_change_too(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("dep", 1), calling("a", "dep"), calling("b", "dep")]).await.unwrap();
        world.register(vec![delete("dep"), delete("a"), answering("b", 2)]).await.unwrap();
        assert_eq!(world.ctx.store.entry_names(EntryKind::Function, ME.only()).await.unwrap(), ["b"]);
    }

    async fn a_caller_that_changes_and_still_calls_it_is_no_excuse(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("dep", 1), calling("a", "dep")]).await.unwrap();
        let changed = crate::world::source("def a():\n    return dep() + 1\n");
        let error = world.register(vec![delete("dep"), changed]).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
    }

    async fn one_that_calls_only_itself_is_deleted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![calling("a", "a")]).await.unwrap();
        world.register(vec![delete("a")]).await.unwrap();
        assert_eq!(world.live_number(&key("a")).await, None);
    }

    async fn triggers_and_schedules_die_with_what_they_start(database: &TestDatabase) {
        let world = World::open(database).await;
        world
            .register(vec![
                answering("f", 1),
                answering("other", 1),
                trigger("on_other", "other", "f"),
                schedule("nightly", "f"),
                trigger("on_f", "f", "other"),
            ])
            .await
            .unwrap();
        let applied = world.register(vec![delete("f")]).await.unwrap();
        assert_eq!(applied.moves.len(), 3);
        assert_eq!(world.live_number(&trigger_key("on_other")).await, None);
        assert_eq!(world.live_number(&schedule_key("nightly")).await, None);
        assert_eq!(world.live_number(&trigger_key("on_f")).await, Some(1), "it only watches `f`");
    }

    async fn deleting_a_schedule_of_the_same_name_spares_what_starts_the_function(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("tick", 1), schedule("tick", "tick"), trigger("t", "other", "tick")]).await.unwrap();
        world.register(vec![Intent::Delete(schedule_key("tick"))]).await.unwrap();
        assert_eq!(world.live_number(&schedule_key("tick")).await, None);
        assert_eq!(world.live_number(&trigger_key("t")).await, Some(1));
        assert_eq!(world.live_number(&key("tick")).await, Some(1));
    }

    async fn what_is_not_there_cannot_be_deleted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let error = world.register(vec![delete("nobody")]).await.unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), ("not_found", "there is no function `nobody`"));
    }

    async fn what_is_deleted_cannot_be_deleted_again(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        world.register(vec![delete("f")]).await.unwrap();
        let before = database.dump().await;
        assert_eq!(world.register(vec![delete("f")]).await.unwrap_err().code(), "not_found");
        assert_eq!(database.dump().await, before);
    }

    async fn what_starts_a_name_stays_while_a_function_or_a_graph_has_it(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("twin", 1), trigger("t", "x", "twin")]).await.unwrap();
        world.register(vec![delete("twin"), Intent::Put(name("twin"), storing())]).await.unwrap();
        assert_eq!(world.live_number(&trigger_key("t")).await, Some(1));
        world.register(vec![Intent::Delete(graph_key("twin"))]).await.unwrap();
        assert_eq!(world.live_number(&trigger_key("t")).await, None);
    }

    async fn a_function_and_a_graph_cannot_have_the_same_name(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("twin", 1)]).await.unwrap();
        let error = world.register(vec![Intent::Put(name("twin"), storing())]).await.unwrap_err();
        assert_eq!(
            findings(&error),
            ["twin: a function has this name, and callers could not tell them apart (use another name, or delete the function in the same changeset)"]
        );
    }

    async fn a_graph_that_others_call_is_not_deleted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![Intent::Put(name("flow"), storing()), calling("f", "flow")]).await.unwrap();
        let error = world.register(vec![Intent::Delete(graph_key("flow"))]).await.unwrap_err();
        assert_eq!(error.code(), "checks_failed");
    }

    // BabyAGI gives the id of a deleted function to the next one, which inherits its dependents.
    async fn a_name_that_comes_back_goes_on_where_it_was_and_ids_are_not_given_twice(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let old = world.ctx.store.live_version(&key("f")).await.unwrap().unwrap().head;
        world.register(vec![delete("f")]).await.unwrap();
        world.register(vec![answering("imposter", 1)]).await.unwrap();
        let imposter = world.ctx.store.live_version(&key("imposter")).await.unwrap().unwrap().head;
        world.register(vec![answering("f", 2)]).await.unwrap();
        let new = world.ctx.store.live_version(&key("f")).await.unwrap().unwrap().head;
        assert_eq!((new.entry_id, new.number.0), (old.entry_id, 2));
        assert_ne!(imposter.entry_id, old.entry_id);
    }

    async fn who_reads_a_proposal_sees_what_it_would_take_along(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let number = world.propose(vec![delete("f")]).await.unwrap().number;
        world.register(vec![schedule("later", "f")]).await.unwrap();
        let shown = async || {
            let changes = changesets::show(&world.ctx, &ME, number).await.unwrap().changes.into_iter();
            changes.map(|change| format!("{} {}", change.action, change.key)).collect::<Vec<_>>()
        };
        assert_eq!(shown().await, ["delete function `f`", "delete schedule `later`"]);
        changesets::reject(&world.ctx, &ME, number, None).await.unwrap();
        assert_eq!(shown().await, ["delete function `f`"]);
    }
}
