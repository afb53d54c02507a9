//! What this crate has to know about a PostgreSQL address before libpq sees it.

use crate::failure::Failure;

/// The parameters after the `?` of an address, undecoded: the values looked for here are plain words.
fn parameter<'a>(url: &'a str, name: &str) -> Option<&'a str> {
    let (_, query) = url.split_once('?')?;
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

/// How soon a peer that is gone without a word (a cut cable, a dead host) is given up, seconds and milliseconds as libpq
/// wants them: about 20 s, whether it owes an answer or an acknowledgement. A server that is merely slow acknowledges.
const DEAD_PEERS: [(&str, &str); 4] = [
    ("keepalives_idle", "10"),
    ("keepalives_interval", "5"),
    ("keepalives_count", "2"),
    ("tcp_user_timeout", "20000"),
];

/// `url` with a bounded time to connect and a bounded time to notice that the other end is gone, as far as it does not
/// say so itself.
pub(super) fn with_time_limits(url: &str, seconds: u64) -> String {
    let seconds = seconds.max(2).to_string();
    let limits = [("connect_timeout", seconds.as_str())]
        .into_iter()
        .chain(DEAD_PEERS);
    let mut url = url.to_owned();
    for (name, value) in limits {
        if parameter(&url, name).is_none() {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.extend([name, "=", value]);
        }
    }
    url
}

/// Refuses an address (or a `PGSSLMODE`) that asks for TLS when this program was built without it.
pub(super) fn check_tls(url: &str, environment: Option<&str>) -> Result<(), Failure> {
    let mode = parameter(url, "sslmode").or(environment);
    match mode {
        Some(mode @ ("require" | "verify-ca" | "verify-full"))
            if !cfg!(feature = "postgres-tls") =>
        {
            Err(Failure::setting(format!(
                "sslmode={mode} needs TLS, and this program was built without it: build it with the cargo feature `postgres-tls`"
            )))
        }
        _ => Ok(()),
    }
}

/// `message` without the password that `url` holds.
pub(super) fn hide_password(url: &str, message: &str) -> String {
    let mut hidden = message.replace(url, "postgres://…");
    let in_authority = url
        .split_once("://")
        .and_then(|(_, rest)| rest.split(['/', '?']).next())
        .and_then(|authority| authority.rsplit_once('@'))
        .and_then(|(user, _)| user.split_once(':'))
        .map(|(_, password)| password);
    for password in [in_authority, parameter(url, "password")]
        .into_iter()
        .flatten()
        .filter(|password| !password.is_empty())
    {
        hidden = hidden.replace(password, "…");
    }
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_never_shows_in_a_message() {
        for url in [
            "postgres://joana:s3cr3t@db:5432/vintem",
            "postgres://joana@db/vintem?sslmode=prefer&password=s3cr3t",
        ] {
            let message = hide_password(url, &format!("bad address {url}: s3cr3t is wrong"));
            assert!(!message.contains("s3cr3t"), "{message}");
        }
    }

    #[cfg(not(feature = "postgres-tls"))]
    #[test]
    fn tls_that_is_not_built_in_is_refused_and_the_feature_named() {
        for mode in ["require", "verify-ca", "verify-full"] {
            let url = format!("postgres://db/vintem?sslmode={mode}");
            let failure = check_tls(&url, None).unwrap_err();
            assert!(failure.to_string().contains("`postgres-tls`"));
            assert!(check_tls("postgres://db/vintem", Some(mode)).is_err());
        }
        assert!(check_tls("postgres://db/vintem?sslmode=prefer", Some("require")).is_ok());
        assert!(check_tls("postgres://db/vintem", None).is_ok());
    }

    #[test]
    fn connecting_takes_a_bounded_time_and_a_dead_peer_is_noticed() {
        assert_eq!(
            with_time_limits("postgres://db/v?a=b", 3),
            "postgres://db/v?a=b&connect_timeout=3\
             &keepalives_idle=10&keepalives_interval=5&keepalives_count=2&tcp_user_timeout=20000"
        );
        let limited = with_time_limits("postgres://db/v", 1);
        assert!(
            limited.starts_with("postgres://db/v?connect_timeout=2&keepalives_idle=10&"),
            "{limited}"
        );
        assert_eq!(with_time_limits(&limited, 9), limited);
        let own = with_time_limits("postgres://db/v?tcp_user_timeout=0&connect_timeout=9", 3);
        assert!(
            own.contains("?tcp_user_timeout=0&connect_timeout=9&"),
            "{own}"
        );
        assert_eq!(own.matches("timeout").count(), 2, "{own}");
    }
}
