//! What may be reached from here, through what, and whose certificates are believed.

use hyper::Uri;
use sandbox::EgressPolicy;

use super::Config;
use crate::settings::{Chosen, ConfigError};

pub(super) fn read(chosen: &Chosen, config: &mut Config) -> Result<(), ConfigError> {
    config.engine.private = chosen.list("private_hosts");
    // What cannot be understood is refused here, and not by every function that is granted a network.
    let policy = EgressPolicy { private: config.engine.private.clone(), ..EgressPolicy::default() };
    if policy.check().is_err() {
        return Err(chosen.wrong("private_hosts", "names of hosts, addresses and networks"));
    }
    config.extra_roots = chosen.text("extra_roots").map(|file| config.home.join(file));
    if let Some(path) = &config.extra_roots {
        let read = std::fs::read_to_string(path);
        let pem = read.map_err(|source| ConfigError::Read { path: path.clone(), source })?;
        config.cells.extra_roots_pem.clone_from(&pem);
        config.http_client.extra_roots_pem = pem;
    }
    config.http_client.proxy = read_proxy(chosen)?;
    Ok(())
}

fn read_proxy(chosen: &Chosen) -> Result<Option<Uri>, ConfigError> {
    let Some(text) = chosen.text("http_proxy") else { return Ok(None) };
    let proxy: Option<Uri> = text.parse().ok();
    let is_plain = |url: &Uri| {
        url.scheme_str() == Some("http")
            && url.path() == "/"
            && url.query().is_none()
            && url.authority().is_some_and(|authority| !authority.as_str().contains('@'))
    };
    match proxy.filter(is_plain) {
        Some(proxy) => Ok(Some(proxy)),
        None => Err(chosen.wrong("http_proxy", "the address of a proxy such as `http://proxy.example:3128`")),
    }
}
