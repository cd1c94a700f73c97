//! Access: what somebody who came through a door may do, by role and by the names they may touch.

use thiserror::Error;

use crate::actor::Actor;
use crate::glob;
use crate::token::{Token, TokenRole};

/// What a request needs, each including those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// To look at the brain and at its runs.
    View,
    /// To start, cancel and answer runs.
    Run,
    /// To change the brain.
    Build,
    /// Secrets, tokens, and what concerns the whole server.
    Administer,
}

/// Who asks, and what they may do.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub actor: Actor,
    pub role: TokenRole,
    /// Patterns of the names it may touch; empty means all.
    pub patterns: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Denied {
    #[error("a {role} may not do this; it takes a {}", role_for(*.need))]
    Role { role: TokenRole, need: Need },
    #[error("this token may touch {}, and not `{name}`", listed(.patterns))]
    Name { name: String, patterns: Vec<String> },
    #[error("this token may touch {} alone, and this concerns the whole brain", listed(.patterns))]
    Everything { patterns: Vec<String> },
}

impl Access {
    pub fn of_token(token: Token) -> Access {
        Access { actor: Actor::Token(token.token_id), role: token.role, patterns: token.patterns }
    }

    /// Whoever is at the command line of the machine that has the database may do everything to it.
    pub fn of_command_line() -> Access {
        Access { actor: Actor::CommandLine, role: TokenRole::Admin, patterns: Vec::new() }
    }

    /// Whether the role is enough, whatever it is done to.
    pub fn may(&self, need: Need) -> Result<(), Denied> {
        if need <= most(self.role) { Ok(()) } else { Err(Denied::Role { role: self.role, need }) }
    }

    /// Whether it may be done to this entry.
    pub fn may_touch(&self, need: Need, name: &str) -> Result<(), Denied> {
        self.may(need)?;
        if self.covers(name) {
            return Ok(());
        }
        Err(Denied::Name { name: name.to_owned(), patterns: self.patterns.clone() })
    }

    /// Whether it may be done to the brain as a whole.
    pub fn may_touch_all(&self, need: Need) -> Result<(), Denied> {
        self.may(need)?;
        if self.patterns.is_empty() {
            return Ok(());
        }
        Err(Denied::Everything { patterns: self.patterns.clone() })
    }

    /// Whether the name is among those it may touch.
    pub fn covers(&self, name: &str) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| glob::matches(pattern, name))
    }
}

fn most(role: TokenRole) -> Need {
    match role {
        TokenRole::Viewer => Need::View,
        TokenRole::Runner => Need::Run,
        TokenRole::Builder => Need::Build,
        TokenRole::Admin => Need::Administer,
    }
}

fn role_for(need: Need) -> TokenRole {
    match need {
        Need::View => TokenRole::Viewer,
        Need::Run => TokenRole::Runner,
        Need::Build => TokenRole::Builder,
        Need::Administer => TokenRole::Admin,
    }
}

fn listed(patterns: &[String]) -> String {
    let quoted: Vec<String> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEEDS: [Need; 4] = [Need::View, Need::Run, Need::Build, Need::Administer];

    fn access(role: TokenRole, patterns: &[&str]) -> Access {
        let patterns = patterns.iter().map(ToString::to_string).collect();
        Access { actor: Actor::CommandLine, role, patterns }
    }

    #[test]
    fn each_role_may_do_what_the_roles_below_it_may() {
        let allowed = |role| NEEDS.iter().filter(|need| access(role, &[]).may(**need).is_ok()).count();
        let roles = [TokenRole::Viewer, TokenRole::Runner, TokenRole::Builder, TokenRole::Admin];
        assert_eq!(roles.map(allowed), [1, 2, 3, 4]);
    }

    #[test]
    fn a_refusal_names_the_role_it_takes() {
        let denied = access(TokenRole::Viewer, &[]).may(Need::Build).unwrap_err();
        assert_eq!(denied.to_string(), "a viewer may not do this; it takes a builder");
    }

    #[test]
    fn patterns_limit_the_names() {
        let web = access(TokenRole::Runner, &["web.*", "add"]);
        assert_eq!(web.may_touch(Need::Run, "web.fetch"), Ok(()));
        assert_eq!(web.may_touch(Need::View, "add"), Ok(()));
        let denied = web.may_touch(Need::View, "mail.send").unwrap_err();
        assert_eq!(denied.to_string(), "this token may touch `web.*`, `add`, and not `mail.send`");
        assert!(matches!(web.may_touch_all(Need::View), Err(Denied::Everything { .. })));
    }

    #[test]
    fn without_patterns_everything_is_covered() {
        let all = access(TokenRole::Builder, &[]);
        assert!(all.covers("anything"));
        assert_eq!(all.may_touch_all(Need::Build), Ok(()));
        assert!(matches!(all.may_touch_all(Need::Administer), Err(Denied::Role { .. })));
    }
}
