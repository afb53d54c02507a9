//! Recomputing a ledger from its entries.

mod books;
mod pages;
mod told;

use std::fmt;

use crate::account::Owner;
use crate::error::Error;
use crate::ledger::{Entry, FIRST_HASH, Head, LedgerAccount};
use crate::money::Centavos;
use crate::ports::{Ports, Read, Transact};

/// What a verification found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many ledgers were read.
    pub ledgers: usize,
    /// How many entries were recomputed.
    pub entries: usize,
    /// How many events were counted.
    pub events: usize,
    /// What is wrong; empty when every invariant holds.
    pub faults: Vec<Fault>,
}

/// A row that holds what no ledger writes: which column, and never what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot be read: {}", self.0)
    }
}

/// A row as it was found.
pub type Found<T> = Result<T, Unreadable>;

/// A broken invariant, and the row it was found at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whose ledger.
    pub owner: Owner,
    /// Which row: its id, the place of one that has none that can be read, or `head`; `ledger` when it is not known
    /// which.
    pub row: String,
    /// What is wrong with it.
    pub wrong: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {}: {}",
            self.owner.account,
            self.owner.environment.as_str(),
            self.row,
            self.wrong
        )
    }
}

/// How many rows are read at a time.
const PAGE: usize = 1_000;

/// Recomputes every ledger: sequences without a gap, each entry balanced and sealed with the one before it, the
/// projections equal to the postings, `available` never negative, events without a gap. Then it lays all objects beside
/// what was recorded about them: every charge, payout and refund posted and told exactly as its status and amounts say,
/// every payment kept that settled a charge or goes back, no charge refunded beyond what was received, and nothing
/// recorded about an object that is not there.
///
/// Each ledger is read at one moment, so it can run beside a working server, and a page at a time, so its size does not
/// matter. A row that cannot be read is a fault like any other, and the rows after it are verified all the same.
///
/// # Errors
/// The store's; what is wrong with the data is in the report.
pub fn verify(ports: &Ports) -> Result<Report, Error> {
    let owners = ports.store.read(|read| read.ledgers())?;
    let mut report = Report::default();
    for owner in owners {
        let mut walk = Walk::of(owner);
        let ended = ports.store.read_at_one_moment(|read| {
            walk = Walk::of(owner);
            walk.all(read)
        });
        match ended {
            Ok(()) => {}
            Err(Error::Bug(what)) => walk.fault("ledger", format!("cannot be read: {what}")),
            Err(error) => return Err(error),
        }
        let one = walk.report;
        report.ledgers = report.ledgers.saturating_add(1);
        report.entries = report.entries.saturating_add(one.entries);
        report.events = report.events.saturating_add(one.events);
        report.faults.extend(one.faults);
    }
    Ok(report)
}

/// One ledger from its first row on.
struct Walk {
    owner: Owner,
    /// What the rows so far make of the head.
    expected: Head,
    /// Whether the seal in it is that of the last row: the next row is sealed with it.
    sealed: bool,
    /// Whether every row so far could be read: otherwise their sums say nothing.
    complete: bool,
    report: Report,
}

impl Walk {
    fn of(owner: Owner) -> Self {
        Self {
            owner,
            expected: Head::empty(owner),
            sealed: true,
            complete: true,
            report: Report::default(),
        }
    }

    fn all(&mut self, read: &mut dyn Read) -> Result<(), Error> {
        self.entries(read)?;
        self.events(read)?;
        match read.head_as_found(self.owner)? {
            Some(Ok(head)) => self.head(&head),
            Some(Err(unreadable)) => self.fault("head", unreadable.to_string()),
            None => self.fault("head", "is missing".to_owned()),
        }
        self.objects(read)
    }

    fn fault(&mut self, row: impl fmt::Display, wrong: String) {
        self.report.faults.push(Fault {
            owner: self.owner,
            row: row.to_string(),
            wrong,
        });
    }

