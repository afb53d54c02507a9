//! Opening and running accounts.

use crate::account::{
    Account, AccountId, Environment, FeeOverrides, LimitOverrides, Membership, Owner, Role, User,
    UserId,
};
use crate::calendar::Time;
use crate::document::Document;
use crate::error::{Conflict, Error, Missing};
use crate::ledger::{EntryId, EntryKind, Head, LedgerAccount, Movement, PostingSet};
use crate::money::Centavos;
use crate::ports::{AccountRead, Ports, Read, Transact, Tx};
use crate::text::{Email, Name};

/// What a sandbox is opened with: R$ 100.000,00 of play money (decisions §3).
pub const PLAY_MONEY: Centavos = Centavos::new(10_000_000);

/// What is said of an account to be opened.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// Display name.
    pub name: Name,
    /// Contact address, with which its owner signs in.
    pub email: Email,
    /// The owner's password.
    pub password: String,
    /// CPF or CNPJ.
    pub document: Option<Document>,
    /// City; the default one when absent.
    pub city: Option<Name>,
    /// Postal address.
    pub address: Option<Name>,
    /// Name printed in payment codes.
    pub merchant_name: Option<Name>,
}

/// Opens an account: its owner as a user, a ledger for each environment, play money in the sandbox.
///
/// # Errors
/// [`Conflict::EmailTaken`].
pub fn create(ports: &Ports, new: &NewAccount) -> Result<Account, Error> {
    let (account, user) = prepared(ports, new)?;
    let entry = EntryId(ports.ids.ulid());
    ports
        .store
        .transact(|tx| open(tx, &account, &user, entry))?;
    Ok(account)
}

/// Opens the first account of an installation; `None`, and nothing done, when there is one, also when another server
/// is just opening it.
///
/// # Errors
/// The store's.
pub fn create_first(ports: &Ports, new: &NewAccount) -> Result<Option<Account>, Error> {
    if !ports.store.read(|read| read.accounts())?.is_empty() {
        return Ok(None);
    }
    let (account, user) = prepared(ports, new)?;
    let entry = EntryId(ports.ids.ulid());
    let mine = account.id.0.to_string();
    let opened = ports.store.transact(|tx| {
        if !tx.accounts()?.is_empty()
            || tx.keep_first("first_account", mine.as_bytes())? != mine.as_bytes()
        {
            return Ok(false);
        }
        open(tx, &account, &user, entry)?;
        Ok(true)
    })?;
    Ok(opened.then_some(account))
}

fn prepared(ports: &Ports, new: &NewAccount) -> Result<(Account, User), Error> {
    let now = ports.clock.now();
    let city = match &new.city {
        Some(city) => city.clone(),
        None => default_city()?,
    };
    let account = Account {
        id: AccountId(ports.ids.ulid()),
        name: new.name.clone(),
        email: new.email.clone(),
        document: new.document.clone(),
        city,
        address: new.address.clone(),
        merchant_name: new.merchant_name.clone(),
        suspended_at: None,
        fees: FeeOverrides::default(),
        limits: LimitOverrides::default(),
        duplicate_guard_minutes: None,
        clock_offset_ms: 0,
        created_at: now,
    };
    let user = User {
        id: UserId(ports.ids.ulid()),
        email: new.email.clone(),
        password_hash: ports.passwords.hash(&new.password)?,
        created_at: now,
    };
    Ok((account, user))
}

fn default_city() -> Result<Name, Error> {
    Name::parse(Account::DEFAULT_CITY)
        .ok()
        .flatten()
        .ok_or_else(|| Error::bug("the default city is no name"))
}

fn open(tx: &mut dyn Tx, account: &Account, user: &User, entry: EntryId) -> Result<(), Error> {
    if !tx.insert_user(user)? {
        return Err(Error::Conflict(Conflict::EmailTaken));
    }
    tx.insert_account(account)?;
    tx.insert_membership(&Membership {
        account: account.id,
        user: user.id,
        role: Role::Owner,
    })?;
    tx.insert_head(&Head::empty(Owner {
        account: account.id,
        environment: Environment::Live,
    }))?;
    let mut sandbox = Head::empty(Owner {
        account: account.id,
        environment: Environment::Sandbox,
    });
    let postings = PostingSet::balanced(&[
        (LedgerAccount::PlayMoney, PLAY_MONEY.negated()?),
        (LedgerAccount::Available, PLAY_MONEY),
    ])?;
    let play_money = sandbox.post(Movement {
        id: entry,
        kind: EntryKind::PlayMoney,
        reference: account.id.0,
        postings,
        at: account.created_at,
    })?;
    tx.insert_head(&sandbox)?;
    tx.insert_entry(&play_money)
}

/// Gives the user who signs in with this address another password; `None`, and nothing done, when there is none.
///
/// # Errors
/// The store's.
pub fn set_password(ports: &Ports, email: &Email, password: &str) -> Result<Option<User>, Error> {
    let password_hash = ports.passwords.hash(password)?;
    ports.store.transact(|tx| {
        let Some(user) = tx.user_by_email(email)? else {
            return Ok(None);
        };
        let user = User {
            password_hash: password_hash.clone(),
            ..user
        };
        tx.save_user(&user)?;
        Ok(Some(user))
    })
}

/// What an account's holder sees of it (`GET /store`).
#[derive(Clone, Debug)]
pub struct StoreView {
    /// The account.
    pub account: Account,
    /// In which environment.
    pub environment: Environment,
    /// Everything it owns there, centavos.
    pub balance: Centavos,
    /// What it can spend there, centavos.
    pub available: Centavos,
}

