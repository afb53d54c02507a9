//! The play bank (decisions §11): no real money, but everything a bank does to a merchant can be made to happen.
//!
//! It plays the bank for every sandbox, and for live accounts too as long as no real provider is configured. How it
//! behaves is kept in the database, so all servers on it see the same bank and a crash forgets nothing.

mod outgoing;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use vintem_domain::Error;
use vintem_domain::brcode::Location;
use vintem_domain::error::ProviderFailure;
use vintem_domain::ports::Clock;
use vintem_domain::provider::{
    BankChange, BankState, Outgoing, PixProvider, PixRequest, PlayBank, ProviderRecords,
    ReturnRequest,
};

/// The name the bank's memory is kept under.
const PROVIDER: &str = "stub";
/// The record that says how it behaves.
const STATE: &str = "state";
/// Where the payloads of its charges live.
const HOST: &str = "pix.vintem.example/qr/v2";
/// How often a change is tried against others that are made at the same time.
const TRIES: usize = 10;

/// The play bank.
pub struct Stub {
    records: Arc<dyn ProviderRecords>,
    clock: Arc<dyn Clock>,
}

/// [`BankState`] as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    up: bool,
    latency_ms: u32,
    withdrawals: String,
    bills: String,
}

impl From<BankState> for Kept {
    fn from(state: BankState) -> Self {
        Self {
            up: state.up,
            latency_ms: state.latency_ms,
            withdrawals: state.withdrawals.as_str().to_owned(),
            bills: state.bills.as_str().to_owned(),
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
        })
    }
}

impl Stub {
    /// A play bank with this memory, which settles by this clock.
    pub fn new(records: Arc<dyn ProviderRecords>, clock: Arc<dyn Clock>) -> Self {
        Self { records, clock }
    }

    /// How the bank behaves, and the version of the record that says so.
    fn recall(&self) -> Result<(BankState, i64), Error> {
        let Some(record) = self.records.recall(PROVIDER, STATE)? else {
            return Ok((BankState::default(), 0));
        };
        let state = serde_json::from_str::<Kept>(&record.body)
            .ok()
            .and_then(|kept| kept.state());
        let state = state.ok_or_else(|| Error::bug("the play bank cannot read its own record"))?;
        Ok((state, record.version))
    }

    /// Takes as long as the bank takes, and fails when it is down. Nothing was done then.
    fn answer(&self) -> Result<BankState, Error> {
        let (state, _) = self.recall()?;
        if state.latency_ms > 0 {
            thread::sleep(Duration::from_millis(state.latency_ms.into()));
        }
        if state.up {
            Ok(state)
        } else {
            Err(ProviderFailure::Down.into())
        }
    }
}

impl PixProvider for Stub {
    /// The location follows from the txid, so a repeat reaches the same charge without any record of it.
    fn register(&self, request: &PixRequest) -> Result<Location, Error> {
        self.answer()?;
        Location::parse(&format!("{HOST}/{}", request.txid))
            .map_err(|error| Error::bug(format!("the play bank's location: {error}")))
    }

    fn give_back(&self, request: &ReturnRequest) -> Result<String, Error> {
        self.answer()?;
        // A return has its payment's id with another first letter: repeats are told apart by nothing, as they must.
        let rest = request.end_to_end_id.as_str().get(1..).unwrap_or_default();
        Ok(format!("D{rest}"))
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
            let body = serde_json::to_string(&Kept::from(state))
                .map_err(|error| Error::bug(format!("the play bank's record: {error}")))?;
            if self.records.remember(PROVIDER, STATE, version, &body)? {
                return Ok(state);
            }
        }
        Err(Error::Unavailable(
            "the play bank is being told too many things at once".into(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use vintem_domain::account::{AccountId, Environment, Owner};
    use vintem_domain::brcode::{EndToEndId, TxId};
    use vintem_domain::id::Ulid;
    use vintem_domain::memory::MemoryStore;
    use vintem_domain::money::Centavos;

    use super::*;

    fn owner() -> Owner {
        Owner {
            account: AccountId(Ulid::from_parts(1, 1)),
            environment: Environment::Live,
        }
    }

    fn request() -> PixRequest {
        PixRequest {
            owner: owner(),
            txid: TxId::from_bytes(&[7; 32]),
            amount: Centavos::new(4_990),
            expires_in: 3_600,
            description: None,
        }
    }

    #[test]
    fn a_repeat_reaches_the_same_charge() {
        let bank = Stub::new(Arc::new(MemoryStore::new()));
        let location = bank.register(&request()).unwrap();
        assert_eq!(
            location.as_str(),
            format!("pix.vintem.example/qr/v2/{}", request().txid)
        );
        assert_eq!(bank.register(&request()).unwrap(), location);
    }

    #[test]
    fn what_the_bank_was_told_is_shared_and_outlives_it() {
        let records = Arc::new(MemoryStore::new());
        let bank = Stub::new(records.clone());
        let down = bank
            .change(BankChange {
                up: Some(false),
                ..BankChange::default()
            })
            .unwrap();
        assert!(!down.up);
        let other = Stub::new(records);
        assert_eq!(other.state().unwrap(), down);
        assert!(matches!(
            other.register(&request()),
            Err(Error::Provider(ProviderFailure::Down))
        ));
        other
            .change(BankChange {
                up: Some(true),
                bills: Some(Outgoing::Fail),
                ..BankChange::default()
            })
            .unwrap();
        assert!(bank.register(&request()).is_ok());
        assert_eq!(bank.state().unwrap().bills, Outgoing::Fail);
    }

    #[test]
    fn a_return_is_named_after_its_payment() {
        let bank = Stub::new(Arc::new(MemoryStore::new()));
        let payment = EndToEndId::parse("E12345678202601011200abcdefghijk").unwrap();
        let request = ReturnRequest {
            owner: owner(),
            return_id: "ret1".to_owned(),
            end_to_end_id: payment,
            amount: Centavos::new(1),
        };
        assert_eq!(
            bank.give_back(&request).unwrap(),
            "D12345678202601011200abcdefghijk"
        );
    }
}
