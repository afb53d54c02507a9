//! The bank calendar and the payment hours against published days.

use proptest::prelude::*;

use super::*;
use crate::brcode::fold_text;

fn vectors(file: &str) -> serde_json::Value {
    serde_json::from_str(file).unwrap()
}

fn date(value: &serde_json::Value) -> Date {
    Date::parse(value.as_str().unwrap()).unwrap()
}

fn day(text: &str) -> Date {
    Date::parse(text).unwrap()
}

#[test]
fn the_published_holidays_of_seven_years_are_all_and_the_only_ones() {
    let file = vectors(include_str!("../../../../tests/vectors/holidays.json"));
    let published: Vec<(Date, String)> = file["holidays"]
        .as_array()
        .unwrap()
        .iter()
        .map(|holiday| {
            let name = holiday["name"].as_str().unwrap();
            (date(&holiday["date"]), name.to_owned())
        })
        .collect();
    let calendar = BankCalendar::national();
    let days = (0..).map(|days| day("2024-01-01").plus_days(days));
    let computed: Vec<(Date, String)> = days
        .take_while(|day| day.year() <= 2030)
        .filter_map(|day| Some((day, fold_text(&calendar.holiday(day)?.name, 40)?)))
        .collect();
    assert_eq!(published.len(), 91);
    assert_eq!(computed, published);
}

#[test]
fn a_due_date_moves_to_the_published_business_day() {
    let file = vectors(include_str!("../../../../tests/vectors/holidays.json"));
    let calendar = BankCalendar::national();
    let cases = file["businessDayCases"].as_array().unwrap();
    assert!(cases.len() >= 22);
    for case in cases {
        let due = date(&case["dueDate"]);
        let until = date(&case["payableWithoutChargesUntil"]);
        assert_eq!(calendar.next_business_day(due), until, "{due}");
        assert_eq!(calendar.last_payable_day(due, 0), until, "{due}");
        assert_eq!(calendar.is_business_day(due), due == until, "{due}");
    }
}

#[test]
fn the_central_banks_examples_of_validity_come_out() {
    let file = vectors(include_str!("../../../../tests/vectors/cobv_validity.json"));
    let calendar = BankCalendar::national();
    let cases = file["vectors"].as_array().unwrap();
    assert_eq!(cases.len(), 7);
    for case in cases {
        let due = date(&case["dataDeVencimento"]);
        let validity = case["validadeAposVencimento"].as_i64().unwrap();
        assert_eq!(
            calendar.next_business_day(due),
            date(&case["adjustedDueDate"])
        );
        assert_eq!(
            calendar.last_payable_day(due, validity),
            date(&case["lastPayableDate"]),
            "{case}"
        );
    }
}

#[test]
fn the_day_of_black_consciousness_is_kept_since_2024() {
    let calendar = BankCalendar::national();
    assert!(calendar.is_business_day(day("2023-11-20")));
    assert!(!calendar.is_business_day(day("2024-11-20")));
    assert!(!calendar.is_business_day(day("2026-11-20")));
}

#[test]
fn an_operator_adds_holidays() {
    let anniversary = Holiday::parse("01-25 Aniversário de São Paulo").unwrap();
    let calendar = BankCalendar::national().with([anniversary]);
    assert!(BankCalendar::national().is_business_day(day("2027-01-25")));
    assert_eq!(
        calendar.next_business_day(day("2027-01-23")),
        day("2027-01-26")
    );
}

#[test]
fn a_calendar_without_business_days_still_answers() {
    let closed = |days| {
        BankCalendar::national().with((0..days).map(|days| Holiday {
            name: "Greve".into(),
            rule: HolidayRule::Once(day("2027-01-01").plus_days(days)),
        }))
    };
    let first = day("2027-01-01");
    assert_eq!(closed(360).next_business_day(first), day("2027-12-27"));
    assert_eq!(closed(400).next_business_day(first), first);
    let last = day("9999-12-31");
    assert_eq!(BankCalendar::national().next_business_day(last), last);
}

fn window(hours: PaymentHours, at: &str) -> PaymentWindow {
    hours.window(&BankCalendar::national(), Time::parse(at).unwrap())
}

#[test]
fn boletos_are_paid_until_22_and_bills_until_18() {
    let open_until = |closes_at| PaymentWindow::Open {
        closes_at: Time::parse(closes_at).unwrap(),
    };
    let thursday = "2026-11-19T00:00:00-03:00";
    assert_eq!(
        window(PaymentHours::BOLETO, thursday),
        open_until("2026-11-19T22:00:00-03:00")
    );
    assert_eq!(
        window(PaymentHours::COLLECTION, "2026-11-19T17:59:59.999-03:00"),
        open_until("2026-11-19T18:00:00-03:00")
    );
    assert!(window(PaymentHours::BOLETO, "2026-11-19T21:59:59.999-03:00").is_open());
    assert!(!window(PaymentHours::COLLECTION, "2026-11-19T18:00:00-03:00").is_open());
}

#[test]
fn a_closed_window_says_why_and_when_it_reopens() {
    for (at, words) in [
        // A Thursday night before the holiday of Friday, November 20.
        (
            "2026-11-19T22:00:00-03:00",
            "closed after 22:00 in Sao Paulo; reopens at 2026-11-23T03:00:00.000Z",
        ),
        (
            "2026-11-20T10:00:00-03:00",
            "closed on the bank holiday Consciência Negra; reopens at 2026-11-23T03:00:00.000Z",
        ),
        (
            "2026-11-21T00:00:00-03:00",
            "closed at weekends; reopens at 2026-11-23T03:00:00.000Z",
        ),
        (
            "2026-12-31T23:00:00-03:00",
            "closed after 22:00 in Sao Paulo; reopens at 2027-01-04T03:00:00.000Z",
        ),
        (
            "2026-11-18T23:59:59.999-03:00",
            "closed after 22:00 in Sao Paulo; reopens at 2026-11-19T03:00:00.000Z",
        ),
    ] {
        assert_eq!(window(PaymentHours::BOLETO, at).to_string(), words, "{at}");
    }
}

proptest! {
    #[test]
    fn a_window_reopens_at_the_first_open_moment(millis in 0_i64..4_102_444_800_000) {
        let calendar = BankCalendar::national();
        for hours in [PaymentHours::BOLETO, PaymentHours::COLLECTION] {
            match hours.window(&calendar, Time::from_millis(millis)) {
                PaymentWindow::Open { closes_at } => {
                    prop_assert!(closes_at.millis() > millis);
                    prop_assert!(!hours.window(&calendar, closes_at).is_open());
                    prop_assert!(hours.window(&calendar, closes_at.plus_millis(-1)).is_open());
                }
                PaymentWindow::Closed { reopens_at, .. } => {
                    prop_assert!(reopens_at.millis() > millis);
                    prop_assert!(hours.window(&calendar, reopens_at).is_open());
                    prop_assert!(!hours.window(&calendar, reopens_at.plus_millis(-1)).is_open());
                }
            }
        }
    }

    #[test]
    fn a_closure_of_banks_is_five_days_at_most(days in -100_000_i64..1_000_000) {
        let date = Date::from_unix_days(days);
        let business_day = BankCalendar::national().next_business_day(date);
        prop_assert!((0..=5).contains(&business_day.days_since(date)));
    }
}
