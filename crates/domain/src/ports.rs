//! What the rules need of the world, in their words. Adapters implement these traits.

use std::sync::Arc;

use crate::account::{Account, AccountId, Membership, Owner, Policy, User};
use crate::bill::{Quote, QuoteId};
use crate::boleto::Barcode;
use crate::brcode::TxId;
use crate::calendar::BankCalendar;
use crate::calendar::Time;
use crate::charge::{Charge, ChargeId, PaymentId, Receipt, Return};
use crate::error::Error;
use crate::event::{Event, EventId};
use crate::id::Ulid;
use crate::idempotency::{IdempotencyKey, Record, Route};
use crate::key::{ApiKey, KeyDigest, KeyId};
use crate::ledger::{Entry, Head};
use crate::money::Centavos;
use crate::payout::{Backlog, Payout, PayoutId};
use crate::provider::{Provider, ProviderRecord, Providers};
use crate::text::Email;
use crate::transaction::{Page, Transaction};
use crate::webhook::{Attempt, Delivery, Endpoint, Outbox};

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

    /// A payment has to go back to its payer.
    fn returns_due(&self);

    /// Money has to go out.
    fn payouts_waiting(&self);
}

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
    fn run(&self, work: &mut dyn FnMut(&mut dyn Tx) -> Result<(), Error>) -> Result<(), Error>;

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

/// [`Store`] with values: what use cases call.
pub trait Transact: Store {
    /// Runs a unit of work that writes, and returns its value.
    ///
    /// # Errors
    /// As [`Store::run`].
    fn transact<T>(
        &self,
        mut work: impl FnMut(&mut dyn Tx) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut value = None;
        self.run(&mut |tx| {
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
    + BillRead
    + LedgerRead
    + EventRead
    + WebhookRead
    + InstallationRead
{
}

impl<
    T: AccountRead
        + KeyRead
        + ChargeRead
        + PayoutRead
        + BillRead
        + LedgerRead
        + EventRead
        + WebhookRead
        + InstallationRead
        + ?Sized,
> Read for T
{
}

/// Everything a unit of work can do. Objects are locked first, the owner's [`Head`] last.
pub trait Tx:
    Read
    + AccountTx
    + KeyTx
    + ChargeTx
    + PayoutTx
    + BillTx
    + LedgerTx
    + EventTx
    + WebhookTx
    + InstallationTx
{
}

impl<
    T: Read
        + AccountTx
        + KeyTx
        + ChargeTx
        + PayoutTx
        + BillTx
        + LedgerTx
        + EventTx
        + WebhookTx
        + InstallationTx
        + ?Sized,
> Tx for T
{
}

/// Reads accounts and users.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait AccountRead {
    /// The account.
    ///
    /// # Errors
    /// The store's.
    fn account(&mut self, id: AccountId) -> Result<Option<Account>, Error>;

    /// All accounts, oldest first.
    ///
    /// # Errors
    /// The store's.
    fn accounts(&mut self) -> Result<Vec<Account>, Error>;

    /// The user who signs in with this address.
    ///
    /// # Errors
    /// The store's.
    fn user_by_email(&mut self, email: &Email) -> Result<Option<User>, Error>;
}

/// Writes accounts and users.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait AccountTx {
    /// The account, locked until the unit of work ends.
    ///
    /// # Errors
    /// The store's.
    fn account_for_update(&mut self, id: AccountId) -> Result<Option<Account>, Error>;

    /// A new account.
    ///
    /// # Errors
    /// The store's.
    fn insert_account(&mut self, account: &Account) -> Result<(), Error>;

    /// Everything of the account but its id and birth.
    ///
    /// # Errors
    /// The store's.
    fn save_account(&mut self, account: &Account) -> Result<(), Error>;

    /// A new user; `false`, and nothing written, when its address is taken.
    ///
    /// # Errors
    /// The store's.
    fn insert_user(&mut self, user: &User) -> Result<bool, Error>;

    /// A user's place in an account.
    ///
    /// # Errors
    /// The store's.
    fn insert_membership(&mut self, membership: &Membership) -> Result<(), Error>;
}

/// Reads API keys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait KeyRead {
    /// The key with this digest, whatever its account: how a caller is recognised.
    ///
    /// # Errors
    /// The store's.
    fn key_by_digest(&mut self, digest: &KeyDigest) -> Result<Option<ApiKey>, Error>;

    /// All keys of an account, of both environments, oldest first.
    ///
    /// # Errors
    /// The store's.
    fn keys(&mut self, account: AccountId) -> Result<Vec<ApiKey>, Error>;
}

/// Writes API keys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait KeyTx {
    /// The key, whatever its account (operators name keys by id), locked.
    ///
    /// # Errors
    /// The store's.
    fn key_for_update(&mut self, id: KeyId) -> Result<Option<ApiKey>, Error>;

