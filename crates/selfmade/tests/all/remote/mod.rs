//! The command line over a server: a real one, over a real socket, with a token. What it shows is compared with what it shows on a
//! brain of its own.

mod finding;
mod refusing;
mod running;
mod same;
mod secure;
mod warm_cells;

use crate::command::{Place, Running};

/// A brain with a server, and somebody elsewhere who asks it.
pub(crate) struct Served {
    pub(crate) server: Running,
    pub(crate) at_home: Place,
    pub(crate) away: Place,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn with_role(role: &str) -> Served {
        let at_home = Place::new();
        let token = at_home.data(&["token", "add", "away", "--role", role]).trim().to_owned();
        let mut server = at_home.start(&["serve"]);
        let url = server.says("listening at").rsplit(' ').next().unwrap().to_owned();
        server.says("serving");
        let mut away = Place::without_home().option("--server", &url);
        away.set("SELFMADE_TOKEN", &token);
        Served { server, at_home, away, url }
    }
}
