use std::borrow::Cow;
use std::fmt;

use super::{BankCalendar, HOUR_MS, Time};

/// The hours in which a kind of bill is paid: on business days from midnight in Sao Paulo until an hour, exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentHours {
    closing_hour: u8,
}

/// Whether bills are paid at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentWindow {
    /// They are.
    Open {
        /// Until when, exclusive.
        closes_at: Time,
    },
    /// They are not.
    Closed {
        /// Why not.
        reason: Closure,
        /// The moment they are again.
        reopens_at: Time,
    },
}

/// Why no bills are paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closure {
    /// It is too late in the day.
    AfterHours {
        /// The full hour after which nothing is paid.
        closing_hour: u8,
    },
    /// It is Saturday or Sunday.
    Weekend,
    /// Banks have a holiday; this is its name.
    Holiday(Cow<'static, str>),
}

impl PaymentHours {
    /// The hours of bank boletos: until 22:00.
    pub const BOLETO: Self = Self { closing_hour: 22 };
    /// The hours of taxes and utility bills: until 18:00.
    pub const COLLECTION: Self = Self { closing_hour: 18 };

    /// Whether bills are paid at this moment and, if not, since why and until when.
    pub fn window(self, calendar: &BankCalendar, now: Time) -> PaymentWindow {
        let local = now.in_sao_paulo();
        let today = local.date;
        let open_ms = i64::from(self.closing_hour).saturating_mul(HOUR_MS);
        let reason = if today.is_weekend() {
            Closure::Weekend
        } else if let Some(holiday) = calendar.holiday(today) {
            Closure::Holiday(holiday.name.clone())
        } else if local.since_midnight_ms < open_ms {
            return PaymentWindow::Open {
                closes_at: today.start_in_sao_paulo().plus_millis(open_ms),
            };
        } else {
            Closure::AfterHours {
                closing_hour: self.closing_hour,
            }
        };
        let next = calendar.next_business_day(today.plus_days(1));
        PaymentWindow::Closed {
            reason,
            reopens_at: next.start_in_sao_paulo(),
        }
    }
}

impl PaymentWindow {
    /// Whether bills are paid.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. })
    }
}

/// The reason a caller is told: why payments are closed and when they reopen, or until when they are open.
impl fmt::Display for PaymentWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { closes_at } => write!(f, "open until {closes_at}"),
            Self::Closed { reason, reopens_at } => {
                write!(f, "closed {reason}; reopens at {reopens_at}")
            }
        }
    }
}

impl fmt::Display for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AfterHours { closing_hour } => {
                write!(f, "after {closing_hour:02}:00 in Sao Paulo")
            }
            Self::Weekend => f.write_str("at weekends"),
            Self::Holiday(name) => write!(f, "on the bank holiday {name}"),
        }
    }
}
