//! How the text of a setting becomes a value. The same text is written in a variable, in the file and after a flag.

mod log;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use ipnet::IpNet;
use vintem_domain::Centavos;
use vintem_domain::calendar::Holiday;
use vintem_domain::money::Fee;

pub(crate) use log::{LogFilter, LogFormat};

/// Something a setting can hold. A refusal is worded to follow the setting's name, and never repeats what was given:
/// it could be a secret.
pub(crate) trait Value: Sized {
    /// Reads the text.
    fn read(text: &str) -> Result<Self, String>;

    /// The value of a setting that nobody gave and that has no default in words of its own.
    fn absent() -> Option<Self> {
        None
    }
}

impl<T: Value> Value for Option<T> {
    fn read(text: &str) -> Result<Self, String> {
        T::read(text).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl Value for String {
    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("must not be empty".to_owned());
        }
        Ok(text.to_owned())
    }
}

impl Value for PathBuf {
    fn read(text: &str) -> Result<Self, String> {
        String::read(text).map(Self::from)
    }
}

impl Value for bool {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err("must be true or false".to_owned()),
        }
    }
}

impl Value for u32 {
    fn read(text: &str) -> Result<Self, String> {
        number(text).ok_or_else(|| "must be a whole number, 0 or more".to_owned())
    }
}

/// How many of something that cannot be missing altogether.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u16);

impl Value for Count {
    fn read(text: &str) -> Result<Self, String> {
        match number(text) {
            Some(count @ 1..=10_000) => Ok(Self(count)),
            _ => Err("must be a whole number from 1 to 10000".to_owned()),
        }
    }
}

impl Count {
    /// The number.
    pub(crate) fn get(self) -> usize {
        usize::from(self.0)
    }
}

/// A number in plain digits: no sign, no spaces.
fn number<N: std::str::FromStr>(text: &str) -> Option<N> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

impl Value for SocketAddr {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_malformed| {
            "must be an IP address and a port, such as 127.0.0.1:8080".to_owned()
        })
    }
}

/// Networks, separated by commas; none when the text is empty.
impl Value for Vec<IpNet> {
    fn read(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| {
                let alone = || part.parse::<IpAddr>().map(IpNet::from);
                part.parse()
                    .or_else(|_no_network| alone())
                    .map_err(|_nor_an_address| {
                        "must be networks such as 10.0.0.0/8,fd00::/8, separated by commas"
                            .to_owned()
                    })
            })
            .collect()
    }
}

/// Holidays, separated by commas; none when the text is empty.
impl Value for Vec<Holiday> {
    fn read(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| Holiday::parse(part).map_err(|bad| bad.to_string()))
            .collect()
    }
}

impl Value for Centavos {
    fn read(text: &str) -> Result<Self, String> {
        match number(text) {
            Some(centavos @ 1..) => Ok(Self::new(centavos)),
            _ => Err("must be a whole number of centavos, at least 1".to_owned()),
        }
    }
}

/// A fixed part in centavos, a variable one in basis points, or both: `80`, `99bp`, `80+99bp`.
impl Value for Fee {
    fn read(text: &str) -> Result<Self, String> {
        let malformed = || {
            "must be a fee such as 80, 99bp or 80+99bp (centavos + hundredths of a percent)"
                .to_owned()
        };
        let (fixed, variable) = match (text.split_once('+'), text.strip_suffix("bp")) {
            (Some((fixed, variable)), _) => (
                number(fixed),
                variable.strip_suffix("bp").and_then(number::<i64>),
            ),
            (None, Some(variable)) => (Some(0), number(variable)),
            (None, None) => (number(text), Some(0)),
        };
        let (fixed, basis_points) = fixed.zip(variable).ok_or_else(malformed)?;
        Self::new(fixed, basis_points).map_err(|bad| bad.to_string())
    }
}

