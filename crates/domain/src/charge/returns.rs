//! Payments that settled nothing go back to their payers.

use crate::account::{Environment, Owner, time_of};
use crate::calendar::{HOUR_MS, SECOND_MS, Time};
use crate::charge::{ChargeId, PaymentId};
use crate::error::{Error, ProviderFailure};
use crate::event::Moments;
use crate::id::id;
use crate::ledger::{self, EntryId, EntryKind, Movement};
use crate::money::Centavos;
use crate::ports::{Ports, Transact};
use crate::provider::ReturnRequest;

id!(
    /// The return of a payment to its payer.
    ReturnKey, "ret_");

/// Why a payment goes back to its payer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnReason {
    /// It was paid at or after the instant the charge expired.
    Late,
    /// The charge was paid by another payment before.
    SecondPayment,
    /// It is not the charge's amount.
    WrongAmount,
    /// The charge had been rejected or cancelled.
    ChargeEnded,
}

impl ReturnReason {
    const ALL: [Self; 4] = [
        Self::Late,
        Self::SecondPayment,
        Self::WrongAmount,
        Self::ChargeEnded,
    ];

    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::SecondPayment => "second_payment",
            Self::WrongAmount => "wrong_amount",
            Self::ChargeEnded => "charge_ended",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}

/// A payment on its way back to its payer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Return {
    /// Its id: our name for it at the provider.
    pub id: ReturnKey,
    /// Whose charge the payment was for.
    pub owner: Owner,
    /// Which charge.
    pub charge: ChargeId,
    /// The payment.
    pub end_to_end_id: PaymentId,
    /// How much goes back, centavos.
    pub amount: Centavos,
    /// Why.
    pub reason: ReturnReason,
    /// How far it is.
    pub state: ReturnState,
    /// How often the provider was asked.
    pub tries: i64,
    /// When it is to be tried (real time); while a worker has it, when its lease ends.
    pub due_at: Time,
    /// When it was recorded (real time).
    pub created_at: Time,
}

/// How far a return is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnState {
    /// The provider has not confirmed it yet.
    Open,
    /// The money is back.
    Done {
        /// When (real time).
        at: Time,
        /// The provider's id of the return.
        provider_id: String,
    },
    /// The provider refused for good; an operator has to look.
    Refused {
        /// When (real time).
        at: Time,
    },
}

/// How long a worker may be busy with one return before another takes over.
const LEASE_MS: i64 = 60 * SECOND_MS;

/// Gives back what is due: leases at most `limit` returns, asks the provider, records the answer. Says how many it
/// took; fewer than `limit` means that nothing more is due.
///
/// The provider is asked under the return's own id, so asking again after a crash or a time-out gives nothing back
/// twice.
///
/// # Errors
/// The store's. A provider that is down is no error: the return stays open and is tried later.
pub fn give_back_due(ports: &Ports, limit: usize) -> Result<usize, Error> {
    let now = ports.clock.now();
    let leased = ports.store.transact(|tx| {
        let mut leased = tx.due_returns_for_update(now, limit)?;
        for returned in &mut leased {
            returned.tries = returned.tries.saturating_add(1);
            returned.due_at = now.plus_millis(LEASE_MS);
            tx.save_return(returned)?;
        }
        Ok(leased)
    })?;
    for returned in &leased {
        let answer = ports
            .providers
            .of(returned.owner.environment)
            .give_back(&ReturnRequest {
                owner: returned.owner,
                return_id: returned.id.to_string().replace('_', ""),
                payment_id: returned.end_to_end_id.clone(),
                amount: returned.amount,
            });
        record(ports, returned, answer)?;
    }
    Ok(leased.len())
}

fn record(ports: &Ports, asked: &Return, answer: Result<String, Error>) -> Result<(), Error> {
    let entry_id = EntryId(ports.ids.ulid());
    let real_now = ports.clock.now();
    let (state, due_at) = match answer {
        Ok(provider_id) => (
            ReturnState::Done {
                at: real_now,
                provider_id,
            },
            asked.due_at,
        ),
        Err(Error::Provider(ProviderFailure::Rejected)) => {
            (ReturnState::Refused { at: real_now }, asked.due_at)
        }
        Err(_away) => (
            ReturnState::Open,
            real_now.plus_millis(wait_ms(asked.tries)),
        ),
    };
    ports.store.transact(|tx| {
        let Some(current) = tx.return_for_update(asked.owner, asked.id)? else {
            return Err(Error::bug("a return vanished"));
        };
        // Another worker took over after our lease ended: it records what it learns.
        if current.state != ReturnState::Open || current.tries != asked.tries {
            return Ok(());
        }
        tx.save_return(&Return {
            state: state.clone(),
            due_at,
            ..current
        })?;
        let done = matches!(state, ReturnState::Done { .. });
        if done && asked.owner.environment == Environment::Live {
            let now = time_of(tx, asked.owner, real_now)?;
            let movement = Movement {
                id: entry_id,
                kind: EntryKind::PaymentReturned,
                reference: asked.charge.0,
                postings: asked.given_back()?,
                at: now,
            };
            ledger::close(
                tx,
                asked.owner,
                Some(movement),
                None,
                Moments { now, real_now },
            )?;
        }
        Ok(())
    })
}

/// The wait before the next try: 5 s, doubled each time, one hour at most.
fn wait_ms(tries: i64) -> i64 {
    let doublings = u32::try_from(tries.saturating_sub(1).clamp(0, 20)).unwrap_or(20);
    5_i64
        .saturating_mul(SECOND_MS)
        .saturating_mul(2_i64.saturating_pow(doublings))
        .min(HOUR_MS)
}
