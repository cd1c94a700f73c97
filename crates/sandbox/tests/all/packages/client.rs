//! What every HTTP client must do in a cell, told nothing but URLs: reach a plain server, one whose TLS goes through untouched
//! and one whose TLS ends at the proxy, which puts a secret in; and say why a host that is not listed is not reached.

use std::sync::Arc;

use selfmade_sandbox::egress::{EgressPolicy, SealedSecret, SecretText};
use selfmade_sandbox::{Environment, Job, Sandbox};
use serde_json::json;

use crate::egress_proxy::world::{self, Server, policy};
use crate::support::{World, config, returned};

pub(super) const PLACEHOLDER: &str = "placeholder-of-key";
pub(super) const SECRET: &str = "the real key";

/// Cells with a way out, and the world they get out to.
pub(super) struct Lab {
    pub(super) cells: World,
    pub(super) outside: world::World,
}

impl Lab {
    pub(super) async fn new(environment: Arc<Environment>) -> Lab {
        let outside = world::World::new();
        let sandbox = Sandbox::start_with(config(), Some(outside.proxy.clone())).await.unwrap();
        Lab { cells: World { sandbox, ear: Arc::default(), environment }, outside }
    }

    /// A job that may reach these hosts, and has a sealed secret for the last.
    pub(super) fn job(&self, source: &str, input: serde_json::Value, hosts: &[String]) -> Job {
        let secret = SealedSecret {
            placeholder: PLACEHOLDER.to_owned(),
            value: SecretText::new(SECRET.to_owned()),
            hosts: hosts[hosts.len() - 1..].to_vec(),
        };
        let mut job = self.cells.job(source, input);
        job.secrets = [("KEY".to_owned(), PLACEHOLDER.to_owned())].into();
        job.egress = Some(EgressPolicy { secrets: vec![secret], ..policy(hosts) });
        job
    }
}

/// Runs `f(plain, tunnelled, sealed, refused)` of a client. It returns the statuses of the first two, the text that came for
/// the third, to which it sends the secret `KEY` as a bearer token, and what the error for the last says.
pub(super) async fn works_through_the_proxy(environment: Arc<Environment>, source: &str) {
    let lab = Lab::new(environment).await;
    let http = lab.outside.http_server().await;
    let https = lab.outside.https_server(&["open.test", "sealed.test"]).await;
    let hosts = [at("open.test", &http), at("open.test", &https), at("sealed.test", &https)];
    let input = json!({
        "plain": format!("http://{}/", hosts[0]),
        "tunnelled": format!("https://{}/", hosts[1]),
        "sealed": format!("https://{}/", hosts[2]),
        "refused": "https://elsewhere.test/",
    });
    let told = returned(lab.cells.run(&lab.job(source, input, &hosts)).await.ending);
    assert_eq!((&told[0], &told[1]), (&json!(200), &json!(200)), "{told}");
    let echo = told[2].as_str().unwrap();
    assert!(echo.contains(&format!("authorization: Bearer {PLACEHOLDER}\n")), "{echo}");
    let seen = https.seen().pop().unwrap();
    assert!(seen.contains(&format!("authorization: Bearer {SECRET}\n")), "{seen}");
    let error = told[3].as_str().unwrap();
    assert!(error.contains("host `elsewhere.test` is not listed"), "{error}");
    assert!(error.contains("add `elsewhere.test` to the function's `network` grant"), "{error}");
}

pub(super) fn at(host: &str, server: &Server) -> String {
    format!("{host}:{}", server.port)
}
