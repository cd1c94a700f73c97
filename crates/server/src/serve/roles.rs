//! What a server does. Servers of one PostgreSQL may divide the work; one that is alone has all roles.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Answers the API. Without it, only health, metrics and the owner's control are answered.
    Http,
    /// Executes runs. Without it, a run that someone waits for is queued for a server that does.
    Engine,
    /// Starts what triggers start.
    Triggers,
    /// Starts what schedules start.
    Scheduler,
}

impl Role {
    pub const ALL: [Role; 4] = [Role::Http, Role::Engine, Role::Triggers, Role::Scheduler];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Http => "http",
            Role::Engine => "engine",
            Role::Triggers => "triggers",
            Role::Scheduler => "scheduler",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles(BTreeSet<Role>);

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RoleError {
    #[error("`{0}` is not a role; the roles are `http`, `engine`, `triggers` and `scheduler`")]
    Unknown(String),
    #[error("a server needs at least one role: `http`, `engine`, `triggers` or `scheduler`")]
    None,
}

impl Roles {
    pub fn has(&self, role: Role) -> bool {
        self.0.contains(&role)
    }
}

impl Default for Roles {
    fn default() -> Roles {
        Roles(BTreeSet::from(Role::ALL))
    }
}

impl FromStr for Roles {
    type Err = RoleError;

    /// `http,engine`: names with commas between them.
    fn from_str(text: &str) -> Result<Roles, RoleError> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let roles = names.map(role).collect::<Result<BTreeSet<Role>, RoleError>>()?;
        if roles.is_empty() { Err(RoleError::None) } else { Ok(Roles(roles)) }
    }
}

fn role(name: &str) -> Result<Role, RoleError> {
    let known = Role::ALL.into_iter().find(|role| role.as_str() == name);
    known.ok_or_else(|| RoleError::Unknown(name.to_owned()))
}

impl fmt::Display for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|role| role.as_str()).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let read = text.parse::<Roles>().map_or_else(|error| error.to_string(), |roles| roles.to_string());
        assert_eq!(read, expected);
    }

    #[test]
    fn roles_are_names_with_commas_between_them() {
        check("scheduler, http,http", "http,scheduler");
        check("engine", "engine");
        assert_eq!(Roles::default().to_string(), "http,engine,triggers,scheduler");
    }

    #[test]
    fn a_misspelt_role_and_no_role_are_refused() {
        check(
            "http,enigne",
            "`enigne` is not a role; the roles are `http`, `engine`, `triggers` and `scheduler`",
        );
        check(" , ", "a server needs at least one role: `http`, `engine`, `triggers` or `scheduler`");
    }
}
