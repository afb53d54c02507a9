use proptest::prelude::*;

use super::*;
use crate::account::{ClockMove, Environment, LimitOverrides, move_clock, override_limits};
use crate::brcode::BrCode;
use crate::calendar::{DAY_MS, SECOND_MS};
use crate::error::{Conflict, Error, Forbidden, Missing, ProviderFailure, Refusal};
use crate::event::EventKind;
use crate::idempotency::{Attempt, IdempotencyKey};
use crate::ledger;
use crate::ports::Transact;
use crate::provider::PixNotice;
use crate::testing::{World, new_account, new_charge, notice};

fn payment(id: u8, paid_at: Time) -> Payment {
    let end_to_end_id = sandbox_end_to_end_id(Time::EPOCH, [id; 32]).unwrap().into();
    Payment {
        paid_at,
        payer: sandbox_payer(),
        end_to_end_id,
    }
}

fn failure() -> Failure {
    Failure {
        failed_at: Time::EPOCH,
        by: FailedBy::Provider,
        reason: "no".to_owned(),
    }
}

#[test]
fn every_happening_in_every_status_is_decided() {
    let pending = World::new().charge(Environment::Live);
    let in_time = payment(1, pending.created_at);
    let late = payment(1, pending.expires_at);
    let paid = |amount, payment: &Payment| Happening::Paid {
        amount,
        payment: payment.clone(),
    };
    let right = paid(pending.amount, &in_time);
    let wrong = paid(Centavos::new(4_991), &in_time);
    let in_status = |status| Charge {
        status,
        ..pending.clone()
    };
    let by_first = Status::Paid(in_time.clone());
    let by_other = Status::Paid(payment(2, pending.created_at));
    let failed = Status::Failed(failure());
    let table = [
        (Status::Pending, right.clone(), Moved::To(by_first.clone())),
        (
            Status::Pending,
            wrong.clone(),
            Moved::Return(ReturnReason::WrongAmount),
        ),
        (
            Status::Pending,
            paid(pending.amount, &late),
            Moved::Return(ReturnReason::Late),
        ),
        (
            Status::Pending,
            Happening::Ended(failure()),
            Moved::To(failed.clone()),
        ),
        (by_first.clone(), right.clone(), Moved::Already),
        (by_first.clone(), wrong.clone(), Moved::Already),
        (
            by_other.clone(),
            right.clone(),
            Moved::Return(ReturnReason::SecondPayment),
        ),
        (
            by_other.clone(),
            wrong,
            Moved::Return(ReturnReason::SecondPayment),
        ),
        (
            failed.clone(),
            right,
            Moved::Return(ReturnReason::ChargeEnded),
        ),
        (failed, Happening::Ended(failure()), Moved::Already),
    ];
    for (status, happening, moved) in table {
        assert_eq!(
            in_status(status.clone()).apply(&happening).unwrap(),
            moved,
            "{status:?} {happening:?}"
        );
    }
    let refused = in_status(by_first).apply(&Happening::Ended(failure()));
    assert!(matches!(
        refused,
        Err(Error::Conflict(Conflict::ChargeNotPending("PAID")))
    ));
}

#[test]
fn a_charge_is_expired_from_the_very_instant() {
    let charge = World::new().charge(Environment::Live);
    assert_eq!(
        charge.status_at(charge.expires_at.plus_millis(-1)),
        StatusName::Pending
    );
    assert_eq!(charge.status_at(charge.expires_at), StatusName::Expired);
}

#[test]
fn a_new_charge_carries_a_readable_code_with_the_payee_and_the_amount() {
    let charge = World::new().charge(Environment::Sandbox);
    let code = BrCode::parse(&charge.br_code).unwrap();
    assert_eq!(code.amount_centavos, Some(4_990));
    assert_eq!(code.merchant_name, "Padaria Sao Joao");
    assert_eq!(code.merchant_city, "SAO PAULO");
    assert!(charge.br_code.contains(charge.txid.as_str()));
    assert_eq!(
        (charge.amount.get(), charge.net_amount.get()),
        (4_990, 4_910)
    );
}

#[test]
fn a_limit_is_measured_on_the_amount_asked_before_the_fee() {
    let world = World::new();
    let limits = LimitOverrides {
        per_transaction: Some(Centavos::new(1_000)),
        ..LimitOverrides::default()
    };
    override_limits(&world.ports(), world.account.id, limits).unwrap();
    let owner = world.owner(Environment::Live);
    let create = |new: &NewCharge| create(&world.ports(), owner, Origin::Api, new, None);
    assert!(
        create(&NewCharge {
            pass_fee: true,
            ..new_charge(1_000)
        })
        .is_ok()
    );
    let refused = create(&new_charge(1_001));
    assert!(matches!(
        refused,
        Err(Error::Refused(Refusal::AboveTransactionLimit {
            limit: 1_000
        }))
    ));
}

