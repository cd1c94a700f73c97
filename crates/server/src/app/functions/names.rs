//! Readable names for the ids of Versions, entries and tokens in records.

use std::collections::{BTreeSet, HashMap};

use model::access::actor::Actor;
use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::entry::{EntryKey, EntryKind};
use model::ids::{EntryId, RunId, SessionId, TokenId, VersionId};
use model::name::EntryName;
use model::run::Run;
use model::version::VersionNumber;
use uuid::Uuid;

use super::{Which, not_found};
use crate::app::runs::ids::{find, short};
use crate::ctx::Ctx;
use crate::error::Error;

/// Of all that some Runs name.
pub(crate) struct Names {
    versions: HashMap<VersionId, VersionNumber>,
    entries: HashMap<EntryId, EntryKey>,
    tokens: HashMap<TokenId, String>,
    sessions: HashMap<SessionId, String>,
}

impl Names {
    /// Of actors alone.
    pub(crate) async fn of_actors(
        ctx: &Ctx,
        access: &Access,
        actors: impl IntoIterator<Item = &Actor>,
    ) -> Result<Names, Error> {
        let actors: Vec<&Actor> = actors.into_iter().collect();
        Ok(Names {
            versions: HashMap::new(),
            entries: entries(ctx, access, &actors).await?,
            tokens: tokens(ctx, access, &actors).await?,
            sessions: sessions(ctx, access, &actors).await?,
        })
    }

    /// As far as they may be seen: what lies outside keeps its id.
    pub(crate) async fn of(ctx: &Ctx, access: &Access, runs: &[Run]) -> Result<Names, Error> {
        let versions: BTreeSet<VersionId> = runs.iter().filter_map(|run| run.version_id).collect();
        let versions: Vec<VersionId> = versions.into_iter().collect();
        let cancellers = runs.iter().filter_map(|run| run.cancelled.as_ref().map(|(actor, _)| actor));
        let holders = runs.iter().map(|run| &run.authority.holder);
        let actors: Vec<&Actor> =
            runs.iter().map(|run| &run.actor).chain(cancellers).chain(holders).collect();
        Ok(Names {
            versions: numbers(ctx, &versions).await?,
            entries: entries(ctx, access, &actors).await?,
            tokens: tokens(ctx, access, &actors).await?,
            sessions: sessions(ctx, access, &actors).await?,
        })
    }

    pub(crate) fn version(&self, run: &Run) -> Option<VersionNumber> {
        self.versions.get(&run.version_id?).copied()
    }

    /// `trigger check_it`, `token ci`; what has no name any more, or none that may be seen, is told by the end of its id.
    pub(crate) fn who(&self, actor: &Actor) -> String {
        let nameless = |kind: &str, id: Uuid| format!("{kind} {}", end_of(id));
        let named = match actor {
            Actor::CommandLine => None,
            Actor::Run(run) => Some(format!("run {}", short(*run))),
            Actor::Token(token) => Some(match self.tokens.get(token) {
                Some(name) => format!("token {name}"),
                None => nameless("token", token.0),
            }),
            Actor::Session(session) => Some(match self.sessions.get(session) {
                Some(name) => format!("session {name}"),
                None => nameless("session", session.0),
            }),
            Actor::Trigger(entry) => Some(self.entry("trigger", *entry)),
            Actor::Schedule(entry) => Some(self.entry("schedule", *entry)),
        };
        named.unwrap_or_else(|| actor.to_string())
    }

    fn entry(&self, kind: &str, entry: EntryId) -> String {
        match self.entries.get(&entry) {
            Some(key) => format!("{kind} {}", key.name),
            None => format!("{kind} {}", end_of(entry.0)),
        }
    }
}

/// By whose access something is executed. Who is narrow sees the role of others, and not which names they may touch.
pub(crate) fn under(names: &Names, access: &Access, authority: &Authority) -> String {
    let is_whole = access.only().is_all() || access.authority.holder == authority.holder;
    let what = if is_whole { authority.describe() } else { authority.role.to_string() };
    format!("{} ({what})", names.who(&authority.holder))
}

/// The same for what a live Trigger or Schedule starts: that of whoever applied it.
pub(crate) async fn started_under(
    ctx: &Ctx,
    access: &Access,
    entry: EntryId,
) -> Result<Option<String>, Error> {
    let Some(authority) = ctx.store.appliers(&[entry]).await?.remove(&entry) else { return Ok(None) };
    let names = Names::of_actors(ctx, access, [&authority.holder]).await?;
    Ok(Some(under(&names, access, &authority)))
}

/// The end of an id, where nothing has a name.
fn end_of(id: Uuid) -> String {
    short(RunId(id))
}

