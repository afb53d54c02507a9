//! What is posted to the ledger for a refund.

use crate::account::Environment;
use crate::error::Error;
use crate::ledger::{EntryKind, LedgerAccount, Posted, PostingSet};
use crate::payout::PayoutStatus;
use crate::refund::Refund;

impl Refund {
    /// Its money leaves what can be spent.
    pub(super) fn debited(&self) -> Result<Posted, Error> {
        let postings = PostingSet::balanced(&[
            (LedgerAccount::Available, self.amount.negated()?),
            (LedgerAccount::Outgoing, self.amount),
        ])?;
        Ok((EntryKind::RefundDebited, postings))
    }

    /// Its money leaves the provider, or comes back to what can be spent; nothing while it is under way.
    pub(super) fn ended(&self) -> Result<Option<Posted>, Error> {
        let (kind, destination) = match self.status {
            PayoutStatus::Pending => return Ok(None),
            PayoutStatus::Paid { .. } => (EntryKind::RefundSettled, LedgerAccount::Clearing),
            PayoutStatus::Failed { .. } => (EntryKind::RefundReversed, LedgerAccount::Available),
        };
        let postings = PostingSet::balanced(&[
            (LedgerAccount::Outgoing, self.amount.negated()?),
            (destination, self.amount),
        ])?;
        Ok(Some((kind, postings)))
    }

    /// What must have been posted for it. A sandbox moves no money for refunds.
    pub(crate) fn entries_due(&self) -> Result<Vec<Posted>, Error> {
        match self.owner.environment {
            Environment::Sandbox => Ok(Vec::new()),
            Environment::Live => Ok([self.debited()?].into_iter().chain(self.ended()?).collect()),
        }
    }
}
