//! Who is at the other end, as far as an address can tell.

use std::net::{IpAddr, Ipv6Addr};

use actix_web::HttpRequest;
use ipnet::IpNet;

/// What counts as one client: an IPv4 address, or the /64 network of an IPv6 one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Network(IpAddr);

impl Network {
    /// The client of a request. `X-Forwarded-For` is believed as far as trusted proxies wrote it: from its right end,
    /// past their own addresses, up to the first that is none of them.
    pub(crate) fn of(request: &HttpRequest, trusted: &[IpNet]) -> Self {
        let told = request
            .headers()
            .get_all("x-forwarded-for")
            .map(|line| line.to_str().unwrap_or_default());
        Self::from_address(client(peer(request), told, trusted))
    }

    fn from_address(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into())
            }
            address @ IpAddr::V4(_) => Self(address),
        }
    }
}

/// How a client came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// In the clear.
    Http,
    /// Through a proxy that speaks TLS.
    Https,
}

impl Scheme {
    /// The scheme of a request: this server speaks plain HTTP, and a trusted proxy says otherwise in
    /// `X-Forwarded-Proto`. Of several words the last counts: it is the one the proxy next to us wrote.
    pub(crate) fn of(request: &HttpRequest, trusted: &[IpNet]) -> Self {
        let told = request.headers().get_all("x-forwarded-proto").last();
        let word = told
            .and_then(|line| line.to_str().ok()?.rsplit(',').next())
            .unwrap_or_default();
        if word.trim().eq_ignore_ascii_case("https") && is_trusted(peer(request), trusted) {
            Self::Https
        } else {
            Self::Http
        }
    }

    /// What an address starts with.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Who connected to us.
fn peer(request: &HttpRequest) -> IpAddr {
    request
        .peer_addr()
        .map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |peer| peer.ip())
}

fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    let address = address.to_canonical();
    trusted.iter().any(|network| network.contains(&address))
}

fn client<'a>(peer: IpAddr, told: impl Iterator<Item = &'a str>, trusted: &[IpNet]) -> IpAddr {
    let mut client = peer;
    if !is_trusted(client, trusted) {
        return client;
    }
    let hops: Vec<&str> = told.flat_map(|line| line.split(',')).collect();
    for hop in hops.into_iter().rev() {
        // What cannot be read was not written by a proxy worth trusting: the last good address counts.
        let Some(address) = address(hop.trim()) else {
            break;
        };
        client = address;
        if !is_trusted(client, trusted) {
            break;
        }
    }
    client
}

/// An address, perhaps with a port, perhaps in brackets.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    bare.unwrap_or(text).parse().ok().or_else(|| {
        text.parse()
            .ok()
            .map(|socket: std::net::SocketAddr| socket.ip())
    })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "fd00::/8"]
            .map(|network| network.parse().unwrap())
            .to_vec();
        for (peer, told, expected) in [
            ("203.0.113.1", &["198.51.100.7"][..], "203.0.113.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("::ffff:10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("fd00::1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("10.0.0.1", &["[2001:db8::1]:443"], "2001:db8::1"),
            ("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1"),
            (
                "10.0.0.1",
                &["1.1.1.1, 198.51.100.7 ,10.0.0.2"],
                "198.51.100.7",
            ),
            (
                "10.0.0.1",
                &["1.1.1.1", "198.51.100.7", "10.0.0.2"],
                "198.51.100.7",
            ),
            ("10.0.0.1", &["10.0.0.3,10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["1.1.1.1, nonsense, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &[""], "10.0.0.1"),
        ] {
            assert_eq!(
                client(ip(peer), told.iter().copied(), &trusted),
                ip(expected),
                "{peer} {told:?}"
            );
        }
    }

    #[test]
    fn a_trusted_proxy_says_how_the_client_came() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        for (peer, told, expected) in [
            ("10.0.0.1:1", &["https"][..], Scheme::Https),
            ("[::ffff:10.0.0.1]:1", &["HTTPS"], Scheme::Https),
            ("203.0.113.1:1", &["https"], Scheme::Http),
            ("10.0.0.1:1", &[], Scheme::Http),
            ("10.0.0.1:1", &["http"], Scheme::Http),
            ("10.0.0.1:1", &["https, http"], Scheme::Http),
            ("10.0.0.1:1", &["http", "https"], Scheme::Https),
            ("10.0.0.1:1", &["javascript"], Scheme::Http),
        ] {
            let mut request = TestRequest::default().peer_addr(peer.parse().unwrap());
            for line in told {
                request = request.append_header(("X-Forwarded-Proto", *line));
            }
            let scheme = Scheme::of(&request.to_http_request(), &trusted);
            assert_eq!(scheme, expected, "{peer} {told:?}");
        }
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let network = |text| Network::from_address(ip(text));
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::2"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
    }
}
