//! The double-entry ledger: append-only, balanced by construction, chained by hashes.
//!
//! One *entry* is one balanced set of postings. Every account and environment has its own ledger, with its own
//! sequence, hash chain and [`Head`]; no row is shared between merchants.

mod close;
mod verify;

use std::fmt;

use sha2::{Digest, Sha256};

use crate::account::Owner;
use crate::calendar::Time;
use crate::error::{Error, Refusal};
use crate::id::{Ulid, id};
use crate::money::{Centavos, Overflow};

pub(crate) use close::{close, close_and_send};
pub use verify::{Fault, Found, Report, Unreadable, verify};

id!(
    /// One balanced set of postings.
    EntryId, "led_");

/// The named accounts of every ledger. Amounts are signed so that each entry sums to zero: what the merchant owns is
/// positive, what the provider holds for us is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerAccount {
    /// What the merchant can spend.
    Available,
    /// Fees the service has earned from the merchant.
    Fees,
    /// Money at the provider.
    Clearing,
    /// Payers' money that has to go back to them.
    Returns,
    /// Money that has left what can be spent and is on its way out: a withdrawal, a bill, a refund under way.
    Outgoing,
    /// The source, and the sink, of a sandbox's play money.
    PlayMoney,
}

impl LedgerAccount {
    /// All of them, in the order they are hashed.
    pub const ALL: [Self; 6] = [
        Self::Available,
        Self::Fees,
        Self::Clearing,
        Self::Returns,
        Self::Outgoing,
        Self::PlayMoney,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Fees => "fees",
            Self::Clearing => "clearing",
            Self::Returns => "returns",
            Self::Outgoing => "outgoing",
            Self::PlayMoney => "play_money",
        }
    }
}

/// A set of postings that sums to zero; it cannot be built otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostingSet {
    available: Centavos,
    fees: Centavos,
    clearing: Centavos,
    returns: Centavos,
    outgoing: Centavos,
    play_money: Centavos,
}

impl PostingSet {
    /// The set of these postings; several to one account add up.
    ///
    /// # Errors
    /// [`Unbalanced`] when they do not sum to zero (or a sum leaves 64 bits).
    pub fn balanced(postings: &[(LedgerAccount, Centavos)]) -> Result<Self, Unbalanced> {
        let mut set = Self::default();
        let mut sum = Centavos::ZERO;
        for &(account, amount) in postings {
            let column = set.column(account);
            *column = column.plus(amount).map_err(|Overflow| Unbalanced)?;
            sum = sum.plus(amount).map_err(|Overflow| Unbalanced)?;
        }
        if sum == Centavos::ZERO {
            Ok(set)
        } else {
            Err(Unbalanced)
        }
    }

    fn column(&mut self, account: LedgerAccount) -> &mut Centavos {
        match account {
            LedgerAccount::Available => &mut self.available,
            LedgerAccount::Fees => &mut self.fees,
            LedgerAccount::Clearing => &mut self.clearing,
            LedgerAccount::Returns => &mut self.returns,
            LedgerAccount::Outgoing => &mut self.outgoing,
            LedgerAccount::PlayMoney => &mut self.play_money,
        }
    }

    /// What is posted to one account, centavos; zero when nothing is.
    pub fn on(&self, account: LedgerAccount) -> Centavos {
        let mut copy = *self;
        *copy.column(account)
    }
}

/// Postings that do not sum to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbalanced;

impl fmt::Display for Unbalanced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a posting set does not sum to zero")
    }
}

impl std::error::Error for Unbalanced {}

impl From<Unbalanced> for Error {
    fn from(unbalanced: Unbalanced) -> Self {
        Self::bug(unbalanced.to_string())
    }
}

/// What was posted, and why: without id, place and time.
pub(crate) type Posted = (EntryKind, PostingSet);

