//! What the bank really did, whatever it says: payments of payers, money sent out, money given back.

use std::collections::{BTreeMap, BTreeSet};

use vintem_domain::Time;
use vintem_domain::account::{Environment, Owner};
use vintem_domain::brcode::TxId;
use vintem_domain::calendar::SECOND_MS;
use vintem_domain::charge::PaymentId;
use vintem_domain::payout::{Payout, PayoutAnswer, PayoutId, Purpose};
use vintem_domain::provider::{PixNotice, ReturnRequest};
use vintem_domain::refund::{Refund, RefundId};

use crate::dice::Dice;

/// What a payer sent.
#[derive(Clone)]
pub(crate) struct Paid {
    pub(crate) owner: Owner,
    /// What the bank tells of it, always the same.
    pub(crate) notice: PixNotice,
    /// What of it went back.
    pub(crate) back: i64,
}

/// Money the bank was told to send.
#[derive(Clone)]
pub(crate) struct Outgoing {
    pub(crate) owner: Owner,
    pub(crate) amount: i64,
    /// The title it pays, if it pays one.
    pub(crate) title: Option<String>,
    /// Whether it arrives in the end.
    pub(crate) arrives: bool,
    /// From when on the bank says how it ended.
    pub(crate) told_from: Time,
    pub(crate) authentication: String,
}

/// Money the bank gave back.
#[derive(Clone)]
pub(crate) struct Back {
    pub(crate) owner: Owner,
    pub(crate) payment: PaymentId,
    pub(crate) amount: i64,
    pub(crate) name: String,
}

/// What becomes of money the bank is told to send.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is under way and arrives later.
    Arrives,
    /// It is under way and comes back later.
    ComesBack,
    /// The answer is that it arrived.
    ArrivesAtOnce,
    /// The answer is that it failed.
    FailsAtOnce,
}

/// How the bank feels for a while.
#[derive(Clone, Copy)]
pub(crate) struct Mood {
    pub(crate) up: bool,
    /// How many calls of 1000 take long.
    pub(crate) slow: u64,
    /// How many calls of 1000 are never heard, though the caller cannot know.
    pub(crate) deaf: u64,
    /// How many calls of 1000 are heard but not answered.
    pub(crate) mute: u64,
    /// How many calls of 1000 it refuses for good, where it may.
    pub(crate) unwilling: u64,
}

impl Mood {
    pub(crate) const GOOD: Self = Self {
        up: true,
        slow: 0,
        deaf: 0,
        mute: 0,
        unwilling: 0,
    };

    pub(crate) fn draw(dice: &mut Dice) -> Self {
        let often = |dice: &mut Dice| dice.weighted(&[(8, 0), (4, 60), (2, 250), (1, 500)]);
        Self {
            up: dice.below(16) > 0,
            slow: often(dice),
            deaf: often(dice),
            mute: often(dice),
            unwilling: dice.weighted(&[(6, 0), (3, 50), (1, 200)]),
        }
    }
}

/// The bank's books.
pub(crate) struct Bank {
    pub(crate) mood: Mood,
    pub(crate) paid: Vec<Paid>,
    /// Payments it will tell of, by their place; some several times.
    pub(crate) notices: Vec<usize>,
    pub(crate) sent: BTreeMap<PayoutId, Outgoing>,
    pub(crate) refunds: BTreeMap<RefundId, Outgoing>,
    pub(crate) given_back: BTreeMap<String, Back>,
    /// Charges nobody can pay any more.
    pub(crate) removed: BTreeSet<TxId>,
    /// Returns it refused: for good.
    pub(crate) refused: BTreeSet<String>,
    /// How many titles it registered.
    pub(crate) titles: u64,
}

impl Bank {
    pub(crate) fn draw(dice: &mut Dice) -> Self {
        Self {
            mood: Mood::draw(dice),
            paid: Vec::new(),
            notices: Vec::new(),
            sent: BTreeMap::new(),
            refunds: BTreeMap::new(),
            given_back: BTreeMap::new(),
            removed: BTreeSet::new(),
            refused: BTreeSet::new(),
            titles: 0,
        }
    }

    /// Whether this title is paid, or being paid, by anybody's real money (or by this owner's play money).
    pub(crate) fn is_paid(&self, owner: Owner, title: &str) -> bool {
        self.sent.values().any(|sent| {
            let same_world = match owner.environment {
                Environment::Live => sent.owner.environment == Environment::Live,
                Environment::Sandbox => sent.owner == owner,
            };
            same_world && sent.arrives && sent.title.as_deref() == Some(title)
        })
    }

