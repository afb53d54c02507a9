//! What was recorded about an object must be what its status and amounts ask for.

use super::Walk;
use super::pages::{About, Object, Tables};
use crate::account::Environment;
use crate::charge::{Charge, Receipt, Return, Status, StatusName};
use crate::error::Error;
use crate::ledger::{Entry, EntryKind, LedgerAccount, Posted};
use crate::money::{Centavos, Overflow};
use crate::payout::Payout;
use crate::ports::Read;
use crate::refund::{Refund, refunded};

impl Walk {
    /// Every object, and whatever is recorded about one that is not there.
    pub(super) fn objects(&mut self, read: &mut dyn Read) -> Result<(), Error> {
        let account = self.owner.account.0.to_string();
        let mut tables = Tables::new();
        let mut opened = false;
        while let Some(object) = tables.next(read, self)? {
            match (
                object.charge.rows.first(),
                object.payout.rows.first(),
                object.refund.rows.first(),
            ) {
                (Some(charge), ..) => self.charge(charge, &object),
                (None, Some(payout), _) => self.payout(payout, &object),
                (None, None, Some(refund)) => self.refund(refund, &object),
                // It cannot be read, and is named already.
                (None, None, None) if object.is_there() => {}
                (None, None, None) if object.id == account => {
                    opened = true;
                    self.opening(&object);
                }
                (None, None, None) => self.nothing(&object),
            }
        }
        if !opened && self.complete && self.owner.environment == Environment::Sandbox {
            self.fault(
                self.owner.account,
                "is a sandbox without its play money".to_owned(),
            );
        }
        Ok(())
    }

    fn charge(&mut self, charge: &Charge, object: &Object) {
        let (id, is) = (charge.public_id(), status(charge));
        if object.receipts.complete && object.returns.complete {
            self.payments(charge, &object.receipts.rows, &object.returns.rows);
        }
        if object.returns.complete {
            let due = charge.entries_due(&object.returns.rows);
            let is = format!("{is} of {}, net {}", charge.amount, charge.net_amount);
            self.posted(&id, &is, due, &object.entries);
        }
        self.told_of_charge(charge, is, object);
        self.refunds_of(charge, &object.refunds);
    }

    fn payout(&mut self, payout: &Payout, object: &Object) {
        let (id, is) = (payout.public_id(), payout.status.as_str());
        let amounts = format!("{is} of {}, fee {}", payout.net_amount, payout.fee);
        self.posted(&id, &amounts, payout.entries_due(), &object.entries);
        self.told_of_payout(payout, &object.events);
        self.payments_of_nothing(object);
    }

    fn refund(&mut self, refund: &Refund, object: &Object) {
        let is = format!("{} of {}", refund.status.as_str(), refund.amount);
        let id = refund.id.to_string();
        self.posted(&id, &is, refund.entries_due(), &object.entries);
        self.events_of_nothing(object);
        self.payments_of_nothing(object);
    }

    /// A sandbox is opened with play money, and nothing else is recorded about an account.
    fn opening(&mut self, object: &Object) {
        let is_right = match self.owner.environment {
            Environment::Live => object.entries.rows.is_empty(),
            Environment::Sandbox => {
                matches!(object.entries.rows.as_slice(), [one] if one.kind == EntryKind::PlayMoney)
            }
        };
        if object.entries.complete && !is_right {
            let wrong = format!(
                "was opened with {}",
                list(object.entries.rows.iter().map(posted))
            );
            self.fault(self.owner.account, wrong);
        }
        self.events_of_nothing(object);
        self.payments_of_nothing(object);
    }

    fn nothing(&mut self, object: &Object) {
        for entry in &object.entries.rows {
            let (kind, id) = (entry.kind.as_str(), &object.id);
            self.fault(entry.id, format!("is {kind} for {id}, which is not there"));
        }
        self.events_of_nothing(object);
        self.payments_of_nothing(object);
    }

    /// Compares what was posted for an object with what its status and amounts ask for.
    fn posted(
        &mut self,
        id: &str,
        is: &str,
        due: Result<Vec<Posted>, Error>,
        entries: &About<Entry>,
    ) {
        if !entries.complete {
            return;
        }
        let Ok(mut due) = due else {
            self.fault(id, format!("is {is}, which cannot be added up"));
            return;
        };
        let mut is_right = true;
        for entry in &entries.rows {
            let place = due
                .iter()
                .position(|due| *due == (entry.kind, entry.postings));
            match place {
                Some(place) => drop(due.remove(place)),
                None => is_right = false,
            }
        }
        if !is_right || !due.is_empty() {
            let posted = list(entries.rows.iter().map(posted));
            self.fault(
                id,
                format!("is {is}, but what was posted for it is {posted}"),
            );
        }
    }

