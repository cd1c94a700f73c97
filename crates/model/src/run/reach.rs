//! What a function would need to reach the host it could not reach, in words: the first network call of most authors fails
//! because nothing is granted, and a traceback says so in seventy lines.

use std::net::IpAddr;

use super::RunError;
use crate::access::grants::Grants;

/// How the proxy of a cell begins what it says of a request that it refused.
const NOT_LISTED: &str = "egress (not-listed): host `";
const OTHER_PORT: &str = "egress (port): port ";
const PRIVATE: &str = "egress (private-address): host `";

/// What to do about an error of a function with these grants. `host` is what the cell says it wanted and did not find.
pub fn hint(error: &RunError, host: Option<&str>, function: &str, grants: &Grants) -> Option<String> {
    let said = |before: &str| quoted_after(&error.message, before);
    if let Some(host) = said(PRIVATE) {
        return Some(format!(
            "the address of `{host}` is not public: list `private_hosts = [\"{host}\"]` in `config.toml` in the data folder of the server, and start the server again"
        ));
    }
    if let Some(host) = said(NOT_LISTED) {
        return Some(not_listed(host, function, grants));
    }
    if let Some(port) = error.message.split(OTHER_PORT).nth(1).and_then(|rest| rest.split(' ').next())
        && let Some(host) = said(&format!("{OTHER_PORT}{port} of host `"))
    {
        return Some(not_listed(&format!("{host}:{port}"), function, grants));
    }
    let host = host.filter(|host| is_host(host))?;
    if !grants.network.is_empty() && lists(grants, host) {
        return Some(format!(
            "`{function}` may reach `{host}`, but only by HTTP, HTTPS or TLS through the proxy that `HTTPS_PROXY` names"
        ));
    }
    Some(not_listed(host, function, grants))
}

fn not_listed(host: &str, function: &str, grants: &Grants) -> String {
    let listed: Vec<String> =
        grants.network.iter().map(String::as_str).chain([host]).map(|host| format!("\"{host}\"")).collect();
    let what = match grants.network.is_empty() {
        true => format!("`{function}` wanted to reach `{host}` and may not use the network"),
        false => format!("`{function}` wanted to reach `{host}`, which it does not list"),
    };
    let private = match is_private(host) {
        true => {
            format!(
                "; because its address is not public, list `private_hosts = [\"{host}\"]` in `config.toml` in the data folder of the server too"
            )
        }
        false => String::new(),
    };
    format!("{what}: declare `@selfmade.function(network=[{}])`{private}", listed.join(", "))
}

fn quoted_after<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(&rest[..rest.find('`')?]).filter(|host| is_host(host))
}

/// It comes from a cell, which may say anything.
fn is_host(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    !text.is_empty() && text.len() <= 260 && text.chars().all(plain)
}

fn lists(grants: &Grants, host: &str) -> bool {
    grants.network.iter().any(|listed| {
        let listed = listed.split(':').next().unwrap_or(listed);
        listed == host || listed.strip_prefix('*').is_some_and(|domain| host.ends_with(domain))
    })
}

/// As far as its name shows.
fn is_private(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_private() || address.is_loopback() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_loopback(),
        Err(_) => !host.contains('.') || host.ends_with(".local") || host.ends_with(".internal"),
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn message(message: &str, host: Option<&str>, network: &[&str]) -> String {
        let error = RunError { message: message.to_owned(), ..RunError::of("OSError", "") };
        let network = network.iter().map(|host| (*host).to_owned()).collect();
        hint(&error, host, "fetch", &Grants { network, ..Grants::default() }).unwrap_or_default()
    }

    #[test]
    fn it_says_what_to_declare() {
        let looked_up = "<urlopen error [Errno -3] Temporary failure in name resolution>";
        assert_snapshot!(message(looked_up, Some("api.example.com"), &[]), @r#"`fetch` wanted to reach `api.example.com` and may not use the network: declare `@selfmade.function(network=["api.example.com"])`"#);
        assert_snapshot!(message(looked_up, Some("localhost"), &[]), @r#"`fetch` wanted to reach `localhost` and may not use the network: declare `@selfmade.function(network=["localhost"])`; because its address is not public, list `private_hosts = ["localhost"]` in `config.toml` in the data folder of the server too"#);
        assert_snapshot!(message(looked_up, Some("10.0.0.7"), &["a.example"]), @r#"`fetch` wanted to reach `10.0.0.7`, which it does not list: declare `@selfmade.function(network=["a.example", "10.0.0.7"])`; because its address is not public, list `private_hosts = ["10.0.0.7"]` in `config.toml` in the data folder of the server too"#);
        assert_snapshot!(message(looked_up, Some("db.example"), &["*.example"]), @"`fetch` may reach `db.example`, but only by HTTP, HTTPS or TLS through the proxy that `HTTPS_PROXY` names");
        assert_snapshot!(message("HTTP Error 403: egress (not-listed): host `b.example` is not listed; add", None, &["a.example"]), @r#"`fetch` wanted to reach `b.example`, which it does not list: declare `@selfmade.function(network=["a.example", "b.example"])`"#);
        assert_snapshot!(message("403 egress (port): port 8080 of host `b.example` is not listed", None, &["b.example"]), @r#"`fetch` wanted to reach `b.example:8080`, which it does not list: declare `@selfmade.function(network=["b.example", "b.example:8080"])`"#);
        assert_snapshot!(message("403 egress (private-address): host `localhost` has the address", None, &["localhost"]), @r#"the address of `localhost` is not public: list `private_hosts = ["localhost"]` in `config.toml` in the data folder of the server, and start the server again"#);
    }

    #[test]
    fn what_a_cell_makes_up_is_not_repeated() {
        assert_eq!(message("no", Some("a\u{1b}[31m"), &[]), "");
        assert_eq!(message("egress (not-listed): host `<script>`", None, &[]), "");
        assert_eq!(message("division by zero", None, &[]), "");
    }
}