    /// A new key.
    ///
    /// # Errors
    /// The store's.
    fn insert_key(&mut self, key: &ApiKey) -> Result<(), Error>;

    /// When the key expires and was revoked.
    ///
    /// # Errors
    /// The store's.
    fn save_key(&mut self, key: &ApiKey) -> Result<(), Error>;

    /// When a key was last used; an earlier time than the one kept changes nothing.
    ///
    /// # Errors
    /// The store's.
    fn save_key_use(&mut self, id: KeyId, at: Time) -> Result<(), Error>;
}

/// Reads charges, bank notices and idempotency records.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait ChargeRead {
    /// The owner's charge.
    ///
    /// # Errors
    /// The store's.
    fn charge(&mut self, owner: Owner, id: ChargeId) -> Result<Option<Charge>, Error>;

    /// The charge, whatever its owner: for operators and provider notices.
    ///
    /// # Errors
    /// The store's.
    fn charge_of_anyone(&mut self, id: ChargeId) -> Result<Option<Charge>, Error>;

    /// The charge with this name at the provider, whatever its owner.
    ///
    /// # Errors
    /// The store's.
    fn charge_by_txid(&mut self, txid: &TxId) -> Result<Option<Charge>, Error>;

    /// The boleto whose slip has this token, whatever its owner.
    ///
    /// # Errors
    /// The store's.
    fn boleto_by_token(&mut self, token: &str) -> Result<Option<Charge>, Error>;

    /// The boleto with this barcode, whatever its owner.
    ///
    /// # Errors
    /// The store's.
    fn boleto_by_barcode(&mut self, barcode: &Barcode) -> Result<Option<Charge>, Error>;

    /// A page of what the owner made through the API or the agent endpoint, newest first; `page.limit` items at most.
    ///
    /// # Errors
    /// The store's.
    fn transactions(&mut self, owner: Owner, page: Page) -> Result<Vec<Transaction>, Error>;

    /// The notice with this end-to-end id, whatever its owner.
    ///
    /// # Errors
    /// The store's.
    fn receipt(&mut self, id: &PaymentId) -> Result<Option<Receipt>, Error>;

    /// All notices about a charge, in the order they came.
    ///
    /// # Errors
    /// The store's.
    fn receipts(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Receipt>, Error>;

    /// All returns of payments for a charge, oldest first.
    ///
    /// # Errors
    /// The store's.
    fn returns(&mut self, owner: Owner, charge: ChargeId) -> Result<Vec<Return>, Error>;

    /// What is remembered of a key.
    ///
    /// # Errors
    /// The store's.
    fn idempotency_record(
        &mut self,
        owner: Owner,
        route: Route,
        key: &IdempotencyKey,
    ) -> Result<Option<Record>, Error>;
}

