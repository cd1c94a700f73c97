//! Access: who acts, and what they may do. Every verb takes one and decides by it; a Run carries the one it was started with.

pub mod actor;
pub mod audit;
pub mod glob;
pub mod grantable;
pub mod grants;
pub mod policy;
pub mod scope;
pub mod secret;
pub mod session;
pub mod token;
pub mod verb;

use std::fmt::Write;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::actor::Actor;
use self::grantable::Grantable;
use self::scope::Scope;
use self::session::Session;
use self::token::{Token, TokenRole};
use self::verb::{Need, Verb};
use crate::ids::RunId;

/// Who acts, and by what authority.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub actor: Actor,
    pub authority: Arc<Authority>,
}

/// What may be done: by the holder, and by whatever acts for the holder: the Runs it started, the Triggers and Schedules it applied.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Authority {
    /// Whose authority it is.
    pub holder: Actor,
    pub role: TokenRole,
    /// The names it may touch; absent for all.
    #[serde(default, skip_serializing_if = "Scope::is_all")]
    #[schema(value_type = Option<Vec<String>>)]
    pub only: Scope,
    /// What else its functions may call.
    #[serde(default = "Scope::none", skip_serializing_if = "is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub uses: Scope,
    /// What its functions may be granted.
    #[serde(default, skip_serializing_if = "is_nothing")]
    #[schema(value_type = Vec<String>)]
    pub grants: Grantable,
}

