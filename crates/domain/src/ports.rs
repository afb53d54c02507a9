//! What the rules need of the world, in their words. Adapters implement these traits.

mod account;
mod audit;
mod bill;
mod charge;
mod closing;
mod event;
mod installation;
mod key;
mod ledger;
mod payout;
mod refund;
mod webhook;

use std::sync::Arc;

use crate::account::Owner;
use crate::account::Policy;
use crate::calendar::BankCalendar;
use crate::calendar::Time;
use crate::error::Error;
use crate::id::Ulid;
use crate::provider::Provider;
use crate::provider::Providers;
use crate::webhook::{Claimed, ServerId};

pub use account::*;
pub use audit::*;
pub use bill::*;
pub use charge::*;
pub use closing::*;
pub use event::*;
pub use installation::*;
pub use key::*;
pub use ledger::*;
pub use payout::*;
pub use refund::*;
pub use webhook::*;

/// The ports a use case is given.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where everything is kept.
    pub store: &'a dyn Store,
    /// Real time.
    pub clock: &'a dyn Clock,
    /// New identifiers and random bytes.
    pub ids: &'a dyn Ids,
    /// Encryption at rest.
    pub cipher: &'a dyn Cipher,
    /// Slow password hashes.
    pub passwords: &'a dyn Passwords,
    /// Who moves the money.
    pub providers: Providers<'a>,
    /// Told after a commit that there is work to do.
    pub signals: &'a dyn Signals,
    /// Fees and limits the operator set.
    pub policy: &'a Policy,
    /// The days banks work.
    pub calendar: &'a BankCalendar,
}

/// The ports as a server keeps them: shared by its threads.
#[derive(Clone)]
pub struct SharedPorts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Real time.
    pub clock: Arc<dyn Clock>,
    /// New identifiers and random bytes.
    pub ids: Arc<dyn Ids>,
    /// Encryption at rest.
    pub cipher: Arc<dyn Cipher>,
    /// Slow password hashes.
    pub passwords: Arc<dyn Passwords>,
    /// Plays the bank for sandboxes.
    pub sandbox_provider: Arc<dyn Provider>,
    /// Moves the money of live accounts.
    pub live_provider: Arc<dyn Provider>,
    /// Told after a commit that there is work to do.
    pub signals: Arc<dyn Signals>,
    /// Fees and limits the operator set.
    pub policy: Arc<Policy>,
    /// The days banks work.
    pub calendar: Arc<BankCalendar>,
}

impl SharedPorts {
    /// The ports as a use case wants them.
    pub fn ports(&self) -> Ports<'_> {
        Ports {
            store: &*self.store,
            clock: &*self.clock,
            ids: &*self.ids,
            cipher: &*self.cipher,
            passwords: &*self.passwords,
            providers: Providers {
                sandbox: &*self.sandbox_provider,
                live: &*self.live_provider,
            },
            signals: &*self.signals,
            policy: &self.policy,
            calendar: &self.calendar,
        }
    }
}

/// Real time. The only source of it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Time;
}

/// New identifiers and random bytes. The only source of them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Ids: Send + Sync {
    /// A ULID of real time, later than every one this process made before.
    fn ulid(&self) -> Ulid;

    /// 32 bytes from the operating system's generator: fit for credentials.
    fn random(&self) -> [u8; 32];
}

/// Encrypts what must be readable again: test keys, webhook secrets.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Cipher: Send + Sync {
    /// Encrypts and authenticates. `purpose` is bound to the result: it opens for the same purpose only.
    ///
    /// # Errors
    /// [`Error::Bug`] when the cipher fails.
    fn seal(&self, purpose: &str, plain: &[u8]) -> Result<Vec<u8>, Error>;

    /// Decrypts.
    ///
    /// # Errors
    /// [`Error::Bug`] when it was sealed with another master key or for another purpose, or was changed.
    fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, Error>;
}

/// Hashes passwords slowly (Argon2id).
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Passwords: Send + Sync {
    /// The hash to keep, with its salt and parameters.
    ///
    /// # Errors
    /// [`Error::Bug`] when hashing fails.
    fn hash(&self, password: &str) -> Result<String, Error>;

    /// Whether the password gives this hash.
    fn verify(&self, password: &str, hash: &str) -> bool;
}

/// Told after a commit that there is work. A hint: workers also look by themselves, so a lost one costs a second.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Signals: Send + Sync {
    /// Webhook deliveries of this owner became due.
    fn deliveries_due(&self, owner: Owner);

    /// Takes a place in this owner's lane here, if one is free: then a unit of work may begin the first attempt to
    /// deliver its event itself, under a lease of the server named. Every place taken is filled, once.
    fn take_place(&self, owner: Owner) -> Option<ServerId>;

    /// Sends the attempt that was committed for the place; with none, gives the place back.
    fn fill_place(&self, owner: Owner, begun: Option<Claimed>);

    /// A payment has to go back to its payer.
    fn returns_due(&self);

    /// Money has to go out.
    fn payouts_waiting(&self);
}