    fn entries(&mut self, read: &mut dyn Read) -> Result<(), Error> {
        loop {
            let after = self.expected.ledger_sequence;
            let entries = read.entries_as_found(self.owner, after, PAGE)?;
            if entries.is_empty() {
                return Ok(());
            }
            for (sequence, entry) in entries {
                self.row(sequence, entry);
            }
        }
    }

    fn row(&mut self, sequence: i64, entry: Found<Entry>) {
        self.report.entries = self.report.entries.saturating_add(1);
        let place = self.expected.ledger_sequence.saturating_add(1);
        let name = match &entry {
            Ok(entry) => entry.id.to_string(),
            Err(_) => format!("entry {sequence}"),
        };
        if sequence != place {
            let wrong = format!("has sequence {sequence}, expected {place}: rows are missing");
            self.fault(&name, wrong);
        }
        match entry {
            Ok(entry) => self.entry(&entry),
            Err(unreadable) => {
                self.fault(&name, unreadable.to_string());
                (self.sealed, self.complete) = (false, false);
            }
        }
        self.expected.ledger_sequence = sequence;
    }

    fn entry(&mut self, entry: &Entry) {
        let sum = LedgerAccount::ALL
            .into_iter()
            .try_fold(Centavos::ZERO, |sum, on| sum.plus(entry.postings.on(on)));
        if sum != Ok(Centavos::ZERO) {
            self.fault(entry.id, "does not sum to zero".to_owned());
        }
        if self.sealed && entry.seal(&self.expected.ledger_hash) != entry.hash {
            self.fault(
                entry.id,
                "does not match its seal: it, or a row before it, was changed".to_owned(),
            );
        }
        let change = entry.postings.on(LedgerAccount::Available);
        match (
            self.expected.balance.plus(change),
            self.expected.available.plus(change),
        ) {
            (Ok(balance), Ok(available)) => {
                (self.expected.balance, self.expected.available) = (balance, available);
            }
            _ => self.fault(entry.id, "makes the balance overflow".to_owned()),
        }
        if self.complete && self.expected.balance < Centavos::ZERO {
            self.fault(
                entry.id,
                format!("makes the balance negative: {}", self.expected.balance),
            );
        }
        (self.expected.ledger_hash, self.sealed) = (entry.hash, true);
    }

    fn events(&mut self, read: &mut dyn Read) -> Result<(), Error> {
        loop {
            let after = self.expected.event_sequence;
            let sequences = read.event_sequences(self.owner, after, PAGE)?;
            if sequences.is_empty() {
                return Ok(());
            }
            for sequence in sequences {
                self.report.events = self.report.events.saturating_add(1);
                let place = self.expected.event_sequence.saturating_add(1);
                if sequence != place {
                    let wrong = format!("is there, expected {place}: events are missing");
                    self.fault(format!("event {sequence}"), wrong);
                }
                self.expected.event_sequence = sequence;
            }
        }
    }

    fn head(&mut self, head: &Head) {
        let expected = self.expected.clone();
        if head.ledger_sequence != expected.ledger_sequence
            || (self.sealed && head.ledger_hash != expected.ledger_hash)
        {
            let (shown, last) = (head.ledger_sequence, expected.ledger_sequence);
            self.fault(
                "head",
                format!("ends at entry {shown}, the entries end at {last} or with another seal"),
            );
        }
        if head.event_sequence != expected.event_sequence {
            let (shown, last) = (head.event_sequence, expected.event_sequence);
            self.fault(
                "head",
                format!("ends at event {shown}, the events end at {last}"),
            );
        }
        if self.complete && head.balance != expected.balance {
            self.fault(
                "head",
                format!(
                    "has balance {}, the entries make {}",
                    head.balance, expected.balance
                ),
            );
        }
        // They would differ by administrative blocks, of which there are none.
        if head.available != head.balance {
            self.fault(
                "head",
                format!(
                    "has available {} of balance {}",
                    head.available, head.balance
                ),
            );
        }
        if self.sealed && expected.ledger_hash == FIRST_HASH && head.ledger_sequence != 0 {
            self.fault("head", "has entries but the ledger is empty".to_owned());
        }
    }
}

#[cfg(test)]
mod busy;
#[cfg(test)]
mod tests;