/// Writes charges, bank notices, returns and idempotency records.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait ChargeTx {
    /// A new charge.
    ///
    /// # Errors
    /// The store's.
    fn insert_charge(&mut self, charge: &Charge) -> Result<(), Error>;

    /// The owner's charge, locked.
    ///
    /// # Errors
    /// The store's.
    fn charge_for_update(&mut self, owner: Owner, id: ChargeId) -> Result<Option<Charge>, Error>;

    /// The status of a charge: nothing else of it ever changes.
    ///
    /// # Errors
    /// The store's.
    fn save_charge(&mut self, charge: &Charge) -> Result<(), Error>;

    /// A new notice; `false`, and nothing written, when one with its end-to-end id is there.
    ///
    /// # Errors
    /// The store's.
    fn insert_receipt(&mut self, receipt: &Receipt) -> Result<bool, Error>;

    /// A new return.
    ///
    /// # Errors
    /// The store's.
    fn insert_return(&mut self, returned: &Return) -> Result<(), Error>;

    /// At most `limit` open returns that are due and not leased at `now` (real time), locked; rows another server has
    /// locked are left out.
    ///
    /// # Errors
    /// The store's.
    fn due_returns_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Return>, Error>;

    /// The return, locked.
    ///
    /// # Errors
    /// The store's.
    fn return_for_update(
        &mut self,
        owner: Owner,
        id: crate::charge::ReturnKey,
    ) -> Result<Option<Return>, Error>;

    /// State, tries, due time and lease of a return.
    ///
    /// # Errors
    /// The store's.
    fn save_return(&mut self, returned: &Return) -> Result<(), Error>;

    /// Remembers a key; `false`, and nothing written, when the owner used it on this route before. It waits for a unit
    /// of work that is just writing the same key.
    ///
    /// # Errors
    /// The store's.
    fn insert_idempotency_record(&mut self, record: &Record) -> Result<bool, Error>;
}

/// Reads payouts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PayoutRead {
    /// The owner's payout.
    ///
    /// # Errors
    /// The store's.
    fn payout(&mut self, owner: Owner, id: PayoutId) -> Result<Option<Payout>, Error>;

    /// The payout, whatever its owner: for operators.
    ///
    /// # Errors
    /// The store's.
    fn payout_of_anyone(&mut self, id: PayoutId) -> Result<Option<Payout>, Error>;

    /// What is under way among the payouts of everybody at `now` (real time).
    ///
    /// # Errors
    /// The store's.
    fn payout_backlog(&mut self, now: Time) -> Result<Backlog, Error>;

    /// The sum asked of the owner's withdrawals made from `from` until before `until` that are PENDING or PAID.
    ///
    /// # Errors
    /// The store's.
    fn withdrawn(&mut self, owner: Owner, from: Time, until: Time) -> Result<Centavos, Error>;

    /// The owner's latest PENDING or PAID withdrawal of this amount to this key, made at or after `since`.
    ///
    /// # Errors
    /// The store's.
    fn same_withdrawal(
        &mut self,
        owner: Owner,
        key: &str,
        amount: Centavos,
        since: Time,
    ) -> Result<Option<PayoutId>, Error>;
}

/// Writes payouts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PayoutTx {
    /// A new payout.
    ///
    /// # Errors
    /// The store's.
    fn insert_payout(&mut self, payout: &Payout) -> Result<(), Error>;

    /// The owner's payout, locked.
    ///
    /// # Errors
    /// The store's.
    fn payout_for_update(&mut self, owner: Owner, id: PayoutId) -> Result<Option<Payout>, Error>;

    /// At most `limit` PENDING payouts that are due at `now` (real time), the longest due first, locked; rows another
    /// server has locked are left out.
    ///
    /// # Errors
    /// The store's.
    fn due_payouts_for_update(&mut self, now: Time, limit: usize) -> Result<Vec<Payout>, Error>;

    /// Status and step of a payout: nothing else of it ever changes.
    ///
    /// # Errors
    /// The store's.
    fn save_payout(&mut self, payout: &Payout) -> Result<(), Error>;
}

/// Reads quotes of third-party titles.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait BillRead {
    /// The owner's quote.
    ///
    /// # Errors
    /// The store's.
    fn quote(&mut self, owner: Owner, id: QuoteId) -> Result<Option<Quote>, Error>;

    /// The payment that paid, or is paying, the title with this barcode.
    ///
    /// # Errors
    /// The store's.
    fn title_payment(&mut self, owner: Owner, barcode: &str) -> Result<Option<PayoutId>, Error>;
}

