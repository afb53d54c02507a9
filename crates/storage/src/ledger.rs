//! Heads and ledger entries.

mod found;

use std::collections::BTreeSet;
use std::fmt;

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::QueryFragment;
use vintem_domain::account::{AccountId, Owner};
use vintem_domain::id::Ulid;
use vintem_domain::ledger::{Entry, EntryId, EntryKind, Found, Head, LedgerAccount, PostingSet};
use vintem_domain::ports::{LedgerRead, LedgerTx};
use vintem_domain::{Centavos, Error, Time};

use crate::conn::{on, on_locked};
use crate::kept::update;
use crate::ledger::found::{FoundEntry, FoundHead};
use crate::schema::{accounts, heads, ledger_entries};
use crate::value::{Damaged, bytes32, limit as rows, owner, owner_key, ulid};
use crate::view::View;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = heads, treat_none_as_default_value = false)]
pub(crate) struct HeadRow {
    account: String,
    environment: String,
    balance: i64,
    available: i64,
    event_sequence: i64,
    ledger_sequence: i64,
    ledger_hash: Vec<u8>,
}

impl From<&Head> for HeadRow {
    fn from(head: &Head) -> Self {
        let (account, environment) = owner_key(head.owner);
        Self {
            account,
            environment: environment.to_owned(),
            balance: head.balance.get(),
            available: head.available.get(),
            event_sequence: head.event_sequence,
            ledger_sequence: head.ledger_sequence,
            ledger_hash: head.ledger_hash.to_vec(),
        }
    }
}

impl TryFrom<HeadRow> for Head {
    type Error = Damaged;

    fn try_from(row: HeadRow) -> Result<Self, Damaged> {
        Ok(Self {
            owner: owner(&row.account, &row.environment)?,
            balance: Centavos::new(row.balance),
            available: Centavos::new(row.available),
            event_sequence: row.event_sequence,
            ledger_sequence: row.ledger_sequence,
            ledger_hash: bytes32(row.ledger_hash)?,
        })
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = ledger_entries, treat_none_as_default_value = false)]
pub(crate) struct EntryRow {
    account: String,
    environment: String,
    sequence: i64,
    id: String,
    kind: String,
    reference: String,
    available: i64,
    fees: i64,
    clearing: i64,
    returns: i64,
    play_money: i64,
    outgoing: i64,
    created_at: i64,
    hash: Vec<u8>,
}

impl From<&Entry> for EntryRow {
    fn from(entry: &Entry) -> Self {
        let (account, environment) = owner_key(entry.owner);
        let posted = |on| entry.postings.on(on).get();
        Self {
            account,
            environment: environment.to_owned(),
            sequence: entry.sequence,
            id: entry.id.0.to_string(),
            kind: entry.kind.as_str().to_owned(),
            reference: entry.reference.to_string(),
            available: posted(LedgerAccount::Available),
            fees: posted(LedgerAccount::Fees),
            clearing: posted(LedgerAccount::Clearing),
            returns: posted(LedgerAccount::Returns),
            play_money: posted(LedgerAccount::PlayMoney),
            outgoing: posted(LedgerAccount::Outgoing),
            created_at: entry.created_at.millis(),
            hash: entry.hash.to_vec(),
        }
    }
}

impl TryFrom<EntryRow> for Entry {
    type Error = DamagedEntry;

    /// A damaged entry is named, so that somebody can look at the row.
    fn try_from(row: EntryRow) -> Result<Self, DamagedEntry> {
        let name = format!("{} {} {}", row.account, row.environment, row.sequence);
        entry(row).map_err(|damaged| DamagedEntry { name, damaged })
    }
}

/// An entry no ledger could have written: its account, environment and sequence, and what is wrong.
pub(crate) struct DamagedEntry {
    name: String,
    damaged: Damaged,
}

impl fmt::Display for DamagedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ledger entry {}: {}", self.name, self.damaged)
    }
}

fn entry(row: EntryRow) -> Result<Entry, Damaged> {
    let postings = PostingSet::balanced(&[
        (LedgerAccount::Available, Centavos::new(row.available)),
        (LedgerAccount::Fees, Centavos::new(row.fees)),
        (LedgerAccount::Clearing, Centavos::new(row.clearing)),
        (LedgerAccount::Returns, Centavos::new(row.returns)),
        (LedgerAccount::PlayMoney, Centavos::new(row.play_money)),
        (LedgerAccount::Outgoing, Centavos::new(row.outgoing)),
    ]);
    Ok(Entry {
        id: EntryId(ulid(&row.id)?),
        owner: owner(&row.account, &row.environment)?,
        sequence: row.sequence,
        kind: EntryKind::parse(&row.kind).ok_or(Damaged("kind"))?,
        reference: ulid(&row.reference)?,
        postings: postings.map_err(|_unreadable| Damaged("the postings do not sum to zero"))?,
        created_at: Time::from_millis(row.created_at),
        hash: bytes32(row.hash)?,
    })
}

/// The statement that keeps a new entry.
pub(crate) fn insert_entry(row: &EntryRow) -> impl QueryFragment<Pg> + '_ {
    diesel::insert_into(ledger_entries::table).values(row)
}

/// The statement that keeps a head.
pub(crate) fn update_head(row: &HeadRow) -> impl QueryFragment<Pg> + '_ {
    update!(
        heads::table,
        heads::account.eq(&row.account).and(heads::environment.eq(&row.environment)) => (
            heads::balance.eq(row.balance),
            heads::available.eq(row.available),
            heads::event_sequence.eq(row.event_sequence),
            heads::ledger_sequence.eq(row.ledger_sequence),
            heads::ledger_hash.eq(&row.ledger_hash),
        )
    )
}