/// A number and its unit: `3d`, `12h`, `90m`, `30s`, `250ms`; `0` needs none.
impl Value for Duration {
    fn read(text: &str) -> Result<Self, String> {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let count = number(text.strip_suffix(digits).unwrap_or_default());
        let unit_ms = match digits {
            "d" => Some(86_400_000),
            "h" => Some(3_600_000),
            "m" => Some(60_000),
            "s" => Some(1_000),
            "ms" => Some(1),
            "" if count == Some(0) => Some(0),
            _ => None,
        };
        count
            .zip(unit_ms)
            .and_then(|(count, unit_ms): (u64, u64)| count.checked_mul(unit_ms))
            .filter(|millis| i64::try_from(*millis).is_ok())
            .map(Self::from_millis)
            .ok_or_else(|| "must be a time such as 3d, 12h, 90m, 30s or 0".to_owned())
    }
}

/// The address of the database. It may hold a password and never shows in debug output.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct DatabaseUrl(pub(crate) String);

impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

impl Value for DatabaseUrl {
    fn read(text: &str) -> Result<Self, String> {
        let fits = ["sqlite://", "postgres://", "postgresql://"]
            .into_iter()
            .any(|scheme| {
                text.strip_prefix(scheme)
                    .is_some_and(|rest| !rest.is_empty())
            });
        fits.then(|| Self(text.to_owned()))
            .ok_or_else(|| "must be sqlite://PATH or postgres://…".to_owned())
    }
}

impl DatabaseUrl {
    /// Whether several servers may work on it.
    pub(crate) fn is_shared(&self) -> bool {
        !self.0.starts_with("sqlite:")
    }
}

/// Where the product can be reached from outside: an http or https address without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl(pub(crate) String);

impl Value for PublicUrl {
    fn read(text: &str) -> Result<Self, String> {
        let trimmed = text.trim_end_matches('/');
        let rest = trimmed
            .strip_prefix("https://")
            .or_else(|| trimmed.strip_prefix("http://"));
        let fits = rest.is_some_and(|rest| {
            let host = rest.split('/').next().unwrap_or_default();
            !host.is_empty()
                && !host.contains('@')
                && rest.bytes().all(|byte| byte.is_ascii_graphic())
                && !rest.contains(['?', '#', '"', '\\'])
        });
        fits.then(|| Self(trimmed.to_owned()))
            .ok_or_else(|| "must be an address such as https://pay.example.com".to_owned())
    }
}

/// 32 bytes that encrypt what must be readable again. They never show in debug output.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct MasterKey(pub(crate) [u8; 32]);

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

impl Value for MasterKey {
    fn read(text: &str) -> Result<Self, String> {
        let bytes = match text.len() {
            64 => HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok(),
            _ => BASE64.decode(text.as_bytes()).ok(),
        };
        bytes
            .and_then(|bytes| bytes.try_into().ok())
            .map(Self)
            .ok_or_else(|| {
                "must be 32 bytes in base64 or as 64 hexadecimal digits (openssl rand -base64 32)"
                    .to_owned()
            })
    }
}

/// What proves to the play bank that an order comes from its operator. It never shows in debug output.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StubSecret(pub(crate) String);

impl std::fmt::Debug for StubSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StubSecret(…)")
    }
}

impl Value for StubSecret {
    fn read(text: &str) -> Result<Self, String> {
        let fits = text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
            .ok_or_else(|| "must be at least 8 visible ASCII characters".to_owned())
    }
}

/// Who moves the money of live accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    /// The play bank: no real money moves.
    Stub,
}

impl Value for Provider {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "stub" => Ok(Self::Stub),
            _ => Err("must be stub".to_owned()),
        }
    }
}

/// Where uploads are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilesUrl(pub(crate) String);

impl Value for FilesUrl {
    fn read(text: &str) -> Result<Self, String> {
        let fits = ["file://", "s3://"].into_iter().any(|scheme| {
            text.strip_prefix(scheme)
                .is_some_and(|rest| !rest.is_empty())
        });
        fits.then(|| Self(text.to_owned()))
            .ok_or_else(|| "must be file://PATH or s3://BUCKET".to_owned())
    }
}

#[cfg(test)]
mod tests;
