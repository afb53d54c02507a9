use actix_web::body::to_bytes;
use vintem_domain::Time;
use vintem_domain::id::Ulid;
use vintem_domain::payout::PayoutId;
use vintem_domain::refund::RefundId;

use super::*;

/// Every answer of the rules, with the status and code it has for ever.
fn answers() -> Vec<(Error, u16, &'static str)> {
    vec![
        (Error::invalid("id", "is wrong"), 400, "invalid_field"),
        (Error::NotFound(Missing::Charge), 404, "charge_not_found"),
        (Error::NotFound(Missing::Account), 404, "account_not_found"),
        (Error::NotFound(Missing::Key), 404, "key_not_found"),
        (
            Error::NotFound(Missing::Endpoint),
            404,
            "webhook_endpoint_not_found",
        ),
        (Error::NotFound(Missing::Event), 404, "event_not_found"),
        (Error::NotFound(Missing::Payout), 404, "payment_not_found"),
        (Error::NotFound(Missing::Quote), 404, "quote_not_found"),
        (Error::NotFound(Missing::Refund), 404, "refund_not_found"),
        (
            Error::Conflict(Conflict::ChargeNotPaid("PENDING")),
            409,
            "charge_not_paid",
        ),
        (
            Error::Conflict(Conflict::SameRefund(RefundId(Ulid::nil()))),
            409,
            "same_refund",
        ),
        (
            Error::Conflict(Conflict::NoReceipt("PENDING")),
            409,
            "no_receipt",
        ),
        (
            Error::Conflict(Conflict::ChargeNotPending("PAID")),
            409,
            "charge_not_pending",
        ),
        (
            Error::Conflict(Conflict::IdempotencyKeyReused),
            409,
            "idempotency_key_reused",
        ),
        (Error::Conflict(Conflict::EmailTaken), 409, "email_taken"),
        (Error::Conflict(Conflict::KeyRevoked), 409, "key_revoked"),
        (Error::Conflict(Conflict::KeyRolled), 409, "key_rolled"),
        (
            Error::Conflict(Conflict::SameWithdrawal(PayoutId(Ulid::nil()))),
            409,
            "same_withdrawal",
        ),
        (Error::Conflict(Conflict::TitleTaken), 409, "title_taken"),
        (
            Error::Conflict(Conflict::ExternalIdReused),
            409,
            "external_id_reused",
        ),
        (
            Error::Conflict(Conflict::EndToEndIdReused),
            409,
            "end_to_end_id_reused",
        ),
        (
            Error::Conflict(Conflict::ChangedMeanwhile),
            409,
            "changed_meanwhile",
        ),
        (
            Error::Forbidden(Forbidden::AccountSuspended),
            403,
            "account_suspended",
        ),
        (
            Error::Forbidden(Forbidden::SimulationInLive),
            403,
            "simulation_in_live",
        ),
        (Error::Provider(ProviderFailure::Down), 502, "provider_down"),
        (
            Error::Provider(ProviderFailure::Unknown),
            502,
            "provider_timeout",
        ),
        (
            Error::Provider(ProviderFailure::Rejected),
            502,
            "provider_rejected",
        ),
        (Error::Unavailable("disk full".into()), 503, "unavailable"),
        (Error::bug("a secret"), 500, "internal_error"),
    ]
}

