//! Withdrawals: PIX sent out of an account (decisions §6).

use std::fmt;

use crate::account::{Account, Environment, Origin, Owner};
use crate::calendar::{MINUTE_MS, Time};
use crate::document::Document;
use crate::error::{Conflict, Error, Missing, Refusal};
use crate::event::{EventId, Moments};
use crate::idempotency::{Attempt, Made, Record, Route};
use crate::ledger::{self, EntryId};
use crate::money::{Centavos, Fee, LARGEST_AMOUNT};
use crate::payout::{
    Payout, PayoutId, PayoutStatus, Purpose, Step, Withdrawal, account_as_payer, open, payout_news,
};
use crate::pix_key::PixKey;
use crate::ports::{Ports, Transact, Tx};
use crate::provider::KeyOwner;
use crate::text::{Description, Name};

/// The amount a caller asks to be withdrawn: 1 centavo to R$ 99.999.999,99.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawalAmount(Centavos);

impl WithdrawalAmount {
    /// Reads a number of centavos.
    ///
    /// # Errors
    /// [`BadWithdrawalAmount`].
    pub fn parse(centavos: i64) -> Result<Self, BadWithdrawalAmount> {
        (1..=LARGEST_AMOUNT.get())
            .contains(&centavos)
            .then_some(Self(Centavos::new(centavos)))
            .ok_or(BadWithdrawalAmount)
    }

    /// The amount.
    pub fn get(self) -> Centavos {
        self.0
    }
}

/// An amount nobody can withdraw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadWithdrawalAmount;

impl fmt::Display for BadWithdrawalAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be from 1 to {LARGEST_AMOUNT}")
    }
}

impl std::error::Error for BadWithdrawalAmount {}

/// What a merchant says of a withdrawal to be made.
#[derive(Clone, Debug)]
pub struct NewWithdrawal {
    /// The amount asked.
    pub amount: WithdrawalAmount,
    /// Where it goes.
    pub key: PixKey,
    /// Whom the caller named.
    pub beneficiary_name: Option<Name>,
    /// What the payee is told.
    pub description: Option<Description>,
    /// Whose the key must be.
    pub recipient_document: Option<Document>,
    /// The fee comes on top, so that the payee gets the whole amount.
    pub pass_fee: bool,
}

/// Makes a withdrawal. In a sandbox it is simulated: PAID at once, nothing moves. In live mode the key's owner is asked
/// for first; then the debit and the intent commit together, and a worker does the rest.
///
/// # Errors
/// [`Error::Invalid`] when the fee leaves nothing or the key is not the recipient's; the provider's, with nothing
/// written; [`Conflict::SameWithdrawal`] while the account's duplicate guard lasts and no idempotency key says that it
/// is meant; [`Refusal`]s of limits and balance.
pub fn create(
    ports: &Ports,
    owner: Owner,
    origin: Origin,
    new: &NewWithdrawal,
    attempt: Option<&Attempt>,
) -> Result<Made<Payout>, Error> {
    let account = ports
        .store
        .read(|read| read.account(owner.account))?
        .ok_or(Error::NotFound(Missing::Account))?;
    let fee = account.fees.over(&ports.policy.fees).withdrawal;
    let net_amount = net(new, fee)?;
    let payee = payee(ports, owner, new)?;
    let real_now = ports.clock.now();
    let now = account.time(owner.environment, real_now);
    let payout = Payout {
        id: PayoutId(ports.ids.ulid()),
        owner,
        origin,
        purpose: Purpose::Withdrawal(Withdrawal {
            pix_key: new.key.as_str().to_owned(),
            pix_key_kind: new.key.kind().as_str(),
            beneficiary_name: new.beneficiary_name.clone(),
            description: new.description.clone(),
            payee,
        }),
        amount: new.amount.get(),
        net_amount,
        fee: charged(new, fee)?,
        status: PayoutStatus::Pending,
        step: Step::first(real_now),
        created_at: now,
    };
    let work = Work {
        account,
        attempt,
        real_now,
        entry: EntryId(ports.ids.ulid()),
        event: EventId(ports.ids.ulid()),
    };
    let made = ports.store.transact(|tx| match owner.environment {
        Environment::Sandbox => simulate(tx, &payout, &work),
        Environment::Live => debit(tx, ports, &payout, &work),
    })?;
    match owner.environment {
        Environment::Sandbox => ports.signals.deliveries_due(owner),
        Environment::Live => ports.signals.payouts_waiting(),
    }
    Ok(made)
}

/// What arrives: without `passFee` the amount less the fee, with it all of it.
fn net(new: &NewWithdrawal, fee: Fee) -> Result<Centavos, Error> {
    if new.pass_fee {
        return Ok(new.amount.get());
    }
    let net = fee.net_of(new.amount.get())?;
    if net > Centavos::ZERO {
        Ok(net)
    } else {
        Err(Error::invalid("amountCents", "must be more than the fee"))
    }
}

/// The fee is measured on the amount asked, whoever bears it.
fn charged(new: &NewWithdrawal, fee: Fee) -> Result<Centavos, Error> {
    Ok(fee.on(new.amount.get())?)
}

