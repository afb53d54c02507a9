//! Making a refund: check, debit and intent in one unit of work.

use sha2::{Digest, Sha256};

use crate::account::{Environment, Owner, time_of};
use crate::calendar::{DAY_MS, Time};
use crate::charge::{Charge, ChargeId, Payment, Status};
use crate::error::{Conflict, Error, Missing, Refusal};
use crate::event::Moments;
use crate::idempotency::{Attempt, IdempotencyKey, Made, Record, Route};
use crate::ledger::{self, EntryId, Movement};
use crate::money::Centavos;
use crate::payout::{PayoutStatus, Step};
use crate::ports::{Ports, Sharing, Transact, Tx};
use crate::refund::{Refund, RefundId, refunded};
use crate::text::Description;

/// For how long after its payment a PIX can be given back: 90 days (Banco Central, rules of devolução).
pub const REFUND_WINDOW_MS: i64 = 90 * DAY_MS;

/// What a merchant says of a refund to be made.
#[derive(Clone, Debug, Default)]
pub struct NewRefund {
    /// How much; all that is left without it.
    pub amount: Option<Centavos>,
    /// Why.
    pub reason: Option<Description>,
}

impl NewRefund {
    /// The key with what it was used for.
    fn attempt(&self, charge: ChargeId, key: &IdempotencyKey) -> Attempt {
        let amount = self.amount.map(|amount| amount.to_string());
        let reason = self.reason.as_ref().map(Description::as_str);
        let body = format!(
            "{}|{}|{}",
            charge.0,
            amount.as_deref().unwrap_or("rest"),
            reason.unwrap_or_default()
        );
        Attempt {
            key: key.clone(),
            body_digest: Sha256::digest(body).into(),
        }
    }
}

/// Refunds a paid charge or boleto of the owner, in whole or in part. In live mode the merchant's balance loses the
/// amount at once, and a worker does the rest; in a sandbox the refund is PAID at once and nothing moves.
///
/// A repeat with the same key answers the refund that the first call made. Without a key, an amount that an earlier
/// refund of the charge gave back is taken for a repeat by mistake.
///
/// # Errors
/// [`Error::Invalid`] for an amount below 1; [`Missing::Charge`]; [`Conflict::IdempotencyKeyReused`];
/// [`Conflict::ChargeNotPaid`], [`Conflict::SameRefund`]; [`Refusal::NotPaidByPix`], [`Refusal::RefundWindowClosed`],
/// [`Refusal::AboveRefundable`], [`Refusal::InsufficientBalance`].
pub fn create(
    ports: &Ports,
    owner: Owner,
    charge: ChargeId,
    new: &NewRefund,
    key: Option<&IdempotencyKey>,
) -> Result<Made<Refund>, Error> {
    if new.amount.is_some_and(|amount| amount <= Centavos::ZERO) {
        return Err(Error::invalid("amount", "must be at least 1"));
    }
    let work = Work {
        id: RefundId(ports.ids.ulid()),
        entry: EntryId(ports.ids.ulid()),
        real_now: ports.clock.now(),
        attempt: key.map(|key| new.attempt(charge, key)),
    };
    // With the payments of this owner, which take the same locks.
    let sharing = Sharing::Owner(owner);
    let made = ports
        .store
        .transact_shared(sharing, |tx| work.run(tx, owner, charge, new))?;
    if !made.repeated {
        ports.signals.payouts_waiting();
    }
    Ok(made)
}

/// What a unit of work needs, made before it so that a second run of it makes nothing new.
struct Work {
    id: RefundId,
    entry: EntryId,
    real_now: Time,
    attempt: Option<Attempt>,
}

