//! The policy of one job, read once and asked for every request: which hosts, which addresses, how many bytes.

use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::address::{Network, Reach, reach};
use super::host::{Host, HostRule};
use super::policy::{EgressLimits, EgressPolicy, OnMisuse};
use super::record::Direction;
use super::refusal::Refusal;
use super::sealed::seal::Seals;

pub(super) struct Gate {
    hosts: Vec<(String, HostRule)>,
    private_hosts: Vec<HostRule>,
    private_networks: Vec<Network>,
    pub(super) seals: Seals,
    pub(super) on_misuse: OnMisuse,
    pub(super) limits: EgressLimits,
    pub(super) label: String,
    up: AtomicU64,
    down: AtomicU64,
}

impl Gate {
    pub(super) fn new(policy: &EgressPolicy) -> io::Result<Gate> {
        let hosts = policy.hosts.iter().map(|text| Ok((text.clone(), read_rule(text)?)));
        let (mut private_hosts, mut private_networks) = (Vec::new(), Vec::new());
        for text in &policy.private {
            match Network::read(text) {
                Some(network) => private_networks.push(network),
                None => private_hosts.push(read_rule(text)?),
            }
        }
        Ok(Gate {
            hosts: hosts.collect::<io::Result<_>>()?,
            private_hosts,
            private_networks,
            seals: Seals::new(policy)?,
            on_misuse: policy.on_misuse,
            limits: policy.limits.clone(),
            label: policy.label.clone(),
            up: AtomicU64::new(policy.limits.bytes_up),
            down: AtomicU64::new(policy.limits.bytes_down),
        })
    }

    /// The entry of the policy that lists this host and port.
    pub(super) fn admit(&self, host: &Host, port: u16) -> Result<&str, Refusal> {
        if let Some((text, _)) = self.hosts.iter().find(|(_, rule)| rule.allows(host, port)) {
            return Ok(text);
        }
        match self.hosts.iter().any(|(_, rule)| rule.covers(host)) {
            true => Err(Refusal::Port { host: host.clone(), port }),
            false => Err(Refusal::NotListed { host: host.clone() }),
        }
    }

    /// Whether a connection for this host may go to this address.
    pub(super) fn may_connect(&self, host: &Host, address: IpAddr) -> bool {
        let listed = || self.private_networks.iter().any(|network| network.has(address));
        match reach(address) {
            Reach::Public => true,
            Reach::Private => listed() || self.private_hosts.iter().any(|rule| rule.covers(host)),
            Reach::Special => listed(),
        }
    }

    /// Takes bytes from what the job may still move.
    pub(super) fn charge(&self, way: Direction, bytes: u64) -> Result<(), Refusal> {
        let left = if way == Direction::Up { &self.up } else { &self.down };
        let taken = left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(|_| ()).map_err(|_| Refusal::Bytes { way })
    }
}

pub(super) fn read_rule(text: &str) -> io::Result<HostRule> {
    HostRule::read(text).ok_or_else(|| {
        invalid(format!("`{text}` is not a host; write `host`, `host:port` or `*.domain` in ASCII (`xn--…`)"))
    })
}

pub(super) fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
