//! A door and somebody who knocks.

use std::net::{IpAddr, Ipv4Addr};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use model::access::token::TokenRole;
use sandbox::CancellationToken;
use secrecy::ExposeSecret;
use serde_json::Value;
use server::app::tokens::{self, NewToken};
use server::http::{Door, HttpConfig, Peer, router};
use store::testing::TestDatabase;
use tower::ServiceExt;

use crate::engine::script::Stage;
use crate::world::ME;

pub(crate) const ADD: &str = "def add(a: int, b: int) -> int:\n    \"\"\"Adds.\"\"\"\n    return a + b\n";

pub(crate) struct Asker {
    pub(crate) door: Door,
    router: Router,
    pub(crate) token: String,
    pub(crate) stop: CancellationToken,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) json: Value,
}

impl Answer {
    pub(crate) fn code(&self) -> &str {
        self.json["error"]["code"].as_str().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

/// A brain with `add`, which answers 3, and somebody who asks it.
pub(crate) async fn open(database: &TestDatabase) -> (Stage, Asker) {
    let stage = Stage::open(database).await;
    stage.add(&[ADD]).await;
    stage.script.part("add", |_, _| async { Ok(3.into()) });
    let asker = Asker::of(&stage).await;
    (stage, asker)
}

impl Asker {
    /// With the token of an administrator.
    pub(crate) async fn of(stage: &Stage) -> Asker {
        Asker::with(stage, HttpConfig::default()).await
    }

    pub(crate) async fn with(stage: &Stage, config: HttpConfig) -> Asker {
        let stop = CancellationToken::new();
        let door = Door::new(stage.ctx.clone(), config, stop.clone());
        let token = token(stage, "admin", TokenRole::Admin, &[]).await;
        Asker { router: router(door.clone()), door, token, stop }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.ask("POST", path, &[], Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.ask("PUT", path, &[], Some(body)).await
    }

    /// With the token, and more headers.
    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let headers = [&[("authorization", bearer.as_str()), ("host", "localhost")], headers].concat();
        self.bare(method, path, &headers, body).await
    }

    /// The status alone: some bodies have no end.
    pub(crate) async fn knock_as(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> StatusCode {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![("host", "localhost")];
        if !self.token.is_empty() {
            all.push(("authorization", bearer.as_str()));
        }
        all.extend_from_slice(headers);
        self.knock(method, path, &all, body).await.status()
    }

    /// With these headers alone.
    pub(crate) async fn bare(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        read(self.knock(method, path, headers, body).await).await
    }

    /// With a body as it stands.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Answer {
        read(self.request(method, path, headers, Body::from(body)).await).await
    }

    /// Without waiting for the body.
    pub(crate) async fn knock(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> axum::response::Response {
        let Some(body) = body else { return self.request(method, path, headers, Body::empty()).await };
        let headers = [headers, &[("content-type", "application/json")]].concat();
        self.request(method, path, &headers, Body::from(body.to_string())).await
    }

    /// With a body that may have no end.
    pub(crate) async fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Body,
    ) -> axum::response::Response {
        let mut request = Request::builder().method(method.parse::<Method>().unwrap()).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(body).unwrap();
        request.extensions_mut().insert(Peer(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        self.router.clone().oneshot(request).await.unwrap()
    }
}

pub(crate) async fn read(response: axum::response::Response) -> Answer {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let json = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    Answer { status: parts.status, headers: parts.headers, json }
}

pub(crate) async fn token(stage: &Stage, name: &str, role: TokenRole, patterns: &[&str]) -> String {
    let patterns = patterns.iter().map(ToString::to_string).collect();
    let new =
        NewToken { name: name.to_owned(), role, patterns, uses: Vec::new(), grants: None, expires_at: None };
    let (_, text) = tokens::add(&stage.ctx, &ME, new).await.unwrap();
    text.expose_secret().to_owned()
}