/// An Authority that several records share, written out with each of them.
pub(crate) mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Authority;

    pub(crate) fn serialize<S: Serializer>(authority: &Arc<Authority>, to: S) -> Result<S::Ok, S::Error> {
        Authority::serialize(authority, to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Authority>, D::Error> {
        Authority::deserialize(from).map(Arc::new)
    }
}

fn is_none(scope: &Scope) -> bool {
    *scope == Scope::none()
}

fn is_nothing(grants: &Grantable) -> bool {
    grants.0.is_empty()
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Denied {
    #[error("a {role} may not do this; it requires the role `{}`", .need.role())]
    Role { role: TokenRole, need: Need },
    #[error("this token may touch {}, not `{name}`", listed(.patterns))]
    Name { name: String, patterns: Vec<String> },
    #[error("this token may touch {}, but this concerns the whole brain", listed(.patterns))]
    Everything { patterns: Vec<String> },
    #[error("run {run} was started with more rights than yours")]
    Rights { run: RunId },
    #[error("graph `{graph}` may not call `{name}` by a value: its author may not call `{name}`")]
    Author { graph: String, name: String },
}

impl Authority {
    /// Whoever is at the command line of the machine that has the database may do everything to it.
    pub fn of_command_line() -> Authority {
        Authority {
            holder: Actor::CommandLine,
            role: TokenRole::Admin,
            only: Scope::All,
            uses: Scope::All,
            grants: Grantable::all(),
        }
    }

    /// Of records that were written before authority was: nothing may be done by it.
    pub fn unknown(holder: Actor) -> Authority {
        Authority {
            holder,
            role: TokenRole::Viewer,
            only: Scope::none(),
            uses: Scope::none(),
            grants: Grantable::none(),
        }
    }

    /// Of an entry that `moved` made live as `written` first had it. Someone wide who brings back what a narrow one wrote does not lend
    /// it their reach; someone narrow who brings back what others wrote does not get theirs.
    pub fn of_applied(moved: Authority, written: Option<Authority>) -> Authority {
        if moved.only.is_all() { written.unwrap_or(moved) } else { moved }
    }

    pub fn covers(&self, name: &str) -> bool {
        self.only.covers(name)
    }

    /// Whether functions that it writes may call this one.
    pub fn may_call(&self, name: &str) -> bool {
        self.only.covers(name) || self.uses.covers(name)
    }

    /// Whether it may do everything that the other may: then it may change what is done by the other.
    pub fn includes(&self, other: &Authority) -> bool {
        Need::most(self.role) >= Need::most(other.role)
            && self.only.includes(&other.only)
            && self.callable().includes(&other.callable())
            && self.grants.includes(&other.grants)
    }

    /// All names that functions it writes may call.
    pub fn callable(&self) -> Scope {
        self.only.or(&self.uses)
    }

    /// In words, as `runs show` tells it.
    pub fn describe(&self) -> String {
        if *self == Authority::unknown(self.holder.clone()) {
            return "not recorded".to_owned();
        }
        let mut text = self.role.to_string();
        if let Some(patterns) = self.only.patterns() {
            let names = if patterns.is_empty() { "nothing".to_owned() } else { patterns.join(" ") };
            let _ = write!(text, ", only {names}");
        }
        text
    }
}

impl Access {
    pub fn of_token(token: Token) -> Access {
        let authority = token.authority();
        Access { actor: authority.holder.clone(), authority: Arc::new(authority) }
    }

    pub fn of_session(session: Session) -> Access {
        Access { actor: Actor::Session(session.session_id), authority: Arc::new(session.authority) }
    }

    pub fn of_command_line() -> Access {
        Access { actor: Actor::CommandLine, authority: Arc::new(Authority::of_command_line()) }
    }

    /// What a Run may do of itself, which is what its starter may.
    pub fn of_run(run: RunId, authority: &Arc<Authority>) -> Access {
        Access { actor: Actor::Run(run), authority: Arc::clone(authority) }
    }

    pub fn role(&self) -> TokenRole {
        self.authority.role
    }

    /// The names it may touch.
    pub fn only(&self) -> &Scope {
        &self.authority.only
    }

    /// Whether the role is enough, whatever it is done to.
    pub fn may(&self, verb: Verb) -> Result<(), Denied> {
        self.has(verb.need())
    }

    pub fn has(&self, need: Need) -> Result<(), Denied> {
        let role = self.authority.role;
        if need <= Need::most(role) { Ok(()) } else { Err(Denied::Role { role, need }) }
    }

    /// Whether it may be done to this entry.
    pub fn may_touch(&self, verb: Verb, name: &str) -> Result<(), Denied> {
        self.may(verb)?;
        match self.only() {
            Scope::Names(patterns) if !self.covers(name) => {
                Err(Denied::Name { name: name.to_owned(), patterns: patterns.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Whether what it writes may call this.
    pub fn may_call(&self, name: &str) -> Result<(), Denied> {
        if self.authority.may_call(name) { Ok(()) } else { self.may_touch(Verb::StartRun, name) }
    }

    /// Whether it may change a Run that is executed by some authority: with less than that, it would act by more than its own.
    pub fn may_change(&self, run: RunId, authority: &Authority) -> Result<(), Denied> {
        if self.authority.includes(authority) { Ok(()) } else { Err(Denied::Rights { run }) }
    }

    /// Whether it may go on from what a Run by some authority has read.
    pub fn may_continue(&self, run: RunId, authority: &Authority) -> Result<(), Denied> {
        if self.only().includes(&authority.only) { Ok(()) } else { Err(Denied::Rights { run }) }
    }

    /// Whether it may be done to the brain as a whole.
    pub fn may_touch_all(&self, verb: Verb) -> Result<(), Denied> {
        self.may(verb)?;
        match self.only() {
            Scope::All => Ok(()),
            Scope::Names(patterns) => Err(Denied::Everything { patterns: patterns.clone() }),
        }
    }

    /// Whether the name is among those it may touch.
    pub fn covers(&self, name: &str) -> bool {
        self.authority.covers(name)
    }
}

fn listed(patterns: &[String]) -> String {
    let quoted: Vec<String> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
    if quoted.is_empty() { "nothing".to_owned() } else { format!("only {}", quoted.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(role: TokenRole, patterns: &[&str]) -> Access {
        let patterns = patterns.iter().map(ToString::to_string).collect();
        let only = Scope::of_patterns(patterns);
        let authority = Authority { role, only, ..Authority::of_command_line() };
        Access { actor: Actor::CommandLine, authority: Arc::new(authority) }
    }

    /// Every verb, and the roles that may do it to a name they cover, to one they do not, and to the whole brain.
    #[test]
    fn the_table_of_verbs_says_what_each_role_may() {
        let roles = [TokenRole::Viewer, TokenRole::Runner, TokenRole::Builder, TokenRole::Admin];
        for verb in Verb::ALL {
            for role in roles {
                let enough = verb.need() <= Need::most(role);
                let (wide, narrow) = (access(role, &[]), access(role, &["web.*"]));
                assert_eq!(wide.may_touch(*verb, "mail.send").is_ok(), enough);
                assert_eq!(wide.may_touch_all(*verb).is_ok(), enough);
                assert_eq!(narrow.may_touch(*verb, "web.get").is_ok(), enough);
                assert!(narrow.may_touch(*verb, "mail.send").is_err(), "{verb:?} {role}");
                assert!(narrow.may_touch_all(*verb).is_err(), "{verb:?} {role}");
            }
        }
        let table: String = Verb::ALL.iter().fold(String::new(), |table, verb| {
            format!("{table}{:20} {}\n", verb.as_str(), verb.need().role())
        });
        insta::assert_snapshot!(table);
    }

    #[test]
    fn a_refusal_names_the_role_it_takes() {
        let viewer = access(TokenRole::Viewer, &[]);
        let denied = |verb| viewer.may(verb).unwrap_err().to_string();
        assert_eq!(denied(Verb::ApplyChangeset), "a viewer may not do this; it requires the role `builder`");
        assert_eq!(denied(Verb::ManageTokens), "a viewer may not do this; it requires the role `admin`");
    }

    #[test]
    fn patterns_limit_the_names() {
        let web = access(TokenRole::Runner, &["web.*", "add"]);
        assert_eq!(web.may_touch(Verb::StartRun, "web.fetch"), Ok(()));
        assert_eq!(web.may_touch(Verb::ReadFunctions, "add"), Ok(()));
        let denied = web.may_touch(Verb::ReadFunctions, "mail.send").unwrap_err();
        assert_eq!(denied.to_string(), "this token may touch only `web.*`, `add`, not `mail.send`");
        assert!(matches!(web.may_touch_all(Verb::ReadBrain), Err(Denied::Everything { .. })));
    }

    #[test]
    fn what_a_run_may_is_what_its_starter_may() {
        let starter = access(TokenRole::Runner, &["web.*"]);
        let run = Access::of_run(RunId(uuid::Uuid::nil()), &starter.authority);
        assert_eq!(run.actor, Actor::Run(RunId(uuid::Uuid::nil())));
        assert!(run.may(Verb::ProposeChangeset).is_err());
        assert!(run.may_touch(Verb::StartRun, "mail.send").is_err());
    }

    #[test]
    fn a_run_is_changed_by_whoever_may_do_all_that_it_may_and_continued_by_whoever_sees_as_much() {
        let run = RunId(uuid::Uuid::nil());
        let admin = access(TokenRole::Admin, &[]);
        let (wide, narrow) = (access(TokenRole::Runner, &[]), access(TokenRole::Runner, &["web.*"]));
        let narrower = access(TokenRole::Runner, &["web.shop.*"]);
        let may = |who: &Access, whose: &Access| {
            (who.may_change(run, &whose.authority).is_ok(), who.may_continue(run, &whose.authority).is_ok())
        };
        assert_eq!(may(&narrow, &narrow), (true, true));
        assert_eq!(may(&admin, &narrow), (true, true));
        assert_eq!(may(&wide, &admin), (false, true), "its role may less, and it sees everything");
        assert_eq!(may(&narrow, &admin), (false, false));
        let uses = |names: &Access| {
            let authority = Authority { uses: Scope::none(), ..(*names.authority).clone() };
            Access { authority: Arc::new(authority), ..names.clone() }
        };
        assert_eq!(may(&uses(&narrow), &uses(&narrower)), (true, true));
        assert_eq!(may(&uses(&narrower), &uses(&narrow)), (false, false));
        assert_eq!(may(&uses(&narrow), &narrow), (false, true), "its graphs may call less");
    }

    #[test]
    fn by_an_unknown_authority_nothing_may_be_done() {
        let unknown = Arc::new(Authority::unknown(Actor::CommandLine));
        let access = Access { actor: Actor::CommandLine, authority: unknown };
        assert!(Verb::ALL.iter().all(|verb| access.may_touch(*verb, "add").is_err()));
    }

    #[test]
    fn an_authority_reads_back_as_it_was_written() {
        let narrow = access(TokenRole::Builder, &["web.*"]);
        for authority in [&*narrow.authority, &Authority::of_command_line()] {
            let text = serde_json::to_string(authority).unwrap();
            assert_eq!(&serde_json::from_str::<Authority>(&text).unwrap(), authority, "{text}");
        }
    }
}
