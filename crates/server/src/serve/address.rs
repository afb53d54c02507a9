//! What follows from where the server listens.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use vintem_webhook::{AddressPolicy, AddressRules};

use crate::config::Config;

/// Where payers and merchants reach this server.
pub(super) fn public_url(config: &Config, bound: SocketAddr) -> String {
    config
        .public_url
        .as_ref()
        .map_or_else(|| format!("http://{bound}"), |url| url.0.clone())
}

/// Where somebody on this machine reaches it: an address that means "any" is no destination.
pub(crate) fn local_url(bound: SocketAddr) -> String {
    let address = match bound.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), bound.port()),
        _ => bound,
    };
    format!("http://{address}")
}

/// Which addresses webhooks may be sent to. On a loopback listener nobody outside can set a sandbox endpoint, and
/// receivers under development run on the same machine.
pub(super) fn rules(allow_private: Option<bool>, bound: SocketAddr) -> AddressRules {
    AddressRules {
        sandbox: AddressPolicy {
            allow_private: allow_private.unwrap_or_else(|| bound.ip().is_loopback()),
        },
        live: AddressPolicy {
            allow_private: allow_private.unwrap_or(false),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn private_addresses_are_for_sandboxes_on_loopback_unless_told_otherwise() {
        let allowed = |setting, listen| {
            let rules = rules(setting, bound(listen));
            (rules.sandbox.allow_private, rules.live.allow_private)
        };
        assert_eq!(allowed(None, "127.0.0.1:1"), (true, false));
        assert_eq!(allowed(None, "[::1]:1"), (true, false));
        assert_eq!(allowed(None, "0.0.0.0:1"), (false, false));
        assert_eq!(allowed(Some(true), "0.0.0.0:1"), (true, true));
        assert_eq!(allowed(Some(false), "127.0.0.1:1"), (false, false));
    }

    #[test]
    fn any_address_is_reached_on_loopback() {
        assert_eq!(local_url(bound("0.0.0.0:8080")), "http://127.0.0.1:8080");
        assert_eq!(local_url(bound("[::]:8080")), "http://127.0.0.1:8080");
        assert_eq!(local_url(bound("10.0.0.1:80")), "http://10.0.0.1:80");
    }
}
