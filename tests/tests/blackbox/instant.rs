//! Timestamps as the API writes them.

/// Unix milliseconds of `YYYY-MM-DDTHH:MM:SS.mmmZ`; panics on any other form.
#[track_caller]
pub(crate) fn millis(text: &str) -> i64 {
    parse(text).unwrap_or_else(|| panic!("not a timestamp: {text}"))
}

fn parse(text: &str) -> Option<i64> {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '9' } else { c })
        .collect();
    if shape != "9999-99-99T99:99:99.999Z" {
        return None;
    }
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let valid = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    valid.then_some(seconds * 1000 + number(20, 23)?)
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // The year begins in March here, so that the leap day is its last day.
    let shifted = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year - 719_468
}

/// The timestamp of Unix milliseconds.
pub(crate) fn format(millis: i64) -> String {
    let (seconds, millis) = (millis.div_euclid(1000), millis.rem_euclid(1000));
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let mut year = 1970 + day / 366;
    while days(year + 1, 1, 1) <= day {
        year += 1;
    }
    let month = (1..=12)
        .rev()
        .find(|month| days(year, *month, 1) <= day)
        .unwrap();
    let date = day - days(year, month, 1) + 1;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The same moment as HTTP headers write it, to the second: `Mon, 21 Sep 2026 14:13:20 GMT`.
pub(crate) fn http_date(millis: i64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let text = format(millis);
    // 1970-01-01 was a Thursday.
    let weekday = usize::try_from(millis.div_euclid(86_400_000).rem_euclid(7)).unwrap();
    let month: usize = text[5..7].parse().unwrap();
    format!(
        "{}, {} {} {} {} GMT",
        DAYS[weekday],
        &text[8..10],
        MONTHS[month - 1],
        &text[..4],
        &text[11..19]
    )
}

/// Now, by the machine's clock.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests look at the product from outside, by real time"
)]
pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.unwrap().as_millis()).unwrap()
}

#[test]
fn http_dates_are_written() {
    assert_eq!(
        http_date(1_790_000_000_999),
        "Mon, 21 Sep 2026 14:13:20 GMT"
    );
}

#[test]
fn timestamps_are_read() {
    assert_eq!(millis("1970-01-01T00:00:00.000Z"), 0);
    assert_eq!(millis("2026-03-01T12:34:56.789Z"), 1_772_368_496_789);
    assert_eq!(parse("2026-03-01T12:34:56Z"), None);
    for text in [
        "1970-01-01T00:00:00.000Z",
        "2024-02-29T23:59:59.999Z",
        "2026-12-31T23:59:59.001Z",
        "2027-01-01T00:00:00.000Z",
    ] {
        assert_eq!(format(millis(text)), text);
    }
}
