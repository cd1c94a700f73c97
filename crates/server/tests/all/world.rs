//! A brain in a folder of its own, and short words for what people do with it.

use std::sync::LazyLock;

use jiff::Timestamp;
use model::access::Access;
use model::changeset::Changeset;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::{FunctionContent, FunctionDraft};
use model::name::EntryName;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use model::version::VersionNumber;
use secrecy::SecretString;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::changesets::{self, Applied, Breakage};
use server::app::functions::read_function;
use server::clock::Clock;
use server::ids::Ids;
use server::{Config, Ctx, Error};
use store::testing::TestDatabase;
use tempfile::TempDir;

/// Whoever may do everything.
pub(crate) static ME: LazyLock<Access> = LazyLock::new(Access::of_command_line);

pub(crate) const NOON: &str = "2026-03-01T12:00:00Z";

pub(crate) struct World {
    pub(crate) ctx: Ctx,
    pub(crate) home: TempDir,
}

impl World {
    pub(crate) async fn open(database: &TestDatabase) -> World {
        World::with_key(database, None).await
    }

    pub(crate) async fn with_key(database: &TestDatabase, key: Option<&str>) -> World {
        let home = tempfile::tempdir().unwrap();
        let ctx = World::ctx(database, &home, key).await;
        World { ctx, home }
    }

    /// Another server on the same brain and the same folder.
    pub(crate) async fn reopened(&self, database: &TestDatabase) -> Ctx {
        World::ctx(database, &self.home, None).await
    }

    /// With other settings.
    pub(crate) async fn configured(database: &TestDatabase, set: impl FnOnce(&mut Config)) -> World {
        let home = tempfile::tempdir().unwrap();
        let mut config = Config::new(home.path().to_owned(), database.location().clone(), None);
        set(&mut config);
        World { ctx: World::opened(config).await, home }
    }

    async fn ctx(database: &TestDatabase, home: &TempDir, key: Option<&str>) -> Ctx {
        let location = database.location().clone();
        World::opened(Config::new(home.path().to_owned(), location, key.map(SecretString::from))).await
    }

    async fn opened(config: Config) -> Ctx {
        let clock = Clock::still(NOON.parse::<Timestamp>().unwrap());
        Ctx::open_with(config, clock.clone(), Ids::random(clock)).await.unwrap().evaluating_here()
    }

    pub(crate) async fn register(&self, intents: Vec<Intent>) -> Result<Applied, Error> {
        changesets::register(&self.ctx, &ME, &Proposal::of("", intents)).await
    }

    pub(crate) async fn propose(&self, intents: Vec<Intent>) -> Result<Changeset, Error> {
        changesets::propose(&self.ctx, &ME, &Proposal::of("", intents)).await
    }

    pub(crate) async fn apply(&self, number: u64) -> Result<Applied, Error> {
        changesets::apply(&self.ctx, &ME, number, Breakage::Refused).await
    }

    /// Registers bare sources together.
    pub(crate) async fn add(&self, sources: &[&str]) -> Applied {
        self.register(sources.iter().map(|text| source(text)).collect()).await.unwrap()
    }

    pub(crate) async fn live(&self, text: &str) -> Option<FunctionContent> {
        let version = self.ctx.store.live_version(&key(text)).await.unwrap()?;
        version.content.as_function().cloned()
    }

    pub(crate) async fn live_number(&self, key: &EntryKey) -> Option<u32> {
        self.ctx.store.live_version(key).await.unwrap().map(|version| version.head.number.0)
    }

    pub(crate) async fn revision(&self) -> u64 {
        self.ctx.store.revision().await.unwrap().0
    }
}

pub(crate) fn name(text: &str) -> EntryName {
    text.parse().unwrap()
}

pub(crate) fn key(text: &str) -> EntryKey {
    EntryKey::function(name(text))
}

pub(crate) fn trigger_key(text: &str) -> EntryKey {
    EntryKey::new(EntryKind::Trigger, name(text))
}

pub(crate) fn schedule_key(text: &str) -> EntryKey {
    EntryKey::new(EntryKind::Schedule, name(text))
}

/// A bare source: what it does not state is kept.
pub(crate) fn source(text: &str) -> Intent {
    Intent::function(FunctionDraft::of_source(text))
}

/// A decorated source: it states everything.
pub(crate) fn decorated(text: &str) -> Intent {
    read_function(&format!("import selfmade\n\n{text}"), "test.py", None).unwrap()
}

/// `def NAME(): return ANSWER`.
pub(crate) fn answering(text: &str, answer: u32) -> Intent {
    source(&format!("def {text}():\n    return {answer}\n"))
}

/// `def NAME(): return CALLEE()`.
pub(crate) fn calling(text: &str, callee: &str) -> Intent {
    source(&format!("def {text}():\n    return {callee}()\n"))
}

pub(crate) fn delete(text: &str) -> Intent {
    Intent::Delete(key(text))
}

pub(crate) fn point(text: &str, number: u32) -> Intent {
    Intent::Use(key(text), VersionNumber(number))
}

pub(crate) fn trigger(text: &str, upstream: &str, target: &str) -> Intent {
    Intent::Put(name(text), Content::Trigger(TriggerContent::after(upstream, name(target))))
}

pub(crate) fn schedule(text: &str, target: &str) -> Intent {
    let content = ScheduleContent {
        description: String::new(),
        times: Times::Cron("0 3 * * *".to_owned()),
        zone: "Europe/Vienna".to_owned(),
        target: name(target),
        input: serde_json::Map::new(),
        missed: Missed::Once,
        overlap: Overlap::Skip,
        paused: false,
    };
    Intent::Put(name(text), Content::Schedule(content))
}

/// What was found wrong, in words.
pub(crate) fn findings(error: &Error) -> Vec<String> {
    let line = |finding: &&model::changeset::check::Finding| {
        let place = finding.line.zip(finding.column).map(|(line, column)| format!(" at {line}:{column}"));
        let hint = finding.hint.as_ref().map(|hint| format!(" ({hint})"));
        format!(
            "{}: {}{}{}",
            finding.entry.name,
            finding.message,
            place.unwrap_or_default(),
            hint.unwrap_or_default()
        )
    };
    error.findings().iter().map(line).collect()
}
