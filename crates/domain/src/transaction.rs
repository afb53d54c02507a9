//! The list of what an account made: charges now, the other kinds as they come.

use std::fmt;

use crate::account::{Owner, time_of};
use crate::calendar::Time;
use crate::charge::{StatusName, is_boleto_over, is_pix_over};
use crate::error::Error;
use crate::id::{Ulid, parse_ulid};
use crate::money::Centavos;
use crate::ports::{Ports, Transact};

/// What kind of object a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    /// A PIX charge.
    PixQrCode,
    /// A boleto.
    Boleto,
    /// A withdrawal.
    Withdraw,
    /// A third-party payment.
    BoletoPayment,
}

impl TransactionKind {
    /// The word of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PixQrCode => "pixQrCode",
            Self::Boleto => "boleto",
            Self::Withdraw => "withdraw",
            Self::BoletoPayment => "boletoPayment",
        }
    }

    /// What the ids of this kind start with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::PixQrCode => crate::charge::ChargeId::PREFIX,
            Self::Boleto => crate::boleto::BoletoId::PREFIX,
            Self::Withdraw => "wd_",
            Self::BoletoPayment => "bp_",
        }
    }
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// The object's id, without prefix.
    pub id: Ulid,
    /// What it is.
    pub kind: TransactionKind,
    /// Its stored status; [`Self::status_at`] knows EXPIRED.
    pub status: StatusName,
    /// What the payer pays, centavos.
    pub amount: Centavos,
    /// When it was paid.
    pub paid_at: Option<Time>,
    /// When a PENDING one ends; none for money that goes out.
    pub expires_at: Option<Time>,
}

impl Transaction {
    /// Its status at a moment of its environment.
    pub fn status_at(&self, now: Time) -> StatusName {
        let is_over = self.expires_at.is_some_and(|end| match self.kind {
            TransactionKind::PixQrCode => is_pix_over(end, now),
            TransactionKind::Boleto => is_boleto_over(end, now),
            TransactionKind::Withdraw | TransactionKind::BoletoPayment => false,
        });
        if self.status == StatusName::Pending && is_over {
            StatusName::Expired
        } else {
            self.status
        }
    }
}

/// Which part of a list is wanted: `limit` items older than `before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The last item of the page before, unless this is the first.
    pub before: Option<Ulid>,
    /// How many items at most, 1 to 1000.
    pub limit: usize,
}

impl Page {
    /// The limit of a caller who named none.
    pub const DEFAULT_LIMIT: usize = 100;
    /// The largest limit.
    pub const LARGEST_LIMIT: usize = 1_000;

    /// Reads the query parameters `limit` and `cursor`.
    ///
    /// # Errors
    /// [`BadPage`].
    pub fn parse(limit: Option<&str>, cursor: Option<&str>) -> Result<Self, BadPage> {
        let limit = match limit {
            None => Self::DEFAULT_LIMIT,
            Some(text) => text
                .parse()
                .ok()
                .filter(|limit| {
                    (1..=Self::LARGEST_LIMIT).contains(limit)
                        && text.bytes().all(|b| b.is_ascii_digit())
                })
                .ok_or(BadPage::Limit)?,
        };
        let before = cursor
            .map(|text| parse_ulid(text).ok_or(BadPage::Cursor))
            .transpose()?;
        Ok(Self { before, limit })
    }
}

/// Query parameters that name no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadPage {
    /// `limit` is no number from 1 to 1000.
    Limit,
    /// `cursor` is none that a page before gave.
    Cursor,
}

impl BadPage {
    /// The parameter's name.
    pub fn field(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Cursor => "cursor",
        }
    }
}

impl fmt::Display for BadPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit => write!(f, "must be from 1 to {}", Page::LARGEST_LIMIT),
            Self::Cursor => f.write_str("must be the cursor of a Link header"),
        }
    }
}

impl std::error::Error for BadPage {}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The items, newest first.
    pub items: Vec<Transaction>,
    /// The moment it was read, in the time of the environment.
    pub now: Time,
    /// The cursor of the next page; none on the last one.
    pub next: Option<Ulid>,
}

/// A page of what the owner made through the API or the agent endpoint, newest first.
///
/// # Errors
/// The store's.
pub fn list(ports: &Ports, owner: Owner, page: Page) -> Result<Listing, Error> {
    let real_now = ports.clock.now();
    ports.store.read(|read| {
        // One more than wanted tells whether there is a next page.
        let more = Page {
            limit: page.limit.saturating_add(1),
            ..page
        };
        let mut items = read.transactions(owner, more)?;
        let has_next = items.len() > page.limit;
        items.truncate(page.limit);
        let next = if has_next {
            items.last().map(|item| item.id)
        } else {
            None
        };
        Ok(Listing {
            items,
            now: time_of(read, owner, real_now)?,
            next,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boleto_is_pending_through_its_last_moment_and_a_pix_charge_until_it() {
        let end = Time::from_millis(1_790_000_000_999);
        let statuses = |kind| {
            let transaction = Transaction {
                id: Ulid::from_parts(7, 7),
                kind,
                status: StatusName::Pending,
                amount: Centavos::new(200),
                paid_at: None,
                expires_at: Some(end),
            };
            [-1, 0, 1].map(|by| transaction.status_at(end.plus_millis(by)))
        };
        let (pending, expired) = (StatusName::Pending, StatusName::Expired);
        assert_eq!(
            statuses(TransactionKind::Boleto),
            [pending, pending, expired]
        );
        assert_eq!(
            statuses(TransactionKind::PixQrCode),
            [pending, expired, expired]
        );
    }

    #[test]
    fn pages_are_read_strictly() {
        assert_eq!(
            Page::parse(None, None),
            Ok(Page {
                before: None,
                limit: 100
            })
        );
        assert_eq!(Page::parse(Some("1000"), None).unwrap().limit, 1000);
        for limit in ["0", "1001", "-1", "+5", "abc", "", "1e2"] {
            assert_eq!(
                Page::parse(Some(limit), None),
                Err(BadPage::Limit),
                "{limit}"
            );
        }
        assert_eq!(Page::parse(None, Some("x")), Err(BadPage::Cursor));
        let cursor = Ulid::from_parts(7, 7);
        assert_eq!(
            Page::parse(None, Some(&cursor.to_string())).unwrap().before,
            Some(cursor)
        );
    }
}