fn attempt(body: u8) -> Attempt {
    Attempt {
        key: IdempotencyKey::parse("order-1").unwrap(),
        body_digest: [body; 32],
    }
}

#[test]
fn a_repeat_with_the_same_key_answers_the_first_charge() {
    let world = World::new();
    let owner = world.owner(Environment::Live);
    let create = |attempt: &Attempt| {
        create(
            &world.ports(),
            owner,
            Origin::Api,
            &new_charge(4_990),
            Some(attempt),
        )
    };
    let first = create(&attempt(1)).unwrap();
    let again = create(&attempt(1)).unwrap();
    assert!(!first.repeated && again.repeated);
    assert_eq!(first.object, again.object);
    assert!(matches!(
        create(&attempt(2)),
        Err(Error::Conflict(Conflict::IdempotencyKeyReused))
    ));
}

#[test]
fn a_provider_that_is_down_leaves_nothing_and_the_same_key_works_later() {
    let world = World::new();
    let owner = world.owner(Environment::Live);
    let create = || {
        create(
            &world.ports(),
            owner,
            Origin::Api,
            &new_charge(4_990),
            Some(&attempt(1)),
        )
    };
    world.bank.set_down(true);
    assert!(matches!(
        create(),
        Err(Error::Provider(ProviderFailure::Down))
    ));
    world.bank.set_down(false);
    assert!(!create().unwrap().repeated);
}

#[test]
fn a_live_payment_credits_the_net_amount_and_books_the_fee() {
    let world = World::new();
    let charge = world.charge(Environment::Live);
    assert_eq!(
        receive(&world.ports(), &notice(&charge, 1)).unwrap(),
        Outcome::Paid
    );
    let told = story(&world.ports(), charge.id).unwrap();
    assert_eq!(told.charge.status_at(told.now), StatusName::Paid);
    let [entry] = &told.entries[..] else {
        panic!("one entry")
    };
    let on = |account| entry.postings.on(account).get();
    assert_eq!(on(ledger::LedgerAccount::Available), 4_910);
    assert_eq!(on(ledger::LedgerAccount::Fees), 80);
    assert_eq!(on(ledger::LedgerAccount::Clearing), -4_990);
    assert_eq!(told.events.len(), 1);
    assert_eq!(told.events[0].event.kind, EventKind::PixQrCodePaid);
    let head = world
        .store
        .read(|read| read.head(charge.owner))
        .unwrap()
        .unwrap();
    assert_eq!(
        (
            head.balance.get(),
            head.available.get(),
            head.event_sequence
        ),
        (4_910, 4_910, 1)
    );
}

#[test]
fn a_payment_counts_once_however_often_it_is_told() {
    let world = World::new();
    let charge = world.charge(Environment::Live);
    let told = notice(&charge, 1);
    receive(&world.ports(), &told).unwrap();
    assert_eq!(receive(&world.ports(), &told).unwrap(), Outcome::Already);
    assert_eq!(story(&world.ports(), charge.id).unwrap().entries.len(), 1);
    let other = world.charge(Environment::Live);
    let stolen = PixNotice {
        txid: other.txid,
        ..told
    };
    assert!(matches!(
        receive(&world.ports(), &stolen),
        Err(Error::Conflict(Conflict::EndToEndIdReused))
    ));
}

#[test]
fn a_payment_made_in_time_and_told_late_still_settles() {
    let world = World::new();
    let charge = world.charge(Environment::Live);
    world.clock.advance(2 * DAY_MS);
    let in_time = PixNotice {
        paid_at: charge.expires_at.plus_millis(-1),
        ..notice(&charge, 1)
    };
    assert_eq!(receive(&world.ports(), &in_time).unwrap(), Outcome::Paid);
}

