//! Which sealed secrets the proxy is told of, for a function that has them and for one that has not.

use std::sync::{Arc, Mutex};

use sandbox::EgressPolicy;
use secrecy::SecretBox;
use serde_json::json;
use server::app::secrets;
use store::on_both;
use store::testing::TestDatabase;

use crate::engine::script::Stage;
use crate::world::ME;

type Policies = Arc<Mutex<Vec<Option<EgressPolicy>>>>;

async fn seal(stage: &Stage, name: &str, hosts: &[&str]) {
    let value = SecretBox::new(Box::new(format!("value-of-{name}").into_bytes()));
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    secrets::set_for(&stage.ctx, &ME, name, &value, &hosts).await.unwrap();
}

/// A function of this name with these grants, and the policies that it is run with.
async fn function(stage: &Stage, name: &str, grants: &str) -> Policies {
    stage
        .register(&format!("import selfmade\n\n\n@selfmade.function({grants})\ndef {name}():\n    pass\n"))
        .await;
    let policies = Policies::default();
    let told = policies.clone();
    stage.script.part(name, move |work, _| {
        told.lock().unwrap().push(work.egress);
        async { Ok(1.into()) }
    });
    policies
}

/// The hosts of the secrets that are redacted for a run of the function, in order.
async fn struck(stage: &Stage, name: &str, policies: &Policies) -> Vec<String> {
    stage.start(name, json!({})).await.unwrap();
    let policy = policies.lock().unwrap().pop().unwrap().unwrap();
    let mut hosts: Vec<String> = policy.redact.into_iter().flat_map(|secret| secret.hosts).collect();
    hosts.sort();
    hosts
}

on_both! {
    async fn all_sealed_secrets_of_the_hosts_that_it_may_reach_are_redacted_for_a_function(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        seal(&stage, "same", &["api.example.com"]).await;
        seal(&stage, "wide", &["*.example.com:8443"]).await;
        seal(&stage, "deep", &["a.b.example.org"]).await;
        seal(&stage, "elsewhere", &["example.net", "*.api.example.com"]).await;
        let value = SecretBox::new(Box::new(b"handed-to-cells".to_vec()));
        secrets::set(&stage.ctx, &ME, "unsealed", &value).await.unwrap();
        let policies = function(&stage, "narrow", "network=[\"api.example.com\"]").await;
        assert_eq!(struck(&stage, "narrow", &policies).await, ["*.example.com:8443", "api.example.com"]);
        let policies = function(&stage, "broad", "network=[\"*.example.org\", \"example.com\"]").await;
        assert_eq!(struck(&stage, "broad", &policies).await, ["a.b.example.org"]);
    }

    async fn a_function_without_network_is_told_of_none(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        seal(&stage, "key", &["api.example.com"]).await;
        let policies = function(&stage, "alone", "").await;
        stage.start("alone", json!({})).await.unwrap();
        assert_eq!(*policies.lock().unwrap(), [None]);
    }

    async fn a_change_of_a_secret_counts_from_the_next_run_on_every_server(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let policies = function(&stage, "asks", "network=[\"api.example.com\"]").await;
        let another = stage.another(database).await;
        assert!(struck(&another, "asks", &policies).await.is_empty());
        seal(&stage, "key", &["api.example.com"]).await;
        assert_eq!(struck(&another, "asks", &policies).await, ["api.example.com"]);
        assert_eq!(struck(&another, "asks", &policies).await, ["api.example.com"]);
        secrets::remove(&stage.ctx, &ME, "key").await.unwrap();
        assert!(struck(&another, "asks", &policies).await.is_empty());
    }

    async fn a_value_too_short_to_be_redacted_is_not_sealed(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let short = SecretBox::new(Box::new(b"1234567".to_vec()));
        let hosts = ["api.example.com".to_owned()];
        let error = secrets::set_for(&stage.ctx, &ME, "key", &short, &hosts).await.unwrap_err();
        assert_eq!(error.code(), "bad_secret");
        assert!(error.to_string().contains("fewer than 8 cannot be redacted"), "{error}");
        // Nor is it by a new value of one that is sealed already.
        seal(&stage, "key", &["api.example.com"]).await;
        assert!(secrets::set(&stage.ctx, &ME, "key", &short).await.is_err());
    }
}
