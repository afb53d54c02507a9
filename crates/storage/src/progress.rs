//! How far money on its way out is: the columns that payouts and refunds have in common.

use vintem_domain::Time;
use vintem_domain::payout::{PayoutStatus, Phase, Step};

use crate::charge::{FAILED, PAID, PENDING};
use crate::value::Damaged;

/// Status and step as they are stored.
pub(crate) struct Progress {
    pub(crate) status: &'static str,
    pub(crate) ended_at: Option<i64>,
    pub(crate) authentication: Option<String>,
    pub(crate) failure_reason: Option<String>,
    pub(crate) phase: &'static str,
    pub(crate) tries: i64,
    pub(crate) due_at: i64,
}

impl Progress {
    /// What to store.
    pub(crate) fn of(status: &PayoutStatus, step: Step) -> Self {
        let (status, ended_at, authentication, failure_reason) = match status {
            PayoutStatus::Pending => (PENDING, None, None, None),
            PayoutStatus::Paid { at, authentication } => {
                (PAID, Some(at), Some(authentication.clone()), None)
            }
            PayoutStatus::Failed { at, reason } => (FAILED, Some(at), None, Some(reason.clone())),
        };
        Self {
            status,
            ended_at: ended_at.map(|at| at.millis()),
            authentication,
            failure_reason,
            phase: step.phase.as_str(),
            tries: step.tries,
            due_at: step.due_at.millis(),
        }
    }
}

/// Reads a stored status.
pub(crate) fn status(
    word: &str,
    ended_at: Option<i64>,
    authentication: Option<String>,
    failure_reason: Option<String>,
) -> Result<PayoutStatus, Damaged> {
    let at = ended_at.map(Time::from_millis);
    match (word, at, authentication, failure_reason) {
        (PENDING, None, None, None) => Ok(PayoutStatus::Pending),
        (PAID, Some(at), Some(authentication), None) => {
            Ok(PayoutStatus::Paid { at, authentication })
        }
        (FAILED, Some(at), None, Some(reason)) => Ok(PayoutStatus::Failed { at, reason }),
        _ => Err(Damaged("status of money on its way out")),
    }
}

/// Reads a stored step.
pub(crate) fn step(phase: &str, tries: i64, due_at: i64) -> Result<Step, Damaged> {
    Ok(Step {
        phase: Phase::parse(phase).ok_or(Damaged("phase of money on its way out"))?,
        tries,
        due_at: Time::from_millis(due_at),
    })
}
