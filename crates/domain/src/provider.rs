//! What the product asks of whoever moves the money. Adapters live in the crate `vintem-providers`.
//!
//! The shapes fit the central bank's API Pix: charges are put by txid, expiry is derived, money arrives as notices
//! with an end-to-end id, money goes back under an id the receiver chooses.

mod play_bank;

use crate::account::{Environment, Owner};
use crate::bill::{BillAmounts, BillCode};
use crate::boleto::{Barcode, SlipPayer};
use crate::brcode::{Location, TxId};
use crate::calendar::{Date, Time};
use crate::charge::PaymentId;
use crate::document::Document;
use crate::error::{Error, ProviderFailure};
use crate::money::Centavos;
use crate::payout::{Payout, PayoutAnswer};
use crate::pix_key::PixKey;
use crate::ports::{Store, Transact};
use crate::refund::Refund;

pub use play_bank::{BankChange, BankState, Outgoing, PlayBank};

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

/// A charge nobody shall be able to pay any more.
#[derive(Clone, Debug)]
pub struct RemovalRequest {
    /// Whose charge.
    pub owner: Owner,
    /// Its name at the provider.
    pub txid: TxId,
}

/// A payment to be given back to its payer.
#[derive(Clone, Debug)]
pub struct ReturnRequest {
    /// Whose charge it had been for.
    pub owner: Owner,
    /// Our name for the return: the same at every try, so that it happens once.
    pub return_id: String,
    /// The payment.
    pub payment_id: PaymentId,
    /// How much of it.
    pub amount: Centavos,
}

/// Receives PIX for the merchants and gives it back.
///
/// An implementation MUST be idempotent by txid and by return id, MUST know a refund by its own id and end a call for one
/// within [`LONGEST_CALL_MS`](crate::payout::LONGEST_CALL_MS), and MUST answer [`ProviderFailure::Down`] only when
/// nothing was done, and [`ProviderFailure::Unknown`] when it cannot tell.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PixProvider: Send + Sync {
    /// Makes the charge payable and says where its payload lives.
    ///
    /// # Errors
    /// [`Error::Provider`], or [`Error::Unavailable`] when the adapter cannot reach what it remembers.
    fn register(&self, request: &PixRequest) -> Result<Location, Error>;

    /// Makes the charge unpayable; one that is already removed is a success. From then on no payment of it is accepted;
    /// notices of payments that were may still come.
    ///
    /// # Errors
    /// [`Error::Provider`], [`ProviderFailure::Rejected`] when it was paid; after [`ProviderFailure::Unknown`] the same
    /// call again tells the truth.
    fn remove(&self, request: &RemovalRequest) -> Result<(), Error>;

    /// Gives a payment that settled nothing back; `Ok` is the provider's id of the return.
    ///
    /// # Errors
    /// [`Error::Provider`]; after [`ProviderFailure::Unknown`] the same call again tells the truth.
    fn give_back(&self, request: &ReturnRequest) -> Result<String, Error>;

    /// Refunds a payment that settled a charge, in whole or in part, for the first time; the same refund again gives
    /// nothing more.
    ///
    /// # Errors
    /// [`Error::Provider`].
    fn refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error>;

    /// What became of a refund that was, or may have been, asked for.
    ///
    /// # Errors
    /// [`Error::Provider`].
    fn look_up_refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error>;
}

/// Whom a PIX key belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOwner {
    /// CPF or CNPJ.
    pub document: Document,
    /// Name, when the directory tells it.
    pub name: Option<String>,
}

/// Sends money out.
///
/// An implementation MUST know a payout by its own id: sending the same one again sends nothing new. It MUST answer
/// [`ProviderFailure::Down`] only when nothing was done, and [`ProviderFailure::Unknown`] when it cannot tell. A call MUST
/// end within [`LONGEST_CALL_MS`](crate::payout::LONGEST_CALL_MS): what has not reached the provider by then never may.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PayoutProvider: Send + Sync {
    /// Whom a PIX key belongs to; `None` when nobody has it.
    ///
    /// # Errors
    /// [`Error::Provider`]. Nothing moves.
    fn key_owner(&self, key: &PixKey) -> Result<Option<KeyOwner>, Error>;

    /// Sends a payout for the first time.
    ///
    /// # Errors
    /// [`Error::Provider`].
    fn send(&self, payout: &Payout) -> Result<PayoutAnswer, Error>;

    /// What became of a payout that was, or may have been, sent.
    ///
    /// # Errors
    /// [`Error::Provider`].
    fn look_up(&self, payout: &Payout) -> Result<PayoutAnswer, Error>;
}

