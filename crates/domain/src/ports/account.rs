//! Accounts and users.

use crate::account::{Account, AccountId, Membership, User};
use crate::error::Error;
use crate::text::Email;

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

    /// Everything of the user but its id and birth.
    ///
    /// # Errors
    /// The store's.
    fn save_user(&mut self, user: &User) -> Result<(), Error>;

    /// A user's place in an account.
    ///
    /// # Errors
    /// The store's.
    fn insert_membership(&mut self, membership: &Membership) -> Result<(), Error>;
}