/// Whom the key belongs to, which must be whom the caller means.
fn payee(ports: &Ports, owner: Owner, new: &NewWithdrawal) -> Result<KeyOwner, Error> {
    let known = ports.providers.of(owner.environment).key_owner(&new.key)?;
    let known = known.ok_or_else(|| Error::invalid("pixKey", "must be a registered key"))?;
    match &new.recipient_document {
        Some(document) if *document != known.document => Err(Error::invalid(
            "recipientDocument",
            "must be the document of the key's owner",
        )),
        Some(_) | None => Ok(known),
    }
}

/// What a unit of work needs beside the payout, made before it.
struct Work<'a> {
    account: Account,
    attempt: Option<&'a Attempt>,
    real_now: Time,
    entry: EntryId,
    event: EventId,
}

impl Work<'_> {
    /// The payout an earlier request with the same key made; otherwise remembers the key.
    fn earlier(&self, tx: &mut dyn Tx, payout: &Payout) -> Result<Option<Made<Payout>>, Error> {
        let Some(attempt) = self.attempt else {
            return Ok(None);
        };
        let record = Record {
            owner: payout.owner,
            route: Route::WithdrawCreate,
            attempt: attempt.clone(),
            object: payout.id.0,
            created_at: self.real_now,
        };
        let Some(id) = record.remember(tx)? else {
            return Ok(None);
        };
        let object = tx
            .payout(payout.owner, PayoutId(id))?
            .ok_or_else(|| Error::bug("a payout vanished"))?;
        Ok(Some(Made {
            object,
            repeated: true,
        }))
    }
}

fn simulate(tx: &mut dyn Tx, payout: &Payout, work: &Work<'_>) -> Result<Made<Payout>, Error> {
    if let Some(earlier) = work.earlier(tx, payout)? {
        return Ok(earlier);
    }
    let authentication = payout.authentication(payout.created_at.millis())?;
    let status = PayoutStatus::Paid {
        at: payout.created_at,
        authentication,
    };
    let paid = Payout {
        status,
        step: payout.step.over(),
        ..payout.clone()
    };
    tx.insert_payout(&paid)?;
    let at = Moments {
        now: paid.created_at,
        real_now: work.real_now,
    };
    let news = payout_news(&paid, Some(account_as_payer(&work.account)), work.event);
    ledger::close(tx, paid.owner, None, Some(news), at)?;
    Ok(Made {
        object: paid,
        repeated: false,
    })
}

fn debit(
    tx: &mut dyn Tx,
    ports: &Ports,
    payout: &Payout,
    work: &Work<'_>,
) -> Result<Made<Payout>, Error> {
    if let Some(earlier) = work.earlier(tx, payout)? {
        return Ok(earlier);
    }
    // The head is the lock under which limits are counted: two withdrawals never see the same room.
    let mut head = tx
        .head_for_update(payout.owner)?
        .ok_or_else(|| Error::bug("a ledger has no head"))?;
    check_twin(tx, payout, work)?;
    check_limits(tx, ports, payout, &work.account)?;
    open(tx, &mut head, payout, work.entry)?;
    tx.save_head(&head)?;
    Ok(Made {
        object: payout.clone(),
        repeated: false,
    })
}

fn check_twin(tx: &mut dyn Tx, payout: &Payout, work: &Work<'_>) -> Result<(), Error> {
    let (Some(minutes), None) = (work.account.duplicate_guard_minutes, work.attempt) else {
        return Ok(());
    };
    let Purpose::Withdrawal(details) = &payout.purpose else {
        return Ok(());
    };
    let since = payout
        .created_at
        .plus_millis(minutes.saturating_mul(MINUTE_MS).saturating_neg());
    match tx.same_withdrawal(payout.owner, &details.pix_key, payout.amount, since)? {
        Some(twin) => Err(Error::Conflict(Conflict::SameWithdrawal(twin))),
        None => Ok(()),
    }
}

fn check_limits(
    tx: &mut dyn Tx,
    ports: &Ports,
    payout: &Payout,
    account: &Account,
) -> Result<(), Error> {
    let limits = account.limits.over(&ports.policy.limits);
    if payout.amount > limits.per_withdrawal {
        return Err(Error::Refused(Refusal::AboveWithdrawalLimit {
            limit: limits.per_withdrawal.get(),
        }));
    }
    let day = payout.created_at.in_sao_paulo().date;
    let (from, until) = (
        day.start_in_sao_paulo(),
        day.plus_days(1).start_in_sao_paulo(),
    );
    let today = tx.withdrawn(payout.owner, from, until)?;
    if today.plus(payout.amount)? > limits.withdrawals_per_day {
        return Err(Error::Refused(Refusal::AboveDailyLimit {
            limit: limits.withdrawals_per_day.get(),
        }));
    }
    Ok(())
}

/// The withdrawal an idempotency key made, for a repeat.
///
/// # Errors
/// The store's.
pub fn show(ports: &Ports, owner: Owner, id: PayoutId) -> Result<Payout, Error> {
    ports
        .store
        .read(|read| read.payout(owner, id))?
        .ok_or(Error::NotFound(Missing::Payout))
}
