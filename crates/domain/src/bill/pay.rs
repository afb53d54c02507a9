//! Paying a third-party title: exactly once (decisions §5).

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::account::{Origin, Owner, time_of};
use crate::bill::{ExternalId, LARGEST_BILL, Quote, QuoteId};
use crate::calendar::{PaymentWindow, Time};
use crate::error::{Conflict, Error, Missing, Refusal};
use crate::idempotency::{Attempt, IdempotencyKey, Made, Record, Route};
use crate::ledger::EntryId;
use crate::payout::{BillOrder, Payout, PayoutId, PayoutStatus, Purpose, Step, open};
use crate::ports::{Ports, Read, Transact, Tx};

/// Pays a quoted title: debit and intent commit together, a worker does the rest.
///
/// A known `externalId` answers the first payment, whatever the hour and the quote's age; a failed payment keeps its
/// `externalId`. The order of the other errors is that of decisions §5; `quote` is absent when what the caller named is
/// the id of no quote at all.
///
/// # Errors
/// [`Conflict::ExternalIdReused`], [`Missing::Quote`], [`Conflict::TitleTaken`], [`Refusal::QuoteExpired`],
/// [`Refusal::NotPayable`], [`Refusal::AboveBillMaximum`], [`Refusal::OutsideHours`], the provider's with nothing
/// written, [`Refusal::InsufficientBalance`].
pub fn pay(
    ports: &Ports,
    owner: Owner,
    origin: Origin,
    quote: Option<QuoteId>,
    external_id: &ExternalId,
    attempt: Option<&Attempt>,
) -> Result<Made<Payout>, Error> {
    if let Some(first) = earlier(ports, owner, quote, external_id)? {
        return Ok(first);
    }
    let id = quote.ok_or(Error::NotFound(Missing::Quote))?;
    let real_now = ports.clock.now();
    let found = ports.store.read(|read| {
        let quote = read
            .quote(owner, id)?
            .ok_or(Error::NotFound(Missing::Quote))?;
        let is_taken = read.title_payment(owner, quote.code.as_str())?.is_some();
        let now = time_of(read, owner, real_now)?;
        Ok((!is_taken).then_some((quote, now)))
    })?;
    let Some((quote, now)) = found else {
        // A request with the same name may have taken it since we looked.
        let first = earlier(ports, owner, quote, external_id)?;
        return first.ok_or(Error::Conflict(Conflict::TitleTaken));
    };
    check(ports, &quote, now)?;
    let payout = payout(
        ports,
        origin,
        &quote,
        external_id,
        Step::first(real_now),
        now,
    )?;
    let entry = EntryId(ports.ids.ulid());
    let made = ports
        .store
        .transact(|tx| debit(tx, &payout, attempt, entry, real_now))?;
    ports.signals.payouts_waiting();
    Ok(made)
}

fn earlier(
    ports: &Ports,
    owner: Owner,
    quote: Option<QuoteId>,
    external_id: &ExternalId,
) -> Result<Option<Made<Payout>>, Error> {
    let known = ports
        .store
        .read(|read| known(read, owner, quote, external_id))?;
    Ok(known.map(|object| Made {
        object,
        repeated: true,
    }))
}

/// The payment this `externalId` named first.
fn known(
    read: &mut dyn Read,
    owner: Owner,
    quote: Option<QuoteId>,
    external_id: &ExternalId,
) -> Result<Option<Payout>, Error> {
    let record =
        read.idempotency_record(owner, Route::BoletoPayExternalId, &record_key(external_id)?)?;
    let Some(record) = record else {
        return Ok(None);
    };
    let first = read
        .payout(owner, PayoutId(record.object))?
        .ok_or_else(|| Error::bug("a payout vanished"))?;
    let same = |quote: &Quote| matches!(&first.purpose, Purpose::Bill(order) if order.barcode == quote.code.as_str());
    let named = match quote {
        Some(quote) => read.quote(owner, quote)?,
        None => None,
    };
    match named {
        Some(quote) if !same(&quote) => Err(Error::Conflict(Conflict::ExternalIdReused)),
        Some(_) | None => Ok(Some(first)),
    }
}

