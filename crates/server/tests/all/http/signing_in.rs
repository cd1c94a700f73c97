//! Signing in: a link gives one browser a session, whose cookie is of no other use.

use axum::http::StatusCode;
use jiff::SignedDuration;
use model::access::actor::Actor;
use serde_json::{Value, json};
use server::http::HttpConfig;
use store::testing::TestDatabase;

use super::asking::{ADD, Answer, Asker, open};
use crate::engine::script::Stage;

const HOST: (&str, &str) = ("host", "localhost");
const ORIGIN: (&str, &str) = ("origin", "http://localhost");
const HTTPS: (&str, &str) = ("x-forwarded-proto", "https");

/// What the browser is given, and what it sends back.
async fn sign_in(asker: &Asker, more: &[(&str, &str)]) -> (String, String) {
    let path = asker.door.sign_in_path().unwrap();
    let signed_in = asker.bare("GET", &path, &[&[HOST], more].concat(), None).await;
    assert_eq!((signed_in.status, signed_in.header("location")), (StatusCode::SEE_OTHER, "/"));
    assert_eq!(asker.bare("GET", &path, &[HOST], None).await.code(), "link_used");
    let given = signed_in.header("set-cookie").to_owned();
    let cookie = given.split(';').next().unwrap().to_owned();
    (given, cookie)
}

async fn caller(asker: &Asker, headers: &[(&str, &str)]) -> Answer {
    asker.bare("GET", "/api/v1/caller", &[&[HOST], headers].concat(), None).await
}

