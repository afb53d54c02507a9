//! What a third-party title costs today, and whether it can be paid now.

use crate::account::Owner;
use crate::bill::BillCode;
use crate::calendar::{Date, PaymentHours, PaymentWindow, Time};
use crate::error::{Error, Missing};
use crate::id::id;
use crate::money::{Centavos, Overflow};
use crate::ports::{Ports, Transact};

id!(
    /// A quote of a third-party title.
    QuoteId, "bq_");

/// How long a quote locks its amount, seconds.
pub const QUOTE_SECONDS: i64 = 300;

/// The largest final amount of a title: R$ 30.000,00.
pub const LARGEST_BILL: Centavos = Centavos::new(3_000_000);

/// What a title costs on a day, centavos.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BillAmounts {
    /// What it was issued for.
    pub original: Centavos,
    /// Interest for being late.
    pub interest: Centavos,
    /// The fine for being late.
    pub fine: Centavos,
    /// What paying early saves.
    pub discount: Centavos,
    /// What the issuer took off.
    pub rebate: Centavos,
    /// What is paid on the day.
    pub total: Centavos,
}

/// A title's price, locked for five minutes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Its id.
    pub id: QuoteId,
    /// Who asked.
    pub owner: Owner,
    /// The title.
    pub code: BillCode,
    /// The bank's name, or its code; none for taxes and utility bills.
    pub bank: Option<String>,
    /// Who is paid; none for taxes and utility bills.
    pub beneficiary: Option<String>,
    /// When it is due; the day of the query when nothing says so.
    pub due_date: Date,
    /// Whether the title can be paid, whatever the hour.
    pub payable: bool,
    /// What it costs.
    pub amounts: BillAmounts,
    /// The provider's part of the fee, centavos.
    pub provider_fee: Centavos,
    /// The service's part of the fee, centavos.
    pub service_fee: Centavos,
    /// From when on the amount is not locked any more, in the time of its environment.
    pub expires_at: Time,
    /// When it was made, in the time of its environment.
    pub created_at: Time,
}

impl Quote {
    /// Both parts of the fee, centavos.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn fee(&self) -> Result<Centavos, Overflow> {
        self.provider_fee.plus(self.service_fee)
    }

    /// What leaves the balance, centavos.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn debit(&self) -> Result<Centavos, Overflow> {
        self.amounts.total.plus(self.fee()?)
    }

    /// Whether such a title is paid at this hour.
    pub fn window(&self, ports: &Ports, now: Time) -> PaymentWindow {
        hours(&self.code).window(ports.calendar, now)
    }
}

fn hours(code: &BillCode) -> PaymentHours {
    match code {
        BillCode::Boleto(_) => PaymentHours::BOLETO,
        BillCode::Collection(_) => PaymentHours::COLLECTION,
    }
}

/// Quotes a title: what it costs today, fees and payment hours. The balance is not touched.
///
/// # Errors
/// The provider's; the store's.
pub fn query(
    ports: &Ports,
    owner: Owner,
    code: &BillCode,
) -> Result<(Quote, PaymentWindow), Error> {
    let account = ports
        .store
        .read(|read| read.account(owner.account))?
        .ok_or(Error::NotFound(Missing::Account))?;
    let now = account.time(owner.environment, ports.clock.now());
    let today = now.in_sao_paulo().date;
    let terms = ports
        .providers
        .of(owner.environment)
        .terms(owner, code, today)?;
    let total = terms.amounts.total;
    let fees = account.fees.over(&ports.policy.fees);
    let quote = Quote {
        id: QuoteId(ports.ids.ulid()),
        owner,
        code: *code,
        bank: terms.bank,
        beneficiary: terms.beneficiary,
        due_date: terms.due_date.unwrap_or(today),
        payable: terms.payable && total > Centavos::ZERO && total <= LARGEST_BILL,
        amounts: terms.amounts,
        provider_fee: fees.bill_provider.on(total)?,
        service_fee: fees.bill_service.on(total)?,
        expires_at: now.plus_seconds(QUOTE_SECONDS),
        created_at: now,
    };
    ports.store.transact(|tx| tx.insert_quote(&quote))?;
    let window = quote.window(ports, now);
    Ok((quote, window))
}
