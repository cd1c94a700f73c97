//! A brain with a door, in this process.

use std::net::SocketAddr;
use std::sync::Arc;

use model::access::Access;
use model::access::token::TokenRole;
use model::function::FunctionDraft;
use sandbox::CancellationToken;
use secrecy::ExposeSecret;
use serde_json::Value;
use server::app::tokens::{self, NewToken};
use server::http::{self, HttpConfig};
use store::Durability;
use tokio::task::JoinHandle;

use super::client::Client;
use crate::runs::functions::{ADD, warm_add};
use crate::runs::world::{Place, SMALL, World};

pub(super) struct Door {
    pub(super) world: World,
    pub(super) address: SocketAddr,
    token: String,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

pub(super) async fn open(place: &Place) -> anyhow::Result<Door> {
    let world = place.brain("http", Durability::Process).await?;
    world.register(vec![FunctionDraft::of_source(ADD), warm_add()]).await?;
    world.fill(2, SMALL).await?;
    let token = token(&world, runner("bench")).await?;
    let stop = CancellationToken::new();
    let listener = http::bind("127.0.0.1:0").await?;
    let address = listener.address;
    let door = http::Door::new(world.ctx.clone(), HttpConfig::default(), stop.clone());
    let serving = tokio::spawn(http::serve(listener, door));
    Ok(Door { world, address, token, stop, serving })
}

pub(super) fn runner(name: &str) -> NewToken {
    NewToken {
        name: name.to_owned(),
        role: TokenRole::Runner,
        patterns: Vec::new(),
        uses: Vec::new(),
        grants: None,
        expires_at: None,
    }
}

pub(super) async fn token(world: &World, new: NewToken) -> anyhow::Result<String> {
    let (_, text) = tokens::add(&world.ctx, &Access::of_command_line(), new).await?;
    Ok(text.expose_secret().to_owned())
}

impl Door {
    /// As it goes over the wire.
    pub(super) fn request(&self, line: &str, body: &Value) -> Arc<[u8]> {
        let (token, body) = (&self.token, body.to_string());
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        request.into_bytes().into()
    }

    pub(super) async fn client(&self) -> anyhow::Result<Client> {
        Client::connect(self.address, &self.token).await
    }

    pub(super) async fn close(self) {
        self.stop.cancel();
        // One that panicked has been reported.
        let _ = self.serving.await;
        self.world.ctx.close().await;
    }
}
