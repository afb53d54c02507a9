//! What is posted to the ledger for a charge.

use crate::account::Environment;
use crate::charge::{Charge, Return, ReturnState, Status};
use crate::error::Error;
use crate::ledger::{EntryKind, LedgerAccount, Posted, PostingSet};

impl Charge {
    /// It is paid: the provider has the money, the merchant and the fee share it.
    pub(super) fn credited(&self) -> Result<PostingSet, Error> {
        Ok(PostingSet::balanced(&[
            (LedgerAccount::Clearing, self.amount.negated()?),
            (LedgerAccount::Available, self.net_amount),
            (LedgerAccount::Fees, self.fee()?),
        ])?)
    }

    /// What must have been posted for it and for the payments of it that go back, in whatever order. A sandbox moves no
    /// money for charges.
    pub(crate) fn entries_due(&self, returns: &[Return]) -> Result<Vec<Posted>, Error> {
        let mut due = Vec::new();
        if self.owner.environment == Environment::Sandbox {
            return Ok(due);
        }
        if let Status::Paid(_) = self.status {
            due.push((EntryKind::ChargePaid, self.credited()?));
        }
        for returned in returns {
            due.push((EntryKind::PaymentHeld, returned.held()?));
            if let ReturnState::Done { .. } = returned.state {
                due.push((EntryKind::PaymentReturned, returned.given_back()?));
            }
        }
        Ok(due)
    }
}

impl Return {
    /// The payment is owed to its payer.
    pub(super) fn held(&self) -> Result<PostingSet, Error> {
        Ok(PostingSet::balanced(&[
            (LedgerAccount::Clearing, self.amount.negated()?),
            (LedgerAccount::Returns, self.amount),
        ])?)
    }

    /// The payer has it back.
    pub(super) fn given_back(&self) -> Result<PostingSet, Error> {
        Ok(PostingSet::balanced(&[
            (LedgerAccount::Returns, self.amount.negated()?),
            (LedgerAccount::Clearing, self.amount),
        ])?)
    }
}
