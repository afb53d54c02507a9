//! Issuing a hybrid boleto: a charge that the digitable line and the PIX code settle alike.

use std::fmt;

use data_encoding::HEXLOWER;

use crate::account::{Account, Environment, Origin, Owner};
use crate::boleto::{Barcode, Cep, Slip};
use crate::calendar::{Date, Time};
use crate::charge::{Asked, Charge, ChargeId, ChargeKind, Draft, Metadata};
use crate::document::Document;
use crate::error::{Error, Missing, Refusal};
use crate::idempotency::{Attempt, Made, Route};
use crate::money::{Centavos, LARGEST_AMOUNT};
use crate::ports::{Ports, Transact};
use crate::provider::BoletoRequest;
use crate::text::{Description, Name};

/// The smallest boleto: R$ 5,00.
const SMALLEST_BOLETO: Centavos = Centavos::new(500);

/// The amount a caller asks to be charged by boleto: R$ 5,00 to R$ 99.999.999,99.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoletoAmount(Centavos);

impl BoletoAmount {
    /// Reads a number of centavos.
    ///
    /// # Errors
    /// [`BadBoletoAmount`].
    pub fn parse(centavos: i64) -> Result<Self, BadBoletoAmount> {
        let amount = Centavos::new(centavos);
        if amount < SMALLEST_BOLETO {
            Err(BadBoletoAmount::TooSmall)
        } else if amount > LARGEST_AMOUNT {
            Err(BadBoletoAmount::TooLarge)
        } else {
            Ok(Self(amount))
        }
    }

    /// The amount.
    pub fn get(self) -> Centavos {
        self.0
    }
}

/// An amount no boleto can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadBoletoAmount {
    /// Below R$ 5,00.
    TooSmall,
    /// Above R$ 99.999.999,99.
    TooLarge,
}

impl fmt::Display for BadBoletoAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall => write!(f, "must be at least {SMALLEST_BOLETO}"),
            Self::TooLarge => write!(f, "must be at most {LARGEST_AMOUNT}"),
        }
    }
}

impl std::error::Error for BadBoletoAmount {}

/// In how many calendar days a boleto is due: 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueDays(i64);

impl DueDays {
    /// Three days.
    pub const DEFAULT: Self = Self(3);

    /// Reads a number of days.
    ///
    /// # Errors
    /// [`BadDueDays`].
    pub fn parse(days: i64) -> Result<Self, BadDueDays> {
        (1..=5)
            .contains(&days)
            .then_some(Self(days))
            .ok_or(BadDueDays)
    }
}

/// Not 1 to 5 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadDueDays;

impl fmt::Display for BadDueDays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be from 1 to 5")
    }
}

impl std::error::Error for BadDueDays {}

/// Who has to pay, as the slip prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipPayer {
    /// Full name.
    pub name: Name,
    /// CPF or CNPJ.
    pub document: Document,
    /// Postal code.
    pub cep: Cep,
}

/// What a merchant says of a boleto to be issued.
#[derive(Clone, Debug)]
pub struct NewBoleto {
    /// The amount asked.
    pub amount: BoletoAmount,
    /// What it is for.
    pub description: Option<Description>,
    /// Who has to pay.
    pub payer: SlipPayer,
    /// In how many days it is due.
    pub due_days: DueDays,
    /// The payer bears the fee.
    pub pass_fee: bool,
    /// The merchant's own data.
    pub metadata: Option<Metadata>,
}

/// Issues a boleto: registers the title at the provider, then keeps it.
///
/// The due date is the São Paulo day of creation and so many calendar days. It is not moved; when banks are closed on
/// it, the boleto can be paid on the next business day (decisions §4).
///
/// # Errors
/// [`Refusal::BeneficiaryIncomplete`] in live mode, [`Refusal::AboveTransactionLimit`], the provider's, the store's.
pub fn create(
    ports: &Ports,
    owner: Owner,
    origin: Origin,
    new: &NewBoleto,
    attempt: Option<&Attempt>,
) -> Result<Made<Charge>, Error> {
    let asked = Asked {
        amount: new.amount.get(),
        pass_fee: new.pass_fee,
        fee: |fees| fees.boleto,
    };
    let draft = Draft::begin(ports, owner, Route::BoletoCreate, attempt, &asked)?;
    check_beneficiary(&draft.account, owner.environment)?;
    let due = draft.now.in_sao_paulo().date.plus_days(new.due_days.0);
    let registered = ports
        .providers
        .of(owner.environment)
        .register_boleto(&BoletoRequest {
            owner,
            txid: draft.txid.clone(),
            amount: draft.price.amount,
            payer: new.payer.clone(),
            due_date: due,
            description: new
                .description
                .as_ref()
                .map(|text| text.as_str().to_owned()),
        })?;
    let slip = Slip {
        payer: new.payer.clone(),
        wallet: registered.wallet,
        our_number: registered.our_number,
        barcode: registered.barcode,
        due_date: due,
        pdf_token: pdf_token(ports.ids.random()),
    };
    let charge = Charge {
        description: new.description.clone(),
        metadata: new.metadata.clone(),
        ..draft.charge(
            ChargeId(ports.ids.ulid()),
            ChargeKind::Boleto(Box::new(slip)),
            origin,
            registered.location,
            last_moment(ports, due),
        )
    };
    draft.keep(ports, charge)
}

/// A slip prints the beneficiary's document and address (law 12.039/2009).
fn check_beneficiary(account: &Account, environment: Environment) -> Result<(), Error> {
    let complete = account.document.is_some() && account.address.is_some();
    if environment == Environment::Live && !complete {
        return Err(Error::Refused(Refusal::BeneficiaryIncomplete));
    }
    Ok(())
}

/// The last moment of the last day a boleto due on this date can be paid.
fn last_moment(ports: &Ports, due: Date) -> Time {
    ports
        .calendar
        .next_business_day(due)
        .last_second_in_sao_paulo()
        .plus_millis(999)
}

/// 128 random bits: whoever has them may see the slip.
fn pdf_token(random: [u8; 32]) -> String {
    HEXLOWER.encode(
        random
            .first_chunk::<16>()
            .map_or(&[], |bytes| bytes.as_slice()),
    )
}

/// The boleto whose slip this token shows, its beneficiary, and its status then; for anybody who has the token.
///
/// # Errors
/// [`Missing::Charge`].
pub fn by_token(ports: &Ports, token: &str) -> Result<(Charge, Account, Time), Error> {
    // It comes from an address, where anything can stand, also what a database does not take for text.
    let is_token = HEXLOWER.decode(token.as_bytes()).is_ok();
    if !is_token {
        return Err(Error::NotFound(Missing::Charge));
    }
    let real_now = ports.clock.now();
    ports.store.read(|read| {
        let charge = read
            .boleto_by_token(token)?
            .ok_or(Error::NotFound(Missing::Charge))?;
        let account = read
            .account(charge.owner.account)?
            .ok_or(Error::NotFound(Missing::Account))?;
        let now = account.time(charge.owner.environment, real_now);
        Ok((charge, account, now))
    })
}

/// The boleto with this barcode, whatever its owner: for a provider's notice that the line was paid.
///
/// # Errors
/// [`Missing::Charge`].
pub fn by_barcode(ports: &Ports, barcode: &Barcode) -> Result<Charge, Error> {
    ports
        .store
        .read(|read| read.boleto_by_barcode(barcode))?
        .ok_or(Error::NotFound(Missing::Charge))
}

#[cfg(test)]
#[path = "issue_tests.rs"]
mod tests;
