//! The first step of a payout: the money leaves what can be spent, with the intent, in one unit of work.

use crate::account::{Account, Environment};
use crate::document::Document;
use crate::error::Error;
use crate::event::{Data, EventId, EventKind, News, PayerData};
use crate::ledger::{EntryId, EntryKind, Head, LedgerAccount, Movement, Posted, PostingSet};
use crate::payout::{Payout, PayoutStatus, Purpose};
use crate::ports::Tx;

impl Payout {
    /// Whether its money is in the ledger: a sandbox simulates withdrawals, but plays bills with its play money.
    pub(crate) fn is_booked(&self) -> bool {
        match (self.owner.environment, &self.purpose) {
            (Environment::Live, _) | (Environment::Sandbox, Purpose::Bill(_)) => true,
            (Environment::Sandbox, Purpose::Withdrawal(_)) => false,
        }
    }

    /// Where settled money goes: out of the provider, or back to where play money comes from.
    fn destination(&self) -> LedgerAccount {
        match self.owner.environment {
            Environment::Live => LedgerAccount::Clearing,
            Environment::Sandbox => LedgerAccount::PlayMoney,
        }
    }

    /// What must have been posted for it.
    pub(crate) fn entries_due(&self) -> Result<Vec<Posted>, Error> {
        if !self.is_booked() {
            return Ok(Vec::new());
        }
        let debited = (EntryKind::PayoutDebited, self.debited()?);
        Ok([debited].into_iter().chain(self.ended()?).collect())
    }

    /// What is posted at its end; nothing while it is under way.
    pub(super) fn ended(&self) -> Result<Option<Posted>, Error> {
        Ok(match self.status {
            PayoutStatus::Pending => None,
            PayoutStatus::Paid { .. } => Some((EntryKind::PayoutSettled, self.settled()?)),
            PayoutStatus::Failed { .. } => Some((EntryKind::PayoutRefunded, self.refunded()?)),
        })
    }

    fn settled(&self) -> Result<PostingSet, Error> {
        let postings = [
            (LedgerAccount::Outgoing, self.net_amount.negated()?),
            (self.destination(), self.net_amount),
        ];
        Ok(PostingSet::balanced(&postings)?)
    }

    fn refunded(&self) -> Result<PostingSet, Error> {
        Ok(PostingSet::balanced(&[
            (LedgerAccount::Outgoing, self.net_amount.negated()?),
            (LedgerAccount::Fees, self.fee.negated()?),
            (LedgerAccount::Available, self.debit()?),
        ])?)
    }

    fn debited(&self) -> Result<PostingSet, Error> {
        Ok(PostingSet::balanced(&[
            (LedgerAccount::Available, self.debit()?.negated()?),
            (LedgerAccount::Outgoing, self.net_amount),
            (LedgerAccount::Fees, self.fee),
        ])?)
    }
}

/// Keeps the payout and debits it under the id of its entry. The head is locked by the caller, who saves it.
pub(crate) fn open(
    tx: &mut dyn Tx,
    head: &mut Head,
    payout: &Payout,
    entry: EntryId,
) -> Result<(), Error> {
    tx.insert_payout(payout)?;
    if payout.is_booked() {
        let entry = head.post(Movement {
            id: entry,
            kind: EntryKind::PayoutDebited,
            reference: payout.id.0,
            postings: payout.debited()?,
            at: payout.created_at,
        })?;
        tx.insert_entry(&entry)?;
    }
    Ok(())
}

/// The event about a payout's end. The payer is the account itself, as it is called then.
pub(crate) fn payout_news<'a>(
    payout: &'a Payout,
    payer: Option<PayerData<'a>>,
    id: EventId,
) -> News<'a> {
    let mut data = Data {
        id: payout.public_id(),
        kind: payout.purpose.kind(),
        status: payout.status.as_str(),
        amount: payout.amount.get(),
        net_amount: payout.net_amount.get(),
        paid_at: None,
        payer: None,
        end_to_end_id: None,
        failure_reason: None,
        metadata: None,
    };
    let mut kind = EventKind::WithdrawDone;
    match &payout.status {
        PayoutStatus::Pending => {}
        PayoutStatus::Paid { at, authentication } => {
            data.paid_at = Some(at.to_string());
            data.payer = payer;
            data.end_to_end_id = Some(authentication);
        }
        PayoutStatus::Failed { reason, .. } => {
            kind = EventKind::WithdrawFailed;
            data.failure_reason = Some(reason);
        }
    }
    News {
        id,
        owner: payout.owner,
        kind,
        object: payout.id.0,
        data,
    }
}

/// The account as the payer of what it sends.
pub(crate) fn account_as_payer(account: &Account) -> PayerData<'_> {
    PayerData {
        name: Some(account.name.as_str()),
        document: account.document.as_ref().map(Document::as_str),
        bank: Some("Vintém"),
    }
}