impl Work {
    fn run(
        &self,
        tx: &mut dyn Tx,
        owner: Owner,
        charge: ChargeId,
        new: &NewRefund,
    ) -> Result<Made<Refund>, Error> {
        if let Some(object) = self.earlier(tx, owner)? {
            return Ok(Made {
                object,
                repeated: true,
            });
        }
        // The charge is the lock under which its refunds are added up: two of them never see the same rest.
        let charge = tx
            .charge_for_update(owner, charge)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let now = time_of(tx, owner, self.real_now)?;
        let payment = refundable(&charge, now)?;
        let earlier = tx.refunds(owner, charge.id)?;
        if self.attempt.is_none() {
            check_twin(&earlier, new)?;
        }
        let refund = Refund {
            id: self.id,
            owner,
            charge: charge.id,
            payment_id: payment.end_to_end_id.clone(),
            amount: amount(&charge, &earlier, new)?,
            reason: new.reason.clone(),
            status: PayoutStatus::Pending,
            step: Step::first(self.real_now),
            created_at: now,
        };
        let object = match owner.environment {
            Environment::Sandbox => simulate(tx, refund, self.real_now)?,
            Environment::Live => self.debit(tx, refund)?,
        };
        Ok(Made {
            object,
            repeated: false,
        })
    }

    /// The refund an earlier call with the same key made; otherwise remembers the key.
    fn earlier(&self, tx: &mut dyn Tx, owner: Owner) -> Result<Option<Refund>, Error> {
        let Some(attempt) = &self.attempt else {
            return Ok(None);
        };
        let record = Record {
            owner,
            route: Route::ChargeRefund,
            attempt: attempt.clone(),
            object: self.id.0,
            created_at: self.real_now,
        };
        let Some(first) = record.remember(tx)? else {
            return Ok(None);
        };
        tx.refund(owner, RefundId(first))?
            .map(Some)
            .ok_or_else(|| Error::bug("a refund vanished"))
    }

    fn debit(&self, tx: &mut dyn Tx, refund: Refund) -> Result<Refund, Error> {
        tx.insert_refund(&refund)?;
        let (kind, postings) = refund.debited()?;
        let movement = Movement {
            id: self.entry,
            kind,
            reference: refund.id.0,
            postings,
            at: refund.created_at,
        };
        let at = Moments {
            now: refund.created_at,
            real_now: self.real_now,
        };
        ledger::close(tx, refund.owner, Some(movement), None, at)?;
        Ok(refund)
    }
}

/// In a sandbox the payer has the money at once: its payment moved none either.
fn simulate(tx: &mut dyn Tx, refund: Refund, real_now: Time) -> Result<Refund, Error> {
    let refund = Refund {
        status: PayoutStatus::Paid {
            at: refund.created_at,
            authentication: refund.return_id(real_now.millis())?,
        },
        step: refund.step.over(),
        ..refund
    };
    tx.insert_refund(&refund)?;
    Ok(refund)
}

/// The payment that can be given back.
fn refundable(charge: &Charge, now: Time) -> Result<&Payment, Error> {
    let Status::Paid(payment) = &charge.status else {
        let status = charge.status_at(now).as_str();
        return Err(Error::Conflict(Conflict::ChargeNotPaid(status)));
    };
    if !payment.end_to_end_id.is_pix() {
        return Err(Error::Refused(Refusal::NotPaidByPix));
    }
    if now.millis_since(payment.paid_at) > REFUND_WINDOW_MS {
        return Err(Error::Refused(Refusal::RefundWindowClosed));
    }
    Ok(payment)
}

fn check_twin(earlier: &[Refund], new: &NewRefund) -> Result<(), Error> {
    let is_twin = |refund: &&Refund| refund.counts() && Some(refund.amount) == new.amount;
    match earlier.iter().find(is_twin) {
        Some(twin) => Err(Error::Conflict(Conflict::SameRefund(twin.id))),
        None => Ok(()),
    }
}

/// What was asked for, or all that is left of what was received.
fn amount(charge: &Charge, earlier: &[Refund], new: &NewRefund) -> Result<Centavos, Error> {
    let left = charge.amount.minus(refunded(earlier)?)?;
    let amount = new.amount.unwrap_or(left);
    if amount > left || left == Centavos::ZERO {
        return Err(Error::Refused(Refusal::AboveRefundable {
            left: left.get(),
        }));
    }
    Ok(amount)
}
