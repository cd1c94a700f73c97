//! Tokens: one of a name, found by the hash of their text.

use model::access::actor::Actor;
use model::access::grantable::{Grant, Grantable};
use model::access::token::{Token, TokenRole};
use model::ids::TokenId;
use store::Error;
use store::testing::TestDatabase;

use crate::world::{World, at, audit, id};

fn token(text: &str) -> Token {
    Token {
        token_id: TokenId(id()),
        name: text.to_owned(),
        role: TokenRole::Builder,
        patterns: vec!["web.*".to_owned(), "größe".to_owned()],
        uses: vec!["text.*".to_owned()],
        grants: Grantable(vec![Grant::Model, Grant::Host("*.example.com".to_owned())]),
        created_at: at(1),
        created_by: Actor::CommandLine,
        expires_at: Some(at(100)),
    }
}

store::on_both! {
    async fn a_token_is_found_by_its_hash_alone(database: &TestDatabase) {
        let world = World::open(database).await;
        let mine = token("mine");
        let endless = Token { expires_at: None, patterns: vec![], role: TokenRole::Viewer, ..token("endless") };
        world.store.add_token(&mine, &[1; 32], &audit("token.add")).await.unwrap();
        world.store.add_token(&endless, &[2; 32], &audit("token.add")).await.unwrap();
        assert_eq!(world.store.token_by_hash(&[1; 32]).await.unwrap(), Some(mine.clone()));
        assert_eq!(world.store.token_by_hash(&[2; 32]).await.unwrap(), Some(endless.clone()));
        assert_eq!(world.store.token_by_hash(&[3; 32]).await.unwrap(), None);
        assert_eq!(world.store.tokens().await.unwrap(), [endless, mine]);
    }

    async fn a_name_or_a_hash_that_is_taken_is_refused_whole(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.add_token(&token("mine"), &[1; 32], &audit("token.add")).await.unwrap();
        let before = database.dump().await;
        let name = world.store.add_token(&token("mine"), &[2; 32], &audit("token.add")).await.unwrap_err();
        assert!(matches!(name, Error::Unique { .. }), "{name}");
        let hash = world.store.add_token(&token("yours"), &[1; 32], &audit("token.add")).await.unwrap_err();
        assert!(matches!(hash, Error::Unique { .. }), "{hash}");
        assert!(!format!("{name} {hash}").contains("0101"), "an error does not show the hash");
        assert_eq!(database.dump().await, before);
    }

    async fn a_removed_token_opens_nothing_and_frees_its_name(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.add_token(&token("mine"), &[1; 32], &audit("token.add")).await.unwrap();
        assert!(world.store.remove_token("mine", &audit("token.remove")).await.unwrap());
        assert_eq!(world.store.token_by_hash(&[1; 32]).await.unwrap(), None);
        assert!(!world.store.remove_token("mine", &audit("token.remove")).await.unwrap());
        world.store.add_token(&token("mine"), &[3; 32], &audit("token.add")).await.unwrap();
        assert_eq!(world.store.audit(None, 10).await.unwrap().len(), 3);
    }
}