/// Writes quotes, and who pays a title.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait BillTx {
    /// A new quote.
    ///
    /// # Errors
    /// The store's.
    fn insert_quote(&mut self, quote: &Quote) -> Result<(), Error>;

    /// Takes the title for a payment; `false`, and nothing written, when another has it. It waits for a unit of work
    /// that is just taking it.
    ///
    /// # Errors
    /// The store's.
    fn claim_title(
        &mut self,
        owner: Owner,
        barcode: &str,
        payment: PayoutId,
    ) -> Result<bool, Error>;

    /// Lets the title be paid again.
    ///
    /// # Errors
    /// The store's.
    fn release_title(&mut self, owner: Owner, barcode: &str) -> Result<(), Error>;
}

/// Reads ledgers.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait LedgerRead {
    /// The owner's head.
    ///
    /// # Errors
    /// The store's.
    fn head(&mut self, owner: Owner) -> Result<Option<Head>, Error>;

    /// All heads, ordered by owner.
    ///
    /// # Errors
    /// The store's.
    fn heads(&mut self) -> Result<Vec<Head>, Error>;

    /// At most `limit` entries after a sequence, in order.
    ///
    /// # Errors
    /// The store's.
    fn entries(&mut self, owner: Owner, after: i64, limit: usize) -> Result<Vec<Entry>, Error>;

    /// All entries for an object, in order.
    ///
    /// # Errors
    /// The store's.
    fn entries_for(&mut self, owner: Owner, reference: Ulid) -> Result<Vec<Entry>, Error>;
}

/// Writes ledgers. Entries are never changed or removed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait LedgerTx {
    /// The owner's head, locked: the last lock of a unit of work.
    ///
    /// # Errors
    /// The store's.
    fn head_for_update(&mut self, owner: Owner) -> Result<Option<Head>, Error>;

    /// The head of a new ledger.
    ///
    /// # Errors
    /// The store's.
    fn insert_head(&mut self, head: &Head) -> Result<(), Error>;

    /// Everything of the head but its owner.
    ///
    /// # Errors
    /// The store's.
    fn save_head(&mut self, head: &Head) -> Result<(), Error>;

    /// A new entry.
    ///
    /// # Errors
    /// The store's.
    fn insert_entry(&mut self, entry: &Entry) -> Result<(), Error>;
}

/// Reads events.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait EventRead {
    /// The owner's event.
    ///
    /// # Errors
    /// The store's.
    fn event(&mut self, owner: Owner, id: EventId) -> Result<Option<Event>, Error>;

    /// At most `limit` events after a sequence, in order.
    ///
    /// # Errors
    /// The store's.
    fn events(&mut self, owner: Owner, after: i64, limit: usize) -> Result<Vec<Event>, Error>;

    /// All events about an object, in order.
    ///
    /// # Errors
    /// The store's.
    fn events_about(&mut self, owner: Owner, object: Ulid) -> Result<Vec<Event>, Error>;
}

/// Writes events. They are never changed or removed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait EventTx {
    /// A new event.
    ///
    /// # Errors
    /// The store's.
    fn insert_event(&mut self, event: &Event) -> Result<(), Error>;
}