impl LedgerRead for View<'_, '_> {
    fn head(&mut self, owner: Owner) -> Result<Option<Head>, Error> {
        self.one(|conn| {
            on!(conn, c => heads::table
                .find(owner_key(owner))
                .select(HeadRow::as_select())
                .get_result(c)
                .optional())
        })
    }

    fn heads(&mut self) -> Result<Vec<Head>, Error> {
        self.all(|conn| {
            // `test` before `live`, as the domain orders them.
            on!(conn, c => heads::table
                .select(HeadRow::as_select())
                .order((heads::account, heads::environment.desc()))
                .load(c))
        })
    }

    fn ledgers(&mut self) -> Result<Vec<Owner>, Error> {
        let accounts: Vec<String> =
            self.ask(|conn| on!(conn, c => accounts::table.select(accounts::id).load(c)))?;
        let heads: Vec<(String, String)> = self.ask(|conn| {
            on!(conn, c => heads::table
                .select((heads::account, heads::environment))
                .load(c))
        })?;
        // A key that names nobody is missed where it should be: at the head of its account.
        let held = heads
            .iter()
            .filter_map(|(account, environment)| owner(account, environment).ok());
        let due = accounts
            .iter()
            .filter_map(|account| ulid(account).ok())
            .flat_map(|account| Owner::both(AccountId(account)));
        let all: BTreeSet<Owner> = held.chain(due).collect();
        Ok(all.into_iter().collect())
    }

    fn head_as_found(&mut self, owner: Owner) -> Result<Option<Found<Head>>, Error> {
        let row: Option<FoundHead> = self.ask(|conn| {
            on!(conn, c => heads::table
                .find(owner_key(owner))
                .select((
                    heads::balance.nullable(),
                    heads::available.nullable(),
                    heads::event_sequence.nullable(),
                    heads::ledger_sequence.nullable(),
                    heads::ledger_hash.nullable(),
                ))
                .get_result(c)
                .optional())
        })?;
        Ok(row.map(|row| row.read(owner)))
    }

    fn entries_as_found(
        &mut self,
        owner: Owner,
        after: i64,
        limit: usize,
    ) -> Result<Vec<(i64, Found<Entry>)>, Error> {
        let (account, environment) = owner_key(owner);
        let found: Vec<FoundEntry> = self.ask(|conn| {
            on!(conn, c => ledger_entries::table
                .filter(ledger_entries::account.eq(&account))
                .filter(ledger_entries::environment.eq(environment))
                .filter(ledger_entries::sequence.gt(after))
                .select((
                    ledger_entries::sequence,
                    ledger_entries::id.nullable(),
                    ledger_entries::kind.nullable(),
                    ledger_entries::reference.nullable(),
                    ledger_entries::available.nullable(),
                    ledger_entries::fees.nullable(),
                    ledger_entries::clearing.nullable(),
                    ledger_entries::returns.nullable(),
                    ledger_entries::play_money.nullable(),
                    ledger_entries::outgoing.nullable(),
                    ledger_entries::created_at.nullable(),
                    ledger_entries::hash.nullable(),
                ))
                .order(ledger_entries::sequence)
                .limit(rows(limit))
                .load(c))
        })?;
        Ok(found.into_iter().map(|row| row.read(owner)).collect())
    }

    fn entries(&mut self, owner: Owner, after: i64, limit: usize) -> Result<Vec<Entry>, Error> {
        let (account, environment) = owner_key(owner);
        self.all(|conn| {
            on!(conn, c => ledger_entries::table
                .filter(ledger_entries::account.eq(&account))
                .filter(ledger_entries::environment.eq(environment))
                .filter(ledger_entries::sequence.gt(after))
                .select(EntryRow::as_select())
                .order(ledger_entries::sequence)
                .limit(rows(limit))
                .load(c))
        })
    }

    fn entries_for(&mut self, owner: Owner, reference: Ulid) -> Result<Vec<Entry>, Error> {
        let (account, environment) = owner_key(owner);
        self.all(|conn| {
            on!(conn, c => ledger_entries::table
                .filter(ledger_entries::account.eq(&account))
                .filter(ledger_entries::environment.eq(environment))
                .filter(ledger_entries::reference.eq(reference.to_string()))
                .select(EntryRow::as_select())
                .order(ledger_entries::sequence)
                .load(c))
        })
    }
}

impl LedgerTx for View<'_, '_> {
    fn head_for_update(&mut self, owner: Owner) -> Result<Option<Head>, Error> {
        self.one(|conn| {
            on_locked!(conn, c => heads::table
                .find(owner_key(owner))
                .select(HeadRow::as_select()),
                get_result(c).optional())
        })
    }

    fn insert_head(&mut self, head: &Head) -> Result<(), Error> {
        let row = HeadRow::from(head);
        self.write_one(
            "heads",
            |conn| on!(conn, c => diesel::insert_into(heads::table).values(&row).execute(c)),
        )
    }

    fn save_head(&mut self, head: &Head) -> Result<(), Error> {
        let (account, environment) = owner_key(head.owner);
        self.write_one("heads", |conn| {
            on!(conn, c => update!(
                    heads::table,
                    heads::account.eq(&account).and(heads::environment.eq(environment)) => (
                        heads::balance.eq(head.balance.get()),
                        heads::available.eq(head.available.get()),
                        heads::event_sequence.eq(head.event_sequence),
                        heads::ledger_sequence.eq(head.ledger_sequence),
                        heads::ledger_hash.eq(head.ledger_hash.as_slice()),
                    )
                )
                .execute(c))
        })
    }

    fn insert_entry(&mut self, entry: &Entry) -> Result<(), Error> {
        let row = EntryRow::from(entry);
        self.write_one("ledger_entries", |conn| {
            on!(conn, c => diesel::insert_into(ledger_entries::table).values(&row).execute(c))
        })
    }
}
