//! Time: it creeps, and it jumps to where rules change.

use vintem_domain::Time;
use vintem_domain::account::{self, ClockMove};
use vintem_domain::calendar::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS};

use crate::world::{World, locked};

#[derive(Clone, Copy)]
enum Jump {
    Seconds,
    ALease,
    Minutes,
    AQuote,
    Hours,
    ToClosing,
    ToMidnight,
    ToAnExpiry,
    ToAHoliday,
    ADay,
}

/// Real time passes.
pub(crate) fn pass(world: &World) {
    let jump = world.weighted(&[
        (30, Jump::Seconds),
        (10, Jump::ALease),
        (15, Jump::Minutes),
        (4, Jump::AQuote),
        (4, Jump::Hours),
        (3, Jump::ToClosing),
        (2, Jump::ToMidnight),
        (6, Jump::ToAnExpiry),
        (1, Jump::ToAHoliday),
        (2, Jump::ADay),
    ]);
    let now = world.now();
    let to = match jump {
        Jump::Seconds => now.plus_millis(world.between(1, 20 * SECOND_MS)),
        Jump::ALease => now.plus_millis(world.between(29, 61) * SECOND_MS),
        Jump::Minutes => now.plus_millis(world.between(1, 10 * MINUTE_MS)),
        Jump::AQuote => now.plus_millis(300 * SECOND_MS + world.between(-1, 1)),
        Jump::Hours => now.plus_millis(world.between(1, 6) * HOUR_MS),
        Jump::ToClosing => closing(world, now),
        Jump::ToMidnight => day_start(now, 1).plus_millis(world.between(-1, 1)),
        Jump::ToAnExpiry => an_expiry(world, now),
        Jump::ToAHoliday => a_holiday(world, now),
        Jump::ADay => now.plus_millis(DAY_MS),
    };
    world.clock.set(to.max(now));
    world.tell(|| format!("time passes until {}", world.now()));
}

fn day_start(now: Time, days: i64) -> Time {
    now.in_sao_paulo().date.plus_days(days).start_in_sao_paulo()
}

/// Around the hour at which bills are no more paid.
fn closing(world: &World, now: Time) -> Time {
    let hour = world.weighted(&[(1, 18), (1, 22)]);
    let today = day_start(now, 0).plus_millis(hour * HOUR_MS);
    let next = if today > now {
        today
    } else {
        day_start(now, 1).plus_millis(hour * HOUR_MS)
    };
    next.plus_millis(world.between(-1, 1))
}

/// Around the moment a charge expires.
fn an_expiry(world: &World, now: Time) -> Time {
    let ahead: Vec<Time> = locked(&world.memory)
        .charges
        .iter()
        .map(|charge| charge.expires_at)
        .filter(|end| *end > now)
        .collect();
    let end = world.pick(&ahead).unwrap_or(now);
    end.plus_millis(world.between(-1, 1))
}

/// Noon of the next day on which banks are closed.
fn a_holiday(world: &World, now: Time) -> Time {
    let today = now.in_sao_paulo().date;
    let closed = (1..10)
        .map(|days| today.plus_days(days))
        .find(|day| !world.calendar.is_business_day(*day));
    closed.map_or(now, |day| {
        day.start_in_sao_paulo().plus_millis(12 * HOUR_MS)
    })
}

/// Somebody moves the test clock of a sandbox.
pub(crate) fn move_test_clock(world: &World) {
    let Some(merchant) = world.pick(&world.merchants) else {
        return;
    };
    let by = world.weighted(&[
        (3, ClockMove::Advance(HOUR_MS)),
        (3, ClockMove::Advance(3 * DAY_MS)),
        (2, ClockMove::Reset),
    ]);
    world.tell(|| format!("{}: test clock {by:?}", merchant.name));
    let moved = account::move_clock(&world.ports(), merchant.account, by);
    world.answered("move the test clock", moved);
}