/// A title to be registered.
#[derive(Clone, Debug)]
pub struct BoletoRequest {
    /// Whose charge.
    pub owner: Owner,
    /// Its PIX side's name at the provider.
    pub txid: TxId,
    /// What the payer pays.
    pub amount: Centavos,
    /// Who has to pay.
    pub payer: SlipPayer,
    /// The due date.
    pub due_date: Date,
    /// What it is for.
    pub description: Option<String>,
}

/// A title nobody shall be able to pay any more.
#[derive(Clone, Debug)]
pub struct WriteOffRequest {
    /// Whose charge.
    pub owner: Owner,
    /// Its PIX side's name at the provider.
    pub txid: TxId,
    /// The wallet it was issued in.
    pub wallet: String,
    /// Its number there.
    pub our_number: String,
}

/// A title a provider has registered.
#[derive(Clone, Debug)]
pub struct RegisteredBoleto {
    /// The wallet (carteira) it was issued in.
    pub wallet: String,
    /// Its number there (nosso número); no other title of the wallet has it.
    pub our_number: String,
    /// Its barcode.
    pub barcode: Barcode,
    /// Where the payload of its PIX side lives.
    pub location: Location,
}

/// How the slips of a provider name the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipIssuer {
    /// The bank's name.
    pub bank_name: String,
    /// The bank's code with its check digit, `001-9`.
    pub bank_code: String,
    /// Agency, and the beneficiary's code there.
    pub agency: String,
}

/// Issues hybrid boletos.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait BoletoProvider: Send + Sync {
    /// Registers a title and its PIX side.
    ///
    /// # Errors
    /// [`Error::Provider`].
    fn register_boleto(&self, request: &BoletoRequest) -> Result<RegisteredBoleto, Error>;

    /// Writes a title off (baixa), so that neither its line nor its PIX side can be paid; one that is already written
    /// off is a success.
    ///
    /// # Errors
    /// As [`PixProvider::remove`].
    fn write_off(&self, request: &WriteOffRequest) -> Result<(), Error>;

    /// How its slips name the bank.
    fn slip_issuer(&self) -> SlipIssuer;
}

/// What a third-party title costs on a day, as its register or its barcode tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillTerms {
    /// The bank's name, or its code; none for taxes and utility bills.
    pub bank: Option<String>,
    /// Who is paid; none for taxes and utility bills.
    pub beneficiary: Option<String>,
    /// When it is due; none when nothing says so.
    pub due_date: Option<Date>,
    /// Whether the title can be paid at all.
    pub payable: bool,
    /// What it costs on the day.
    pub amounts: BillAmounts,
}

/// Quotes third-party titles.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait BillProvider: Send + Sync {
    /// What the title costs on this São Paulo day if this owner pays it. Nothing moves.
    ///
    /// # Errors
    /// [`Error::Provider`].
    fn terms(&self, owner: Owner, bill: &BillCode, day: Date) -> Result<BillTerms, Error>;
}

/// Everything one provider can do.
pub trait Provider: PixProvider + PayoutProvider + BoletoProvider + BillProvider {}

impl<P: PixProvider + PayoutProvider + BoletoProvider + BillProvider + ?Sized> Provider for P {}

/// The providers of the two environments.
#[derive(Clone, Copy)]
pub struct Providers<'a> {
    /// Plays the bank for sandboxes.
    pub sandbox: &'a dyn Provider,
    /// Moves the money of live accounts.
    pub live: &'a dyn Provider,
}

impl<'a> Providers<'a> {
    /// The provider of an environment.
    pub fn of(&self, environment: Environment) -> &'a dyn Provider {
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
    pub payment_id: PaymentId,
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
