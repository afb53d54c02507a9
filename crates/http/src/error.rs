//! Everything that can go wrong, as the caller is told: one mapping to status, code and message.

use std::borrow::Cow;
use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use vintem_domain::Error;
use vintem_domain::error::{Conflict, Forbidden, Missing, ProviderFailure, Refusal};

use crate::envelope;

/// The stable code of an error, beside the message.
const ERROR_CODE: HeaderName = HeaderName::from_static("x-error-code");

/// An answer that is no success.
#[derive(Debug)]
pub(crate) struct Problem(Box<Told>);

#[derive(Debug)]
struct Told {
    status: StatusCode,
    code: &'static str,
    message: Cow<'static, str>,
    /// What the log is told beside it; never the caller.
    cause: Option<Cow<'static, str>>,
    /// A header that belongs to the answer.
    header: Option<(HeaderName, HeaderValue)>,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Told {
            status,
            code,
            message: message.into(),
            cause: None,
            header: None,
        }))
    }

    /// The request is wrong: `field` `reason`.
    pub(crate) fn invalid(field: impl Into<Cow<'static, str>>, reason: impl fmt::Display) -> Self {
        Error::invalid(field, reason).into()
    }

    /// A field that must be there is not.
    pub(crate) fn required(field: impl Into<Cow<'static, str>>) -> Self {
        Self::invalid(field, "is required")
    }

    fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.header = Some((name, value));
        self
    }

    /// The same, with what the log is told.
    pub(crate) fn because(mut self, cause: Cow<'static, str>) -> Self {
        self.0.cause = Some(cause);
        self
    }

    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        self.0.code
    }

    /// What the log is told.
    pub(crate) fn cause(&self) -> &str {
        self.0.cause.as_ref().unwrap_or(&self.0.message)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.0.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.0.status);
        response.insert_header((ERROR_CODE, HeaderValue::from_static(self.0.code)));
        if let Some((name, value)) = &self.0.header {
            response.insert_header((name.clone(), value.clone()));
        }
        envelope::failure(response, &self.0.message)
    }
}

/// What goes wrong before the rules are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// There is no such route.
    NoRoute,
    /// The route has other methods; these.
    WrongMethod(&'static str),
    /// There is no API key.
    KeyMissing,
    /// The API key is unknown, expired or revoked, or the header holds none.
    KeyInvalid,
    /// The two headers hold different keys.
    KeysDiffer,
    /// The play bank was not told its secret.
    StubSecret,
    /// This address failed to authenticate too often; for so many seconds.
    TooManyFailures(u32),
    /// This key made too many requests; for so many seconds.
    TooManyRequests(u32),
    /// The key does not have the scope.
    ScopeMissing(&'static str),
    /// The body is too large.
    TooLarge,
    /// The body is something else than JSON.
    NotJson,
    /// The body is compressed.
    Encoded,
    /// The body is no JSON object.
    Malformed,
    /// The body did not arrive, or not in time.
    Incomplete,
    /// All places of a lane are taken.
    Busy,
    /// The database cannot be used.
    NotReady,
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let new = |status, code, message: &'static str| Self::new(status, code, message);
        match fault {
            Fault::NoRoute => new(StatusCode::NOT_FOUND, "route_not_found", "no such route"),
            Fault::WrongMethod(allowed) => new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "this route does not know the method",
            )
            .with(header::ALLOW, HeaderValue::from_static(allowed)),
            Fault::KeyMissing => unauthorized("key_missing", "an API key is required"),
            Fault::KeyInvalid => {
                unauthorized("key_invalid", "the API key is unknown, expired or revoked")
            }
            Fault::KeysDiffer => unauthorized(
                "keys_differ",
                "Authorization and X-API-Key hold different keys",
            ),
            Fault::StubSecret => unauthorized(
                "stub_secret_invalid",
                "the secret of the play bank is required",
            ),
            Fault::TooManyFailures(seconds) => new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_failed_authentications",
                "too many requests without a good key from this address",
            )
            .with(header::RETRY_AFTER, seconds.into()),
            Fault::TooManyRequests(seconds) => new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_requests",
                "too many requests with this key",
            )
            .with(header::RETRY_AFTER, seconds.into()),
            Fault::ScopeMissing(scope) => Self::new(
                StatusCode::FORBIDDEN,
                "scope_missing",
                format!("the API key lacks the scope {scope}"),
            ),
            Fault::TooLarge => new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "body_too_large",
                "the request body must have at most 262144 bytes",
            ),
            Fault::NotJson => new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "not_json",
                "Content-Type must be application/json",
            ),
            Fault::Encoded => new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "encoded_body",
                "the request body must be sent without a Content-Encoding",
            ),
            Fault::Malformed => new(
                StatusCode::BAD_REQUEST,
                "malformed_json",
                "the request body must be a JSON object",
            ),
            Fault::Incomplete => new(
                StatusCode::BAD_REQUEST,
                "incomplete_body",
                "the request body did not arrive",
            ),
            Fault::Busy => unavailable("busy", "the service is busy; try again"),
            Fault::NotReady => unavailable("not_ready", "the service is not ready"),
        }
    }
}

