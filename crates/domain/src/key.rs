//! API keys: what they look like, what they allow, how long they live.

mod manage;

use std::fmt;

use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};

use crate::account::{Environment, Owner};
use crate::calendar::{DAY_MS, Time};
use crate::id::id;

pub use manage::{NewKey, authenticate, create, list, record_use, revoke, roll};

id!(
    /// An API key's id (not the key itself).
    KeyId, "key_");

/// What a key allows (api.md, Authentication).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Create PIX charges; simulate a PIX payment.
    PixCreate,
    /// Check PIX charges.
    PixRead,
    /// Issue hybrid boletos; simulate a boleto payment.
    BoletoCreate,
    /// Check boletos.
    BoletoRead,
    /// Query and pay third-party boletos and taxes.
    BoletoPay,
    /// Create checkouts and single-use checkouts.
    BillingCreate,
    /// List checkouts, check single-use checkouts.
    BillingRead,
    /// Create withdrawals.
    WithdrawCreate,
    /// Read account data and the sales module.
    StoreRead,
    /// Manage the sales module.
    StoreManage,
    /// List transactions.
    TransactionRead,
}

impl Scope {
    /// All eleven.
    pub const ALL: [Self; 11] = [
        Self::PixCreate,
        Self::PixRead,
        Self::BoletoCreate,
        Self::BoletoRead,
        Self::BoletoPay,
        Self::BillingCreate,
        Self::BillingRead,
        Self::WithdrawCreate,
        Self::StoreRead,
        Self::StoreManage,
        Self::TransactionRead,
    ];

    /// The name the API gives it, `PIX:CREATE`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PixCreate => "PIX:CREATE",
            Self::PixRead => "PIX:READ",
            Self::BoletoCreate => "BOLETO:CREATE",
            Self::BoletoRead => "BOLETO:READ",
            Self::BoletoPay => "BOLETO:PAY",
            Self::BillingCreate => "BILLING:CREATE",
            Self::BillingRead => "BILLING:READ",
            Self::WithdrawCreate => "WITHDRAW:CREATE",
            Self::StoreRead => "STORE:READ",
            Self::StoreManage => "STORE:MANAGE",
            Self::TransactionRead => "TRANSACTION:READ",
        }
    }

    /// Reads such a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    fn bit(self) -> u16 {
        let position = Self::ALL
            .iter()
            .position(|scope| *scope == self)
            .unwrap_or_default();
        u32::try_from(position)
            .ok()
            .and_then(|shift| 1_u16.checked_shl(shift))
            .unwrap_or_default()
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scopes(u16);

impl Scopes {
    /// None at all.
    pub const NONE: Self = Self(0);

    /// All eleven.
    pub fn all() -> Self {
        Scope::ALL.into_iter().collect()
    }

    /// Whether the scope is one of them.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// The scopes, in the order of api.md.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .into_iter()
            .filter(move |scope| self.contains(*scope))
    }

    /// Reads `all` or a comma-separated list of names.
    ///
    /// # Errors
    /// [`UnknownScope`] with the first name that is none, or with an empty one when the list is empty.
    pub fn parse(list: &str) -> Result<Self, UnknownScope> {
        if list.trim() == "all" {
            return Ok(Self::all());
        }
        list.split(',')
            .map(str::trim)
            .map(|name| Scope::parse(name).ok_or_else(|| UnknownScope(name.to_owned())))
            .collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Scope::as_str).collect();
        f.write_str(&names.join(","))
    }
}

/// A name that is no scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScope(pub String);

impl fmt::Display for UnknownScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Scope::ALL.into_iter().map(Scope::as_str).collect();
        write!(
            f,
            "must be `all` or a list of {} ({:?} is none)",
            names.join(", "),
            self.0
        )
    }
}

impl std::error::Error for UnknownScope {}

/// How long a key lives, chosen when it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// 7 days.
    Week,
    /// 30 days.
    Month,
    /// 90 days.
    Quarter,
    /// 365 days.
    Year,
    /// Until it is revoked.
    Forever,
}

impl Lifetime {
    /// Reads `7d`, `30d`, `90d`, `1y` or `never`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "7d" => Some(Self::Week),
            "30d" => Some(Self::Month),
            "90d" => Some(Self::Quarter),
            "1y" => Some(Self::Year),
            "never" => Some(Self::Forever),
            _ => None,
        }
    }

    fn end(self, now: Time) -> Option<Time> {
        let days = match self {
            Self::Week => 7,
            Self::Month => 30,
            Self::Quarter => 90,
            Self::Year => 365,
            Self::Forever => return None,
        };
        Some(now.plus_millis(DAY_MS.saturating_mul(days)))
    }
}

/// The secret itself, `svc_test_…` or `svc_live_…`: 256 random bits. It never shows in debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The key made of these random bytes.
    pub fn of(environment: Environment, random: [u8; 32]) -> Self {
        let body = BASE32_NOPAD.encode(&random).to_lowercase();
        Self(format!("svc_{}_{body}", environment.as_str()))
    }

    /// The key as the caller presents it. For the one answer that shows it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept of a key: its SHA-256. The key is random, so no slow hash is needed.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest::of(&self.0)
    }

    /// Reads back a key that was kept encrypted.
    pub(crate) fn restore(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The SHA-256 of a key, by which it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyDigest(pub [u8; 32]);

impl KeyDigest {
    /// The digest of a presented key.
    pub fn of(presented: &str) -> Self {
        Self(Sha256::digest(presented.as_bytes()).into())
    }
}

/// An API key as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: KeyId,
    /// Whom it speaks for.
    pub owner: Owner,
    /// What it allows.
    pub scopes: Scopes,
    /// The SHA-256 it is found by.
    pub digest: KeyDigest,
    /// A test key, encrypted, so that it can be shown again; live keys are not kept.
    pub encrypted: Option<Vec<u8>>,
    /// The last four characters, to tell keys apart.
    pub hint: String,
    /// When it stops working by the lifetime chosen at its making.
    pub expires_at: Option<Time>,
    /// When it stops working because it was revoked or rolled; in the future while an overlap lasts.
    pub revoked_at: Option<Time>,
    /// When it was last used, to within the minute.
    pub last_used_at: Option<Time>,
    /// When it was made.
    pub created_at: Time,
}

impl ApiKey {
    /// Whether the key works at this (real) time.
    pub fn works_at(&self, now: Time) -> bool {
        self.expires_at.is_none_or(|end| now < end) && self.revoked_at.is_none_or(|end| now < end)
    }
}

/// Who calls: what an accepted key says about its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The key.
    pub key: KeyId,
    /// Whom it speaks for.
    pub owner: Owner,
    /// What it allows.
    pub scopes: Scopes,
    /// When it stops working, whatever the reason.
    pub ends_at: Option<Time>,
    /// The account is suspended: the key is good, but may do nothing.
    pub suspended: bool,
}

#[cfg(test)]
mod tests;
