//! Webhooks: who may send, what is sent, and that it is taken once.

use axum::http::StatusCode;
use hmac::{Hmac, KeyInit, Mac};
use model::access::token::TokenRole;
use model::event::EventKind;
use model::trigger::TriggerContent;
use model::trigger::senders::Senders;
use secrecy::SecretBox;
use serde_json::{Value, json};
use server::app::{secrets, triggers};
use sha2::Sha256;
use store::testing::TestDatabase;

use super::asking::{Answer, Asker, token};
use crate::engine::script::Stage;
use crate::world::{ME, name};

const SECRET: &str = "a secret of both";
const BODY: &str = r#"{"ref": "main"}"#;

fn listening(webhook: &str, target: &str, senders: Option<Senders>) -> TriggerContent {
    TriggerContent {
        on: EventKind::WebhookReceived.into(),
        source: Some(webhook.to_owned()),
        senders,
        ..TriggerContent::after("", name(target))
    }
}

/// A trigger that waits for a webhook.
pub(crate) async fn wait_for(stage: &Stage, webhook: &str, target: &str, senders: Option<Senders>) {
    let content = listening(webhook, target, senders.clone());
    let trigger = match senders {
        None => format!("token_{webhook}"),
        Some(Senders::Anybody) => format!("any_{webhook}"),
        Some(Senders::Secret(_)) => format!("signed_{webhook}"),
    };
    triggers::put(&stage.ctx, &ME, name(&trigger), content).await.unwrap();
}

async fn open(database: &TestDatabase) -> (Stage, Asker) {
    let stage = Stage::open(database).await;
    stage.add(&["def sink(x=None): pass\n"]).await;
    let value = SecretBox::new(Box::new(SECRET.as_bytes().to_vec()));
    secrets::set(&stage.ctx, &ME, "HOOK", &value).await.unwrap();
    let asker = Asker::of(&stage).await;
    (stage, asker)
}

/// Without a token.
async fn send(asker: &Asker, webhook: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers = [&[("host", "localhost")], headers].concat();
    asker.send("POST", &format!("/api/v1/hooks/{webhook}"), &headers, body.to_owned()).await
}

