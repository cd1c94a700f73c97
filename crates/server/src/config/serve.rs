//! What only a server needs to know.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::time::Duration;

use crate::serve::roles::Roles;
use crate::settings::{Chosen, ConfigError};
use crate::traces::Endpoint;

/// What only a server needs to know.
#[derive(Clone, Debug)]
pub struct ServeConfig {
    /// Where to listen for HTTP.
    pub listen: String,
    /// Names under which others reach it, in lower case.
    pub names: BTreeSet<String>,
    /// Proxies that are believed for whom they speak.
    pub trusted_proxies: BTreeSet<IpAddr>,
    /// Requests a second that one caller may send.
    pub rate: Option<NonZeroU32>,
    /// What it does.
    pub roles: Roles,
    /// What people know it by among other servers.
    pub node_name: Option<String>,
    /// How long running Runs have to end when the server stops.
    pub drain: Duration,
    /// The collector that receives the traces of Runs.
    pub collector: Option<Endpoint>,
}

impl Default for ServeConfig {
    fn default() -> ServeConfig {
        ServeConfig {
            listen: "127.0.0.1:7333".to_owned(),
            names: BTreeSet::new(),
            trusted_proxies: BTreeSet::new(),
            rate: None,
            roles: Roles::default(),
            node_name: None,
            drain: Duration::from_secs(30),
            collector: None,
        }
    }
}

pub(super) fn read(chosen: &Chosen) -> Result<ServeConfig, ConfigError> {
    let usual = ServeConfig::default();
    let proxies = chosen.list("trusted_proxies");
    let proxies = proxies.iter().map(|text| text.parse()).collect::<Result<_, _>>();
    let drain = chosen.read::<u32>("drain_seconds", "a number of seconds")?;
    Ok(ServeConfig {
        listen: listen(chosen)?.unwrap_or(usual.listen),
        names: chosen.list("names").iter().map(|name| name.to_ascii_lowercase()).collect(),
        trusted_proxies: proxies.map_err(|_| chosen.wrong("trusted_proxies", "addresses of proxies"))?,
        rate: chosen.read("rate", "a number of requests per second, at least 1")?,
        roles: chosen
            .read("roles", "`http`, `engine`, `triggers` or `scheduler`, separated by commas")?
            .unwrap_or_default(),
        node_name: chosen.text("node_name").map(str::to_owned),
        drain: drain.map_or(usual.drain, |seconds| Duration::from_secs(seconds.into())),
        collector: chosen.read("otlp_endpoint", "a URL that begins with `http://`, without a password")?,
    })
}

/// What could not be listened on at all is refused wherever the configuration is read, not only where a server starts.
fn listen(chosen: &Chosen) -> Result<Option<String>, ConfigError> {
    let Some(text) = chosen.text("listen") else { return Ok(None) };
    let named =
        |(host, port): (&str, &str)| !host.is_empty() && !host.contains(':') && port.parse::<u16>().is_ok();
    if text.parse::<SocketAddr>().is_ok() || text.rsplit_once(':').is_some_and(named) {
        return Ok(Some(text.to_owned()));
    }
    Err(chosen.wrong("listen", "an address with a port, such as `127.0.0.1:7333` or `localhost:7333`"))
}
