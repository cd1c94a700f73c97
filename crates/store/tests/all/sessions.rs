//! Sessions: one of a name, found by the hash of what their cookie holds, until they are over.

use model::access::Authority;
use model::access::actor::Actor;
use model::access::session::Session;
use model::ids::SessionId;
use store::Error;
use store::testing::TestDatabase;

use crate::world::{World, at, audit, id};

fn session(text: &str, begins: i64, ends: i64) -> Session {
    let session_id = SessionId(id());
    Session {
        session_id,
        name: text.to_owned(),
        authority: Authority { holder: Actor::Session(session_id), ..Authority::of_command_line() },
        created_at: at(begins),
        created_by: Actor::CommandLine,
        expires_at: at(ends),
    }
}

store::on_both! {
    async fn a_session_is_found_by_its_hash_until_it_is_over(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, yours) = (session("mine", 1, 10), session("yours", 1, 20));
        world.store.add_session(&mine, &[1; 32], &audit("session.add")).await.unwrap();
        world.store.add_session(&yours, &[2; 32], &audit("session.add")).await.unwrap();
        assert_eq!(world.store.session_by_hash(&[1; 32], at(9)).await.unwrap(), Some(mine.clone()));
        assert_eq!(world.store.session_by_hash(&[1; 32], at(10)).await.unwrap(), None);
        assert_eq!(world.store.session_by_hash(&[3; 32], at(9)).await.unwrap(), None);
        assert_eq!(world.store.sessions(at(9)).await.unwrap(), [mine, yours.clone()]);
        assert_eq!(world.store.sessions(at(10)).await.unwrap(), [yours]);
    }

    async fn a_name_or_a_hash_that_is_taken_is_refused_whole(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.add_session(&session("mine", 1, 10), &[1; 32], &audit("session.add")).await.unwrap();
        let before = database.dump().await;
        let name = world.store.add_session(&session("mine", 1, 10), &[2; 32], &audit("session.add")).await.unwrap_err();
        assert!(matches!(name, Error::Unique { .. }), "{name}");
        let hash = world.store.add_session(&session("yours", 1, 10), &[1; 32], &audit("session.add")).await.unwrap_err();
        assert!(matches!(hash, Error::Unique { .. }), "{hash}");
        assert!(!format!("{name} {hash}").contains("0101"), "an error does not show the hash");
        assert_eq!(database.dump().await, before);
    }

    async fn a_session_that_has_ended_opens_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.add_session(&session("mine", 1, 10), &[1; 32], &audit("session.add")).await.unwrap();
        assert!(world.store.remove_session("mine", &audit("session.remove")).await.unwrap());
        assert_eq!(world.store.session_by_hash(&[1; 32], at(2)).await.unwrap(), None);
        assert!(!world.store.remove_session("mine", &audit("session.remove")).await.unwrap());
        assert_eq!(world.store.audit(None, 10).await.unwrap().len(), 2);
    }

    async fn what_is_over_is_forgotten_when_another_begins(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.add_session(&session("old", 1, 10), &[1; 32], &audit("session.add")).await.unwrap();
        world.store.add_session(&session("new", 10, 20), &[2; 32], &audit("session.add")).await.unwrap();
        let kept: Vec<String> = world.store.sessions(at(0)).await.unwrap().into_iter().map(|one| one.name).collect();
        assert_eq!(kept, ["new"]);
    }
}
