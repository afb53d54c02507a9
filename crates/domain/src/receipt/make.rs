//! Making a receipt of what the store knows.

use super::{GivenBack, PaidBill, Party, Receipt, ReceiptOf, ReceiptPurpose, SentPix};
use crate::account::Owner;
use crate::bill::Quote;
use crate::calendar::Time;
use crate::charge::{Charge, Status};
use crate::document::Document;
use crate::error::{Conflict, Error, Missing};
use crate::money::Centavos;
use crate::payout::{PayoutId, PayoutStatus, Purpose, Withdrawal};
use crate::pix_key::{PixKey, PixKeyKind};
use crate::ports::{Ports, Read, Transact};
use crate::provider::Payer;
use crate::refund::{Refund, RefundId};

/// Makes the receipt of a withdrawal, a third-party payment or a refund, whoever owns it.
///
/// # Errors
/// [`Missing::Payout`], [`Missing::Refund`]; [`Conflict::NoReceipt`] when it is PENDING or FAILED.
pub fn receipt(ports: &Ports, of: ReceiptOf) -> Result<Receipt, Error> {
    let real_now = ports.clock.now();
    ports.store.read_at_one_moment(|read| {
        let paid = match of {
            ReceiptOf::Payout(id) => Paid::payout(read, id)?,
            ReceiptOf::Refund(id) => Paid::refund(read, id)?,
        };
        paid.receipt(read, real_now)
    })
}

/// What was paid; a receipt also says who paid it, and when it was made.
struct Paid {
    owner: Owner,
    id: String,
    amount: Centavos,
    fee: Centavos,
    settlement: Settlement,
    purpose: ReceiptPurpose,
}

impl Paid {
    fn payout(read: &mut dyn Read, id: PayoutId) -> Result<Self, Error> {
        let payout = read
            .payout_of_anyone(id)?
            .ok_or(Error::NotFound(Missing::Payout))?;
        let settlement = Settlement::of(&payout.status)?;
        let purpose = match &payout.purpose {
            Purpose::Withdrawal(details) => ReceiptPurpose::Withdrawal(sent(details)?),
            Purpose::Bill(order) => {
                let quote = read
                    .quote(payout.owner, order.quote)?
                    .ok_or_else(|| Error::bug("a bill's payment has no quote"))?;
                ReceiptPurpose::Bill(bill(quote, order.external_id.to_string()))
            }
        };
        Ok(Self {
            owner: payout.owner,
            id: payout.public_id(),
            amount: payout.net_amount,
            fee: payout.fee,
            settlement,
            purpose,
        })
    }

    fn refund(read: &mut dyn Read, id: RefundId) -> Result<Self, Error> {
        let refund = read
            .refund_of_anyone(id)?
            .ok_or(Error::NotFound(Missing::Refund))?;
        let settlement = Settlement::of(&refund.status)?;
        let charge = read
            .charge(refund.owner, refund.charge)?
            .ok_or_else(|| Error::bug("a refund has no charge"))?;
        Ok(Self {
            owner: refund.owner,
            id: refund.id.to_string(),
            amount: refund.amount,
            fee: Centavos::ZERO,
            settlement,
            purpose: ReceiptPurpose::Refund(given_back(&refund, charge)?),
        })
    }

    fn receipt(self, read: &mut dyn Read, real_now: Time) -> Result<Receipt, Error> {
        let account = read
            .account(self.owner.account)?
            .ok_or(Error::NotFound(Missing::Account))?;
        let environment = self.owner.environment;
        Ok(Receipt {
            id: self.id,
            environment,
            issued_at: account.time(environment, real_now),
            payer: account.name.as_str().to_owned(),
            payer_document: account.document,
            amount: self.amount,
            fee: self.fee,
            debited: self.amount.plus(self.fee)?,
            paid_at: self.settlement.paid_at,
            authentication: self.settlement.authentication,
            purpose: self.purpose,
        })
    }
}

/// How it ended well.
struct Settlement {
    paid_at: Time,
    authentication: String,
}

impl Settlement {
    fn of(status: &PayoutStatus) -> Result<Self, Error> {
        match status {
            PayoutStatus::Paid { at, authentication } => Ok(Self {
                paid_at: *at,
                authentication: authentication.clone(),
            }),
            PayoutStatus::Pending | PayoutStatus::Failed { .. } => {
                Err(Error::Conflict(Conflict::NoReceipt(status.as_str())))
            }
        }
    }
}

fn sent(details: &Withdrawal) -> Result<SentPix, Error> {
    let key = PixKeyKind::parse(details.pix_key_kind)
        .and_then(|kind| PixKey::parse(kind, &details.pix_key).ok())
        .ok_or_else(|| Error::bug("a withdrawal went to no PIX key"))?;
    let payee = &details.payee;
    Ok(SentPix {
        recipient: Party {
            name: payee.name.clone(),
            document: Some(payee.document.masked()),
            bank: None,
        },
        recipient_by_payer: match payee.name {
            Some(_) => None,
            None => details.beneficiary_name.as_ref().map(ToString::to_string),
        },
        pix_key: key.masked(),
        description: details.description.as_ref().map(ToString::to_string),
    })
}

fn bill(quote: Quote, external_id: String) -> PaidBill {
    let day = quote.created_at.in_sao_paulo().date;
    // A quote calls the day of the query the due date of a title that has none.
    let is_said = quote.code.due_date(day).is_some() || quote.due_date != day;
    PaidBill {
        code: quote.code,
        bank: quote.bank,
        beneficiary: quote.beneficiary,
        due_date: is_said.then_some(quote.due_date),
        amounts: quote.amounts,
        external_id,
    }
}

fn given_back(refund: &Refund, charge: Charge) -> Result<GivenBack, Error> {
    let public_id = charge.public_id();
    let Status::Paid(payment) = charge.status else {
        return Err(Error::bug("a refund gives back what was not paid"));
    };
    Ok(GivenBack {
        recipient: party(payment.payer),
        charge: public_id,
        end_to_end_id: refund.payment_id.to_string(),
        paid: charge.amount,
        paid_at: payment.paid_at,
        reason: refund.reason.as_ref().map(ToString::to_string),
    })
}

fn party(payer: Payer) -> Party {
    Party {
        name: payer.name,
        document: payer.document.as_deref().and_then(masked),
        bank: payer.bank,
    }
}

/// The most characters of a document that banks show: eight, of a CNPJ.
const MOST_SHOWN: usize = 8;

/// What may be shown of a document as a provider told it: one that is masked already stays as it is, and one that
/// cannot be read is not shown.
fn masked(told: &str) -> Option<String> {
    match Document::parse_lenient(told) {
        Ok(document) => Some(document.masked()),
        Err(_unreadable) => {
            let shown = told.chars().filter(char::is_ascii_alphanumeric).count();
            (told.contains('*') && shown <= MOST_SHOWN).then(|| told.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_never_shown_whole() {
        let cases = [
            ("00000000191", Some("***.000.001-**")),
            ("12.ABC.345/01DE-35", Some("**.ABC.345/****-**")),
            ("***.456.789-**", Some("***.456.789-**")),
            ("12345678901", None),
            ("5299822472*", None),
            ("", None),
        ];
        for (told, shown) in cases {
            assert_eq!(masked(told).as_deref(), shown, "{told}");
        }
    }
}
