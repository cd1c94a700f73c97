//! References: which live entries name which others, and how.

use jiff::Timestamp;
use model::access::scope::Scope;
use model::changeset::Change;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use store::testing::TestDatabase;

use crate::world::{World, delete, key, name, put, put_calling};

async fn referrers(world: &World, names: &[&str]) -> Vec<(String, Role, String)> {
    let names: Vec<String> = names.iter().map(|text| (*text).to_owned()).collect();
    let found = world.store.referrers(EntryKind::Function, &names, &Scope::All).await.unwrap();
    found.into_iter().map(|(what, role, who)| (what.name.to_string(), role, who.name.to_string())).collect()
}

fn expected(rows: &[(&str, Role, &str)]) -> Vec<(String, Role, String)> {
    rows.iter().map(|(what, role, who)| ((*what).to_owned(), *role, (*who).to_owned())).collect()
}

fn schedule(target: &str) -> Content {
    Content::Schedule(ScheduleContent {
        description: String::new(),
        times: Times::At(Timestamp::UNIX_EPOCH),
        zone: "UTC".to_owned(),
        target: name(target),
        input: serde_json::Map::new(),
        missed: Missed::Once,
        overlap: Overlap::Skip,
        paused: false,
    })
}

store::on_both! {
    async fn callers_starters_and_watchers_are_told_apart(database: &TestDatabase) {
        let world = World::open(database).await;
        let trigger = Content::Trigger(TriggerContent::after("upstream", name("target")));
        world
            .apply(vec![
                put("target", 1),
                put_calling("caller", &[("target", None)]),
                put_calling("pinner", &[("target", Some(1))]),
                Change::put(name("on_upstream"), trigger),
                Change::put(name("nightly"), schedule("target")),
            ])
            .await;
        assert_eq!(
            referrers(&world, &["target"]).await,
            expected(&[
                ("target", Role::Calls, "caller"),
                ("target", Role::Starts, "nightly"),
                ("target", Role::Starts, "on_upstream"),
                ("target", Role::Calls, "pinner"),
            ])
        );
        assert_eq!(
            referrers(&world, &["upstream", "target", "nobody"]).await.len(),
            5,
            "the trigger also watches `upstream`, which is not stored"
        );
        let kinds = world.store.referrers(EntryKind::Function, &["upstream".to_owned()], &Scope::All).await.unwrap();
        assert_eq!(kinds, [(key("upstream"), Role::Watches, EntryKey::new(EntryKind::Trigger, name("on_upstream")))]);
    }

    async fn only_what_is_live_refers(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("dep", 1), put_calling("a", &[("dep", None)])]).await;
        world.apply(vec![put("a", 1)]).await;
        assert_eq!(referrers(&world, &["dep"]).await, []);
        world.apply(vec![put_calling("a", &[("dep", None)])]).await;
        assert_eq!(referrers(&world, &["dep"]).await, expected(&[("dep", Role::Calls, "a")]));
        world.apply(vec![delete("a")]).await;
        assert_eq!(referrers(&world, &["dep"]).await, []);
    }

    async fn however_many_refer_all_are_reported_in_order(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut changes = vec![put("dep", 1)];
        let mut callers: Vec<String> = Vec::new();
        for count in [49, 50, 120] {
            let more = (callers.len()..count).map(|n| format!("caller_{n}"));
            callers.extend(more);
            changes.extend(callers.iter().map(|caller| put_calling(caller, &[("dep", None)])));
            world.apply(std::mem::take(&mut changes)).await;
            let told: Vec<String> = referrers(&world, &["dep"]).await.into_iter().map(|(_, _, who)| who).collect();
            let mut sorted = callers.clone();
            sorted.sort();
            assert_eq!(told, sorted);
        }
    }

    async fn one_who_calls_live_and_pinned_is_named(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("dep", 1), put_calling("a", &[("dep", None), ("dep", Some(1))])]).await;
        let found = referrers(&world, &["dep"]).await;
        assert!(found.iter().all(|row| *row == ("dep".to_owned(), Role::Calls, "a".to_owned())), "{found:?}");
        assert!(!found.is_empty());
    }

    async fn names_of_any_kind_can_be_asked_for(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put_calling("größe", &[("計算", None), ("a.b", None)])]).await;
        let names = ["計算", "a.b", "", "quote\"'", "back\\slash", "nul\0"];
        let found = referrers(&world, &names).await;
        assert_eq!(found, expected(&[("a.b", Role::Calls, "größe"), ("計算", Role::Calls, "größe")]));
        assert_eq!(world.store.referrers(EntryKind::Graph, &["a.b".to_owned()], &Scope::All).await.unwrap(), []);
        assert_eq!(referrers(&world, &[]).await, []);
    }
}