#[test]
fn what_settles_nothing_goes_back_to_the_payer() {
    let world = World::new();
    let charge = world.charge(Environment::Live);
    world.clock.advance(2 * DAY_MS);
    let right = notice(&charge, 1);
    let late = PixNotice {
        paid_at: charge.expires_at,
        ..notice(&charge, 2)
    };
    let wrong = PixNotice {
        amount: Centavos::new(1),
        ..notice(&charge, 3)
    };
    let second = notice(&charge, 4);
    let outcomes =
        [late, wrong, right, second].map(|notice| receive(&world.ports(), &notice).unwrap());
    assert_eq!(
        outcomes,
        [
            Outcome::Returned(ReturnReason::Late),
            Outcome::Returned(ReturnReason::WrongAmount),
            Outcome::Paid,
            Outcome::Returned(ReturnReason::SecondPayment),
        ]
    );
    world.bank.set_down(true);
    assert_eq!(give_back_due(&world.ports(), 10).unwrap(), 3);
    world.bank.set_down(false);
    assert_eq!(
        give_back_due(&world.ports(), 10).unwrap(),
        0,
        "not before the wait is over"
    );
    world.clock.advance(5 * SECOND_MS);
    assert_eq!(give_back_due(&world.ports(), 10).unwrap(), 3);
    let told = story(&world.ports(), charge.id).unwrap();
    assert_eq!(told.receipts.len(), 4);
    assert!(
        told.returns
            .iter()
            .all(|returned| matches!(returned.state, ReturnState::Done { .. }))
    );
    let sum = |account| {
        told.entries
            .iter()
            .map(|entry| entry.postings.on(account).get())
            .sum::<i64>()
    };
    assert_eq!(sum(ledger::LedgerAccount::Returns), 0);
    assert_eq!(sum(ledger::LedgerAccount::Clearing), -4_990);
    assert!(ledger::verify(&world.ports()).unwrap().faults.is_empty());
}

#[test]
fn a_payment_from_the_future_is_refused() {
    let world = World::new();
    let charge = world.charge(Environment::Live);
    let future = PixNotice {
        paid_at: charge.created_at.plus_millis(1),
        ..notice(&charge, 1)
    };
    let refused = receive(&world.ports(), &future).unwrap_err();
    assert_eq!(refused.to_string(), "paidAt must not be in the future");
    assert!(
        story(&world.ports(), charge.id)
            .unwrap()
            .receipts
            .is_empty()
    );
}

#[test]
fn a_simulated_payment_tells_but_moves_nothing() {
    let world = World::new();
    let charge = world.charge(Environment::Sandbox);
    let before = world
        .store
        .read(|read| read.head(charge.owner))
        .unwrap()
        .unwrap();
    simulate(&world.ports(), charge.owner, charge.id).unwrap();
    let after = world
        .store
        .read(|read| read.head(charge.owner))
        .unwrap()
        .unwrap();
    assert_eq!(after.balance, before.balance);
    assert_eq!(after.event_sequence, before.event_sequence + 1);
    let again = simulate(&world.ports(), charge.owner, charge.id);
    assert!(matches!(
        again,
        Err(Error::Conflict(Conflict::ChargeNotPending("PAID")))
    ));
    let live = simulate(&world.ports(), world.owner(Environment::Live), charge.id);
    assert!(matches!(
        live,
        Err(Error::Forbidden(Forbidden::SimulationInLive))
    ));
}

#[test]
fn the_test_clock_expires_a_sandbox_charge_and_a_reset_undoes_it() {
    let world = World::new();
    let (sandbox, live) = (
        world.charge(Environment::Sandbox),
        world.charge(Environment::Live),
    );
    let status = |charge: &Charge| {
        let (charge, now) = show(&world.ports(), charge.owner, charge.id).unwrap();
        charge.status_at(now)
    };
    move_clock(&world.ports(), world.account.id, ClockMove::Advance(DAY_MS)).unwrap();
    assert_eq!(
        (status(&sandbox), status(&live)),
        (StatusName::Expired, StatusName::Pending)
    );
    let expired = simulate(&world.ports(), sandbox.owner, sandbox.id);
    assert!(matches!(
        expired,
        Err(Error::Conflict(Conflict::ChargeNotPending("EXPIRED")))
    ));
    move_clock(&world.ports(), world.account.id, ClockMove::Reset).unwrap();
    assert_eq!(status(&sandbox), StatusName::Pending);
}

#[test]
fn a_removed_charge_fails_once_and_says_why() {
    let world = World::new();
    let charge = world.charge(Environment::Live);
    remove(&world.ports(), charge.id, "key blocked").unwrap();
    remove(&world.ports(), charge.id, "again").unwrap();
    let told = story(&world.ports(), charge.id).unwrap();
    assert_eq!(told.charge.status_at(told.now), StatusName::Failed);
    let [failed] = &told.events[..] else {
        panic!("one event")
    };
    let body: serde_json::Value = serde_json::from_str(&failed.event.body).unwrap();
    assert_eq!(body["event"], "pixQrCode.failed");
    assert_eq!(body["data"]["status"], "FAILED");
    assert_eq!(body["data"]["failureReason"], "key blocked");
}

