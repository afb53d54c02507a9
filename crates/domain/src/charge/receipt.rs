//! Payments as banks tell of them.

use std::fmt;

use crate::account::Owner;
use crate::brcode::EndToEndId;
use crate::calendar::Time;
use crate::charge::{ChargeId, ReturnReason};
use crate::money::Centavos;
use crate::provider::Payer;

/// The name of a payment: the end-to-end id of a PIX, the settlement's authentication where money did not travel by
/// PIX (a digitable line at a counter). One payment has one name in the whole country.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaymentId(String);

impl PaymentId {
    /// Reads the authentication of a settlement: 1 to 64 letters and digits that are no end-to-end id.
    pub fn of_settlement(authentication: &str) -> Option<Self> {
        let fits = (1..=64).contains(&authentication.len())
            && authentication.bytes().all(|b| b.is_ascii_alphanumeric())
            && EndToEndId::parse(authentication).is_err();
        fits.then(|| Self(authentication.to_owned()))
    }

    /// Whether the money travelled by PIX.
    pub fn is_pix(&self) -> bool {
        EndToEndId::parse(&self.0).is_ok()
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes back what was stored.
    pub fn restore(stored: String) -> Self {
        Self(stored)
    }
}

impl From<EndToEndId> for PaymentId {
    fn from(id: EndToEndId) -> Self {
        Self(id.as_str().to_owned())
    }
}

impl fmt::Display for PaymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A bank's notice that money arrived, and what was made of it. One per end-to-end id, kept for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Whose charge.
    pub owner: Owner,
    /// Which charge.
    pub charge: ChargeId,
    /// The payment's own id.
    pub end_to_end_id: PaymentId,
    /// How much arrived, centavos.
    pub amount: Centavos,
    /// When it was paid.
    pub paid_at: Time,
    /// Who paid.
    pub payer: Payer,
    /// Why it goes back, unless it settled the charge.
    pub returned: Option<ReturnReason>,
    /// When the notice came, in the time of the charge's environment.
    pub received_at: Time,
}