fn unauthorized(code: &'static str, message: &'static str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, code, message)
        .with(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}

fn unavailable(code: &'static str, message: &'static str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
        .with(header::RETRY_AFTER, HeaderValue::from_static("1"))
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (status, code) = status_and_code(&error);
        match error {
            Error::Unavailable(why) => {
                unavailable(code, "the service is temporarily unavailable; try again").because(why)
            }
            Error::Bug(what) => Self::new(status, code, "internal error").because(what),
            told @ (Error::Invalid { .. }
            | Error::NotFound(_)
            | Error::Conflict(_)
            | Error::Refused(_)
            | Error::Forbidden(_)
            | Error::Provider(_)) => Self::new(status, code, told.to_string()),
        }
    }
}

/// The one place that says how an answer of the rules is called in HTTP.
fn status_and_code(error: &Error) -> (StatusCode, &'static str) {
    match error {
        Error::Invalid { .. } => (StatusCode::BAD_REQUEST, "invalid_field"),
        Error::NotFound(missing) => (
            StatusCode::NOT_FOUND,
            match missing {
                Missing::Charge => "charge_not_found",
                Missing::Account => "account_not_found",
                Missing::Key => "key_not_found",
                Missing::Endpoint => "webhook_endpoint_not_found",
                Missing::Event => "event_not_found",
                Missing::Payout => "payment_not_found",
                Missing::Quote => "quote_not_found",
                Missing::Refund => "refund_not_found",
            },
        ),
        Error::Conflict(conflict) => (
            StatusCode::CONFLICT,
            match conflict {
                Conflict::ChargeNotPending(_) => "charge_not_pending",
                Conflict::ChargeNotPaid(_) => "charge_not_paid",
                Conflict::SameRefund(_) => "same_refund",
                Conflict::NoReceipt(_) => "no_receipt",
                Conflict::IdempotencyKeyReused => "idempotency_key_reused",
                Conflict::EmailTaken => "email_taken",
                Conflict::KeyRevoked => "key_revoked",
                Conflict::KeyRolled => "key_rolled",
                Conflict::SameWithdrawal(_) => "same_withdrawal",
                Conflict::TitleTaken => "title_taken",
                Conflict::ExternalIdReused => "external_id_reused",
                Conflict::EndToEndIdReused => "end_to_end_id_reused",
                Conflict::ChangedMeanwhile => "changed_meanwhile",
            },
        ),
        Error::Refused(refusal) => (
            StatusCode::BAD_REQUEST,
            match refusal {
                Refusal::InsufficientBalance => "insufficient_balance",
                Refusal::AboveTransactionLimit { .. } => "above_transaction_limit",
                Refusal::AboveWithdrawalLimit { .. } => "above_withdrawal_limit",
                Refusal::AboveDailyLimit { .. } => "above_daily_limit",
                Refusal::BeneficiaryIncomplete => "beneficiary_incomplete",
                Refusal::NotPaidByPix => "not_paid_by_pix",
                Refusal::RefundWindowClosed => "refund_window_closed",
                Refusal::AboveRefundable { .. } => "above_refundable",
                Refusal::QuoteExpired => "quote_expired",
                Refusal::NotPayable => "title_not_payable",
                Refusal::AboveBillMaximum { .. } => "above_bill_maximum",
                Refusal::OutsideHours { .. } => "outside_payment_hours",
            },
        ),
        Error::Forbidden(forbidden) => (
            StatusCode::FORBIDDEN,
            match forbidden {
                Forbidden::AccountSuspended => "account_suspended",
                Forbidden::SimulationInLive => "simulation_in_live",
            },
        ),
        Error::Provider(failure) => (
            StatusCode::BAD_GATEWAY,
            match failure {
                ProviderFailure::Down => "provider_down",
                ProviderFailure::Unknown => "provider_timeout",
                ProviderFailure::Rejected => "provider_rejected",
            },
        ),
        Error::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        Error::Bug(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal_error"),
    }
}

#[cfg(test)]
mod tests;