/// Why money moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A sandbox was opened with play money.
    PlayMoney,
    /// A PIX charge was paid.
    ChargePaid,
    /// A payment arrived that settles nothing and has to go back.
    PaymentHeld,
    /// Such a payment went back to its payer.
    PaymentReturned,
    /// A withdrawal or a bill left what can be spent.
    PayoutDebited,
    /// Its money arrived.
    PayoutSettled,
    /// It failed: value and fee came back in full.
    PayoutRefunded,
    /// A refund left what can be spent.
    RefundDebited,
    /// The payer has its money.
    RefundSettled,
    /// It failed: its money came back.
    RefundReversed,
}

impl EntryKind {
    const ALL: [Self; 10] = [
        Self::PlayMoney,
        Self::ChargePaid,
        Self::PaymentHeld,
        Self::PaymentReturned,
        Self::PayoutDebited,
        Self::PayoutSettled,
        Self::PayoutRefunded,
        Self::RefundDebited,
        Self::RefundSettled,
        Self::RefundReversed,
    ];

    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PlayMoney => "play_money",
            Self::ChargePaid => "charge_paid",
            Self::PaymentHeld => "payment_held",
            Self::PaymentReturned => "payment_returned",
            Self::PayoutDebited => "payout_debited",
            Self::PayoutSettled => "payout_settled",
            Self::PayoutRefunded => "payout_refunded",
            Self::RefundDebited => "refund_debited",
            Self::RefundSettled => "refund_settled",
            Self::RefundReversed => "refund_reversed",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// The SHA-256 an entry is sealed with: of the entry's content and the hash before it.
pub type EntryHash = [u8; 32];

/// The hash before the first entry.
pub const FIRST_HASH: EntryHash = [0; 32];

/// One row of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// Whose ledger.
    pub owner: Owner,
    /// Its place: 1, 2, 3 … without a gap.
    pub sequence: i64,
    /// Why money moved.
    pub kind: EntryKind,
    /// The object it moved for (a charge, an account), without prefix.
    pub reference: Ulid,
    /// What was posted.
    pub postings: PostingSet,
    /// When, in the time of its environment.
    pub created_at: Time,
    /// The seal.
    pub hash: EntryHash,
}

impl Entry {
    /// The seal this entry must have after `previous`. Names and documents are not part of a ledger, so they can be
    /// erased without breaking the chain.
    pub fn seal(&self, previous: &EntryHash) -> EntryHash {
        let mut content = format!(
            "1|{}|{}|{}|{}|{}|{}|{}",
            self.owner.account.0,
            self.owner.environment.as_str(),
            self.sequence,
            self.id.0,
            self.kind.as_str(),
            self.reference,
            self.created_at.millis(),
        );
        for account in LedgerAccount::ALL {
            content.push('|');
            content.push_str(&self.postings.on(account).to_string());
        }
        Sha256::new()
            .chain_update(previous)
            .chain_update(content)
            .finalize()
            .into()
    }
}

/// What every movement of an account and environment touches: one row, locked last, read and written once per unit of
/// work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Whose.
    pub owner: Owner,
    /// Everything the account owns, centavos.
    pub balance: Centavos,
    /// What it can spend, centavos; less than the balance only by administrative blocks.
    pub available: Centavos,
    /// The sequence of its last event.
    pub event_sequence: i64,
    /// The sequence of its last ledger entry.
    pub ledger_sequence: i64,
    /// The seal of its last ledger entry.
    pub ledger_hash: EntryHash,
}

/// A movement to be posted.
#[derive(Clone, Copy, Debug)]
pub struct Movement {
    /// The id the entry will have.
    pub id: EntryId,
    /// Why money moves.
    pub kind: EntryKind,
    /// For which object.
    pub reference: Ulid,
    /// What is posted.
    pub postings: PostingSet,
    /// When, in the time of its environment.
    pub at: Time,
}

impl Head {
    /// The head of a ledger without entries.
    pub fn empty(owner: Owner) -> Self {
        Self {
            owner,
            balance: Centavos::ZERO,
            available: Centavos::ZERO,
            event_sequence: 0,
            ledger_sequence: 0,
            ledger_hash: FIRST_HASH,
        }
    }

