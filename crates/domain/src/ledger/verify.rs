//! Recomputing a ledger from its entries.

use std::fmt;

use crate::account::Owner;
use crate::charge::Status;
use crate::error::Error;
use crate::ledger::{Entry, FIRST_HASH, Head, LedgerAccount};
use crate::money::Centavos;
use crate::ports::{Ports, Read, Transact};
use crate::refund::{Refund, refunded};

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

/// A broken invariant, and the row it was found at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whose ledger.
    pub owner: Owner,
    /// Which row: an entry's id, or `head`.
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
/// projections equal to the postings, `available` never negative, events without a gap, every refund posted as its state
/// says and no charge refunded beyond what was received. Each ledger is read at one moment, so it can run beside a
/// working server.
///
/// # Errors
/// The store's; what is wrong with the data is in the report.
pub fn verify(ports: &Ports) -> Result<Report, Error> {
    let heads = ports.store.read(|read| read.heads())?;
    let mut report = Report::default();
    for head in heads {
        let one = ports
            .store
            .read_at_one_moment(|read| verify_one(read, head.owner))?;
        report.ledgers = report.ledgers.saturating_add(1);
        report.entries = report.entries.saturating_add(one.entries);
        report.events = report.events.saturating_add(one.events);
        report.faults.extend(one.faults);
    }
    Ok(report)
}

fn verify_one(read: &mut dyn Read, owner: Owner) -> Result<Report, Error> {
    let mut walk = Walk {
        owner,
        expected: Head::empty(owner),
        report: Report::default(),
    };
    loop {
        let after = walk.expected.ledger_sequence;
        let entries = read.entries(owner, after, PAGE)?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            walk.entry(entry);
        }
    }
    walk.events(read)?;
    walk.refunds(read)?;
    match read.head(owner)? {
        Some(head) => walk.head(&head),
        None => walk.fault("head", "is missing".to_owned()),
    }
    Ok(walk.report)
}

struct Walk {
    owner: Owner,
    expected: Head,
    report: Report,
}

impl Walk {
    fn fault(&mut self, row: impl fmt::Display, wrong: String) {
        self.report.faults.push(Fault {
            owner: self.owner,
            row: row.to_string(),
            wrong,
        });
    }

    fn entry(&mut self, entry: &Entry) {
        self.report.entries = self.report.entries.saturating_add(1);
        let place = self.expected.ledger_sequence.saturating_add(1);
        if entry.sequence != place {
            self.fault(
                entry.id,
                format!(
                    "has sequence {}, expected {place}: rows are missing",
                    entry.sequence
                ),
            );
        }
        let sum = LedgerAccount::ALL
            .into_iter()
            .try_fold(Centavos::ZERO, |sum, on| sum.plus(entry.postings.on(on)));
        if sum != Ok(Centavos::ZERO) {
            self.fault(entry.id, "does not sum to zero".to_owned());
        }
        if entry.seal(&self.expected.ledger_hash) != entry.hash {
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
        if self.expected.balance < Centavos::ZERO {
            self.fault(
                entry.id,
                format!("makes the balance negative: {}", self.expected.balance),
            );
        }
        self.expected.ledger_sequence = entry.sequence;
        self.expected.ledger_hash = entry.hash;
    }

    fn events(&mut self, read: &mut dyn Read) -> Result<(), Error> {
        loop {
            let events = read.events(self.owner, self.expected.event_sequence, PAGE)?;
            if events.is_empty() {
                return Ok(());
            }
            for event in &events {
                self.report.events = self.report.events.saturating_add(1);
                let place = self.expected.event_sequence.saturating_add(1);
                if event.sequence != place {
                    self.fault(
                        event.id,
                        format!(
                            "has sequence {}, expected {place}: events are missing",
                            event.sequence
                        ),
                    );
                }
                self.expected.event_sequence = event.sequence;
            }
        }
    }

    fn refunds(&mut self, read: &mut dyn Read) -> Result<(), Error> {
        let mut after = None;
        loop {
            let refunds = read.refunds_after(self.owner, after, PAGE)?;
            let Some(last) = refunds.last() else {
                return Ok(());
            };
            after = Some(last.id);
            for refund in &refunds {
                self.refund(read, refund)?;
            }
        }
    }

    fn refund(&mut self, read: &mut dyn Read, refund: &Refund) -> Result<(), Error> {
        let entries = read.entries_for(self.owner, refund.id.0)?;
        let posted: Vec<&str> = entries.iter().map(|entry| entry.kind.as_str()).collect();
        let due: Vec<&str> = refund
            .entries_due()
            .iter()
            .map(|kind| kind.as_str())
            .collect();
        let amounts = entries.iter().zip([1_i64, -1]).all(|(entry, sign)| {
            let outgoing = entry.postings.on(LedgerAccount::Outgoing).get();
            Some(outgoing) == refund.amount.get().checked_mul(sign)
        });
        if posted != due || !amounts {
            let status = refund.status.as_str();
            self.fault(
                refund.id,
                format!(
                    "is {status} of {}, but what was posted for it is {posted:?}",
                    refund.amount
                ),
            );
        }
        let of_charge = read.refunds(self.owner, refund.charge)?;
        let received = read.charge(self.owner, refund.charge)?;
        let received = received.filter(|charge| matches!(charge.status, Status::Paid(_)));
        let received = received.map_or(Centavos::ZERO, |charge| charge.amount);
        if refunded(&of_charge)? > received {
            self.fault(
                refund.id,
                format!("makes {} more refunded than was received", refund.charge),
            );
        }
        Ok(())
    }

    fn head(&mut self, head: &Head) {
        let expected = self.expected.clone();
        if head.ledger_sequence != expected.ledger_sequence
            || head.ledger_hash != expected.ledger_hash
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
        if head.balance != expected.balance {
            self.fault(
                "head",
                format!(
                    "has balance {}, the entries make {}",
                    head.balance, expected.balance
                ),
            );
        }
        if head.available > head.balance || head.available < Centavos::ZERO {
            self.fault(
                "head",
                format!(
                    "has available {} of balance {}",
                    head.available, head.balance
                ),
            );
        }
        if expected.ledger_hash == FIRST_HASH && head.ledger_sequence != 0 {
            self.fault("head", "has entries but the ledger is empty".to_owned());
        }
    }
}