#[test]
fn a_charge_of_somebody_else_or_of_the_other_environment_is_not_found() {
    let world = World::new();
    let charge = world.charge(Environment::Live);
    let other = crate::account::create(&world.ports(), &new_account("bia@example.com")).unwrap();
    let strangers = [
        world.owner(Environment::Sandbox),
        Owner {
            account: other.id,
            environment: Environment::Live,
        },
    ];
    for stranger in strangers {
        let seen = show(&world.ports(), stranger, charge.id);
        assert!(matches!(seen, Err(Error::NotFound(Missing::Charge))));
    }
}

#[test]
fn metadata_is_kept_as_it_was_sent() {
    let sent =
        "{ \"b\" : 1.0, \"a\":\"x \\\" y\\\\\" , \"n\":123456789012345678901234567890, \"e\":{} }";
    let kept = Metadata::parse(sent).unwrap();
    assert_eq!(
        kept.as_str(),
        "{\"b\":1.0,\"a\":\"x \\\" y\\\\\",\"n\":123456789012345678901234567890,\"e\":{}}"
    );
    for bad in ["[]", "1", "null", "{", "", "{\"a\":01}", "{} {}"] {
        assert_eq!(Metadata::parse(bad), Err(BadMetadata::NotAnObject), "{bad}");
    }
    for bad in [r#"{"a":1e999}"#, r#"{"a":["\ud800"]}"#, r#"{"\udc00":1}"#] {
        assert_eq!(Metadata::parse(bad), Err(BadMetadata::Unreadable), "{bad}");
    }
    let nested = |levels| {
        let inner = levels - 1;
        format!(" {{\"[[\":{}{}}}", "[".repeat(inner), "]".repeat(inner))
    };
    assert!(Metadata::parse(&nested(Metadata::DEEPEST)).is_ok());
    for levels in [Metadata::DEEPEST + 1, 8_000] {
        assert_eq!(Metadata::parse(&nested(levels)), Err(BadMetadata::TooDeep));
    }
    assert_eq!(
        Metadata::parse(&format!("{{\"a\":\"{}\"}}", "x".repeat(16 * 1024))),
        Err(BadMetadata::TooLarge)
    );
}

/// What a bank may tell about one charge.
#[derive(Clone, Debug)]
enum Told {
    Paid { payment: u8, cents: i64, late: bool },
    Removed,
    Worker { down: bool },
}

fn told() -> impl Strategy<Value = Told> {
    let paid = (0_u8..4, prop_oneof![Just(4_990), Just(1)], any::<bool>());
    prop_oneof![
        6 => paid.prop_map(|(payment, cents, late)| Told::Paid { payment, cents, late }),
        1 => Just(Told::Removed),
        2 => any::<bool>().prop_map(|down| Told::Worker { down }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn whatever_the_bank_tells_in_any_order_the_money_adds_up(history in proptest::collection::vec(told(), 0..30)) {
        let world = World::new();
        let charge = world.charge(Environment::Live);
        world.clock.advance(2 * DAY_MS);
        for one in history {
            match one {
                Told::Paid { payment, cents, late } => {
                    let paid_at = if late { charge.expires_at } else { charge.created_at };
                    let right = notice(&charge, payment);
                    receive(&world.ports(), &PixNotice { amount: Centavos::new(cents), paid_at, ..right }).unwrap();
                }
                Told::Removed => { let _ = remove(&world.ports(), charge.id, "gone"); }
                Told::Worker { down } => {
                    world.bank.set_down(down);
                    world.clock.advance(DAY_MS);
                    give_back_due(&world.ports(), 10).unwrap();
                }
            }
        }
        let told = story(&world.ports(), charge.id).unwrap();
        let report = ledger::verify(&world.ports()).unwrap();
        prop_assert!(report.faults.is_empty(), "{:?}", report.faults);
        let settled = told.receipts.iter().filter(|receipt| receipt.returned.is_none()).count();
        prop_assert_eq!(settled, usize::from(matches!(told.charge.status, Status::Paid(_))));
        let owed: i64 = told.returns.iter().filter(|r| r.state == ReturnState::Open).map(|r| r.amount.get()).sum();
        let on = |account| told.entries.iter().map(|entry| entry.postings.on(account).get()).sum::<i64>();
        prop_assert_eq!(on(ledger::LedgerAccount::Returns), owed);
        let here: i64 = told.receipts.iter().map(|receipt| receipt.amount.get()).sum();
        let gone: i64 = told.returns.iter().filter(|r| r.state != ReturnState::Open).map(|r| r.amount.get()).sum();
        prop_assert_eq!(-on(ledger::LedgerAccount::Clearing), here - gone);
        let states = usize::from(!matches!(told.charge.status, Status::Pending));
        prop_assert_eq!(told.events.len(), states, "one event for each change of status");
    }
}
