//! Stand-ins for the other ports, as predictable as the store: a clock that stands still, ids that count.
//!
//! They are for tests and simulations. Nothing here is secret, slow or random.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::account::Owner;
use crate::bill::BillCode;
use crate::brcode::Location;
use crate::calendar::{Date, Time};
use crate::error::{Error, ProviderFailure};
use crate::id::Ulid;
use crate::payout::{Payout, PayoutAnswer};
use crate::pix_key::PixKey;
use crate::ports::{Cipher, Clock, Ids, Passwords, Signals};
use crate::provider::{
    BillProvider, BillTerms, BoletoProvider, BoletoRequest, KeyOwner, PayoutProvider, PixProvider,
    PixRequest, RegisteredBoleto, RemovalRequest, ReturnRequest, SlipIssuer, WriteOffRequest,
};
use crate::refund::Refund;
use crate::webhook::{Claimed, ServerId};

/// A clock that shows what it was set to.
#[derive(Debug)]
pub struct StillClock(AtomicI64);

impl StillClock {
    /// A clock that shows this moment.
    pub fn at(moment: Time) -> Self {
        Self(AtomicI64::new(moment.millis()))
    }

    /// Shows another moment from now on.
    pub fn set(&self, moment: Time) {
        self.0.store(moment.millis(), Ordering::SeqCst);
    }

    /// Shows a later moment from now on.
    pub fn advance(&self, millis: i64) {
        self.set(self.now().plus_millis(millis));
    }
}

impl Clock for StillClock {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// Ids and "random" bytes that count up.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl CountingIds {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst).saturating_add(1)
    }
}

impl Ids for CountingIds {
    fn ulid(&self) -> Ulid {
        Ulid::from_parts(1_790_000_000_000, self.next().into())
    }

    fn random(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (byte, count) in bytes.iter_mut().zip(self.next().to_le_bytes()) {
            *byte = count;
        }
        bytes
    }
}

/// A cipher that only notes the purpose.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenCipher;

impl Cipher for OpenCipher {
    fn seal(&self, purpose: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        Ok([purpose.as_bytes(), b"|", plain].concat())
    }

    fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let plain = sealed
            .strip_prefix(purpose.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"|"));
        plain
            .map(<[u8]>::to_vec)
            .ok_or_else(|| Error::bug("sealed for another purpose"))
    }
}

/// Passwords that are kept as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenPasswords;

impl Passwords for OpenPasswords {
    fn hash(&self, password: &str) -> Result<String, Error> {
        Ok(format!("open:{password}"))
    }

    fn verify(&self, password: &str, hash: &str) -> bool {
        hash.strip_prefix("open:") == Some(password)
    }
}

/// Signals nobody hears.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSignals;

impl Signals for NoSignals {
    fn deliveries_due(&self, _owner: Owner) {}

    fn take_place(&self, _owner: Owner) -> Option<ServerId> {
        None
    }

    fn fill_place(&self, _owner: Owner, _begun: Option<Claimed>) {}

    fn returns_due(&self) {}

    fn payouts_waiting(&self) {}
}

/// A provider that is always down.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProvider;

fn down<T>() -> Result<T, Error> {
    Err(ProviderFailure::Down.into())
}

impl PixProvider for NoProvider {
    fn register(&self, _request: &PixRequest) -> Result<Location, Error> {
        down()
    }

    fn remove(&self, _request: &RemovalRequest) -> Result<(), Error> {
        down()
    }

    fn give_back(&self, _request: &ReturnRequest) -> Result<String, Error> {
        down()
    }

    fn refund(&self, _refund: &Refund) -> Result<PayoutAnswer, Error> {
        down()
    }

    fn look_up_refund(&self, _refund: &Refund) -> Result<PayoutAnswer, Error> {
        down()
    }
}

impl PayoutProvider for NoProvider {
    fn key_owner(&self, _key: &PixKey) -> Result<Option<KeyOwner>, Error> {
        down()
    }

    fn send(&self, _payout: &Payout) -> Result<PayoutAnswer, Error> {
        down()
    }

    fn look_up(&self, _payout: &Payout) -> Result<PayoutAnswer, Error> {
        down()
    }
}

impl BoletoProvider for NoProvider {
    fn register_boleto(&self, _request: &BoletoRequest) -> Result<RegisteredBoleto, Error> {
        down()
    }

    fn write_off(&self, _request: &WriteOffRequest) -> Result<(), Error> {
        down()
    }

    fn slip_issuer(&self) -> SlipIssuer {
        SlipIssuer {
            bank_name: "nobody".to_owned(),
            bank_code: "000-0".to_owned(),
            agency: String::new(),
        }
    }
}

impl BillProvider for NoProvider {
    fn terms(&self, _owner: Owner, _bill: &BillCode, _day: Date) -> Result<BillTerms, Error> {
        down()
    }
}