/// What a unit of work does. It may run on another thread than the caller's, which waits for it.
pub type UnitOfWork<'a> = dyn FnMut(&mut dyn Tx) -> Result<(), Error> + Send + 'a;

/// Where everything is kept.
///
/// `run` MUST commit everything `work` wrote, or nothing: nothing when `work` fails, panics, or when any call on `tx`
/// failed even though `work` hid it. It MUST be durable when it returns `Ok`. `work` may run again after a
/// serialization conflict, so it has no effect but through `tx`. It MUST NOT call the store again or the network.
pub trait Store: Send + Sync {
    /// Runs a unit of work that writes.
    ///
    /// # Errors
    /// What `work` returned, or [`Error::Unavailable`] when the database is away or full.
    fn run(&self, work: &mut UnitOfWork<'_>) -> Result<(), Error>;

    /// As [`Self::run`], for a unit of work that may share a transaction with others like it: a store that can commit
    /// several together does. It is committed or not whatever becomes of the others.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn run_shared(&self, _sharing: Sharing, work: &mut UnitOfWork<'_>) -> Result<(), Error> {
        self.run(work)
    }

    /// Runs reads. Each sees everything committed before it; two of them may see different moments.
    ///
    /// # Errors
    /// What `work` returned, or [`Error::Unavailable`].
    fn look(&self, work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>) -> Result<(), Error>;

    /// Runs reads that all see the same moment.
    ///
    /// # Errors
    /// What `work` returned, or [`Error::Unavailable`].
    fn look_at_one_moment(
        &self,
        work: &mut dyn FnMut(&mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

/// With which others a unit of work may share a transaction. Those of one server that share never wait for each other's
/// locks; those of two servers may, and a store runs again what meets in a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// With those of this owner: it locks nothing but objects of this owner, and the owner's head last.
    Owner(Owner),
    /// It only makes new rows. Those that may make the same row have the same number; which others do is indifferent.
    NewRows(u64),
}

/// [`Store`] with values: what use cases call.
pub trait Transact: Store {
    /// Runs a unit of work that writes, and returns its value.
    ///
    /// # Errors
    /// As [`Store::run`].
    fn transact<T: Send>(
        &self,
        mut work: impl FnMut(&mut dyn Tx) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let mut value = None;
        self.run(&mut |tx| {
            value = Some(work(tx)?);
            Ok(())
        })?;
        value.ok_or_else(|| Error::bug("the unit of work did not run"))
    }

    /// Runs a unit of work that may share a transaction, and returns its value.
    ///
    /// # Errors
    /// As [`Store::run`].
    fn transact_shared<T: Send>(
        &self,
        sharing: Sharing,
        mut work: impl FnMut(&mut dyn Tx) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let mut value = None;
        self.run_shared(sharing, &mut |tx| {
            value = Some(work(tx)?);
            Ok(())
        })?;
        value.ok_or_else(|| Error::bug("the unit of work did not run"))
    }

    /// Runs reads, and returns their value.
    ///
    /// # Errors
    /// As [`Store::look`].
    fn read<T>(&self, mut work: impl FnMut(&mut dyn Read) -> Result<T, Error>) -> Result<T, Error> {
        let mut value = None;
        self.look(&mut |read| {
            value = Some(work(read)?);
            Ok(())
        })?;
        value.ok_or_else(|| Error::bug("the reads did not run"))
    }

    /// Runs reads that all see the same moment, and returns their value.
    ///
    /// # Errors
    /// As [`Store::look_at_one_moment`].
    fn read_at_one_moment<T>(
        &self,
        mut work: impl FnMut(&mut dyn Read) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut value = None;
        self.look_at_one_moment(&mut |read| {
            value = Some(work(read)?);
            Ok(())
        })?;
        value.ok_or_else(|| Error::bug("the reads did not run"))
    }
}

impl<S: Store + ?Sized> Transact for S {}

/// Everything that can be read.
pub trait Read:
    AccountRead
    + KeyRead
    + ChargeRead
    + PayoutRead
    + RefundRead
    + BillRead
    + LedgerRead
    + EventRead
    + WebhookRead
    + InstallationRead
    + AuditRead
{
}

impl<
    T: AccountRead
        + KeyRead
        + ChargeRead
        + PayoutRead
        + RefundRead
        + BillRead
        + LedgerRead
        + EventRead
        + WebhookRead
        + InstallationRead
        + AuditRead
        + ?Sized,
> Read for T
{
}

/// Everything a unit of work can do. Objects are locked first, the owner's [`Head`](crate::ledger::Head) last.
pub trait Tx:
    Read
    + AccountTx
    + KeyTx
    + ChargeTx
    + PayoutTx
    + RefundTx
    + BillTx
    + LedgerTx
    + EventTx
    + WebhookTx
    + ClosingTx
    + InstallationTx
{
}

impl<
    T: Read
        + AccountTx
        + KeyTx
        + ChargeTx
        + PayoutTx
        + RefundTx
        + BillTx
        + LedgerTx
        + EventTx
        + WebhookTx
        + ClosingTx
        + InstallationTx
        + ?Sized,
> Tx for T
{
}
