//! Rules broken on purpose: a simulation that finds nothing proves nothing.

use vintem_domain::account::Environment;
use vintem_domain::payout::PayoutAnswer;
use vintem_domain::ports::Tx;
use vintem_domain::{Centavos, Error};

use crate::world::World;

/// A rule that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sabotage {
    /// A payout whose outcome is not known is sent again instead of looked up.
    PaysAgain,
    /// A payout that failed counts as settled: nothing is refunded.
    KeepsRefunds,
    /// A repeated notice counts as another payment.
    BelievesRepeats,
    /// A centavo of each unit of work that moves money is nowhere in the ledger.
    LosesACentavo,
    /// Of a unit of work that tells an event, the event's place is forgotten.
    ForgetsEvents,
    /// A webhook attempt is sent again under the same number.
    RepeatsAttempts,
    /// A webhook attempt is sent although its lease has ended.
    SendsLate,
    /// A unit of work is told that it was committed when another one of its transaction rolled it back.
    ForgetsCompany,
}

impl Sabotage {
    pub(crate) const ALL: [Self; 8] = [
        Self::PaysAgain,
        Self::KeepsRefunds,
        Self::BelievesRepeats,
        Self::LosesACentavo,
        Self::ForgetsEvents,
        Self::RepeatsAttempts,
        Self::SendsLate,
        Self::ForgetsCompany,
    ];
}

impl World {
    /// What a sabotaged unit of work does beside its work.
    pub(crate) fn sabotage_unit(&self, tx: &mut dyn Tx) -> Result<(), Error> {
        let (money, events) = (Sabotage::LosesACentavo, Sabotage::ForgetsEvents);
        if self.sabotage != Some(money) && self.sabotage != Some(events) {
            return Ok(());
        }
        for mut head in tx.heads()? {
            if self.sabotage == Some(money)
                && head.owner.environment == Environment::Live
                && head.available > Centavos::ZERO
            {
                head.available = head.available.minus(Centavos::new(1))?;
                head.balance = head.balance.minus(Centavos::new(1))?;
                tx.save_head(&head)?;
                return Ok(());
            }
            if self.sabotage == Some(events) && head.event_sequence > 0 {
                head.event_sequence -= 1;
                tx.save_head(&head)?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// What a sabotaged worker understands of the bank's answer.
    pub(crate) fn sabotage_answer(
        &self,
        answer: Result<PayoutAnswer, Error>,
    ) -> Result<PayoutAnswer, Error> {
        match (self.sabotage, answer) {
            (Some(Sabotage::KeepsRefunds), Ok(PayoutAnswer::Failed { .. })) => {
                Ok(PayoutAnswer::Settled {
                    authentication: "E0000000020260101000000000000000".to_owned(),
                })
            }
            (_, answer) => answer,
        }
    }
}