/// Reads webhook endpoints, deliveries and attempts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait WebhookRead {
    /// The owner's endpoint.
    ///
    /// # Errors
    /// The store's.
    fn endpoint(&mut self, owner: Owner) -> Result<Option<Endpoint>, Error>;

    /// The delivery of an event.
    ///
    /// # Errors
    /// The store's.
    fn delivery(&mut self, owner: Owner, event: EventId) -> Result<Option<Delivery>, Error>;

    /// All attempts to deliver an event, in order.
    ///
    /// # Errors
    /// The store's.
    fn attempts(&mut self, owner: Owner, event: EventId) -> Result<Vec<Attempt>, Error>;

    /// At most `limit` attempts of all events, latest first.
    ///
    /// # Errors
    /// The store's.
    fn latest_attempts(&mut self, owner: Owner, limit: usize) -> Result<Vec<Attempt>, Error>;

    /// At most `limit` failed deliveries whose event was recorded at or after `since`, after this event, oldest first.
    ///
    /// # Errors
    /// The store's.
    fn failed_deliveries(
        &mut self,
        owner: Owner,
        since: Time,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<Delivery>, Error>;

    /// At most `limit` owners with an enabled endpoint and a pending delivery that is due and not leased at `now`.
    ///
    /// # Errors
    /// The store's.
    fn owners_with_due_deliveries(&mut self, now: Time, limit: usize) -> Result<Vec<Owner>, Error>;

    /// What is waiting in the whole outbox at `now`.
    ///
    /// # Errors
    /// The store's.
    fn outbox(&mut self, now: Time) -> Result<Outbox, Error>;
}

/// Writes webhook endpoints, deliveries and attempts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait WebhookTx {
    /// The owner's endpoint, locked.
    ///
    /// # Errors
    /// The store's.
    fn endpoint_for_update(&mut self, owner: Owner) -> Result<Option<Endpoint>, Error>;

    /// Writes the endpoint, new or not.
    ///
    /// # Errors
    /// The store's.
    fn save_endpoint(&mut self, endpoint: &Endpoint) -> Result<(), Error>;

    /// A new delivery.
    ///
    /// # Errors
    /// The store's.
    fn insert_delivery(&mut self, delivery: &Delivery) -> Result<(), Error>;

    /// The delivery of an event, locked.
    ///
    /// # Errors
    /// The store's.
    fn delivery_for_update(
        &mut self,
        owner: Owner,
        event: EventId,
    ) -> Result<Option<Delivery>, Error>;

    /// At most `limit` of the owner's pending deliveries that are due and not leased at `now`, with their event bodies,
    /// the longest due first, locked; rows another server has locked are left out.
    ///
    /// # Errors
    /// The store's.
    fn due_deliveries_for_update(
        &mut self,
        owner: Owner,
        now: Time,
        limit: usize,
    ) -> Result<Vec<(Delivery, String)>, Error>;

    /// State, counters, due time and lease of deliveries.
    ///
    /// # Errors
    /// The store's.
    fn save_deliveries(&mut self, deliveries: &[Delivery]) -> Result<(), Error>;

    /// New attempts.
    ///
    /// # Errors
    /// The store's.
    fn insert_attempts(&mut self, attempts: &[Attempt]) -> Result<(), Error>;

    /// Removes at most `limit` attempts that started before `before`; says how many.
    ///
    /// # Errors
    /// The store's.
    fn forget_attempts(&mut self, before: Time, limit: usize) -> Result<usize, Error>;
}

/// Reads what concerns the installation as a whole.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait InstallationRead {
    /// A counter that moves when something other servers may have cached (a key, an account) was changed.
    ///
    /// # Errors
    /// The store's.
    fn epoch(&mut self) -> Result<i64, Error>;

    /// What the adapter `provider` keeps under `key`.
    ///
    /// # Errors
    /// The store's.
    fn provider_record(
        &mut self,
        provider: &'static str,
        key: &str,
    ) -> Result<Option<ProviderRecord>, Error>;
}

/// Writes what concerns the installation as a whole.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait InstallationTx {
    /// Moves the epoch.
    ///
    /// # Errors
    /// The store's.
    fn move_epoch(&mut self) -> Result<(), Error>;

    /// Keeps the value under a name nobody used before, and returns what is kept there then.
    ///
    /// # Errors
    /// The store's.
    fn keep_first(&mut self, name: &'static str, value: &[u8]) -> Result<Vec<u8>, Error>;

    /// Keeps `body` if the version is still `seen` (0: nothing was there); says whether it did.
    ///
    /// # Errors
    /// The store's.
    fn save_provider_record(
        &mut self,
        provider: &'static str,
        key: &str,
        seen: i64,
        body: &str,
    ) -> Result<bool, Error>;
}
