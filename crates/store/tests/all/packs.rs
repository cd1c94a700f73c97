//! Packs: what was loaded together, and how much of it is live.

use model::access::scope::Scope;
use model::entry::{EntryKey, EntryKind};
use model::pack::Pack;
use store::EntryPage;
use store::testing::TestDatabase;

use crate::world::{World, changeset, delete, graph, key, name, pack, put};

store::on_both! {
    async fn a_pack_owns_what_it_put_until_it_is_deleted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("by_hand", 1)]).await;
        let tools = pack("tools");
        let changes = vec![put("a", 1), put("b", 1), model::changeset::Change::put(name("g"), graph("g"))];
        world.try_apply(changeset(changes), Some(&tools)).await.unwrap();
        assert_eq!(world.store.pack("tools").await.unwrap(), Some(Pack { live_entries: 3, ..tools.clone() }));
        let graph_key = EntryKey::new(EntryKind::Graph, name("g"));
        assert_eq!(world.store.pack_entries(tools.pack_id).await.unwrap(), [key("a"), key("b"), graph_key]);
        let page = EntryPage { kind: EntryKind::Function, scope: Scope::All, pack: None, after: None, limit: 10 };
        let owners: Vec<Option<String>> =
            world.store.entries(&page).await.unwrap().into_iter().map(|entry| entry.pack).collect();
        assert_eq!(owners, [Some("tools".to_owned()), Some("tools".to_owned()), None]);
        let of_tools = EntryPage { pack: Some("tools".to_owned()), after: Some("a".to_owned()), limit: 1, ..page };
        let listed = world.store.entries(&of_tools).await.unwrap();
        assert_eq!(listed.iter().map(|entry| entry.key.clone()).collect::<Vec<_>>(), [key("b")]);

        world.apply(vec![delete("a")]).await;
        world.apply(vec![put("b", 2)]).await;
        assert_eq!(world.store.pack("tools").await.unwrap().unwrap().live_entries, 2);
        world.apply(vec![put("a", 3)]).await;
        assert_eq!(world.store.pack("tools").await.unwrap().unwrap().live_entries, 2, "`a` came back by hand");
        assert_eq!(world.store.pack("nobody").await.unwrap(), None);
    }

    async fn packs_are_listed_by_name_and_loading_one_again_updates_it(database: &TestDatabase) {
        let world = World::open(database).await;
        for text in ["b", "a", "C"] {
            world.try_apply(changeset(vec![put(&format!("f_{text}"), 1)]), Some(&pack(text))).await.unwrap();
        }
        let old = world.store.pack("b").await.unwrap().unwrap();
        let newer = Pack { origin: "elsewhere".to_owned(), prefix: "b.".to_owned(), ..old.clone() };
        world.try_apply(changeset(vec![put("f_b", 2)]), Some(&newer)).await.unwrap();
        let names: Vec<String> = world.store.packs(&Scope::All).await.unwrap().into_iter().map(|pack| pack.name).collect();
        assert_eq!(names, ["C", "a", "b"]);
        assert_eq!(world.store.pack("b").await.unwrap(), Some(newer));
    }

    async fn two_who_load_a_pack_for_the_first_time_at_once_share_it(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, yours) = (pack("tools"), pack("tools"));
        world.try_apply(changeset(vec![put("a", 1)]), Some(&mine)).await.unwrap();
        world.try_apply(changeset(vec![put("b", 1)]), Some(&yours)).await.unwrap();
        let packs = world.store.packs(&Scope::All).await.unwrap();
        assert_eq!(packs.len(), 1);
        assert_eq!(packs[0].live_entries, 2);
    }
}
