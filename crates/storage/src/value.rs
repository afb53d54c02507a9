//! How the domain's small values are stored, and read back.

use std::fmt;

use vintem_domain::account::{AccountId, Environment, Owner};
use vintem_domain::calendar::Date;
use vintem_domain::document::Document;
use vintem_domain::id::{Ulid, parse_ulid};
use vintem_domain::text::{Email, Text};
use vintem_domain::{Centavos, Time};

/// A stored value that no rule of the domain could have written. It names the column, never the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged(pub(crate) &'static str);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The first two columns of every key: the account and the environment.
pub(crate) fn owner_key(owner: Owner) -> (String, &'static str) {
    (owner.account.0.to_string(), owner.environment.as_str())
}

pub(crate) fn owner(account: &str, environment: &str) -> Result<Owner, Damaged> {
    Ok(Owner {
        account: AccountId(ulid(account)?),
        environment: Environment::parse(environment).ok_or(Damaged("environment"))?,
    })
}

pub(crate) fn ulid(stored: &str) -> Result<Ulid, Damaged> {
    parse_ulid(stored).ok_or(Damaged("identifier"))
}

pub(crate) fn text<const MAX: usize>(stored: &str) -> Result<Text<MAX>, Damaged> {
    match Text::parse(stored) {
        Ok(Some(text)) => Ok(text),
        Ok(None) | Err(_) => Err(Damaged("text")),
    }
}

pub(crate) fn email(stored: &str) -> Result<Email, Damaged> {
    Email::parse(stored).map_err(|_unreadable| Damaged("e-mail"))
}

pub(crate) fn document(stored: &str) -> Result<Document, Damaged> {
    Document::parse(stored).map_err(|_unreadable| Damaged("document"))
}

pub(crate) fn date(stored: &str) -> Result<Date, Damaged> {
    Date::parse(stored).map_err(|_unreadable| Damaged("date"))
}

pub(crate) fn bytes32(stored: Vec<u8>) -> Result<[u8; 32], Damaged> {
    stored.try_into().map_err(|_unreadable| Damaged("digest"))
}

/// Reads an optional column.
pub(crate) fn optional<S: AsRef<str>, T>(
    stored: Option<S>,
    read: impl FnOnce(&str) -> Result<T, Damaged>,
) -> Result<Option<T>, Damaged> {
    stored.map(|stored| read(stored.as_ref())).transpose()
}

/// A limit as the databases count: `usize` is theirs neither.
pub(crate) fn limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(crate) fn millis(time: Option<Time>) -> Option<i64> {
    time.map(Time::millis)
}

pub(crate) fn time(millis: Option<i64>) -> Option<Time> {
    millis.map(Time::from_millis)
}

pub(crate) fn centavos(amount: Option<i64>) -> Option<Centavos> {
    amount.map(Centavos::new)
}