/// Every refusal by the state of an account.
fn refusals() -> Vec<(Error, u16, &'static str)> {
    vec![
        (
            Error::Refused(Refusal::InsufficientBalance),
            400,
            "insufficient_balance",
        ),
        (
            Error::Refused(Refusal::AboveTransactionLimit { limit: 5 }),
            400,
            "above_transaction_limit",
        ),
        (
            Error::Refused(Refusal::AboveWithdrawalLimit { limit: 5 }),
            400,
            "above_withdrawal_limit",
        ),
        (
            Error::Refused(Refusal::AboveDailyLimit { limit: 5 }),
            400,
            "above_daily_limit",
        ),
        (
            Error::Refused(Refusal::BeneficiaryIncomplete),
            400,
            "beneficiary_incomplete",
        ),
        (
            Error::Refused(Refusal::NotPaidByPix),
            400,
            "not_paid_by_pix",
        ),
        (
            Error::Refused(Refusal::RefundWindowClosed),
            400,
            "refund_window_closed",
        ),
        (
            Error::Refused(Refusal::AboveRefundable { left: 5 }),
            400,
            "above_refundable",
        ),
        (Error::Refused(Refusal::QuoteExpired), 400, "quote_expired"),
        (
            Error::Refused(Refusal::NotPayable),
            400,
            "title_not_payable",
        ),
        (
            Error::Refused(Refusal::AboveBillMaximum { maximum: 5 }),
            400,
            "above_bill_maximum",
        ),
        (
            Error::Refused(Refusal::OutsideHours {
                reopens: Time::from_millis(0),
            }),
            400,
            "outside_payment_hours",
        ),
    ]
}

/// Everything that goes wrong before the rules are asked.
const FAULTS: [(Fault, u16, &str); 16] = [
    (Fault::NoRoute, 404, "route_not_found"),
    (Fault::WrongMethod("GET"), 405, "method_not_allowed"),
    (Fault::KeyMissing, 401, "key_missing"),
    (Fault::KeyInvalid, 401, "key_invalid"),
    (Fault::KeysDiffer, 401, "keys_differ"),
    (Fault::StubSecret, 401, "stub_secret_invalid"),
    (
        Fault::TooManyFailures(7),
        429,
        "too_many_failed_authentications",
    ),
    (Fault::TooManyRequests(7), 429, "too_many_requests"),
    (Fault::ScopeMissing("PIX:READ"), 403, "scope_missing"),
    (Fault::TooLarge, 413, "body_too_large"),
    (Fault::NotJson, 415, "not_json"),
    (Fault::Encoded, 415, "encoded_body"),
    (Fault::Malformed, 400, "malformed_json"),
    (Fault::Incomplete, 400, "incomplete_body"),
    (Fault::Busy, 503, "busy"),
    (Fault::NotReady, 503, "not_ready"),
];

fn problems() -> Vec<(Problem, u16, &'static str)> {
    let answers = answers()
        .into_iter()
        .chain(refusals())
        .map(|(error, status, code)| (Problem::from(error), status, code));
    let faults = FAULTS
        .into_iter()
        .map(|(fault, status, code)| (Problem::from(fault), status, code));
    answers.chain(faults).collect()
}

#[actix_web::test]
async fn every_error_has_its_status_its_code_and_an_envelope() {
    let mut codes = Vec::new();
    for (problem, status, code) in problems() {
        let response = problem.error_response();
        assert_eq!(response.status().as_u16(), status, "{code}");
        assert_eq!(problem.code(), code);
        assert_eq!(response.headers().get("x-error-code").unwrap(), code);
        let header = |name: &str| response.headers().get(name).cloned();
        assert_eq!(
            header("www-authenticate").is_some(),
            status == 401,
            "{code}"
        );
        assert_eq!(
            header("retry-after").is_some(),
            [429, 503].contains(&status),
            "{code}"
        );
        assert_eq!(header("allow").is_some(), status == 405, "{code}");
        let message = problem.to_string();
        let body = to_bytes(response.into_body()).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body, serde_json::json!({ "data": null, "error": message }));
        codes.push(code);
    }
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), count, "a code means one thing");
}

#[test]
fn what_is_wrong_inside_is_for_the_log_alone() {
    for (error, told) in [
        (Error::bug("a secret"), "internal error"),
        (
            Error::Unavailable("a secret".into()),
            "the service is temporarily unavailable; try again",
        ),
    ] {
        let problem = Problem::from(error);
        assert_eq!(problem.to_string(), told);
        assert_eq!(problem.cause(), "a secret");
    }
}

#[test]
fn every_code_is_documented() {
    let documented = include_str!("../../../../docs/errors.md");
    for (_, _, code) in problems() {
        assert!(
            documented.contains(&format!("`{code}`")),
            "{code} is not in docs/errors.md"
        );
    }
}
