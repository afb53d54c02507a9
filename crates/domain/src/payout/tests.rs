use proptest::prelude::*;

use super::*;
use crate::account::{Environment, LimitOverrides, override_limits};
use crate::bill::{self, BillCode};
use crate::boleto::{BankCode, FreeField, Title};
use crate::calendar::{DAY_MS, Date, HOUR_MS, SECOND_MS};
use crate::document::Document;
use crate::error::{Conflict, ProviderFailure, Refusal};
use crate::idempotency::{Attempt, IdempotencyKey, Made};
use crate::ledger;
use crate::pix_key::{PixKey, PixKeyKind};
use crate::ports::Transact;
use crate::testing::{Fate, World, balance, fund};
use crate::withdrawal::{self, NewWithdrawal, WithdrawalAmount};

fn new_withdrawal(centavos: i64) -> NewWithdrawal {
    NewWithdrawal {
        amount: WithdrawalAmount::parse(centavos).unwrap(),
        key: PixKey::parse(PixKeyKind::Email, "bia@example.com").unwrap(),
        beneficiary_name: None,
        description: None,
        recipient_document: None,
        pass_fee: false,
    }
}

fn withdraw(world: &World, new: &NewWithdrawal) -> Result<Payout, Error> {
    let owner = world.owner(Environment::Live);
    withdrawal::create(&world.ports(), owner, Origin::Api, new, None).map(|made| made.object)
}

fn work(world: &World) {
    for _ in 0..4 {
        settle_due(&world.ports(), 100).unwrap();
        world.clock.advance(2 * SECOND_MS);
    }
}

fn found(world: &World, payout: &Payout) -> Payout {
    world
        .store
        .read(|read| read.payout_of_anyone(payout.id))
        .unwrap()
        .unwrap()
}

fn last_event(world: &World, payout: &Payout) -> serde_json::Value {
    let events = world
        .store
        .read(|read| read.events_about(payout.owner, payout.id.0))
        .unwrap();
    let [event] = &events[..] else {
        panic!("one event, not {}", events.len())
    };
    serde_json::from_str(&event.body).unwrap()
}

