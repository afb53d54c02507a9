//! The play bank says what third-party titles cost (decisions §5): what a register of titles would know is read from
//! the barcode.

use vintem_domain::Owner;
use vintem_domain::account::Environment;
use vintem_domain::bill::{BillAmounts, BillCode, LateCharges, LateTerms};
use vintem_domain::boleto::{BankCode, Barcode};
use vintem_domain::calendar::Date;
use vintem_domain::error::Error;
use vintem_domain::money::Centavos;
use vintem_domain::provider::{BillProvider, BillTerms};

use super::{Stub, boleto};

/// The banks most boletos come from, by their code.
const BANKS: [(&str, &str); 25] = [
    ("001", "Banco do Brasil"),
    ("004", "Banco do Nordeste"),
    ("033", "Santander"),
    ("041", "Banrisul"),
    ("070", "BRB"),
    ("077", "Banco Inter"),
    ("085", "Ailos"),
    ("104", "Caixa Econômica Federal"),
    ("136", "Unicred"),
    ("197", "Stone"),
    ("208", "BTG Pactual"),
    ("212", "Banco Original"),
    ("237", "Bradesco"),
    ("260", "Nu Pagamentos"),
    ("290", "PagBank"),
    ("323", "Mercado Pago"),
    ("336", "Banco C6"),
    ("341", "Itaú Unibanco"),
    ("422", "Banco Safra"),
    ("623", "Banco Pan"),
    ("655", "Banco Votorantim"),
    ("707", "Banco Daycoval"),
    ("748", "Sicredi"),
    ("756", "Sicoob"),
    (boleto::BANK, "Vintém Play Bank"),
];

/// The bank's name where it is known, else its code.
fn bank_name(code: BankCode) -> String {
    let known = BANKS.into_iter().find(|(known, _)| *known == code.as_str());
    known.map_or(code.as_str(), |(_, name)| name).to_owned()
}

fn beneficiary(environment: Environment) -> &'static str {
    match environment {
        Environment::Sandbox => "Sandbox Beneficiary",
        Environment::Live => "Comercial Aurora Ltda",
    }
}

impl Stub {
    /// A bank boleto earns a fine and interest when it is overdue.
    fn late_charges(&self, barcode: &Barcode, day: Date) -> Result<LateCharges, Error> {
        match (barcode.amount(), barcode.due_date(day)) {
            (Some(amount), Some(due)) => {
                Ok(LateTerms::USUAL.charges(amount, due, day, &self.calendar)?)
            }
            (None, _) | (_, None) => Ok(LateCharges::default()),
        }
    }
}

