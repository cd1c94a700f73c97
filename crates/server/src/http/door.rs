//! What all requests share.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use sandbox::CancellationToken;

use super::feed::Feed;
use super::guesses::Guesses;
use super::sign_in::SignIns;
use crate::ctx::Ctx;

/// Sizes and names of a door.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// Names under which it may be asked for, beside `localhost` and plain addresses.
    pub names: BTreeSet<String>,
    /// The largest body.
    pub body_bytes: usize,
    /// How long a client may take to send the head of a request.
    pub head_timeout: Duration,
    /// How long a client may take to send the body.
    pub body_timeout: Duration,
    /// How long a request waits for the end of a run that does not say how long.
    pub wait: Duration,
    pub connections: usize,
}

impl Default for HttpConfig {
    fn default() -> HttpConfig {
        HttpConfig {
            names: BTreeSet::new(),
            body_bytes: 8 << 20,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            wait: Duration::from_secs(60),
            connections: 4_096,
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
    guesses: Guesses,
    sign_ins: SignIns,
}

impl Door {
    /// Answers until `stop`.
    pub fn new(ctx: Ctx, config: HttpConfig, stop: CancellationToken) -> Door {
        let feed = Feed::new(ctx.clone(), stop.clone());
        let (guesses, sign_ins) = (Guesses::default(), SignIns::default());
        Door(Arc::new(Shared { ctx, config, stop, feed, guesses, sign_ins }))
    }

    pub(super) fn ctx(&self) -> &Ctx {
        &self.0.ctx
    }

    pub(super) fn config(&self) -> &HttpConfig {
        &self.0.config
    }

    pub(super) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    pub(super) fn feed(&self) -> &Feed {
        &self.0.feed
    }

    pub(super) fn guesses(&self) -> &Guesses {
        &self.0.guesses
    }

    pub(super) fn sign_ins(&self) -> &SignIns {
        &self.0.sign_ins
    }
}
