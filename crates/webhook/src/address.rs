//! Which network addresses a webhook may be sent to.
//!
//! A merchant chooses the URL, so without this guard a merchant could make the service talk to its own inside: the
//! database next door, or the cloud's metadata service. The check is made on resolved addresses at connect time, because
//! a name may resolve to another address a second after it was set.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What the operator allows for an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressPolicy {
    /// Whether addresses that are not on the public internet may be called.
    pub allow_private: bool,
}

impl AddressPolicy {
    /// Whether this address may be connected to.
    pub fn permits(self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }
}

/// A block of IPv4 addresses that no webhook goes to.
struct RefusedV4 {
    network: Ipv4Addr,
    prefix_length: u32,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix_length: u32) -> RefusedV4 {
    RefusedV4 {
        network: Ipv4Addr::new(a, b, c, d),
        prefix_length,
    }
}

/// The special-purpose blocks of RFC 6890 and its successors, and what clouds answer on inside a machine.
const REFUSED_V4: [RefusedV4; 16] = [
    v4(0, 0, 0, 0, 8),        // "this network", and unspecified
    v4(10, 0, 0, 0, 8),       // private
    v4(100, 64, 0, 0, 10),    // carrier-grade NAT; a cloud's metadata service at 100.100.100.200
    v4(127, 0, 0, 0, 8),      // loopback
    v4(168, 63, 129, 16, 32), // a cloud's host agent on a public address
    v4(169, 254, 0, 0, 16),   // link-local; metadata services at 169.254.169.254
    v4(172, 16, 0, 0, 12),    // private
    v4(192, 0, 0, 0, 24),     // protocol assignments; a cloud's metadata service at 192.0.0.192
    v4(192, 0, 2, 0, 24),     // documentation
    v4(192, 88, 99, 0, 24),   // 6to4 relays, withdrawn
    v4(192, 168, 0, 0, 16),   // private
    v4(198, 18, 0, 0, 15),    // benchmarking
    v4(198, 51, 100, 0, 24),  // documentation
    v4(203, 0, 113, 0, 24),   // documentation
    v4(224, 0, 0, 0, 4),      // multicast
    v4(240, 0, 0, 0, 4),      // reserved; limited broadcast
];

/// A block of IPv6 addresses inside `2000::/3` that no webhook goes to.
struct RefusedV6 {
    network: Ipv6Addr,
    prefix_length: u32,
}

const fn v6(first: u16, second: u16, prefix_length: u32) -> RefusedV6 {
    RefusedV6 {
        network: Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0),
        prefix_length,
    }
}

const REFUSED_V6: [RefusedV6; 3] = [
    v6(0x2001, 0, 23),      // protocol assignments: Teredo, benchmarking, ORCHID
    v6(0x2001, 0x0db8, 32), // documentation
    v6(0x3fff, 0, 20),      // documentation
];

/// Whether the address belongs to the public internet.
///
/// Addresses that carry an IPv4 address inside (NAT64, 6to4) are judged by that one. IPv4-mapped ones are always refused:
/// a resolver has no reason to answer them, somebody who wants to slip past a filter has.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !REFUSED_V4.iter().any(|block| {
        let difference = address.to_bits() ^ block.network.to_bits();
        difference.leading_zeros() >= block.prefix_length
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Networks without IPv4 reach all of it through the first of these prefixes (RFC 6052); the second is 6to4.
        [0x0064, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            is_public_v4(embedded(high, low))
        }
        // Everything handed out to the internet is inside 2000::/3. Loopback, IPv4-mapped and -compatible, unique local
        // (a cloud's fd00:ec2::254 too), link-local, site-local and multicast are outside.
        [first, ..] => first & 0xe000 == 0x2000 && !is_refused_v6(address),
    }
}

fn is_refused_v6(address: Ipv6Addr) -> bool {
    REFUSED_V6.iter().any(|block| {
        let difference = address.to_bits() ^ block.network.to_bits();
        difference.leading_zeros() >= block.prefix_length
    })
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: &[&str] = &[
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "192.168.255.255",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.7",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::8.8.8.8",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::ffff:8.8.8.8",
        "64:ff9b::127.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::8.8.8.8",
        "100::1",
        "2001::1",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:a9fe:a9fe::",
        "2002:c0a8:101::1",
        "3fff::1",
        "3fff:fff:ffff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
    ];

    const PUBLIC: &[&str] = &[
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.101.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "64:ff9b::8.8.8.8",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2001:db7:ffff::1",
        "2001:db9::1",
        "2002:808:808::1",
        "2606:4700::1111",
        "2800:3f0::1",
        "3ffe::1",
    ];

    fn parsed(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_off_the_public_internet_are_refused() {
        for text in REFUSED {
            assert!(!is_public(parsed(text)), "{text}");
        }
    }

    #[test]
    fn addresses_of_the_public_internet_are_permitted() {
        for text in PUBLIC {
            assert!(is_public(parsed(text)), "{text}");
        }
    }

    #[test]
    fn every_refused_block_is_refused_to_its_last_address() {
        for block in &REFUSED_V4 {
            let rest = u32::MAX.checked_shr(block.prefix_length).unwrap_or(0);
            let last = Ipv4Addr::from_bits(block.network.to_bits() | rest);
            assert!(!is_public(block.network.into()), "{}", block.network);
            assert!(!is_public(last.into()), "{last}");
        }
    }

    #[test]
    fn an_operator_may_allow_them() {
        let strict = AddressPolicy {
            allow_private: false,
        };
        let open = AddressPolicy {
            allow_private: true,
        };
        for text in REFUSED {
            assert!(!strict.permits(parsed(text)), "{text}");
            assert!(open.permits(parsed(text)), "{text}");
        }
    }
}