impl BillProvider for Stub {
    fn terms(&self, owner: Owner, bill: &BillCode, day: Date) -> Result<BillTerms, Error> {
        self.answer()?;
        let late = match bill {
            BillCode::Boleto(barcode) => self.late_charges(barcode, day)?,
            BillCode::Collection(_) => LateCharges::default(),
        };
        let (bank, beneficiary) = match bill {
            BillCode::Boleto(barcode) => (
                Some(bank_name(barcode.bank())),
                Some(beneficiary(owner.environment).to_owned()),
            ),
            BillCode::Collection(_) => (None, None),
        };
        let original = bill.amount().unwrap_or(Centavos::ZERO);
        Ok(BillTerms {
            bank,
            beneficiary,
            due_date: bill.due_date(day),
            // Value identifiers 7 and 9, and open amounts, say nothing of what is to be paid.
            payable: bill.amount().is_some(),
            amounts: BillAmounts {
                original,
                interest: late.interest,
                fine: late.fine,
                discount: Centavos::ZERO,
                rebate: Centavos::ZERO,
                total: original.plus(late.fine)?.plus(late.interest)?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vintem_domain::boleto::{FreeField, Title};
    use vintem_domain::calendar::{BankCalendar, Holiday};
    use vintem_domain::error::ProviderFailure;
    use vintem_domain::memory::MemoryStore;
    use vintem_domain::provider::{BankChange, PlayBank};

    use super::super::fixture::{bank, owner};
    use super::*;

    fn day(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn title(code: &str, centavos: Option<i64>, due: Option<&str>) -> BillCode {
        let title = Title {
            bank: BankCode::parse(code).unwrap(),
            free_field: FreeField::parse("1234567890123456789012345").unwrap(),
            amount: centavos.map(Centavos::new),
            due_date: due.map(day),
        };
        BillCode::Boleto(title.barcode().unwrap())
    }

    fn terms(bank: &Stub, bill: &BillCode, on: &str) -> BillTerms {
        bank.terms(owner(Environment::Sandbox), bill, day(on))
            .unwrap()
    }

    fn play_bank() -> Stub {
        bank(&Arc::new(MemoryStore::new()))
    }

    #[test]
    fn a_title_in_time_costs_what_it_says() {
        let bill = title("237", Some(100_000), Some("2026-11-23"));
        let terms = terms(&play_bank(), &bill, "2026-11-23");
        assert_eq!(terms.bank.as_deref(), Some("Bradesco"));
        assert_eq!(terms.beneficiary.as_deref(), Some("Sandbox Beneficiary"));
        assert_eq!(terms.due_date, Some(day("2026-11-23")));
        assert!(terms.payable);
        assert_eq!(terms.amounts.total, Centavos::new(100_000));
        let live = play_bank()
            .terms(owner(Environment::Live), &bill, day("2026-11-23"))
            .unwrap();
        assert_eq!(live.beneficiary.as_deref(), Some("Comercial Aurora Ltda"));
    }

    #[test]
    fn an_overdue_title_costs_a_fine_and_interest() {
        let bill = title("002", Some(100_000), Some("2026-11-18"));
        let terms = terms(&play_bank(), &bill, "2026-11-28");
        assert_eq!(terms.bank.as_deref(), Some("002"));
        let amounts = terms.amounts;
        assert_eq!((amounts.fine.get(), amounts.interest.get()), (2_000, 333));
        assert_eq!(amounts.total.get(), 102_333);
    }

    #[test]
    fn charges_begin_after_the_next_business_day_of_the_operators_calendar() {
        let bill = title("001", Some(100_000), Some("2026-11-18"));
        let fine = |bank: &Stub| terms(bank, &bill, "2026-11-19").amounts.fine.get();
        assert_eq!(fine(&play_bank()), 2_000);
        let calendar = BankCalendar::national().with([Holiday::parse("2026-11-18 Greve").unwrap()]);
        assert_eq!(fine(&play_bank().with_calendar(Arc::new(calendar))), 0);
    }

    #[test]
    fn what_names_no_amount_or_date_says_so() {
        let open = terms(&play_bank(), &title("341", None, None), "2026-11-28");
        assert!(!open.payable);
        assert_eq!(open.due_date, None);
        assert_eq!(open.amounts.total, Centavos::ZERO);
    }

    #[test]
    fn taxes_name_nobody_and_earn_nothing() {
        for (line, payable, centavos) in [
            (
                "846100000005246100291102005460339004695895061080",
                true,
                2_461,
            ),
            // Value identifiers 7 and 9.
            ("817800000009100000552024610200000004000004560009", false, 0),
            ("84910000000010010422023123100000000000054321", false, 0),
        ] {
            let bill = BillCode::parse(line).unwrap();
            let terms = terms(&play_bank(), &bill, "2031-01-01");
            assert_eq!((terms.bank, terms.beneficiary), (None, None), "{line}");
            assert_eq!(terms.payable, payable, "{line}");
            assert_eq!(terms.amounts.total.get(), centavos, "{line}");
            assert_eq!(terms.amounts.fine, Centavos::ZERO, "{line}");
        }
    }

    #[test]
    fn a_bank_that_is_down_quotes_nothing() {
        let bank = play_bank();
        let down = BankChange {
            up: Some(false),
            ..BankChange::default()
        };
        bank.change(down).unwrap();
        let bill = title("001", Some(100), None);
        assert!(matches!(
            bank.terms(owner(Environment::Live), &bill, day("2026-11-28")),
            Err(Error::Provider(ProviderFailure::Down))
        ));
    }
}
