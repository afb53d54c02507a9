use std::borrow::Cow;
use std::fmt;

use super::Date;

/// A day on which banks are closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holiday {
    /// Its name, in Portuguese.
    pub name: Cow<'static, str>,
    /// When it is.
    pub rule: HolidayRule,
}

/// When a holiday is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HolidayRule {
    /// On one day of one year.
    Once(Date),
    /// On the same day of every year.
    Yearly {
        /// The month, January is 1.
        month: u8,
        /// The day of the month.
        day: u8,
        /// The first year it was kept.
        since: u16,
    },
    /// So many days after Easter Sunday (before, when negative).
    Easter {
        /// The days.
        days: i64,
    },
}

/// The days on which all banks of the country are closed: Resolution CMN 4.880/2020 and the national holidays
/// (Laws 662/1949, 6.802/1980, 10.607/2002 and 14.759/2023).
///
/// Ash Wednesday and December 31 are business days for settlement, though branches open late or not at all. Holidays of
/// states and cities do not move settlement; an operator may add them to a [`BankCalendar`](super::BankCalendar).
pub const NATIONAL: [Holiday; 13] = [
    yearly("Confraternização Universal", 1, 1, 0),
    easter("Carnaval (segunda)", -48),
    easter("Carnaval (terça)", -47),
    easter("Sexta-feira da Paixão", -2),
    yearly("Tiradentes", 4, 21, 0),
    yearly("Dia do Trabalho", 5, 1, 0),
    easter("Corpus Christi", 60),
    yearly("Independência", 9, 7, 0),
    yearly("Nossa Senhora Aparecida", 10, 12, 1980),
    yearly("Finados", 11, 2, 0),
    yearly("Proclamação da República", 11, 15, 0),
    yearly("Consciência Negra", 11, 20, 2024),
    yearly("Natal", 12, 25, 0),
];

const fn yearly(name: &'static str, month: u8, day: u8, since: u16) -> Holiday {
    Holiday {
        name: Cow::Borrowed(name),
        rule: HolidayRule::Yearly { month, day, since },
    }
}

const fn easter(name: &'static str, days: i64) -> Holiday {
    Holiday {
        name: Cow::Borrowed(name),
        rule: HolidayRule::Easter { days },
    }
}

impl Holiday {
    /// Reads what an operator writes: `2027-03-01 Name` for one day, `01-25 Name` for a day of every year. The name may
    /// be left out.
    ///
    /// # Errors
    /// [`NotAHoliday`].
    pub fn parse(text: &str) -> Result<Self, NotAHoliday> {
        let text = text.trim();
        let (day, name) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rule = match Date::parse(day) {
            Ok(date) => HolidayRule::Once(date),
            Err(_not_a_date) => {
                // Any leap year: February 29 is a day of every year that has one.
                let date = Date::parse(&format!("2000-{day}")).map_err(|_neither| NotAHoliday)?;
                HolidayRule::Yearly {
                    month: date.month(),
                    day: date.day(),
                    since: 0,
                }
            }
        };
        let name = match name.trim() {
            "" => Cow::Borrowed("Feriado"),
            name => Cow::Owned(name.to_owned()),
        };
        Ok(Self { name, rule })
    }

    /// Whether it is on this day.
    pub fn is_on(&self, date: Date) -> bool {
        match self.rule {
            HolidayRule::Once(day) => day == date,
            HolidayRule::Yearly { month, day, since } => {
                (date.month(), date.day()) == (month, day) && date.year() >= since
            }
            HolidayRule::Easter { days } => {
                easter_sunday(date.year()).is_some_and(|easter| easter.plus_days(days) == date)
            }
        }
    }
}

/// The text names no holiday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAHoliday;

impl fmt::Display for NotAHoliday {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "must be a date such as 2027-03-01, or 01-25 for every year, and the holiday's name",
        )
    }
}

impl std::error::Error for NotAHoliday {}

/// Easter: the Sunday after the first full moon of spring, by the tables of the Gregorian calendar.
///
/// The moon repeats itself every 19 years, but for a correction each century; what is counted is how many days after
/// March 21 it is full.
fn easter_sunday(year: u16) -> Option<Date> {
    let (golden, century) = (i64::from(year) % 19, i64::from(year) / 100);
    let dropped_leap_days = century.saturating_sub(century / 4);
    let moon_correction = century.saturating_mul(8).saturating_add(13) / 25;
    let epact = golden
        .saturating_mul(19)
        .saturating_add(15)
        .saturating_add(dropped_leap_days)
        .saturating_sub(moon_correction)
        .rem_euclid(30);
    // The tables never let the moon be full after April 18, nor on the same day twice in 19 years.
    let full_moon = match epact {
        29 => 28,
        28 if golden > 10 => 27,
        days => days,
    };
    let march_21 = Date::from_parts(year, 3, 21)?;
    Some(march_21.plus_days(full_moon).sunday_after())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easter_falls_where_the_almanacs_say() {
        for sunday in [
            "1818-03-22",
            "1943-04-25",
            "1954-04-18",
            "1961-04-02",
            "1981-04-19",
            "2000-04-23",
            "2008-03-23",
            "2011-04-24",
            "2016-03-27",
            "2019-04-21",
            "2024-03-31",
            "2025-04-20",
            "2026-04-05",
            "2027-03-28",
            "2028-04-16",
            "2029-04-01",
            "2030-04-21",
            "2038-04-25",
            "2049-04-18",
            "2076-04-19",
            "2285-03-22",
        ] {
            let sunday = Date::parse(sunday).unwrap();
            assert_eq!(easter_sunday(sunday.year()), Some(sunday));
        }
    }

    /// Easter by another way to compute it (Meeus, "Astronomical Algorithms", ch. 8).
    fn second_opinion(year: i64) -> (i64, i64) {
        let (golden, century, in_century) = (year % 19, year / 100, year % 100);
        let skipped = (century - (century + 8) / 25 + 1) / 3;
        let moon = (19 * golden + century - century / 4 - skipped + 15) % 30;
        let weekday = (32 + 2 * (century % 4) + 2 * (in_century / 4) - moon - in_century % 4) % 7;
        let correction = (golden + 11 * moon + 22 * weekday) / 451;
        let days = moon + weekday - 7 * correction + 114;
        (days / 31, days % 31 + 1)
    }

    #[test]
    fn two_ways_to_compute_easter_agree_in_every_year() {
        for year in 1583_u16..=9999 {
            let easter = easter_sunday(year).unwrap();
            let found = (i64::from(easter.month()), i64::from(easter.day()));
            assert_eq!(found, second_opinion(i64::from(year)), "{year}");
        }
    }

    #[test]
    fn an_operator_writes_a_day_or_a_day_of_every_year() {
        let once = Holiday::parse("2027-01-25 Aniversário de São Paulo").unwrap();
        assert_eq!(once.name, "Aniversário de São Paulo");
        assert!(once.is_on(Date::parse("2027-01-25").unwrap()));
        assert!(!once.is_on(Date::parse("2028-01-25").unwrap()));
        let yearly = Holiday::parse(" 02-29 ").unwrap();
        assert_eq!(yearly.name, "Feriado");
        assert!(yearly.is_on(Date::parse("2028-02-29").unwrap()));
        for text in [
            "",
            "Natal",
            "13-01",
            "2027-02-29 x",
            "1-1",
            "000-01-25",
            "25/01",
        ] {
            assert_eq!(Holiday::parse(text), Err(NotAHoliday), "{text}");
        }
    }
}
