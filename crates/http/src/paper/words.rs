//! Amounts, days, moments and documents as people in Brazil write them.

use vintem_domain::calendar::{Date, MINUTE_MS, SECOND_MS};
use vintem_domain::document::Document;
use vintem_domain::{Centavos, Time};

/// `CPF 000.000.001-91`
pub(crate) fn written(document: &Document) -> String {
    let kind = match document {
        Document::Cpf(_) => "CPF",
        Document::Cnpj(_) => "CNPJ",
    };
    format!("{kind} {}", punctuated(document))
}

/// `000.000.001-91`
pub(crate) fn punctuated(document: &Document) -> String {
    let digits = document.as_str();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    match document {
        Document::Cpf(_) => format!(
            "{}.{}.{}-{}",
            part(0, 3),
            part(3, 6),
            part(6, 9),
            part(9, 11)
        ),
        Document::Cnpj(_) => format!(
            "{}.{}.{}/{}-{}",
            part(0, 2),
            part(2, 5),
            part(5, 8),
            part(8, 12),
            part(12, 14)
        ),
    }
}

/// `21/11/2026`
pub(crate) fn day(date: Date) -> String {
    format!("{:02}/{:02}/{:04}", date.day(), date.month(), date.year())
}

/// `21/11/2026 às 09:05:00 (horário de São Paulo, UTC-3)`
pub(crate) fn sao_paulo(moment: Time) -> String {
    let local = moment.in_sao_paulo();
    let (minutes, seconds) = (
        local.since_midnight_ms / MINUTE_MS,
        local.since_midnight_ms / SECOND_MS % 60,
    );
    format!(
        "{} às {:02}:{:02}:{seconds:02} (horário de São Paulo, UTC-3)",
        day(local.date),
        minutes / 60,
        minutes % 60
    )
}

/// `1.234,56`
pub(crate) fn reais(amount: Centavos) -> String {
    let centavos = amount.get();
    let whole = (centavos / 100).to_string();
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    format!("{grouped},{:02}", centavos % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_days_and_documents_are_written_as_people_write_them() {
        let amounts = [1, 99, 100, 123_456, 123_456_789].map(|cents| reais(Centavos::new(cents)));
        assert_eq!(
            amounts,
            ["0,01", "0,99", "1,00", "1.234,56", "1.234.567,89"]
        );
        assert_eq!(day(Date::from_parts(2026, 1, 9).unwrap()), "09/01/2026");
        assert_eq!(
            written(&Document::parse("00000000191").unwrap()),
            "CPF 000.000.001-91"
        );
        assert_eq!(
            written(&Document::parse("12ABC34501DE35").unwrap()),
            "CNPJ 12.ABC.345/01DE-35"
        );
    }

    #[test]
    fn moments_are_those_of_the_clock_on_the_wall_in_sao_paulo() {
        let moment = Time::parse("2026-11-21T02:05:09.999Z").unwrap();
        assert_eq!(
            sao_paulo(moment),
            "20/11/2026 às 23:05:09 (horário de São Paulo, UTC-3)"
        );
    }
}