fn assert_sound(world: &World) {
    let report = ledger::verify(&world.ports()).unwrap();
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

#[test]
fn a_withdrawal_is_debited_at_once_and_paid_when_the_bank_says_so() {
    let world = World::new();
    fund(&world, 10_080);
    let payout = withdraw(&world, &new_withdrawal(4_000)).unwrap();
    assert_eq!(balance(&world, Environment::Live), 6_000);
    assert_eq!((payout.net_amount.get(), payout.fee.get()), (3_900, 100));
    work(&world);
    assert_eq!(found(&world, &payout).status.as_str(), "PAID");
    let event = last_event(&world, &payout);
    assert_eq!(event["event"], "withdraw.done");
    assert_eq!(event["data"]["amount"], 4_000);
    assert_eq!(event["data"]["netAmount"], 3_900);
    assert_eq!(event["data"]["payer"]["name"], "Padaria São João");
    assert_eq!(event["data"]["endToEndId"].as_str().unwrap().len(), 32);
    assert_sound(&world);
}

#[test]
fn a_passed_fee_comes_on_top_and_one_that_leaves_nothing_is_refused() {
    let world = World::new();
    fund(&world, 10_080);
    let on_top = NewWithdrawal {
        pass_fee: true,
        ..new_withdrawal(4_000)
    };
    let payout = withdraw(&world, &on_top).unwrap();
    assert_eq!(
        (payout.net_amount.get(), balance(&world, Environment::Live)),
        (4_000, 5_900)
    );
    let nothing_left = withdraw(&world, &new_withdrawal(100)).unwrap_err();
    assert_eq!(
        nothing_left.to_string(),
        "amountCents must be more than the fee"
    );
}

#[test]
fn every_ending_is_told_once_and_the_money_is_where_it_belongs() {
    let endings = [
        (Fate::Settles, "PAID", 6_000),
        (Fate::Fails, "FAILED", 10_000),
        (Fate::TimesOut, "PAID", 6_000),
        (Fate::IsLost, "FAILED", 10_000),
    ];
    for (fate, status, left) in endings {
        let world = World::new();
        fund(&world, 10_080);
        world.bank.set_fate(fate);
        let payout = withdraw(&world, &new_withdrawal(4_000)).unwrap();
        work(&world);
        work(&world);
        assert_eq!(found(&world, &payout).status.as_str(), status, "{fate:?}");
        assert_eq!(balance(&world, Environment::Live), left, "{fate:?}");
        assert_eq!(last_event(&world, &payout)["data"]["status"], status);
        assert!(
            world
                .bank
                .sent
                .lock()
                .unwrap()
                .values()
                .all(|(_, times)| *times == 1),
            "never sent twice"
        );
        assert_sound(&world);
    }
}

#[test]
fn a_bank_that_is_down_before_means_nothing_is_written_and_down_after_means_later() {
    let world = World::new();
    fund(&world, 10_080);
    world.bank.set_down(true);
    let refused = withdraw(&world, &new_withdrawal(4_000));
    assert!(matches!(
        refused,
        Err(Error::Provider(ProviderFailure::Down))
    ));
    assert_eq!(balance(&world, Environment::Live), 10_000);
    world.bank.set_down(false);
    let payout = withdraw(&world, &new_withdrawal(4_000)).unwrap();
    world.bank.set_down(true);
    work(&world);
    assert_eq!(found(&world, &payout).status, PayoutStatus::Pending);
    world.bank.set_down(false);
    world.clock.advance(HOUR_MS);
    work(&world);
    assert_eq!(found(&world, &payout).status.as_str(), "PAID");
}

#[test]
fn a_crash_before_the_call_is_looked_up_and_then_sent() {
    let world = World::new();
    fund(&world, 10_080);
    let payout = withdraw(&world, &new_withdrawal(4_000)).unwrap();
    // What a worker commits before it calls the bank; then the process dies.
    let dying = Payout {
        step: Step {
            phase: Phase::Sending,
            tries: 1,
            ..payout.step
        },
        ..payout.clone()
    };
    world.store.transact(|tx| tx.save_payout(&dying)).unwrap();
    work(&world);
    assert_eq!(found(&world, &payout).status.as_str(), "PAID");
    assert_eq!(world.bank.sent.lock().unwrap()[&payout.id].1, 1);
}

#[test]
fn the_key_must_be_the_recipients_and_limits_hold_over_the_day() {
    let world = World::new();
    fund(&world, 100_080);
    let named = |document| {
        let recipient_document = Some(Document::parse(document).unwrap());
        withdraw(
            &world,
            &NewWithdrawal {
                recipient_document,
                ..new_withdrawal(1_000)
            },
        )
    };
    assert!(named("00000000191").is_ok());
    let refused = named("11144477735").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "recipientDocument must be the document of the key's owner"
    );
    let limits = LimitOverrides {
        per_withdrawal: Some(Centavos::new(2_000)),
        withdrawals_per_day: Some(Centavos::new(3_000)),
        ..LimitOverrides::default()
    };
    override_limits(&world.ports(), world.account.id, limits).unwrap();
    let too_much = withdraw(&world, &new_withdrawal(2_001));
    assert!(matches!(
        too_much,
        Err(Error::Refused(Refusal::AboveWithdrawalLimit {
            limit: 2_000
        }))
    ));
    withdraw(&world, &new_withdrawal(2_000)).unwrap();
    let today = withdraw(&world, &new_withdrawal(1_000));
    assert!(matches!(
        today,
        Err(Error::Refused(Refusal::AboveDailyLimit { limit: 3_000 }))
    ));
    world.clock.advance(DAY_MS);
    assert!(withdraw(&world, &new_withdrawal(1_000)).is_ok());
}

#[test]
fn nobody_spends_more_than_there_is() {
    let world = World::new();
    fund(&world, 10_080);
    for _ in 0..10 {
        withdraw(&world, &new_withdrawal(1_000)).unwrap();
    }
    let broke = withdraw(&world, &new_withdrawal(1_000));
    assert!(matches!(
        broke,
        Err(Error::Refused(Refusal::InsufficientBalance))
    ));
    assert_eq!(balance(&world, Environment::Live), 0);
}

#[test]
fn a_sandbox_withdrawal_is_paid_at_once_and_moves_nothing() {
    let world = World::new();
    let owner = world.owner(Environment::Sandbox);
    let before = balance(&world, Environment::Sandbox);
    let attempt = Attempt {
        key: IdempotencyKey::parse("w1").unwrap(),
        body_digest: [1; 32],
    };
    let create = || {
        withdrawal::create(
            &world.ports(),
            owner,
            Origin::Api,
            &new_withdrawal(4_000),
            Some(&attempt),
        )
    };
    let first = create().unwrap();
    let again = create().unwrap();
    assert_eq!(first.object.status.as_str(), "PAID");
    assert!(again.repeated && again.object == first.object);
    assert_eq!(balance(&world, Environment::Sandbox), before);
    assert_eq!(last_event(&world, &first.object)["event"], "withdraw.done");
}

