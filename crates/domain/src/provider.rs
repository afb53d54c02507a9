//! What the product asks of whoever moves the money. Adapters live in the crate `vintem-providers`.
//!
//! The shapes fit the central bank's API Pix: charges are put by txid, expiry is derived, money arrives as notices
//! with an end-to-end id, money goes back under an id the receiver chooses.

use crate::account::{Environment, Owner};
use crate::brcode::{EndToEndId, Location, TxId};
use crate::calendar::Time;
use crate::error::{Error, ProviderFailure};
use crate::money::Centavos;
use crate::ports::{Store, Transact};

/// A charge to be known at the provider.
#[derive(Clone, Debug)]
pub struct PixRequest {
    /// Whose charge.
    pub owner: Owner,
    /// Its name at the provider.
    pub txid: TxId,
    /// What the payer pays.
    pub amount: Centavos,
    /// How long it can be paid, seconds.
    pub expires_in: i64,
    /// What the payer is told.
    pub description: Option<String>,
}

/// A payment to be given back to its payer.
#[derive(Clone, Debug)]
pub struct ReturnRequest {
    /// Whose charge it had been for.
    pub owner: Owner,
    /// Our name for the return: the same at every try, so that it happens once.
    pub return_id: String,
    /// The payment.
    pub end_to_end_id: EndToEndId,
    /// How much of it.
    pub amount: Centavos,
}

/// Receives PIX for the merchants and gives it back.
///
/// An implementation MUST be idempotent by txid and by return id, and MUST answer [`ProviderFailure::Down`] only when
/// nothing was done.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PixProvider: Send + Sync {
    /// Makes the charge payable and says where its payload lives.
    ///
    /// # Errors
    /// [`Error::Provider`], or [`Error::Unavailable`] when the adapter cannot reach what it remembers.
    fn register(&self, request: &PixRequest) -> Result<Location, Error>;

    /// Gives a payment back; `Ok` is the provider's id of the return.
    ///
    /// # Errors
    /// [`Error::Provider`]; after [`ProviderFailure::Unknown`] the same call again tells the truth.
    fn give_back(&self, request: &ReturnRequest) -> Result<String, Error>;
}

/// The providers of the two environments.
#[derive(Clone, Copy)]
pub struct Providers<'a> {
    /// Plays the bank for sandboxes.
    pub sandbox: &'a dyn PixProvider,
    /// Moves the money of live accounts.
    pub live: &'a dyn PixProvider,
}

impl<'a> Providers<'a> {
    /// The provider of an environment.
    pub fn of(&self, environment: Environment) -> &'a dyn PixProvider {
        match environment {
            Environment::Sandbox => self.sandbox,
            Environment::Live => self.live,
        }
    }
}

/// What a provider tells of a payer; any part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payer {
    /// Name.
    pub name: Option<String>,
    /// CPF or CNPJ, as the provider gives it (it may be masked).
    pub document: Option<String>,
    /// Bank.
    pub bank: Option<String>,
}

/// Something an adapter remembers, with the version it had when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderRecord {
    /// Counts the writes; 0 before the first.
    pub version: i64,
    /// The adapter's own text.
    pub body: String,
}

/// What an adapter must remember across crashes and share between servers.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait ProviderRecords: Send + Sync {
    /// What `provider` keeps under `key`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    fn recall(&self, provider: &'static str, key: &str) -> Result<Option<ProviderRecord>, Error>;

    /// Keeps `body` under `key` if the version is still `seen` (0: nothing was there); says whether it did.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    fn remember(
        &self,
        provider: &'static str,
        key: &str,
        seen: i64,
        body: &str,
    ) -> Result<bool, Error>;
}

impl<S: Store + ?Sized> ProviderRecords for S {
    fn recall(&self, provider: &'static str, key: &str) -> Result<Option<ProviderRecord>, Error> {
        self.read(|read| read.provider_record(provider, key))
    }

    fn remember(
        &self,
        provider: &'static str,
        key: &str,
        seen: i64,
        body: &str,
    ) -> Result<bool, Error> {
        self.transact(|tx| tx.save_provider_record(provider, key, seen, body))
    }
}

/// Money that arrived for a charge, as a provider tells it. It may be told several times, late and in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixNotice {
    /// The charge's name at the provider.
    pub txid: TxId,
    /// The payment's own id.
    pub end_to_end_id: EndToEndId,
    /// How much arrived.
    pub amount: Centavos,
    /// When it was paid, in the time of the charge's environment.
    pub paid_at: Time,
    /// Who paid.
    pub payer: Payer,
}

impl From<ProviderFailure> for Error {
    fn from(failure: ProviderFailure) -> Self {
        Self::Provider(failure)
    }
}