    /// Compares a charge with the payments that arrived for it, and those with what goes back.
    fn payments(&mut self, charge: &Charge, receipts: &[Receipt], returns: &[Return]) {
        let (id, is) = (charge.public_id(), status(charge));
        let mut paid = 0_usize;
        for receipt in receipts {
            let payment = &receipt.end_to_end_id;
            match receipt.returned {
                None if settles(receipt, charge) => paid = paid.saturating_add(1),
                None => self.fault(
                    payment,
                    format!(
                        "is kept as the payment of {id}, {}, but that is {is} of {}",
                        receipt.amount, charge.amount
                    ),
                ),
                Some(reason) => {
                    let mut back = returns.iter().filter(|one| gives_back(one, receipt));
                    if back.next().is_none() || back.next().is_some() {
                        let reason = reason.as_str();
                        let wrong =
                            format!("goes back ({reason}), but not by exactly one such return");
                        self.fault(payment, wrong);
                    }
                }
            }
        }
        if matches!(charge.status, Status::Paid(_)) && paid != 1 {
            let wrong = format!("is PAID, but {paid} payments are kept that settled it");
            self.fault(&id, wrong);
        }
        for returned in returns {
            if !receipts.iter().any(|one| gives_back(returned, one)) {
                let payment = &returned.end_to_end_id;
                let wrong = format!("gives {payment} back, which was not kept for that");
                self.fault(returned.id, wrong);
            }
        }
    }

    /// Payments and refunds of what is no charge.
    fn payments_of_nothing(&mut self, object: &Object) {
        let id = &object.id;
        for receipt in &object.receipts.rows {
            let wrong = format!("is a payment of {id}, which is no charge");
            self.fault(&receipt.end_to_end_id, wrong);
        }
        for returned in &object.returns.rows {
            let wrong = format!("gives back a payment of {id}, which is no charge");
            self.fault(returned.id, wrong);
        }
        for refund in &object.refunds.rows {
            let wrong = format!("is a refund of {id}, which is no charge");
            self.fault(refund.id, wrong);
        }
    }

    /// Compares what was refunded of a charge with what was received.
    fn refunds_of(&mut self, charge: &Charge, refunds: &About<Refund>) {
        let (payment, received) = match &charge.status {
            Status::Paid(payment) => (Some(&payment.end_to_end_id), charge.amount),
            Status::Pending | Status::Failed(_) => (None, Centavos::ZERO),
        };
        let exceeds = match refunded(&refunds.rows) {
            Ok(refunded) => refunded > received,
            Err(Overflow) => true,
        };
        for refund in &refunds.rows {
            if exceeds && refund.counts() {
                self.fault(
                    refund.id,
                    format!(
                        "makes {} more refunded than was received",
                        charge.public_id()
                    ),
                );
            } else if Some(&refund.payment_id) != payment {
                self.fault(
                    refund.id,
                    format!(
                        "gives {} back, which is not how {} was paid",
                        refund.payment_id,
                        charge.public_id()
                    ),
                );
            }
        }
    }
}

/// The stored status of a charge: EXPIRED is none.
pub(super) fn status(charge: &Charge) -> &'static str {
    match charge.status {
        Status::Pending => StatusName::Pending,
        Status::Paid(_) => StatusName::Paid,
        Status::Failed(_) => StatusName::Failed,
    }
    .as_str()
}

/// Whether the charge says that this payment settled it.
pub(super) fn settles(receipt: &Receipt, charge: &Charge) -> bool {
    match &charge.status {
        Status::Pending | Status::Failed(_) => false,
        Status::Paid(payment) => {
            receipt.returned.is_none()
                && receipt.end_to_end_id == payment.end_to_end_id
                && receipt.amount == charge.amount
                && receipt.paid_at == payment.paid_at
                && receipt.payer == payment.payer
        }
    }
}

fn gives_back(returned: &Return, receipt: &Receipt) -> bool {
    returned.end_to_end_id == receipt.end_to_end_id
        && returned.amount == receipt.amount
        && Some(returned.reason) == receipt.returned
}

/// An entry in words: `refund_debited available -1000 outgoing 1000`.
fn posted(entry: &Entry) -> String {
    let mut words = vec![entry.kind.as_str().to_owned()];
    for account in LedgerAccount::ALL {
        let amount = entry.postings.on(account);
        if amount != Centavos::ZERO {
            words.push(format!("{} {amount}", account.as_str()));
        }
    }
    words.join(" ")
}

/// Things in words, or that there are none.
pub(super) fn list(things: impl Iterator<Item = String>) -> String {
    let things: Vec<String> = things.collect();
    if things.is_empty() {
        "nothing".to_owned()
    } else {
        things.join(", ")
    }
}