/// `externalId` may hold any characters; its SHA-256 is a printable key.
fn record_key(external_id: &ExternalId) -> Result<IdempotencyKey, Error> {
    let digest = HEXLOWER.encode(&Sha256::digest(external_id.as_str().as_bytes()));
    IdempotencyKey::parse(&digest).map_err(|error| Error::bug(format!("externalId {error}")))
}

fn check(ports: &Ports, quote: &Quote, now: Time) -> Result<(), Error> {
    if now >= quote.expires_at {
        return Err(Error::Refused(Refusal::QuoteExpired));
    }
    if quote.amounts.total > LARGEST_BILL {
        return Err(Error::Refused(Refusal::AboveBillMaximum {
            maximum: LARGEST_BILL.get(),
        }));
    }
    if !quote.payable {
        return Err(Error::Refused(Refusal::NotPayable));
    }
    if let PaymentWindow::Closed { reopens_at, .. } = quote.window(ports, now) {
        return Err(Error::Refused(Refusal::OutsideHours {
            reopens: reopens_at,
        }));
    }
    // What can be asked without moving money: is it still to be paid?
    let today = now.in_sao_paulo().date;
    let terms =
        ports
            .providers
            .of(quote.owner.environment)
            .terms(quote.owner, &quote.code, today)?;
    if terms.payable {
        Ok(())
    } else {
        Err(Error::Refused(Refusal::NotPayable))
    }
}

fn payout(
    ports: &Ports,
    origin: Origin,
    quote: &Quote,
    external_id: &ExternalId,
    step: Step,
    now: Time,
) -> Result<Payout, Error> {
    Ok(Payout {
        id: PayoutId(ports.ids.ulid()),
        owner: quote.owner,
        origin,
        purpose: Purpose::Bill(BillOrder {
            quote: quote.id,
            barcode: quote.code.as_str().to_owned(),
            external_id: external_id.clone(),
        }),
        amount: quote.amounts.total,
        net_amount: quote.amounts.total,
        fee: quote.fee()?,
        status: PayoutStatus::Pending,
        step,
        created_at: now,
    })
}

fn debit(
    tx: &mut dyn Tx,
    payout: &Payout,
    attempt: Option<&Attempt>,
    entry: EntryId,
    real_now: Time,
) -> Result<Made<Payout>, Error> {
    let Purpose::Bill(order) = &payout.purpose else {
        return Err(Error::bug("a bill payment pays no bill"));
    };
    // The title first: it is what everybody who wants to pay it waits for.
    let mine = tx.claim_title(payout.owner, &order.barcode, payout.id)?;
    if let Some(first) = known(tx, payout.owner, Some(order.quote), &order.external_id)? {
        if mine {
            tx.release_title(payout.owner, &order.barcode)?;
        }
        return Ok(Made {
            object: first,
            repeated: true,
        });
    }
    if !mine {
        return Err(Error::Conflict(Conflict::TitleTaken));
    }
    for record in records(payout, order, attempt, real_now)? {
        if !tx.insert_idempotency_record(&record)? {
            // The same name is just being given to the payment of another title.
            return Err(Error::Conflict(Conflict::ExternalIdReused));
        }
    }
    let mut head = tx
        .head_for_update(payout.owner)?
        .ok_or_else(|| Error::bug("a ledger has no head"))?;
    open(tx, &mut head, payout, entry)?;
    tx.save_head(&head)?;
    Ok(Made {
        object: payout.clone(),
        repeated: false,
    })
}

fn records(
    payout: &Payout,
    order: &BillOrder,
    attempt: Option<&Attempt>,
    at: Time,
) -> Result<Vec<Record>, Error> {
    let by_external_id = Attempt {
        key: record_key(&order.external_id)?,
        body_digest: Sha256::digest(order.barcode.as_bytes()).into(),
    };
    let names = [
        (Route::BoletoPayExternalId, Some(&by_external_id)),
        (Route::BoletoPay, attempt),
    ];
    let record = |(route, attempt): (Route, Option<&Attempt>)| {
        attempt.map(|attempt| Record {
            owner: payout.owner,
            route,
            attempt: attempt.clone(),
            object: payout.id.0,
            created_at: at,
        })
    };
    Ok(names.into_iter().filter_map(record).collect())
}
