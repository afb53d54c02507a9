//! What an operator agrees with an account: fees, limits, a guard against doubles.

use super::manage::try_update;
use crate::account::{Account, AccountId, FeeOverrides, LimitOverrides, Policy};
use crate::error::Error;
use crate::money::{Centavos, NothingLeft};
use crate::ports::Ports;

/// Sets the fees agreed with an account.
///
/// # Errors
/// As for [`agree`].
pub fn override_fees(ports: &Ports, id: AccountId, fees: FeeOverrides) -> Result<Account, Error> {
    agree(ports, id, |now| Agreed { fees, ..now })
}

/// Sets the limits agreed with an account.
///
/// # Errors
/// As for [`agree`].
pub fn override_limits(
    ports: &Ports,
    id: AccountId,
    limits: LimitOverrides,
) -> Result<Account, Error> {
    agree(ports, id, |now| Agreed { limits, ..now })
}

/// The longest time a duplicate guard may last, minutes: one week.
pub const LONGEST_DUPLICATE_GUARD: i64 = 10_080;

/// Sets for how many minutes a second live withdrawal of the same amount to the same key is taken for a mistake;
/// `None` switches the guard off.
///
/// # Errors
/// As for [`agree`].
pub fn guard_duplicates(
    ports: &Ports,
    id: AccountId,
    minutes: Option<i64>,
) -> Result<Account, Error> {
    agree(ports, id, |now| Agreed {
        duplicate_guard_minutes: minutes,
        ..now
    })
}

/// What an operator agreed with an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// Fees instead of the schedule's.
    pub fees: FeeOverrides,
    /// Limits instead of the tier's.
    pub limits: LimitOverrides,
    /// For how many minutes a second live withdrawal of the same amount to the same key is taken for a mistake.
    pub duplicate_guard_minutes: Option<i64>,
}

impl Agreed {
    fn check(&self, policy: &Policy) -> Result<(), Error> {
        self.fees
            .over(&policy.fees)
            .check()
            .map_err(|NothingLeft { operation, minimum }| {
                let reason = format!("must leave something of the minimum amount {minimum}");
                Error::invalid(format!("fees.{operation}"), reason)
            })?;
        let limits = [
            self.limits.per_transaction,
            self.limits.per_withdrawal,
            self.limits.withdrawals_per_day,
        ];
        if limits.into_iter().flatten().any(|it| it <= Centavos::ZERO) {
            return Err(Error::invalid("limits", "must be at least 1 centavo"));
        }
        let guard = self.duplicate_guard_minutes;
        if guard.is_some_and(|minutes| !(1..=LONGEST_DUPLICATE_GUARD).contains(&minutes)) {
            return Err(Error::invalid(
                "duplicateGuardMinutes",
                format!("must be from 1 to {LONGEST_DUPLICATE_GUARD}"),
            ));
        }
        Ok(())
    }
}

/// Changes what was agreed with an account to what `by` makes of it. Reading and writing are one unit of work, so that
/// of two changes at a time neither is lost.
///
/// # Errors
/// [`crate::error::Missing::Account`]; [`Error::Invalid`] when a fee would leave nothing of a minimum amount, for a limit below one
/// centavo, and for a guard of no minute at all or more than [`LONGEST_DUPLICATE_GUARD`].
pub fn agree(
    ports: &Ports,
    id: AccountId,
    by: impl Fn(Agreed) -> Agreed + Sync,
) -> Result<Account, Error> {
    try_update(ports, id, |account| {
        let agreed = by(Agreed {
            fees: account.fees,
            limits: account.limits,
            duplicate_guard_minutes: account.duplicate_guard_minutes,
        });
        agreed.check(ports.policy)?;
        Ok(Account {
            fees: agreed.fees,
            limits: agreed.limits,
            duplicate_guard_minutes: agreed.duplicate_guard_minutes,
            ..account
        })
    })
}