#[test]
fn a_twin_within_the_guard_is_refused_unless_a_key_says_it_is_meant() {
    let world = World::new();
    fund(&world, 100_080);
    let guarded = crate::account::Account {
        duplicate_guard_minutes: Some(10),
        ..world.account.clone()
    };
    world
        .store
        .transact(|tx| tx.save_account(&guarded))
        .unwrap();
    let first = withdraw(&world, &new_withdrawal(1_000)).unwrap();
    let twin = withdraw(&world, &new_withdrawal(1_000));
    assert!(matches!(twin, Err(Error::Conflict(Conflict::SameWithdrawal(id))) if id == first.id));
    assert!(withdraw(&world, &new_withdrawal(1_001)).is_ok());
    let attempt = Attempt {
        key: IdempotencyKey::parse("meant").unwrap(),
        body_digest: [1; 32],
    };
    let owner = world.owner(Environment::Live);
    assert!(
        withdrawal::create(
            &world.ports(),
            owner,
            Origin::Api,
            &new_withdrawal(1_000),
            Some(&attempt)
        )
        .is_ok()
    );
    world.clock.advance(10 * 60 * SECOND_MS + 1);
    assert!(withdraw(&world, &new_withdrawal(1_000)).is_ok());
}

/// A title of so many centavos, due long after the tests.
fn title(centavos: i64) -> BillCode {
    let title = Title {
        bank: BankCode::parse("001").unwrap(),
        free_field: FreeField::parse("1234567890123456789012345").unwrap(),
        amount: Some(Centavos::new(centavos)),
        due_date: Some(Date::from_parts(2026, 12, 1).unwrap()),
    };
    BillCode::Boleto(title.barcode().unwrap())
}

fn quote(world: &World, centavos: i64) -> bill::Quote {
    bill::query(
        &world.ports(),
        world.owner(Environment::Live),
        &title(centavos),
    )
    .unwrap()
    .0
}

fn pay(world: &World, quote: &bill::Quote, name: &str) -> Result<Made<Payout>, Error> {
    let name = ExternalId::parse(name).unwrap();
    bill::pay(
        &world.ports(),
        quote.owner,
        Origin::Api,
        Some(quote.id),
        &name,
        None,
    )
}

#[test]
fn a_bill_is_quoted_debited_with_its_fees_and_settled() {
    let world = World::new();
    fund(&world, 10_080);
    let quote = quote(&world, 5_000);
    assert_eq!(
        (
            quote.amounts.total.get(),
            quote.fee().unwrap().get(),
            quote.debit().unwrap().get()
        ),
        (5_000, 150, 5_150)
    );
    let paid = pay(&world, &quote, "bill 1").unwrap().object;
    assert_eq!(balance(&world, Environment::Live), 4_850);
    assert!(paid.public_id().starts_with("bp_"));
    work(&world);
    let event = last_event(&world, &paid);
    assert_eq!(
        (&event["event"], &event["data"]["kind"]),
        (&"withdraw.done".into(), &"boletoPayment".into())
    );
    assert_sound(&world);
}

#[test]
fn a_title_is_paid_once_and_an_external_id_answers_the_first_payment_for_ever() {
    let world = World::new();
    fund(&world, 100_080);
    let first_quote = quote(&world, 5_000);
    let first = pay(&world, &first_quote, "a").unwrap();
    let again = pay(&world, &first_quote, "a").unwrap();
    assert!(again.repeated && again.object.id == first.object.id);
    assert!(matches!(
        pay(&world, &first_quote, "b"),
        Err(Error::Conflict(Conflict::TitleTaken))
    ));
    let other = quote(&world, 6_000);
    assert!(matches!(
        pay(&world, &other, "a"),
        Err(Error::Conflict(Conflict::ExternalIdReused))
    ));
    work(&world);
    world.clock.advance(DAY_MS);
    assert!(
        pay(&world, &first_quote, "a").unwrap().repeated,
        "after hours and with an expired quote too"
    );
    assert_eq!(balance(&world, Environment::Live), 100_000 - 5_150);
}

