//! What all requests share.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use sandbox::CancellationToken;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::edge::guess_limit::Guesses;
use super::edge::rate_limit::Rates;
use super::request::owner::Owners;
use super::request::upload_slots::BodyPlaces;
use super::response_cache::ResponseCache;
use super::sessions::sign_in::SignIns;
use crate::app::autogpt::feed::GraphFeed;
use crate::app::events::feed::Feed;
use crate::ctx::Ctx;

/// Sizes and names of a door.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// Names under which it may be asked for, beside `localhost` and plain addresses.
    pub names: BTreeSet<String>,
    /// Whether the API is answered; otherwise only health, metrics and control are.
    pub is_api: bool,
    /// The largest body.
    pub body_bytes: usize,
    /// The largest body of a route that takes folders.
    pub upload_bytes: usize,
    /// How many of those are taken at once; the next waits.
    pub uploads: usize,
    /// How long a client may take to send the head of a request.
    pub head_timeout: Duration,
    /// How long a client may take to send the body.
    pub body_timeout: Duration,
    /// How long a request waits for the end of a run that does not say how long.
    pub wait: Duration,
    pub connections: usize,
    /// Proxies whose word for whom they speak is believed.
    pub trusted_proxies: BTreeSet<IpAddr>,
    /// Requests a second of one token, or of one address without a token; any number unless given.
    pub rate: Option<NonZeroU32>,
    /// WebSockets, which are no longer counted as connections.
    pub sockets: usize,
}

impl Default for HttpConfig {
    fn default() -> HttpConfig {
        HttpConfig {
            names: BTreeSet::new(),
            is_api: true,
            body_bytes: 8 << 20,
            upload_bytes: 256 << 20,
            uploads: 2,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            wait: Duration::from_secs(60),
            connections: 4_096,
            trusted_proxies: BTreeSet::new(),
            rate: None,
            sockets: 1_024,
        }
    }
}

#[derive(Clone)]
pub struct Door(Arc<Shared>);

struct Shared {
    ctx: Ctx,
    config: HttpConfig,
    stop: CancellationToken,
    feed: Feed,
    graph_feed: GraphFeed,
    guesses: Guesses,
    rates: Rates,
    sign_ins: SignIns,
    owners: Owners,
    response_cache: ResponseCache,
    sockets: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    body_places: BodyPlaces,
}

impl Door {
    /// Answers until `stop`.
    pub fn new(ctx: Ctx, config: HttpConfig, stop: CancellationToken) -> Door {
        let feed = Feed::new(ctx.clone(), stop.clone());
        let graph_feed = GraphFeed::new(ctx.clone(), stop.clone());
        let (guesses, rates) = (Guesses::default(), Rates::default());
        let (sign_ins, owners, response_cache) =
            (SignIns::default(), Owners::default(), ResponseCache::default());
        let sockets = Arc::new(Semaphore::new(config.sockets));
        let uploads = Arc::new(Semaphore::new(config.uploads));
        let body_places = BodyPlaces::default();
        let shared = Shared {
            ctx,
            config,
            stop,
            feed,
            graph_feed,
            guesses,
            rates,
            sign_ins,
            owners,
            response_cache,
            sockets,
            uploads,
            body_places,
        };
        Door(Arc::new(shared))
    }

    pub(crate) fn ctx(&self) -> &Ctx {
        &self.0.ctx
    }

    pub(crate) fn config(&self) -> &HttpConfig {
        &self.0.config
    }

    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    pub(crate) fn feed(&self) -> &Feed {
        &self.0.feed
    }

    pub(crate) fn graph_feed(&self) -> &GraphFeed {
        &self.0.graph_feed
    }

    pub(crate) fn guesses(&self) -> &Guesses {
        &self.0.guesses
    }

    pub(crate) fn owners(&self) -> &Owners {
        &self.0.owners
    }

    pub(crate) fn rates(&self) -> &Rates {
        &self.0.rates
    }

    pub(crate) fn response_cache(&self) -> &ResponseCache {
        &self.0.response_cache
    }

    pub(crate) fn body_places(&self) -> &BodyPlaces {
        &self.0.body_places
    }

    /// A place for one more upload, as soon as there is one.
    pub(crate) async fn upload_place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.uploads).acquire_owned().await.ok()
    }

    /// A place for one more WebSocket, if there is one.
    pub(crate) fn socket_place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.sockets).try_acquire_owned().ok()
    }

    /// Returns when no WebSocket is open, for which the server has to be stopping.
    pub(crate) async fn sockets_closed(&self) {
        let all = u32::try_from(self.config().sockets).unwrap_or(u32::MAX);
        drop(self.0.sockets.acquire_many(all).await);
    }

    pub(crate) fn sign_ins(&self) -> &SignIns {
        &self.0.sign_ins
    }
}