/// The account as its holder sees it.
///
/// # Errors
/// [`Missing::Account`].
pub fn store_view(ports: &Ports, owner: Owner) -> Result<StoreView, Error> {
    ports.store.read(|read| {
        let account = known(read, owner.account)?;
        let head = read
            .head(owner)?
            .ok_or_else(|| Error::bug("a ledger has no head"))?;
        Ok(StoreView {
            account,
            environment: owner.environment,
            balance: head.balance,
            available: head.available,
        })
    })
}

/// The account.
///
/// # Errors
/// [`Missing::Account`].
pub fn show(ports: &Ports, id: AccountId) -> Result<Account, Error> {
    ports.store.read(|read| known(read, id))
}

/// All accounts, oldest first.
///
/// # Errors
/// The store's.
pub fn list(ports: &Ports) -> Result<Vec<Account>, Error> {
    ports.store.read(|read| read.accounts())
}

fn known(read: &mut dyn Read, id: AccountId) -> Result<Account, Error> {
    read.account(id)?.ok_or(Error::NotFound(Missing::Account))
}

/// The time that rules in the owner's environment: real time, or the sandbox's test clock.
///
/// # Errors
/// [`Missing::Account`].
pub fn time_of<R: AccountRead + ?Sized>(
    read: &mut R,
    owner: Owner,
    real_now: Time,
) -> Result<Time, Error> {
    match owner.environment {
        Environment::Live => Ok(real_now),
        Environment::Sandbox => {
            let account = read
                .account(owner.account)?
                .ok_or(Error::NotFound(Missing::Account))?;
            Ok(account.time(owner.environment, real_now))
        }
    }
}

/// What shall change of an account; absent fields stay.
#[derive(Clone, Debug, Default)]
pub struct AccountChange {
    /// Display name.
    pub name: Option<Name>,
    /// CPF or CNPJ.
    pub document: Option<Document>,
    /// City.
    pub city: Option<Name>,
    /// Postal address.
    pub address: Option<Name>,
    /// Name printed in payment codes.
    pub merchant_name: Option<Name>,
}

/// Changes what an account says of itself. Codes made before keep what they say.
///
/// # Errors
/// [`Missing::Account`].
pub fn change(ports: &Ports, id: AccountId, change: &AccountChange) -> Result<Account, Error> {
    update(ports, id, |account| Account {
        name: change.name.clone().unwrap_or(account.name),
        document: change.document.clone().or(account.document),
        city: change.city.clone().unwrap_or(account.city),
        address: change.address.clone().or(account.address),
        merchant_name: change.merchant_name.clone().or(account.merchant_name),
        ..account
    })
}

/// Suspends an account, or lets it work again. Its keys answer 403 while it is suspended.
///
/// # Errors
/// [`Missing::Account`].
pub fn suspend(ports: &Ports, id: AccountId, suspended: bool) -> Result<Account, Error> {
    let now = ports.clock.now();
    update(ports, id, |account| {
        let suspended_at = suspended.then(|| account.suspended_at.unwrap_or(now));
        Account {
            suspended_at,
            ..account
        }
    })
}

/// How the sandbox's test clock shall move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockMove {
    /// To a moment that is not before the one it shows.
    To(Time),
    /// Forward by so many milliseconds.
    Advance(i64),
    /// Back to real time.
    Reset,
}

/// Moves the sandbox's test clock; answers the moment it shows then. It keeps ticking.
///
/// # Errors
/// [`Missing::Account`]; [`Error::Invalid`] for a move backwards.
pub fn move_clock(ports: &Ports, id: AccountId, by: ClockMove) -> Result<Time, Error> {
    let real_now = ports.clock.now();
    let account = ports.store.transact(|tx| {
        let account = tx
            .account_for_update(id)?
            .ok_or(Error::NotFound(Missing::Account))?;
        let account = Account {
            clock_offset_ms: moved(&account, by, real_now)?,
            ..account
        };
        tx.save_account(&account)?;
        Ok(account)
    })?;
    Ok(account.time(Environment::Sandbox, real_now))
}

fn moved(account: &Account, by: ClockMove, real_now: Time) -> Result<i64, Error> {
    let shown = account.time(Environment::Sandbox, real_now);
    let target = match by {
        ClockMove::Reset => return Ok(0),
        ClockMove::To(target) if target < shown => {
            return Err(Error::invalid(
                "to",
                format!("must not be before {shown}: the clock moves back by reset only"),
            ));
        }
        ClockMove::To(target) => target,
        ClockMove::Advance(millis) if millis < 0 => {
            return Err(Error::invalid("advance", "must not be negative"));
        }
        ClockMove::Advance(millis) => shown.plus_millis(millis),
    };
    Ok(target.millis_since(real_now).max(0))
}

/// What the sandbox's test clock shows.
///
/// # Errors
/// [`Missing::Account`].
pub fn clock(ports: &Ports, id: AccountId) -> Result<Time, Error> {
    let real_now = ports.clock.now();
    Ok(show(ports, id)?.time(Environment::Sandbox, real_now))
}

fn update(
    ports: &Ports,
    id: AccountId,
    by: impl Fn(Account) -> Account + Sync,
) -> Result<Account, Error> {
    try_update(ports, id, |account| Ok(by(account)))
}

pub(super) fn try_update(
    ports: &Ports,
    id: AccountId,
    by: impl Fn(Account) -> Result<Account, Error> + Sync,
) -> Result<Account, Error> {
    ports.store.transact(|tx| {
        let before = tx
            .account_for_update(id)?
            .ok_or(Error::NotFound(Missing::Account))?;
        let account = by(before.clone())?;
        if account != before {
            tx.save_account(&account)?;
            // Other servers keep accepted keys for a moment, with whether their account is suspended.
            tx.move_epoch()?;
        }
        Ok(account)
    })
}