fn hub(body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

async fn last_data(stage: &Stage) -> Value {
    let newest = stage.ctx.store.newest_event().await.unwrap();
    stage.ctx.store.events_after(newest - 1, 1).await.unwrap().pop().unwrap().fact.data
}

store::on_both! {
    async fn what_is_signed_is_taken_once(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        wait_for(&stage, "push", "sink", Some(Senders::Secret("HOOK".to_owned()))).await;
        let signature = hub(BODY);
        let signed = [("x-hub-signature-256", signature.as_str()), ("x-github-delivery", "d1"), ("content-type", "application/json")];
        let first = send(&asker, "push", &signed, BODY).await;
        assert_eq!((first.status, &first.json["again"]), (StatusCode::ACCEPTED, &json!(false)));
        assert_eq!(last_data(&stage).await, json!({ "ref": "main" }));
        let again = send(&asker, "push", &signed, BODY).await;
        assert_eq!((again.status, &again.json["again"], &again.json["seq"]), (StatusCode::ACCEPTED, &json!(true), &first.json["seq"]));
        let unsigned = send(&asker, "push", &[], BODY).await;
        assert_eq!((unsigned.status, unsigned.code()), (StatusCode::UNAUTHORIZED, "bad_signature"));
        assert_eq!(send(&asker, "push", &signed, r#"{"ref": "evil"}"#).await.code(), "bad_signature");
        let bearer = format!("Bearer {}", asker.token);
        assert_eq!(send(&asker, "push", &[("authorization", &bearer)], BODY).await.code(), "bad_signature", "a token is no signature");
        stage.close().await;
    }

    async fn without_a_word_about_senders_it_takes_a_token(database: &TestDatabase) {
        let (stage, mut asker) = open(database).await;
        wait_for(&stage, "push", "sink", None).await;
        assert_eq!(send(&asker, "push", &[], BODY).await.code(), "unauthorized");
        let sent = asker.post("/api/v1/hooks/push", json!({ "a": 1 })).await;
        assert_eq!(sent.status, StatusCode::ACCEPTED, "{:?}", sent.json);
        asker.token = token(&stage, "v", TokenRole::Viewer, &[]).await;
        assert_eq!(asker.post("/api/v1/hooks/push", json!({})).await.code(), "forbidden");
        asker.token = token(&stage, "r", TokenRole::Runner, &["other"]).await;
        assert_eq!(asker.post("/api/v1/hooks/push", json!({})).await.code(), "not_found");
        stage.close().await;
    }

    async fn an_open_door_opens_no_other(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        wait_for(&stage, "push", "sink", Some(Senders::Anybody)).await;
        assert_eq!(send(&asker, "push", &[("content-type", "text/plain")], "hello").await.status, StatusCode::ACCEPTED);
        assert_eq!(last_data(&stage).await, json!("hello"));
        assert_eq!(send(&asker, "push", &[("content-type", "application/x-www-form-urlencoded")], "a=1").await.status, StatusCode::ACCEPTED);
        assert_eq!(last_data(&stage).await, json!({ "a": "1" }));
        let before = stage.last_event().await;
        assert_eq!(send(&asker, "push", &[("content-type", "image/png")], "x").await.code(), "unsupported_body");
        assert_eq!(send(&asker, "push", &[], &"x".repeat(1_000_001)).await.code(), "too_large");
        assert_eq!(send(&asker, "pull", &[], "x").await.code(), "not_found");
        assert_eq!(stage.last_event().await, before);
        // Another trigger waits for the same and asks for a signature: now everybody has to sign.
        wait_for(&stage, "push", "sink", Some(Senders::Secret("HOOK".to_owned()))).await;
        assert_eq!(send(&asker, "push", &[], "hello").await.code(), "bad_signature");
        stage.close().await;
    }

    async fn whoever_guesses_signatures_is_locked_out(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        wait_for(&stage, "push", "sink", Some(Senders::Secret("HOOK".to_owned()))).await;
        for _ in 0..20 {
            assert_eq!(send(&asker, "push", &[("x-hub-signature-256", "sha256=00")], BODY).await.code(), "bad_signature");
        }
        assert_eq!(send(&asker, "push", &[("x-hub-signature-256", &hub(BODY))], BODY).await.code(), "guessing");
        stage.close().await;
    }

    async fn the_address_of_a_webhook_stays_when_versions_change_and_in_another_brain(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let signed_by = Some(Senders::Secret("HOOK".to_owned()));
        wait_for(&stage, "push", "sink", signed_by.clone()).await;
        let signature = hub(BODY);
        let signed = [("x-hub-signature-256", signature.as_str()), ("content-type", "application/json")];
        assert_eq!(send(&asker, "push", &signed, BODY).await.status, StatusCode::ACCEPTED);

        stage.add(&["def sink(x=None, y=None): pass\n"]).await;
        assert_eq!(send(&asker, "push", &signed, BODY).await.status, StatusCode::ACCEPTED, "a new version of the target");
        let described =
            TriggerContent { description: "another".to_owned(), ..listening("push", "sink", signed_by) };
        triggers::put(&stage.ctx, &ME, name("signed_push"), described).await.unwrap();
        assert_eq!(send(&asker, "push", &signed, BODY).await.status, StatusCode::ACCEPTED, "a new version of the trigger");

        let exported = asker.get("/api/v1/export").await.json;
        let elsewhere = database.another().await;
        let (other, other_asker) = open(&elsewhere).await;
        let imported = other_asker.post("/api/v1/import", json!({ "files": exported["files"] })).await;
        assert!(imported.status.is_success(), "{imported:?}");
        assert_eq!(send(&other_asker, "push", &signed, BODY).await.status, StatusCode::ACCEPTED, "another brain");
        assert_eq!(send(&other_asker, "push", &[], BODY).await.code(), "bad_signature");
        other.close().await;
        stage.close().await;
    }
}
