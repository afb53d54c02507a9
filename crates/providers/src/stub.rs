//! The play bank (decisions §11): no real money, but everything a bank does to a merchant can be made to happen.
//!
//! It plays the bank for every sandbox, and for live accounts too as long as no real provider is configured. How it
//! behaves is kept in the database, so all servers on it see the same bank and a crash forgets nothing.

mod bill;
mod boleto;
mod outgoing;
mod record;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use vintem_domain::brcode::{Location, TxId};
use vintem_domain::calendar::BankCalendar;
use vintem_domain::error::ProviderFailure;
use vintem_domain::payout::PayoutAnswer;
use vintem_domain::ports::Clock;
use vintem_domain::provider::{
    BankChange, BankState, Outgoing, PixProvider, PixRequest, PlayBank, ProviderRecords,
    RemovalRequest, ReturnRequest,
};
use vintem_domain::refund::Refund;
use vintem_domain::{Error, Time};

use outgoing::Order;

/// The record that says how it behaves.
const STATE: &str = "state";
/// Where the payloads of its charges live.
const HOST: &str = "pix.vintem.example/qr/v2";
/// How long the bank's behaviour is remembered without looking at its record, milliseconds: what was changed here counts at once, what
/// another server was told counts after this time at the latest.
const REMEMBERED_MS: i64 = 250;
/// How often a change is tried against others that are made at the same time.
const TRIES: usize = 10;

/// The play bank.
pub struct Stub {
    records: Arc<dyn ProviderRecords>,
    clock: Arc<dyn Clock>,
    calendar: Arc<BankCalendar>,
    wallets: boleto::Wallets,
    behaviour: Mutex<Option<Behaviour>>,
}

/// How the bank behaved when its record was last looked at.
#[derive(Clone, Copy)]
struct Behaviour {
    state: BankState,
    /// The version of the record.
    version: i64,
    looked_at: Time,
}

/// [`BankState`] as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    up: bool,
    latency_ms: u32,
    withdrawals: String,
    bills: String,
    refunds: String,
}

impl From<BankState> for Kept {
    fn from(state: BankState) -> Self {
        Self {
            up: state.up,
            latency_ms: state.latency_ms,
            withdrawals: state.withdrawals.as_str().to_owned(),
            bills: state.bills.as_str().to_owned(),
            refunds: state.refunds.as_str().to_owned(),
        }
    }
}

impl Kept {
    fn state(&self) -> Option<BankState> {
        Some(BankState {
            up: self.up,
            latency_ms: self.latency_ms,
            withdrawals: Outgoing::parse(&self.withdrawals)?,
            bills: Outgoing::parse(&self.bills)?,
            refunds: Outgoing::parse(&self.refunds)?,
        })
    }
}

impl Stub {
    /// A play bank with this memory, which settles by this clock and rests on national bank holidays.
    pub fn new(records: Arc<dyn ProviderRecords>, clock: Arc<dyn Clock>) -> Self {
        Self {
            records,
            clock,
            calendar: Arc::new(BankCalendar::national()),
            wallets: boleto::Wallets::default(),
            behaviour: Mutex::default(),
        }
    }

    /// The same bank, resting on the days of this calendar.
    #[must_use]
    pub fn with_calendar(self, calendar: Arc<BankCalendar>) -> Self {
        Self { calendar, ..self }
    }

    /// How the bank behaves, and the version of the record that says so.
    fn recall(&self) -> Result<(BankState, i64), Error> {
        let Some((kept, version)) = self.recalled::<Kept>(STATE)? else {
            return Ok((BankState::default(), 0));
        };
        let state = kept
            .state()
            .ok_or_else(|| Error::bug("the play bank cannot read its own record"))?;
        Ok((state, version))
    }

    /// How the bank behaves: a little out of date perhaps, since every charge asks.
    fn behaviour(&self) -> Result<BankState, Error> {
        let now = self.clock.now();
        let remembered = *self.remembered_behaviour();
        if let Some(remembered) = remembered
            && (0..REMEMBERED_MS).contains(&now.millis_since(remembered.looked_at))
        {
            return Ok(remembered.state);
        }
        let (state, version) = self.recall()?;
        self.remember_behaviour(state, version);
        Ok(state)
    }

    /// Remembers it, unless something newer is remembered already.
    fn remember_behaviour(&self, state: BankState, version: i64) {
        let looked_at = self.clock.now();
        let mut remembered = self.remembered_behaviour();
        if remembered.is_none_or(|remembered| remembered.version <= version) {
            *remembered = Some(Behaviour {
                state,
                version,
                looked_at,
            });
        }
    }

    fn remembered_behaviour(&self) -> MutexGuard<'_, Option<Behaviour>> {
        self.behaviour
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes as long as the bank takes, and fails when it is down. Nothing was done then.
    fn answer(&self) -> Result<BankState, Error> {
        let state = self.behaviour()?;
        if state.latency_ms > 0 {
            thread::sleep(Duration::from_millis(state.latency_ms.into()));
        }
        if state.up {
            Ok(state)
        } else {
            Err(ProviderFailure::Down.into())
        }
    }

    /// Where the payload of a charge lives. It follows from the txid, so a repeat reaches the same charge without any
    /// record of it.
    fn location(txid: &TxId) -> Result<Location, Error> {
        Location::parse(&format!("{HOST}/{txid}"))
            .map_err(|error| Error::bug(format!("the play bank's location: {error}")))
    }
}

impl PixProvider for Stub {
    fn register(&self, request: &PixRequest) -> Result<Location, Error> {
        self.answer()?;
        Self::location(&request.txid)
    }

    /// Nothing has to be remembered: money for a charge that is over goes back to whoever sent it.
    fn remove(&self, _: &RemovalRequest) -> Result<(), Error> {
        self.answer().map(|_up| ())
    }

    fn give_back(&self, request: &ReturnRequest) -> Result<String, Error> {
        self.answer()?;
        // A return has its payment's id with another first letter: repeats are told apart by nothing, as they must.
        let rest = request.payment_id.as_str().get(1..).unwrap_or_default();
        Ok(format!("D{rest}"))
    }

    fn refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error> {
        let state = self.answer()?;
        self.take(state.refunds, &Order::of_refund(refund))
    }

    fn look_up_refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error> {
        self.became(&Order::of_refund(refund), |at_ms| refund.return_id(at_ms))
    }
}

impl PlayBank for Stub {
    fn state(&self) -> Result<BankState, Error> {
        Ok(self.recall()?.0)
    }

    fn change(&self, change: BankChange) -> Result<BankState, Error> {
        for _ in 0..TRIES {
            let (state, version) = self.recall()?;
            let state = state.changed(change);
            if self.remembered(STATE, version, &Kept::from(state))? {
                // Every change is the next version.
                self.remember_behaviour(state, version.saturating_add(1));
                return Ok(state);
            }
        }
        Err(Error::Unavailable(
            "the play bank is being told too many things at once".into(),
        ))
    }
}

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;
