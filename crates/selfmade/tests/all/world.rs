//! A brain on either database: the test looks at it and queues work, servers of the real program carry it out.

use std::sync::LazyLock;

use model::access::Access;
use model::content::Content;
use model::event::Event;
use model::ids::RunId;
use model::name::EntryName;
use model::run::Run;
use serde_json::{Map, Value};
use server::app::changesets;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::functions::read_function;
use server::app::runs::{self, StartRun, Target};
use server::{Config, Ctx};
use store::Location;
use store::testing::TestDatabase;

use crate::command::{Place, Running};

/// Whoever may do everything.
pub(crate) static ME: LazyLock<Access> = LazyLock::new(Access::of_command_line);

/// Short, so that what a dead server held is soon free.
const LEASE_SECONDS: u32 = 4;

pub(crate) struct World {
    pub(crate) place: Place,
    pub(crate) ctx: Ctx,
}

impl World {
    pub(crate) async fn open(database: &TestDatabase) -> World {
        let url = match database.location() {
            Location::Sqlite(path) => path.display().to_string(),
            Location::Postgres(url) => url.clone(),
        };
        let mut place = Place::new();
        place.set("SELFMADE_DATABASE", &url);
        place.file("home/config.toml", format!("lease_seconds = {LEASE_SECONDS}\n"));
        let config = Config::of(place.path("home"), Some(url), None).unwrap();
        World { place, ctx: Ctx::open(config).await.unwrap() }
    }

    /// A server that has begun to work.
    pub(crate) fn serve(&self) -> Running {
        let mut server = self.place.start(&["serve"]);
        server.says("serving");
        server
    }

    /// Registers decorated or bare sources together.
    pub(crate) async fn add(&self, sources: &[&str]) {
        let read = |text: &&str| read_function(text, "test.py", None).unwrap();
        self.register(sources.iter().map(read).collect()).await;
    }

    pub(crate) async fn put(&self, entry: &str, content: Content) {
        self.register(vec![Intent::Put(name(entry), content)]).await;
    }

    async fn register(&self, intents: Vec<Intent>) {
        changesets::register(&self.ctx, &ME, &Proposal::of("", intents)).await.unwrap();
    }

    pub(crate) async fn queue(&self, function: &str, input: Value) -> RunId {
        let input: Map<String, Value> = serde_json::from_value(input).unwrap();
        let request = StartRun::of(Target::Live(name(function)), input);
        runs::queue(&self.ctx, &ME, request).await.unwrap().run_id
    }

    pub(crate) async fn runs(&self) -> Vec<Run> {
        runs::list(&self.ctx, &ME, Default::default(), 10_000).await.unwrap()
    }

    pub(crate) async fn events(&self) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let more = self.ctx.store.events_after(after, 1000).await.unwrap();
            if more.is_empty() {
                return events;
            }
            events.extend(more);
        }
    }
}

pub(crate) fn name(text: &str) -> EntryName {
    text.parse().unwrap()
}