async fn numbers(ctx: &Ctx, versions: &[VersionId]) -> Result<HashMap<VersionId, VersionNumber>, Error> {
    let heads = ctx.store.version_heads(versions).await?;
    Ok(heads.iter().map(|head| (head.version_id, head.number)).collect())
}

async fn entries(ctx: &Ctx, access: &Access, actors: &[&Actor]) -> Result<HashMap<EntryId, EntryKey>, Error> {
    let entry = |actor: &&Actor| match actor {
        Actor::Trigger(entry) | Actor::Schedule(entry) => Some(*entry),
        Actor::CommandLine | Actor::Token(_) | Actor::Session(_) | Actor::Run(_) => None,
    };
    let entries: BTreeSet<EntryId> = actors.iter().filter_map(entry).collect();
    if entries.is_empty() {
        return Ok(HashMap::new());
    }
    let mut keys = ctx.store.entry_keys(&entries.into_iter().collect::<Vec<_>>()).await?;
    keys.retain(|_, key| access.covers(key.name.as_str()));
    Ok(keys)
}

async fn tokens(ctx: &Ctx, access: &Access, actors: &[&Actor]) -> Result<HashMap<TokenId, String>, Error> {
    if !actors.iter().any(|actor| matches!(actor, Actor::Token(_))) {
        return Ok(HashMap::new());
    }
    let tokens = ctx.store.tokens().await?;
    let seen = tokens.into_iter().filter(|token| is_seen(access, &Actor::Token(token.token_id)));
    Ok(seen.map(|token| (token.token_id, token.name)).collect())
}

async fn sessions(
    ctx: &Ctx,
    access: &Access,
    actors: &[&Actor],
) -> Result<HashMap<SessionId, String>, Error> {
    if !actors.iter().any(|actor| matches!(actor, Actor::Session(_))) {
        return Ok(HashMap::new());
    }
    let sessions = ctx.store.sessions(ctx.clock.now()).await?;
    let seen = sessions.into_iter().filter(|one| is_seen(access, &Actor::Session(one.session_id)));
    Ok(seen.map(|session| (session.session_id, session.name)).collect())
}

/// Whoever is narrow knows no other token or session by name.
fn is_seen(access: &Access, actor: &Actor) -> bool {
    access.only().is_all() || access.authority.holder == *actor
}

/// Who is meant by `command_line`, `token:NAME`, `session:NAME`, `trigger:NAME`, `schedule:NAME` or `run:ID`.
pub async fn actor(ctx: &Ctx, access: &Access, text: &str) -> Result<Actor, Error> {
    access.may(Verb::ReadRuns)?;
    if let Ok(actor) = text.parse() {
        return Ok(actor);
    }
    match text.split_once(':') {
        Some(("run", id)) => Ok(Actor::Run(find(ctx, access, id).await?)),
        Some(("token", name)) => token(ctx, access, name).await.map(Actor::Token),
        Some(("session", name)) => session(ctx, access, name).await.map(Actor::Session),
        Some(("trigger", name)) => entry(ctx, access, EntryKind::Trigger, name).await.map(Actor::Trigger),
        Some(("schedule", name)) => entry(ctx, access, EntryKind::Schedule, name).await.map(Actor::Schedule),
        _ => Err(Error::Input {
            problem: format!("`{text}` is not an actor that can start runs"),
            hint: "write `command_line`, `token:NAME`, `session:NAME`, `trigger:NAME`, `schedule:NAME` or `run:ID`"
                .to_owned(),
        }),
    }
}

async fn token(ctx: &Ctx, access: &Access, name: &str) -> Result<TokenId, Error> {
    let tokens = ctx.store.tokens().await?;
    let found = tokens.iter().find(|token| token.name == name).map(|token| token.token_id);
    found
        .filter(|token| is_seen(access, &Actor::Token(*token)))
        .ok_or_else(|| Error::Absent { noun: "token", name: name.to_owned() })
}

async fn session(ctx: &Ctx, access: &Access, name: &str) -> Result<SessionId, Error> {
    let sessions = ctx.store.sessions(ctx.clock.now()).await?;
    let found = sessions.iter().find(|one| one.name == name).map(|one| one.session_id);
    found
        .filter(|session| is_seen(access, &Actor::Session(*session)))
        .ok_or_else(|| Error::Absent { noun: "session", name: name.to_owned() })
}

/// Also of one that was deleted: its Runs are still there.
async fn entry(ctx: &Ctx, access: &Access, kind: EntryKind, name: &str) -> Result<EntryId, Error> {
    access.may_touch(Verb::ReadRuns, name)?;
    let key = EntryKey::new(kind, EntryName::new(name)?);
    match ctx.store.versions(&key).await?.first() {
        Some(head) => Ok(head.entry_id),
        None => Err(not_found(ctx, access.only(), &key, Which::Live).await?),
    }
}
