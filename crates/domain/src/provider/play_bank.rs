//! How people make the play bank behave (decisions §11).

use crate::error::Error;

/// What becomes of money that leaves through the play bank from now on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outgoing {
    /// It arrives.
    #[default]
    Settle,
    /// It comes back.
    Fail,
    /// The call times out; a later look-up tells the truth.
    Unknown,
}

impl Outgoing {
    const ALL: [Self; 3] = [Self::Settle, Self::Fail, Self::Unknown];

    /// `settle`, `fail` or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Settle => "settle",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outgoing| outgoing.as_str() == word)
    }
}

/// How the play bank behaves (decisions §11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankState {
    /// Whether it answers at all.
    pub up: bool,
    /// How long it takes to answer, milliseconds.
    pub latency_ms: u32,
    /// What becomes of withdrawals.
    pub withdrawals: Outgoing,
    /// What becomes of third-party payments.
    pub bills: Outgoing,
    /// What becomes of refunds.
    pub refunds: Outgoing,
}

impl Default for BankState {
    fn default() -> Self {
        Self {
            up: true,
            latency_ms: 0,
            withdrawals: Outgoing::Settle,
            bills: Outgoing::Settle,
            refunds: Outgoing::Settle,
        }
    }
}

/// What shall change of the play bank's behaviour; absent parts stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BankChange {
    /// Whether it answers at all.
    pub up: Option<bool>,
    /// How long it takes to answer, milliseconds.
    pub latency_ms: Option<u32>,
    /// What becomes of withdrawals.
    pub withdrawals: Option<Outgoing>,
    /// What becomes of third-party payments.
    pub bills: Option<Outgoing>,
    /// What becomes of refunds.
    pub refunds: Option<Outgoing>,
}

impl BankState {
    /// The state after a change.
    #[must_use]
    pub fn changed(self, change: BankChange) -> Self {
        Self {
            up: change.up.unwrap_or(self.up),
            latency_ms: change.latency_ms.unwrap_or(self.latency_ms),
            withdrawals: change.withdrawals.unwrap_or(self.withdrawals),
            bills: change.bills.unwrap_or(self.bills),
            refunds: change.refunds.unwrap_or(self.refunds),
        }
    }
}

/// The handle by which people make the play bank misbehave. What it was told survives a crash and is the same for
/// every server on one database.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PlayBank: Send + Sync {
    /// How it behaves.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    fn state(&self) -> Result<BankState, Error>;

    /// Makes it behave otherwise from now on; answers how.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    fn change(&self, change: BankChange) -> Result<BankState, Error>;
}
