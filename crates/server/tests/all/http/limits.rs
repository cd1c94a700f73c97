//! Limits: how many requests one caller may send, who is locked out when somebody guesses, and what a narrow token is told.

use std::num::NonZeroU32;
use std::time::Duration;

use axum::http::StatusCode;
use model::access::token::TokenRole;
use serde_json::json;
use server::http::HttpConfig;
use store::testing::TestDatabase;

use super::asking::{Asker, token};
use crate::engine::script::{Stage, function};

store::on_both! {
    async fn whoever_sends_too_much_waits(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let config = HttpConfig { rate: NonZeroU32::new(1), ..HttpConfig::default() };
        let mut asker = Asker::with(&stage, config).await;
        for _ in 0..10 {
            assert_eq!(asker.get("/api/v1/runs").await.status, StatusCode::OK);
        }
        let refused = asker.get("/api/v1/runs").await;
        assert_eq!((refused.status, refused.code(), refused.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, "rate_limited", "1"));
        let first = std::mem::replace(&mut asker.token, token(&stage, "other", TokenRole::Viewer, &[]).await);
        assert_eq!(asker.get("/api/v1/runs").await.status, StatusCode::OK, "another token is another caller");
        asker.token = first;
        stage.ctx.clock.advance(Duration::from_secs(1));
        assert_eq!(asker.get("/api/v1/runs").await.status, StatusCode::OK);
        stage.close().await;
    }

    async fn those_who_share_an_address_with_a_guesser_go_on(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        assert_eq!(asker.get("/api/v1/runs").await.status, StatusCode::OK);
        let wrong = [("host", "localhost"), ("authorization", "Bearer no")];
        for _ in 0..20 {
            assert_eq!(asker.bare("GET", "/api/v1/runs", &wrong, None).await.code(), "unauthorized");
        }
        assert_eq!(asker.bare("GET", "/api/v1/runs", &wrong, None).await.code(), "guessing");
        assert_eq!(asker.get("/api/v1/runs").await.status, StatusCode::OK);
        stage.close().await;
    }

    async fn a_trusted_proxy_speaks_for_its_clients(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let trusted_proxies = ["127.0.0.1".parse().unwrap()].into();
        let asker = Asker::with(&stage, HttpConfig { trusted_proxies, ..HttpConfig::default() }).await;
        for _ in 0..20 {
            let wrong = [("host", "localhost"), ("authorization", "Bearer no"), ("x-forwarded-for", "192.0.2.1")];
            assert_eq!(asker.bare("GET", "/api/v1/runs", &wrong, None).await.code(), "unauthorized");
        }
        let from = async |address| asker.ask("GET", "/api/v1/runs", &[("x-forwarded-for", address)], None).await.status;
        assert_eq!(from("192.0.2.1").await, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(from("192.0.2.2").await, StatusCode::OK);
        stage.close().await;
    }

    async fn a_narrow_token_is_told_no_other_names(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let calls = |name: &str, callee: &str| format!("def {name}():\n    return {callee}()\n");
        stage.add(&[&function("web_a", ""), &calls("mail_b", "web_a"), &calls("web_c", "mail_b"), &calls("web_d", "web_a")]).await;
        stage.script.part("web_c", |_, _| async { Ok(1.into()) });
        let run = stage.start("web_c", json!({})).await.unwrap().run_id;
        let mut asker = Asker::of(&stage).await;
        let names = |list: &serde_json::Value| {
            let mut names: Vec<String> = list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        let told = async |asker: &Asker| {
            let dependents = asker.get("/api/v1/functions/web_a/dependents").await.json;
            let record = asker.get(&format!("/api/v1/runs/{run}")).await.json;
            (names(&dependents["dependents"]), names(&record["loaded"]))
        };
        let all = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(told(&asker).await, (all(&["mail_b", "web_c", "web_d"]), all(&["mail_b", "web_a", "web_c"])));
        asker.token = token(&stage, "web", TokenRole::Viewer, &["web_*"]).await;
        assert_eq!(told(&asker).await, (all(&["web_d"]), all(&["web_a", "web_c"])));
        stage.close().await;
    }
}
