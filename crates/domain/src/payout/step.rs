//! The steps of all money on its way out, whatever for: what was asked, what was answered, what comes next.

use crate::calendar::{HOUR_MS, SECOND_MS, Time};
use crate::error::Error;
use crate::event::Moments;
use crate::payout::{PayoutAnswer, PayoutStatus};

/// How long a worker may be busy with one piece of work before another takes over.
const LEASE_MS: i64 = 60 * SECOND_MS;

/// The longest a question to a provider may take, milliseconds: after that its adapter gives up.
pub const LONGEST_CALL_MS: i64 = 30 * SECOND_MS;

/// How far the worker is with money on its way out. All its times are real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What the provider may know of it.
    pub phase: Phase,
    /// How often the provider was asked.
    pub tries: i64,
    /// When it is to be asked next; while a worker is at it, when its lease ends.
    pub due_at: Time,
}

/// What the provider may know of money on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing: it was never sent.
    Unsent,
    /// Perhaps something: it is being sent, or was when a process died.
    Sending,
    /// It was told, and has not said what became of it, or its answer was lost.
    Sent,
    /// Nothing more is to be asked.
    Over,
}

impl Phase {
    const ALL: [Self; 4] = [Self::Unsent, Self::Sending, Self::Sent, Self::Over];

    /// The word it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsent => "unsent",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Over => "over",
        }
    }

    /// Reads such a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == word)
    }
}

impl Step {
    /// Nobody was asked yet; a worker shall start at once.
    pub(crate) fn first(real_now: Time) -> Self {
        Self {
            phase: Phase::Unsent,
            tries: 0,
            due_at: real_now,
        }
    }

    /// A worker takes it: what was never sent is being sent from now on.
    pub(crate) fn leased(self, real_now: Time) -> Self {
        Self {
            phase: match self.phase {
                Phase::Unsent => Phase::Sending,
                phase => phase,
            },
            tries: self.tries.saturating_add(1),
            due_at: real_now.plus_millis(LEASE_MS),
        }
    }

    /// Whether what is left of a worker's lease is enough to ask a provider. A worker that took several and was held up
    /// must leave the rest alone: who takes over looks them up and may have ended them, refunded, before a late call
    /// arrives.
    pub(crate) fn leaves_time_to_ask(self, real_now: Time) -> bool {
        self.due_at.millis_since(real_now) >= LONGEST_CALL_MS
    }

    /// Nothing more is to be asked.
    pub(crate) fn over(self) -> Self {
        Self {
            phase: Phase::Over,
            ..self
        }
    }

    fn again(self, phase: Phase, at: Time) -> Self {
        Self {
            phase,
            due_at: at,
            ..self
        }
    }
}

/// What the worker does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The money arrived.
    Settle(String),
    /// It failed: the money comes back.
    Fail(String),
    /// Ask again after so many milliseconds.
    AskAgain(i64),
    /// Send it (again) after so many milliseconds: the provider does not have it.
    SendAgain(i64),
}

/// Decides what an answer means. `phase` is the one the payout was in before the provider was asked: an unsent one was
/// sent, any other looked up; `tries` counts the questions, this one included.
pub(crate) fn next(phase: Phase, answer: &Result<PayoutAnswer, Error>, tries: i64) -> Next {
    use crate::error::ProviderFailure::{Down, Rejected};
    let wait_ms = wait_ms(tries);
    match (phase, answer) {
        (_, Ok(PayoutAnswer::Settled { authentication })) => Next::Settle(authentication.clone()),
        (_, Ok(PayoutAnswer::Failed { reason })) => Next::Fail(reason.clone()),
        // A process died between the commit of the intent and the call: the look-up says that nothing was sent.
        (Phase::Unsent | Phase::Sending, Ok(PayoutAnswer::NeverReceived)) => Next::SendAgain(0),
        (Phase::Sent | Phase::Over, Ok(PayoutAnswer::NeverReceived)) => {
            Next::Fail("the provider never received it".to_owned())
        }
        (Phase::Unsent, Err(Error::Provider(Down))) => Next::SendAgain(wait_ms),
        (Phase::Unsent, Err(Error::Provider(Rejected))) => {
            Next::Fail("the provider refused it".to_owned())
        }
        // It is under way, may or may not have been sent, or the provider cannot be asked now.
        (_, Ok(PayoutAnswer::UnderWay) | Err(_)) => Next::AskAgain(wait_ms),
    }
}

/// The wait before the provider is asked again: 1 s, doubled from the fifth time on, one hour at most.
fn wait_ms(tries: i64) -> i64 {
    let doublings = u32::try_from(tries.saturating_sub(5).clamp(0, 20)).unwrap_or(20);
    SECOND_MS
        .saturating_mul(2_i64.saturating_pow(doublings))
        .min(HOUR_MS)
}

impl Next {
    /// The status and step it leads to.
    pub(crate) fn from(&self, step: Step, at: Moments) -> (PayoutStatus, Step) {
        let later = |wait_ms: &i64| at.real_now.plus_millis(*wait_ms);
        let pending = PayoutStatus::Pending;
        match self {
            Self::AskAgain(wait_ms) => (pending, step.again(Phase::Sent, later(wait_ms))),
            Self::SendAgain(wait_ms) => (pending, step.again(Phase::Unsent, later(wait_ms))),
            Self::Settle(authentication) => {
                let paid = PayoutStatus::Paid {
                    at: at.now,
                    authentication: authentication.clone(),
                };
                (paid, step.over())
            }
            Self::Fail(reason) => {
                let failed = PayoutStatus::Failed {
                    at: at.now,
                    reason: reason.clone(),
                };
                (failed, step.over())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_was_held_up_leaves_the_rest_of_what_it_took_alone() {
        let began = Time::from_millis(1_000_000);
        let leased = Step::first(began).leased(began);
        assert!(leased.leaves_time_to_ask(began));
        let last_moment = began.plus_millis(LEASE_MS - LONGEST_CALL_MS);
        assert!(leased.leaves_time_to_ask(last_moment));
        assert!(!leased.leaves_time_to_ask(last_moment.plus_millis(1)));
        assert!(!leased.leaves_time_to_ask(leased.due_at));
    }
}
