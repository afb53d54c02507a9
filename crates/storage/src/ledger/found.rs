//! Rows of a ledger as anybody may have left them: nothing is taken for granted but their keys.

use diesel::prelude::*;
use vintem_domain::account::Owner;
use vintem_domain::ledger::{Entry, Found, Head, Unreadable};

use super::{EntryRow, HeadRow, entry};
use crate::value::{Damaged, owner_key};

/// A head.
#[derive(Queryable)]
pub(super) struct FoundHead {
    balance: Option<i64>,
    available: Option<i64>,
    event_sequence: Option<i64>,
    ledger_sequence: Option<i64>,
    ledger_hash: Option<Vec<u8>>,
}

impl FoundHead {
    /// The owner's head, or what keeps it from being one.
    pub(super) fn read(self, owner: Owner) -> Found<Head> {
        self.row(owner).and_then(Head::try_from).map_err(unreadable)
    }

    fn row(self, owner: Owner) -> Result<HeadRow, Damaged> {
        let (account, environment) = owner_key(owner);
        Ok(HeadRow {
            account,
            environment: environment.to_owned(),
            balance: self.balance.ok_or(Damaged("balance"))?,
            available: self.available.ok_or(Damaged("available"))?,
            event_sequence: self.event_sequence.ok_or(Damaged("event_sequence"))?,
            ledger_sequence: self.ledger_sequence.ok_or(Damaged("ledger_sequence"))?,
            ledger_hash: self.ledger_hash.ok_or(Damaged("ledger_hash"))?,
        })
    }
}

/// An entry.
#[derive(Queryable)]
pub(super) struct FoundEntry {
    sequence: i64,
    id: Option<String>,
    kind: Option<String>,
    reference: Option<String>,
    available: Option<i64>,
    fees: Option<i64>,
    clearing: Option<i64>,
    returns: Option<i64>,
    play_money: Option<i64>,
    outgoing: Option<i64>,
    created_at: Option<i64>,
    hash: Option<Vec<u8>>,
}

impl FoundEntry {
    /// Its sequence, and the owner's entry or what keeps it from being one.
    pub(super) fn read(self, owner: Owner) -> (i64, Found<Entry>) {
        let sequence = self.sequence;
        let read = self.row(owner).and_then(entry).map_err(unreadable);
        (sequence, read)
    }

    fn row(self, owner: Owner) -> Result<EntryRow, Damaged> {
        let (account, environment) = owner_key(owner);
        Ok(EntryRow {
            account,
            environment: environment.to_owned(),
            sequence: self.sequence,
            id: self.id.ok_or(Damaged("id"))?,
            kind: self.kind.ok_or(Damaged("kind"))?,
            reference: self.reference.ok_or(Damaged("reference"))?,
            available: self.available.ok_or(Damaged("available"))?,
            fees: self.fees.ok_or(Damaged("fees"))?,
            clearing: self.clearing.ok_or(Damaged("clearing"))?,
            returns: self.returns.ok_or(Damaged("returns"))?,
            play_money: self.play_money.ok_or(Damaged("play_money"))?,
            outgoing: self.outgoing.ok_or(Damaged("outgoing"))?,
            created_at: self.created_at.ok_or(Damaged("created_at"))?,
            hash: self.hash.ok_or(Damaged("hash"))?,
        })
    }
}

fn unreadable(damaged: Damaged) -> Unreadable {
    Unreadable(damaged.to_string())
}
