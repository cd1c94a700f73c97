//! Closures: now, of any version, as they were, and as a run loaded them.

use model::function::closure::{ClosureHash, Member};
use model::revision::Revision;
use model::version::{Version, VersionNumber};
use store::testing::TestDatabase;

use crate::world::{World, key, name, put, put_calling};

/// `name@number`, with `*` for the live ones.
fn told(closure: &[(Version, bool)]) -> Vec<String> {
    let star = |live: bool| if live { "*" } else { "" };
    closure
        .iter()
        .map(|(version, live)| format!("{}@{}{}", version.head.key.name, version.head.number, star(*live)))
        .collect()
}

/// `f` calls the live `g`, and `h` at version 1; `g` calls `h`. Then `h`, `g` and `f` move.
async fn history(world: &World) {
    world.apply(vec![put("h", 1)]).await;
    world.apply(vec![put("h", 2)]).await;
    world.apply(vec![put_calling("g", &[("h", None)])]).await;
    world.apply(vec![put_calling("f", &[("g", None), ("h", Some(1))])]).await;
    world.apply(vec![put("h", 3)]).await;
    world.apply(vec![put("g", 5), put("f", 6)]).await;
}

store::on_both! {
    async fn a_closure_is_what_is_called_now_pinned_or_live(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("h", 1)]).await;
        world.apply(vec![put("h", 2)]).await;
        world.apply(vec![put_calling("g", &[("h", None), ("g", None)])]).await;
        world.apply(vec![put_calling("f", &[("g", None), ("h", Some(1))])]).await;
        let closure = world.store.closure(&name("f")).await.unwrap();
        assert_eq!(told(&closure), ["f@1*", "g@1*", "h@1", "h@2*"]);
        assert_eq!(told(&world.store.closure(&name("nobody")).await.unwrap()), [""; 0]);
    }

    async fn any_version_calls_what_is_live_now(database: &TestDatabase) {
        let world = World::open(database).await;
        history(&world).await;
        let first = world.store.version(&key("f"), VersionNumber(1)).await.unwrap().unwrap();
        let closure = world.store.closure_of(first.head.version_id).await.unwrap();
        assert_eq!(told(&closure), ["f@1", "g@2*", "h@1"]);
    }

    async fn a_closure_can_be_looked_back_at(database: &TestDatabase) {
        let world = World::open(database).await;
        history(&world).await;
        let as_of = async |revision| told(&world.store.closure_as_of(&name("f"), Revision(revision)).await.unwrap());
        assert_eq!(as_of(3).await, [""; 0]);
        assert_eq!(as_of(4).await, ["f@1*", "g@1*", "h@1", "h@2*"]);
        assert_eq!(as_of(5).await, ["f@1*", "g@1*", "h@1", "h@3*"]);
        assert_eq!(as_of(6).await, ["f@2*"]);
    }

    async fn what_a_run_loaded_is_found_by_its_hash(database: &TestDatabase) {
        let world = World::open(database).await;
        history(&world).await;
        let closure = world.store.closure_as_of(&name("f"), Revision(4)).await.unwrap();
        let members: Vec<Member> = closure
            .iter()
            .map(|(version, live)| Member { version_id: version.head.version_id, live: *live })
            .collect();
        let hash = ClosureHash::of(&members);
        assert_eq!(world.store.closure_versions(hash).await.unwrap(), []);
        for _ in 0..2 {
            world.store.record_closure(hash, &members).await.unwrap();
            assert_eq!(world.store.closure_versions(hash).await.unwrap(), closure);
        }
        // Another server may have been first.
        World::open(database).await.store.record_closure(hash, &members).await.unwrap();
        assert_eq!(database.count("closures").await, 1);
    }
}
