//! Hosts in one spelling only, and the rules that list them. A spelling that two programs could read differently is refused.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A name in lower-case ASCII without a final dot, or an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    Name(String),
    Address(IpAddr),
}

impl Host {
    /// Reads a host as it stands in a URL, IPv6 in brackets. `None` if it has more than one reading: user information, percent
    /// escapes, spaces, other alphabets, numbers that some programs take for an address.
    pub fn read(text: &str) -> Option<Host> {
        if let Some(inner) = text.strip_prefix('[') {
            let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
            return Some(Host::Address(IpAddr::V6(address).to_canonical()));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let last = name.rsplit('.').next()?;
        // `127.1`, `0x7f.0.0.1`, `2130706433`: the system's resolver takes these for addresses.
        if last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit()) {
            let address: Ipv4Addr = name.parse().ok()?;
            return (text == name).then_some(Host::Address(address.into()));
        }
        let sound = name.len() <= 253 && name.split('.').all(is_label);
        sound.then_some(Host::Name(name))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Address(IpAddr::V4(address)) => address.fmt(f),
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

fn is_label(label: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    (1..=63).contains(&label.len())
        && label.bytes().all(known)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Splits `host`, `host:port`, `[v6]` or `[v6]:port`.
pub(super) fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    let after_brackets = text.rfind(']').map_or(0, |at| at + 1);
    let Some(colon) = text[after_brackets..].find(':') else { return Some((text, None)) };
    let (host, port) = text.split_at(after_brackets + colon);
    let port = &port[1..];
    let plain = !port.is_empty() && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    let number = port.parse().ok().filter(|number| plain && *number != 0)?;
    Some((host, Some(number)))
}

/// One entry of a list of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    host: Host,
    /// The host's subdomains at any depth, and not the host itself.
    below: bool,
    port: Option<u16>,
}

impl HostRule {
    /// Reads `host`, `*.domain`, either with `:port`.
    pub fn read(text: &str) -> Option<HostRule> {
        let (pattern, port) = split_port(text)?;
        match pattern.strip_prefix("*.") {
            None => Host::read(pattern).map(|host| HostRule { host, below: false, port }),
            Some(domain) => match Host::read(domain)? {
                host @ Host::Name(_) => Some(HostRule { host, below: true, port }),
                Host::Address(_) => None,
            },
        }
    }

    pub fn allows(&self, host: &Host, port: u16) -> bool {
        self.covers(host) && self.port.map_or(port == 80 || port == 443, |listed| listed == port)
    }

    /// Whether it speaks of this host, whatever the port.
    pub(super) fn covers(&self, host: &Host) -> bool {
        match (&self.host, host) {
            (Host::Name(domain), Host::Name(name)) if self.below => {
                name.strip_suffix(domain.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
            (listed, asked) => !self.below && listed == asked,
        }
    }

    /// Whether there is a host that both speak of, whatever the ports.
    pub fn overlaps(&self, other: &HostRule) -> bool {
        self.host == other.host && self.below == other.below
            || other.below && self.is_below(other)
            || self.below && other.is_below(self)
    }

    /// Whether all hosts it speaks of are subdomains of the host of `other`.
    fn is_below(&self, other: &HostRule) -> bool {
        HostRule { below: true, ..other.clone() }.covers(&self.host)
    }

    pub(super) fn names_port(&self) -> bool {
        self.port.is_some()
    }
}
