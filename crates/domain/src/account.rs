//! Merchants' accounts, the people who run them, their limits, fees and the sandbox's test clock.

mod agreement;
mod manage;

use crate::calendar::Time;
use crate::document::Document;
use crate::id::id;
use crate::money::{Centavos, Fee, FeeSchedule};
use crate::text::{Email, Name};

pub use agreement::{
    Agreed, LONGEST_DUPLICATE_GUARD, agree, guard_duplicates, override_fees, override_limits,
};
pub use manage::{
    AccountChange, ClockMove, NewAccount, PLAY_MONEY, StoreView, change, clock, create,
    create_first, list, move_clock, set_password, show, store_view, suspend, time_of,
};

id!(
    /// A merchant's account.
    AccountId, "acc_");
id!(
    /// A person who signs in.
    UserId, "usr_");

/// Where an object lives: nothing is shared between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Environment {
    /// No real money moves.
    Sandbox,
    /// Real money moves.
    Live,
}

impl Environment {
    /// Both, in the order they are shown.
    pub const ALL: [Self; 2] = [Self::Sandbox, Self::Live];

    /// `test` or `live`, the words keys and settings use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sandbox => "test",
            Self::Live => "live",
        }
    }

    /// Reads `test` or `live`.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|environment| environment.as_str() == word)
    }

    /// Whether this is the sandbox (`devMode`).
    pub fn is_sandbox(self) -> bool {
        self == Self::Sandbox
    }
}

/// Whom every object belongs to: an account, in one of its two environments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner {
    /// The account.
    pub account: AccountId,
    /// Which of its two worlds.
    pub environment: Environment,
}

impl Owner {
    /// The account in each environment.
    pub fn both(account: AccountId) -> [Self; 2] {
        Environment::ALL.map(|environment| Self {
            account,
            environment,
        })
    }
}

/// How an object came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Through the REST API.
    Api,
    /// Through the agent endpoint.
    Agent,
    /// In the dashboard.
    Dashboard,
    /// By a payer on a hosted page.
    Page,
}

impl Origin {
    const ALL: [Self; 4] = [Self::Api, Self::Agent, Self::Dashboard, Self::Page];

    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Agent => "agent",
            Self::Dashboard => "dashboard",
            Self::Page => "page",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == word)
    }
}

/// A merchant's account. One account owns both environments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its display name.
    pub name: Name,
    /// Its contact address.
    pub email: Email,
    /// CPF or CNPJ; needed before a live boleto.
    pub document: Option<Document>,
    /// City printed in payment codes (folded and cut to 15 characters there).
    pub city: Name,
    /// Postal address; needed before a live boleto.
    pub address: Option<Name>,
    /// Name printed in payment codes; the display name when absent (folded and cut to 25 characters there).
    pub merchant_name: Option<Name>,
    /// Since when the account may do nothing.
    pub suspended_at: Option<Time>,
    /// Fees agreed with this account instead of the schedule's.
    pub fees: FeeOverrides,
    /// Limits agreed with this account instead of the tier's.
    pub limits: LimitOverrides,
    /// For how many minutes a second live withdrawal of the same amount to the same key is taken for a mistake.
    pub duplicate_guard_minutes: Option<i64>,
    /// How far ahead of real time its sandbox is, milliseconds, never negative.
    pub clock_offset_ms: i64,
    /// When it was opened.
    pub created_at: Time,
}

impl Account {
    /// The city of an account that named none.
    pub const DEFAULT_CITY: &'static str = "SAO PAULO";
    /// The only tier there is.
    pub const TIER: &'static str = "standard";

    /// The time that rules in an environment of this account: real time, moved forward in a sandbox by its test clock.
    pub fn time(&self, environment: Environment, real: Time) -> Time {
        match environment {
            Environment::Live => real,
            Environment::Sandbox => real.plus_millis(self.clock_offset_ms),
        }
    }

    /// The name printed in payment codes.
    pub fn payee_name(&self) -> &str {
        self.merchant_name
            .as_ref()
            .map_or(self.name.as_str(), Name::as_str)
    }
}

/// Fees that replace the schedule's for one account; absent ones follow the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeeOverrides {
    /// A paid PIX charge.
    pub pix: Option<Fee>,
    /// A paid checkout.
    pub checkout: Option<Fee>,
    /// A paid boleto.
    pub boleto: Option<Fee>,
    /// A PIX withdrawal.
    pub withdrawal: Option<Fee>,
    /// A third-party payment: the provider's part.
    pub bill_provider: Option<Fee>,
    /// A third-party payment: the service's part.
    pub bill_service: Option<Fee>,
}

impl FeeOverrides {
    /// The schedule with these fees in place of its own.
    pub fn over(&self, schedule: &FeeSchedule) -> FeeSchedule {
        FeeSchedule {
            pix: self.pix.unwrap_or(schedule.pix),
            checkout: self.checkout.unwrap_or(schedule.checkout),
            boleto: self.boleto.unwrap_or(schedule.boleto),
            withdrawal: self.withdrawal.unwrap_or(schedule.withdrawal),
            bill_provider: self.bill_provider.unwrap_or(schedule.bill_provider),
            bill_service: self.bill_service.unwrap_or(schedule.bill_service),
        }
    }
}

/// How much an account may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Per transaction, on the amount asked before fees, centavos.
    pub per_transaction: Centavos,
    /// Per withdrawal, centavos.
    pub per_withdrawal: Centavos,
    /// Withdrawals of one São Paulo day together, centavos.
    pub withdrawals_per_day: Centavos,
}

impl Limits {
    /// The limits of the standard tier (decisions §3).
    pub const DEFAULT: Self = Self {
        per_transaction: Centavos::new(5_000_000),
        per_withdrawal: Centavos::new(5_000_000),
        withdrawals_per_day: Centavos::new(20_000_000),
    };
}

/// Limits that replace the tier's for one account; absent ones follow the tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitOverrides {
    /// Per transaction, centavos.
    pub per_transaction: Option<Centavos>,
    /// Per withdrawal, centavos.
    pub per_withdrawal: Option<Centavos>,
    /// Withdrawals of one São Paulo day together, centavos.
    pub withdrawals_per_day: Option<Centavos>,
}

impl LimitOverrides {
    /// The tier's limits with these in place of its own.
    pub fn over(&self, tier: &Limits) -> Limits {
        Limits {
            per_transaction: self.per_transaction.unwrap_or(tier.per_transaction),
            per_withdrawal: self.per_withdrawal.unwrap_or(tier.per_withdrawal),
            withdrawals_per_day: self.withdrawals_per_day.unwrap_or(tier.withdrawals_per_day),
        }
    }
}

/// A person who signs in; apart from accounts, because one person may run several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// The address it signs in with; unique.
    pub email: Email,
    /// The password as the [`Passwords`](crate::ports::Passwords) port hashed it.
    pub password_hash: String,
    /// When it was made.
    pub created_at: Time,
}

/// What a user may do in an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Everything.
    Owner,
}

impl Role {
    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
        }
    }
}

/// A user's place in an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The account.
    pub account: AccountId,
    /// The user.
    pub user: UserId,
    /// What the user may do there.
    pub role: Role,
}

/// What the operator set for all accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The fee schedule.
    pub fees: FeeSchedule,
    /// The standard tier's limits.
    pub limits: Limits,
}

impl Policy {
    /// The fees and limits of decisions §3.
    pub const DEFAULT: Self = Self {
        fees: FeeSchedule::DEFAULT,
        limits: Limits::DEFAULT,
    };
}

#[cfg(test)]
mod tests;
