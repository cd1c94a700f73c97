//! Which addresses are public, and networks of addresses that are allowed although they are not.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far from public an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Public,
    /// Loopback, private and shared networks: a listed host may have such an address.
    Private,
    /// Link-local (where clouds hand out credentials), multicast, unspecified, translated and reserved: by address only.
    Special,
}

pub(super) fn reach(address: IpAddr) -> Reach {
    match address.to_canonical() {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        (10 | 127, _, _) | (172, 16..=31, _) | (192, 168, _) | (100, 64..=127, _) => Reach::Private,
        // This network, link-local, protocol assignments and 6to4 relays, documentation, benchmarks, multicast and above.
        (0 | 224..=255, _, _)
        | (169, 254, _)
        | (192, 0, 0 | 2)
        | (192, 88, 99)
        | (198, 18..=19, _)
        | (198, 51, 100)
        | (203, 0, 113) => Reach::Special,
        _ => Reach::Public,
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    let [a, b, ..] = address.segments();
    match (a, b) {
        _ if address.is_loopback() => Reach::Private,
        (0xfc00..=0xfdff, _) => Reach::Private,
        // Teredo and other protocol assignments, documentation, 6to4: an address of another kind may be inside.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x2002, _) | (0x3fff, 0..=0xfff) => Reach::Special,
        (0x2000..=0x3fff, _) => Reach::Public,
        // All else is link-local, multicast, translated (`64:ff9b::`), mapped, unspecified or not given out.
        _ => Reach::Special,
    }
}

/// An address, or a network such as `10.1.0.0/16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Network {
    start: IpAddr,
    bits: u8,
}

impl Network {
    pub(super) fn read(text: &str) -> Option<Network> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse().ok()?)),
            None => (text, None),
        };
        let address = address.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(address);
        let start: IpAddr = address.parse().ok()?;
        let most = if start.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        (bits <= most).then_some(Network { start, bits })
    }

    pub(super) fn has(&self, address: IpAddr) -> bool {
        match (self.start, address.to_canonical()) {
            (IpAddr::V4(start), IpAddr::V4(address)) => {
                same(start.to_bits().into(), address.to_bits().into(), 32 - self.bits)
            }
            (IpAddr::V6(start), IpAddr::V6(address)) => {
                same(start.to_bits(), address.to_bits(), 128 - self.bits)
            }
            _ => false,
        }
    }
}

fn same(start: u128, address: u128, free_bits: u8) -> bool {
    (start ^ address).checked_shr(free_bits.into()).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::{Network, Reach, reach};

    #[test]
    fn only_public_addresses_are_public() {
        let of = |list: &str, expected| {
            for address in list.split(' ') {
                assert_eq!(reach(address.parse().unwrap()), expected, "{address}");
            }
        };
        of(
            "1.1.1.1 172.15.0.1 172.32.0.1 100.128.0.1 192.169.0.1 223.255.255.255 2606:4700::1111 2a00::1",
            Reach::Public,
        );
        of(
            "10.0.0.1 127.0.0.1 127.255.0.1 172.16.0.1 172.31.0.1 192.168.0.1 100.64.0.1 100.127.0.1",
            Reach::Private,
        );
        of("::1 fc00::1 fd12::1 ::ffff:10.0.0.1 ::ffff:127.0.0.1", Reach::Private);
        of(
            "0.0.0.0 0.1.2.3 169.254.169.254 224.0.0.1 255.255.255.255 240.0.0.1 192.0.0.1 198.18.0.1",
            Reach::Special,
        );
        of("192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1", Reach::Special);
        of(
            ":: fe80::1 ff02::1 fec0::1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001::1 2001:db8::1 3fff::1",
            Reach::Special,
        );
        of("::ffff:169.254.169.254 ::127.0.0.1 100::1 4000::1", Reach::Special);
    }

    #[test]
    fn a_network_has_its_addresses_and_no_others() {
        let has =
            |network: &str, address: &str| Network::read(network).unwrap().has(address.parse().unwrap());
        assert!(has("10.1.0.0/16", "10.1.255.1") && !has("10.1.0.0/16", "10.2.0.1"));
        assert!(has("127.0.0.1", "127.0.0.1") && !has("127.0.0.1", "127.0.0.2"));
        assert!(
            has("127.0.0.1", "::ffff:127.0.0.1") && has("0.0.0.0/0", "1.2.3.4") && !has("0.0.0.0/0", "::1")
        );
        assert!(
            has("fd00::/8", "fd12::1")
                && !has("fd00::/8", "fc00::1")
                && has("::/0", "::1")
                && has("[::1]", "::1")
        );
        for bad in ["10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1", "host", ""] {
            assert_eq!(Network::read(bad), None, "{bad}");
        }
    }
}