async fn names(asker: &Asker) -> Vec<String> {
    let sessions = asker.get("/api/v1/sessions").await.json;
    sessions.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

store::on_both! {
    async fn a_link_signs_one_browser_in(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let (given, cookie) = sign_in(&asker, &[]).await;
        assert!(given.starts_with("selfmade_session=") && given.ends_with("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"), "{given}");
        let who = caller(&asker, &[("cookie", &cookie)]).await.json;
        assert_eq!(who["role"], "admin");
        let session = &asker.get("/api/v1/sessions").await.json[0];
        assert_eq!(who["actor"], format!("session:{}", session["session_id"].as_str().unwrap()));
        assert_eq!((&session["created_by"], &session["authority"]["holder"]), (&json!("command_line"), &json!("command_line")));
        assert_eq!(asker.get("/api/v1/tokens").await.json.as_array().unwrap().len(), 1, "it is no token");
        let put = asker.bare("PUT", "/api/v1/functions/add", &[HOST, ORIGIN, ("cookie", &cookie)], Some(json!({ "source": ADD.replace("Adds", "Sums") }))).await;
        assert_eq!(put.status, StatusCode::OK, "{put:?}");
        assert_eq!(asker.get("/api/v1/changesets/2").await.json["actor"], who["actor"], "records say who did it");
        stage.close().await;
    }

    async fn a_cookie_and_a_token_are_of_no_use_in_each_others_place(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let (_, cookie) = sign_in(&asker, &[]).await;
        let (name, text) = cookie.split_once('=').unwrap();
        let bearer = format!("Bearer {text}");
        assert_eq!(caller(&asker, &[("authorization", &bearer)]).await.code(), "unauthorized");
        assert_eq!(caller(&asker, &[("cookie", &format!("{name}={}", asker.token))]).await.code(), "unauthorized");
        assert_eq!(caller(&asker, &[("cookie", &format!("selfmade_token={}", asker.token))]).await.code(), "unauthorized");
        assert_eq!(caller(&asker, &[("cookie", &cookie), ("authorization", "Basic x")]).await.code(), "unauthorized");
        stage.close().await;
    }

    async fn a_cookie_changes_nothing_from_another_origin(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let (_, cookie) = sign_in(&asker, &[]).await;
        let new = || Some(json!({ "name": "ci", "role": "viewer" }));
        let foreign = [HOST, ("cookie", cookie.as_str()), ("origin", "http://evil.example")];
        assert_eq!(asker.bare("POST", "/api/v1/tokens", &foreign, new()).await.code(), "foreign_origin");
        assert_eq!(asker.bare("POST", "/sign-out", &foreign, None).await.code(), "foreign_origin");
        let own = [HOST, ("cookie", cookie.as_str()), ORIGIN];
        assert_eq!(asker.bare("POST", "/api/v1/tokens", &own, new()).await.status, StatusCode::CREATED);
        stage.close().await;
    }

    async fn behind_https_the_cookie_is_secure_and_of_this_host(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let trusted_proxies = ["127.0.0.1".parse().unwrap()].into();
        let asker = Asker::with(&stage, HttpConfig { trusted_proxies, ..HttpConfig::default() }).await;
        let (given, cookie) = sign_in(&asker, &[HTTPS]).await;
        assert!(given.starts_with("__Host-selfmade_session=") && given.ends_with("; HttpOnly; SameSite=Strict; Secure"), "{given}");
        assert_eq!(caller(&asker, &[("cookie", &cookie), HTTPS]).await.status, StatusCode::OK);
        assert_eq!(caller(&asker, &[("cookie", &cookie)]).await.code(), "unauthorized", "over plain HTTP anybody could have set it");
        let (_, plain) = sign_in(&asker, &[]).await;
        assert_eq!(caller(&asker, &[("cookie", &plain), HTTPS]).await.code(), "unauthorized", "another host of the domain could have set it");
        let foreign = [HOST, HTTPS, ("cookie", cookie.as_str()), ("origin", "https://evil.example")];
        assert_eq!(asker.bare("POST", "/sign-out", &foreign, None).await.code(), "foreign_origin");
        stage.close().await;
    }

    async fn what_an_untrusted_proxy_says_of_https_is_not_believed(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let (given, _) = sign_in(&asker, &[HTTPS]).await;
        assert!(given.starts_with("selfmade_session=") && !given.contains("Secure"), "{given}");
        stage.close().await;
    }

    async fn a_session_ends_when_it_is_signed_out_ended_or_over(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let cookies = [sign_in(&asker, &[]).await.1, sign_in(&asker, &[]).await.1, sign_in(&asker, &[]).await.1];
        let all = names(&asker).await;
        assert!(all.len() == 3 && all.iter().all(|name| name.starts_with("browser-")), "{all:?}");
        let signed_out = asker.bare("POST", "/sign-out", &[HOST, ORIGIN, ("cookie", &cookies[0])], None).await;
        assert_eq!((signed_out.status, signed_out.header("location")), (StatusCode::SEE_OTHER, "/"));
        assert_eq!(signed_out.header("set-cookie"), "selfmade_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
        assert_eq!(caller(&asker, &[("cookie", &cookies[0])]).await.code(), "unauthorized");
        let again = asker.bare("POST", "/sign-out", &[HOST, ORIGIN, ("cookie", &cookies[0])], None).await;
        assert_eq!(again.status, StatusCode::SEE_OTHER);
        let left = names(&asker).await;
        assert_eq!(left.len(), 2);
        let ended = asker.ask("DELETE", &format!("/api/v1/sessions/{}", left[0]), &[], None).await;
        assert_eq!(ended.status, StatusCode::NO_CONTENT);
        assert_eq!(asker.ask("DELETE", "/api/v1/sessions/none", &[], None).await.json["error"]["message"], "there is no session named `none`");
        let mut valid = 0;
        for cookie in &cookies {
            valid += usize::from(caller(&asker, &[("cookie", cookie)]).await.status == StatusCode::OK);
        }
        assert_eq!(valid, 1);
        stage.ctx.clock.advance(SignedDuration::from_hours(30 * 24).unsigned_abs());
        for cookie in &cookies {
            assert_eq!(caller(&asker, &[("cookie", cookie)]).await.code(), "unauthorized");
        }
        assert_eq!(names(&asker).await, Vec::<String>::new());
        let trail = stage.ctx.store.audit(None, 100).await.unwrap();
        let of = |verb: &str| trail.iter().filter(|record| record.verb == verb).collect::<Vec<_>>();
        assert!(of("session.add").len() == 3 && of("session.add").iter().all(|record| record.actor == Actor::CommandLine));
        let removed = of("session.remove");
        assert_eq!(removed.len(), 2);
        assert!(removed.iter().any(|record| matches!(record.actor, Actor::Session(_)) && all.contains(&record.subject)));
        assert!(removed.iter().any(|record| matches!(record.actor, Actor::Token(_))));
        let details: Vec<&Value> = trail.iter().map(|record| &record.details).collect();
        assert!(!format!("{details:?}").contains(cookies[0].split_once('=').unwrap().1));
        stage.close().await;
    }
}