    /// Posts a movement: the entry to insert; the head moves with it.
    ///
    /// # Errors
    /// [`Refusal::InsufficientBalance`] when `available` would become negative; the head is unchanged then.
    pub fn post(&mut self, movement: Movement) -> Result<Entry, Error> {
        let change = movement.postings.on(LedgerAccount::Available);
        let balance = self.balance.plus(change)?;
        let available = self.available.plus(change)?;
        if available < Centavos::ZERO {
            return Err(Error::Refused(Refusal::InsufficientBalance));
        }
        let sequence = self.ledger_sequence.checked_add(1).ok_or(Overflow)?;
        let mut entry = Entry {
            id: movement.id,
            owner: self.owner,
            sequence,
            kind: movement.kind,
            reference: movement.reference,
            postings: movement.postings,
            created_at: movement.at,
            hash: FIRST_HASH,
        };
        entry.hash = entry.seal(&self.ledger_hash);
        self.balance = balance;
        self.available = available;
        self.ledger_sequence = sequence;
        self.ledger_hash = entry.hash;
        Ok(entry)
    }

    /// The sequence of the next event; the head moves with it.
    ///
    /// # Errors
    /// [`Overflow`] after 2⁶³ events.
    pub fn next_event(&mut self) -> Result<i64, Overflow> {
        self.event_sequence = self.event_sequence.checked_add(1).ok_or(Overflow)?;
        Ok(self.event_sequence)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::account::{AccountId, Environment};

    fn owner() -> Owner {
        Owner {
            account: AccountId(Ulid::from_parts(1, 1)),
            environment: Environment::Live,
        }
    }

    fn movement(available: i64) -> Movement {
        let set = PostingSet::balanced(&[
            (LedgerAccount::Available, Centavos::new(available)),
            (LedgerAccount::Clearing, Centavos::new(-available)),
        ]);
        Movement {
            id: EntryId(Ulid::from_parts(1, 2)),
            kind: EntryKind::ChargePaid,
            reference: Ulid::from_parts(1, 3),
            postings: set.unwrap(),
            at: Time::from_millis(5),
        }
    }

    #[test]
    fn postings_that_do_not_sum_to_zero_cannot_be_built() {
        let lopsided = [(LedgerAccount::Available, Centavos::new(1))];
        assert_eq!(PostingSet::balanced(&lopsided), Err(Unbalanced));
        let huge = [
            (LedgerAccount::Fees, Centavos::new(i64::MAX)),
            (LedgerAccount::Fees, Centavos::new(1)),
        ];
        assert_eq!(PostingSet::balanced(&huge), Err(Unbalanced));
    }

    #[test]
    fn available_never_becomes_negative() {
        let mut head = Head::empty(owner());
        head.post(movement(100)).unwrap();
        let before = head.clone();
        assert!(matches!(
            head.post(movement(-101)),
            Err(Error::Refused(Refusal::InsufficientBalance))
        ));
        assert_eq!(head, before);
        head.post(movement(-100)).unwrap();
        assert_eq!(head.available, Centavos::ZERO);
    }

    #[test]
    fn an_entry_is_sealed_with_the_one_before_it() {
        let mut head = Head::empty(owner());
        let first = head.post(movement(100)).unwrap();
        let second = head.post(movement(100)).unwrap();
        assert_eq!(second.hash, second.seal(&first.hash));
        assert_ne!(first.hash, second.hash);
        let changed = Entry {
            postings: movement(99).postings,
            ..second.clone()
        };
        assert_ne!(changed.seal(&first.hash), second.hash);
    }

    proptest! {
        #[test]
        fn a_balanced_set_always_sums_to_zero(amounts in proptest::collection::vec((0_usize..6, -1_000_000_i64..1_000_000), 0..8)) {
            let mut postings: Vec<_> = amounts.into_iter().map(|(i, cents)| (LedgerAccount::ALL[i], Centavos::new(cents))).collect();
            let sum: i64 = postings.iter().map(|(_, amount)| amount.get()).sum();
            postings.push((LedgerAccount::Clearing, Centavos::new(-sum)));
            let set = PostingSet::balanced(&postings).unwrap();
            prop_assert_eq!(LedgerAccount::ALL.into_iter().map(|account| set.on(account).get()).sum::<i64>(), 0);
        }
    }
}