    /// Takes a payout; what is wrong with being told of it.
    pub(crate) fn take(
        &mut self,
        payout: &Payout,
        fate: Fate,
        now: Time,
        delay: i64,
    ) -> Result<PayoutAnswer, String> {
        if self.sent.contains_key(&payout.id) {
            return Err(format!(
                "the bank is told to send {} again, which it has",
                payout.public_id()
            ));
        }
        let title = match &payout.purpose {
            Purpose::Bill(order) => Some(order.barcode.clone()),
            Purpose::Withdrawal(_) => None,
        };
        let taken = title
            .as_ref()
            .is_some_and(|title| self.is_paid(payout.owner, title));
        let arrives = !taken && matches!(fate, Fate::Arrives | Fate::ArrivesAtOnce);
        let sent = Outgoing {
            owner: payout.owner,
            amount: payout.net_amount.get(),
            title,
            arrives,
            told_from: told_from(fate, now, delay),
            authentication: payout.authentication(now.millis()).unwrap(),
        };
        self.sent.insert(payout.id, sent);
        Ok(self.known(payout.id, now))
    }

    /// Takes a refund; what is wrong with being told of it.
    pub(crate) fn take_refund(
        &mut self,
        refund: &Refund,
        fate: Fate,
        now: Time,
        delay: i64,
    ) -> Result<PayoutAnswer, String> {
        if self.refunds.contains_key(&refund.id) {
            return Err(format!(
                "the bank is told of {} again, which it has",
                refund.id
            ));
        }
        let arrives = matches!(fate, Fate::Arrives | Fate::ArrivesAtOnce);
        if arrives {
            self.takes_back(&refund.payment_id, refund.amount.get())?;
        }
        let sent = Outgoing {
            owner: refund.owner,
            amount: refund.amount.get(),
            title: None,
            arrives,
            told_from: told_from(fate, now, delay),
            authentication: refund.return_id(now.millis()).unwrap(),
        };
        self.refunds.insert(refund.id, sent);
        Ok(self.known_refund(refund.id, now))
    }

    /// What became of a payout.
    pub(crate) fn known(&self, id: PayoutId, now: Time) -> PayoutAnswer {
        became_of(self.sent.get(&id), now)
    }

    /// What became of a refund.
    pub(crate) fn known_refund(&self, id: RefundId, now: Time) -> PayoutAnswer {
        became_of(self.refunds.get(&id), now)
    }

    /// Part of a payment goes back to its payer; never more than it was.
    fn takes_back(&mut self, payment: &PaymentId, amount: i64) -> Result<(), String> {
        let mut paid = self.paid.iter_mut();
        let Some(paid) = paid.find(|paid| paid.notice.payment_id == *payment) else {
            return Err(format!("{payment} goes back, which nobody paid"));
        };
        paid.back += amount;
        if paid.back > paid.notice.amount.get() {
            let (back, whole) = (paid.back, paid.notice.amount);
            return Err(format!("{back} of the {whole} of {payment} go back"));
        }
        Ok(())
    }

    /// Gives money back, once for each of our names; what is wrong with being asked to.
    pub(crate) fn give_back(&mut self, request: &ReturnRequest) -> Result<String, String> {
        if let Some(known) = self.given_back.get(&request.return_id) {
            return Ok(known.name.clone());
        }
        self.takes_back(&request.payment_id, request.amount.get())?;
        let name = format!("D{:031}", self.given_back.len());
        let back = Back {
            owner: request.owner,
            payment: request.payment_id.clone(),
            amount: request.amount.get(),
            name: name.clone(),
        };
        self.given_back.insert(request.return_id.clone(), back);
        Ok(name)
    }

    /// Takes a payer's money.
    pub(crate) fn pay(&mut self, paid: Paid, tellings: usize) {
        let place = self.paid.len();
        self.paid.push(paid);
        self.notices.extend(std::iter::repeat_n(place, tellings));
    }

    /// Makes a charge unpayable; whether that is still possible.
    pub(crate) fn remove(&mut self, txid: &TxId) -> bool {
        let was_paid = self.paid.iter().any(|paid| paid.notice.txid == *txid);
        if !was_paid {
            self.removed.insert(txid.clone());
        }
        !was_paid
    }
}

fn told_from(fate: Fate, now: Time, delay: i64) -> Time {
    match fate {
        Fate::ArrivesAtOnce | Fate::FailsAtOnce => now,
        Fate::Arrives | Fate::ComesBack => now.plus_millis(delay * SECOND_MS),
    }
}

fn became_of(sent: Option<&Outgoing>, now: Time) -> PayoutAnswer {
    match sent {
        None => PayoutAnswer::NeverReceived,
        Some(sent) if now < sent.told_from => PayoutAnswer::UnderWay,
        Some(sent) if sent.arrives => PayoutAnswer::Settled {
            authentication: sent.authentication.clone(),
        },
        Some(_) => PayoutAnswer::Failed {
            reason: "the payee's account is closed".to_owned(),
        },
    }
}
