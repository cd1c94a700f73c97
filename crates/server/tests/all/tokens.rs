//! Tokens: shown once, kept as a hash, good until they expire.

use jiff::Timestamp;
use model::access::token::TokenRole;
use secrecy::ExposeSecret;
use server::app::tokens::{NewToken, add, list, recognise, remove};
use store::testing::TestDatabase;

use crate::secrets::database_contains;
use crate::world::{ME, NOON, World};

fn new(name: &str, seconds: Option<i64>) -> NewToken {
    let noon: Timestamp = NOON.parse().unwrap();
    NewToken {
        name: name.to_owned(),
        role: TokenRole::Runner,
        patterns: vec!["web.*".to_owned()],
        uses: Vec::new(),
        grants: None,
        expires_at: seconds.map(|seconds| Timestamp::from_second(noon.as_second() + seconds).unwrap()),
    }
}

store::on_both! {
    async fn a_token_is_recognised_by_its_text_which_is_not_kept(database: &TestDatabase) {
        let world = World::open(database).await;
        let (token, text) = add(&world.ctx, &ME, new("ci", None)).await.unwrap();
        let (_, other) = add(&world.ctx, &ME, new("other", None)).await.unwrap();
        assert!(text.expose_secret().starts_with("selfmade_"));
        assert_ne!(text.expose_secret(), other.expose_secret());
        assert_eq!(recognise(&world.ctx, &text).await.unwrap(), Some(token.clone()));
        assert_eq!(recognise(&world.ctx, &"selfmade_".into()).await.unwrap(), None);
        let random = text.expose_secret().trim_start_matches("selfmade_");
        assert!(!database_contains(database, random.as_bytes()).await);
        let bytes: Vec<u8> =
            (0..32).map(|n| u8::from_str_radix(&random[n * 2..n * 2 + 2], 16).unwrap()).collect();
        assert!(!database_contains(database, &bytes).await);
        assert_eq!(list(&world.ctx, &ME).await.unwrap()[0], token);
    }

    async fn an_expired_token_opens_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        for (name, seconds, good) in [("past", -1, false), ("now", 0, false), ("future", 1, true)] {
            let (_, text) = add(&world.ctx, &ME, new(name, Some(seconds))).await.unwrap();
            assert_eq!(recognise(&world.ctx, &text).await.unwrap().is_some(), good, "{name}");
        }
    }

    async fn a_removed_token_opens_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        let (_, text) = add(&world.ctx, &ME, new("ci", None)).await.unwrap();
        remove(&world.ctx, &ME, "ci").await.unwrap();
        assert_eq!(recognise(&world.ctx, &text).await.unwrap(), None);
        assert_eq!(remove(&world.ctx, &ME, "ci").await.unwrap_err().code(), "not_found");
    }

    async fn a_name_that_is_taken_or_none_is_refused(database: &TestDatabase) {
        let world = World::open(database).await;
        add(&world.ctx, &ME, new("ci", None)).await.unwrap();
        let before = database.dump().await;
        assert_eq!(add(&world.ctx, &ME, new("ci", None)).await.unwrap_err().code(), "name_taken");
        for bad in ["", "a b", "a\0", "*"] {
            assert_eq!(add(&world.ctx, &ME, new(bad, None)).await.unwrap_err().code(), "bad_input");
        }
        let pattern = NewToken { patterns: vec!["a b".to_owned()], ..new("fine", None) };
        assert_eq!(add(&world.ctx, &ME, pattern).await.unwrap_err().code(), "bad_input");
        assert_eq!(database.dump().await, before);
    }
}