#[test]
fn a_failed_payment_refunds_everything_and_frees_the_title_but_keeps_its_name() {
    let world = World::new();
    fund(&world, 10_080);
    world.bank.set_fate(Fate::Fails);
    let first_quote = quote(&world, 5_000);
    let first = pay(&world, &first_quote, "a").unwrap().object;
    work(&world);
    assert_eq!(balance(&world, Environment::Live), 10_000);
    assert_eq!(last_event(&world, &first)["event"], "withdraw.failed");
    assert_eq!(pay(&world, &first_quote, "a").unwrap().object.id, first.id);
    world.bank.set_fate(Fate::Settles);
    let second = pay(&world, &quote(&world, 5_000), "b").unwrap().object;
    work(&world);
    assert_eq!(found(&world, &second).status.as_str(), "PAID");
    assert_sound(&world);
}

#[test]
fn a_quote_expires_and_payment_hours_close() {
    let world = World::new();
    fund(&world, 10_080);
    let old = quote(&world, 5_000);
    world.clock.advance(bill::QUOTE_SECONDS * SECOND_MS);
    assert!(matches!(
        pay(&world, &old, "a"),
        Err(Error::Refused(Refusal::QuoteExpired))
    ));
    // 2026-09-22 is a Tuesday; 22:00 in Sao Paulo is 01:00 of the next day in UTC.
    world
        .clock
        .set(Time::parse("2026-09-23T00:59:59.999Z").unwrap());
    let evening = quote(&world, 5_000);
    world.clock.advance(1);
    let closed = pay(&world, &evening, "a").unwrap_err();
    assert_eq!(
        closed.to_string(),
        "outside payment hours; they begin again at 2026-09-23T03:00:00.000Z"
    );
    assert_eq!(balance(&world, Environment::Live), 10_000);
}

/// What may happen to one title.
#[derive(Clone, Debug)]
enum Act {
    Query,
    Pay {
        quote: usize,
        name: u8,
    },
    Work,
    Fate(u8),
    Down(bool),
    /// The process dies after it committed that it is sending.
    Crash,
    Wait,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => Just(Act::Query),
        4 => (0_usize..4, 0_u8..3).prop_map(|(quote, name)| Act::Pay { quote, name }),
        3 => Just(Act::Work),
        1 => (0_u8..4).prop_map(Act::Fate),
        1 => any::<bool>().prop_map(Act::Down),
        1 => Just(Act::Crash),
        2 => Just(Act::Wait),
    ]
}

fn crash(world: &World) {
    let now = crate::ports::Clock::now(&world.clock);
    world
        .store
        .transact(|tx| {
            for payout in tx.due_payouts_for_update(now, 10)? {
                let phase = if payout.step.phase == Phase::Unsent {
                    Phase::Sending
                } else {
                    payout.step.phase
                };
                tx.save_payout(&Payout {
                    step: Step {
                        phase,
                        ..payout.step
                    },
                    ..payout
                })?;
            }
            Ok(())
        })
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_title_is_paid_exactly_once_whatever_happens(acts in proptest::collection::vec(act(), 1..40)) {
        let world = World::new();
        fund(&world, 100_080);
        let mut quotes = Vec::new();
        for one in acts {
            match one {
                Act::Query => quotes.extend(bill::query(&world.ports(), world.owner(Environment::Live), &title(5_000)).map(|(quote, _)| quote)),
                Act::Pay { quote, name } => {
                    if let Some(quote) = quotes.get(quote) {
                        let _ = pay(&world, quote, &format!("name {name}"));
                    }
                }
                Act::Work => { settle_due(&world.ports(), 10).unwrap(); }
                Act::Fate(fate) => world.bank.set_fate([Fate::Settles, Fate::Fails, Fate::TimesOut, Fate::IsLost][usize::from(fate)]),
                Act::Down(down) => world.bank.set_down(down),
                Act::Crash => crash(&world),
                Act::Wait => world.clock.advance(70 * SECOND_MS),
            }
            assert_sound(&world);
            let arrived = world.bank.sent.lock().unwrap();
            prop_assert!(arrived.values().all(|(_, times)| *times == 1), "the bank was told of a payment twice");
            let settles = arrived.values().filter(|(fate, _)| *fate != Fate::Fails).count();
            prop_assert!(settles <= 1, "the title was paid twice");
        }
        world.bank.set_down(false);
        for _ in 0..30 {
            world.clock.advance(HOUR_MS);
            settle_due(&world.ports(), 10).unwrap();
        }
        let settled = world.bank.sent.lock().unwrap().values().filter(|(fate, _)| *fate != Fate::Fails).count();
        let spent = i64::try_from(settled).unwrap() * 5_150;
        prop_assert_eq!(balance(&world, Environment::Live), 100_000 - spent);
    }
}
