use proptest::prelude::*;

use super::*;
use crate::account::{ClockMove, Environment, move_clock};
use crate::calendar::{DAY_MS, HOUR_MS, SECOND_MS};
use crate::charge::{self, Charge, receive, simulate};
use crate::error::{Conflict, Missing, Refusal};
use crate::idempotency::{IdempotencyKey, Made};
use crate::ledger::{self, LedgerAccount};
use crate::payout::Phase;
use crate::ports::Transact;
use crate::provider::PixNotice;
use crate::testing::{Fate, World, balance, fund, notice};

/// A live charge of R$ 49,90 that was paid; its fee was R$ 0,80.
fn paid(world: &World) -> Charge {
    let charge = world.charge(Environment::Live);
    receive(&world.ports(), &notice(&charge, 1)).unwrap();
    charge
}

fn of(centavos: i64) -> NewRefund {
    NewRefund {
        amount: Some(Centavos::new(centavos)),
        reason: None,
    }
}

fn all() -> NewRefund {
    NewRefund::default()
}

fn give(world: &World, charge: &Charge, new: &NewRefund) -> Result<Refund, Error> {
    create(&world.ports(), charge.owner, charge.id, new, None).map(|made| made.object)
}

fn keyed(
    world: &World,
    charge: &Charge,
    new: &NewRefund,
    key: &str,
) -> Result<Made<Refund>, Error> {
    let key = IdempotencyKey::parse(key).unwrap();
    create(&world.ports(), charge.owner, charge.id, new, Some(&key))
}

fn work(world: &World) {
    for _ in 0..4 {
        settle_due(&world.ports(), 100).unwrap();
        world.clock.advance(2 * SECOND_MS);
    }
}

fn told(world: &World, refund: &Refund) -> Story {
    story(&world.ports(), refund.id).unwrap().0
}

fn status(world: &World, refund: &Refund) -> &'static str {
    told(world, refund).refund.status.as_str()
}

fn kinds(world: &World, refund: &Refund) -> Vec<&'static str> {
    let told = told(world, refund);
    told.entries
        .iter()
        .map(|entry| entry.kind.as_str())
        .collect()
}

fn assert_sound(world: &World) {
    let report = ledger::verify(&world.ports()).unwrap();
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

#[test]
fn a_refund_is_debited_at_once_and_paid_when_the_bank_says_so() {
    let world = World::new();
    fund(&world, 1_080);
    let charge = paid(&world);
    assert_eq!(balance(&world, Environment::Live), 5_910);
    let refund = give(&world, &charge, &all()).unwrap();
    assert_eq!(
        (refund.amount.get(), refund.status.as_str()),
        (4_990, "PENDING")
    );
    assert_eq!(balance(&world, Environment::Live), 920, "the fee is kept");
    assert_eq!(kinds(&world, &refund), ["refund_debited"]);
    work(&world);
    assert_eq!(status(&world, &refund), "PAID");
    assert_eq!(kinds(&world, &refund), ["refund_debited", "refund_settled"]);
    assert_eq!(balance(&world, Environment::Live), 920);
    let story = charge::story(&world.ports(), charge.id).unwrap();
    assert_eq!(story.charge.status_at(story.now).as_str(), "PAID");
    assert_eq!(story.refunds.len(), 1);
    assert_eq!(story.events.len(), 1, "no event tells of a refund");
    assert_sound(&world);
}

#[test]
fn every_ending_leaves_the_money_where_it_belongs() {
    let endings = [
        (Fate::Settles, "PAID", 2_910, 1),
        (Fate::Fails, "FAILED", 4_910, 1),
        (Fate::TimesOut, "PAID", 2_910, 1),
        (Fate::IsLost, "FAILED", 4_910, 0),
        (Fate::IsRefused, "FAILED", 4_910, 0),
    ];
    for (fate, end, left, times) in endings {
        let world = World::new();
        let charge = paid(&world);
        world.bank.set_fate(fate);
        let refund = give(&world, &charge, &of(2_000)).unwrap();
        assert_eq!(balance(&world, Environment::Live), 2_910, "{fate:?}");
        work(&world);
        work(&world);
        assert_eq!(status(&world, &refund), end, "{fate:?}");
        assert_eq!(balance(&world, Environment::Live), left, "{fate:?}");
        let sent: u32 = world
            .bank
            .refunded
            .lock()
            .unwrap()
            .values()
            .map(|(_, times)| times)
            .sum();
        assert_eq!(sent, times, "{fate:?}: never sent twice");
        assert_sound(&world);
        // What came back can be refunded again.
        world.bank.set_fate(Fate::Settles);
        assert_eq!(give(&world, &charge, &of(2_000)).is_ok(), end == "FAILED");
    }
}

#[test]
fn a_bank_that_is_down_means_later() {
    let world = World::new();
    let charge = paid(&world);
    world.bank.set_down(true);
    let refund = give(&world, &charge, &of(1_000)).unwrap();
    work(&world);
    assert_eq!(status(&world, &refund), "PENDING");
    let now = world.ports().clock.now();
    let backlog = world.store.read(|read| read.refund_backlog(now)).unwrap();
    assert_eq!((backlog.pending, backlog.stuck), (1, 0));
    world.bank.set_down(false);
    world.clock.advance(HOUR_MS);
    work(&world);
    assert_eq!(status(&world, &refund), "PAID");
}

#[test]
fn a_crash_before_the_call_is_looked_up_and_then_sent() {
    let world = World::new();
    let charge = paid(&world);
    let refund = give(&world, &charge, &of(1_000)).unwrap();
    // What a worker commits before it calls the bank; then the process dies.
    let dying = Refund {
        step: Step {
            phase: Phase::Sending,
            tries: 1,
            ..refund.step
        },
        ..refund.clone()
    };
    world.store.transact(|tx| tx.save_refund(&dying)).unwrap();
    work(&world);
    assert_eq!(status(&world, &refund), "PAID");
    assert_eq!(world.bank.refunded.lock().unwrap()[&refund.id].1, 1);
}

#[test]
fn parts_never_add_up_to_more_than_was_received() {
    let world = World::new();
    fund(&world, 10_080);
    let charge = paid(&world);
    give(&world, &charge, &of(3_000)).unwrap();
    let more = give(&world, &charge, &of(1_991)).unwrap_err();
    assert_eq!(
        more.to_string(),
        "only 1990 centavos are left to refund of this charge"
    );
    assert_eq!(give(&world, &charge, &all()).unwrap().amount.get(), 1_990);
    for new in [all(), of(1)] {
        let none = give(&world, &charge, &new).unwrap_err();
        assert_eq!(none.to_string(), "nothing is left to refund of this charge");
    }
    for nothing in [0, -1] {
        let wrong = give(&world, &charge, &of(nothing)).unwrap_err();
        assert_eq!(wrong.to_string(), "amount must be at least 1");
    }
    assert_sound(&world);
}

#[test]
fn a_merchant_cannot_refund_what_it_has_spent() {
    let world = World::new();
    let charge = paid(&world);
    // The fee is kept: without other money the whole cannot be given back.
    let short = give(&world, &charge, &all());
    assert!(matches!(
        short,
        Err(Error::Refused(Refusal::InsufficientBalance))
    ));
    let story = charge::story(&world.ports(), charge.id).unwrap();
    assert!(story.refunds.is_empty());
    assert_eq!(
        give(&world, &charge, &of(4_910)).unwrap().amount.get(),
        4_910
    );
    assert_eq!(balance(&world, Environment::Live), 0);
}

#[test]
fn a_repeat_gives_nothing_back_twice() {
    let world = World::new();
    let charge = paid(&world);
    let first = keyed(&world, &charge, &of(1_000), "a").unwrap();
    let again = keyed(&world, &charge, &of(1_000), "a").unwrap();
    assert!(again.repeated && again.object == first.object);
    assert!(matches!(
        keyed(&world, &charge, &of(1_001), "a"),
        Err(Error::Conflict(Conflict::IdempotencyKeyReused))
    ));
    let twin = give(&world, &charge, &of(1_000));
    assert!(
        matches!(twin, Err(Error::Conflict(Conflict::SameRefund(id))) if id == first.object.id)
    );
    assert!(
        !keyed(&world, &charge, &of(1_000), "b").unwrap().repeated,
        "it is meant"
    );
    assert_eq!(balance(&world, Environment::Live), 2_910);
    let rest = keyed(&world, &charge, &of(2_910), "c").unwrap();
    work(&world);
    let late = keyed(&world, &charge, &of(2_910), "c").unwrap();
    assert_eq!((late.repeated, late.object.id), (true, rest.object.id));
    assert_eq!(late.object.status.as_str(), "PAID");
}

#[test]
fn only_what_was_paid_by_pix_can_be_refunded_and_for_ninety_days() {
    let world = World::new();
    fund(&world, 10_080);
    let open = world.charge(Environment::Live);
    let unpaid = give(&world, &open, &all()).unwrap_err();
    assert_eq!(unpaid.to_string(), "the charge is PENDING, not PAID");
    charge::cancel(&world.ports(), open.owner, open.id).unwrap();
    let failed = give(&world, &open, &all()).unwrap_err();
    assert_eq!(failed.to_string(), "the charge is FAILED, not PAID");

    let boleto = world.boleto(Environment::Sandbox);
    let by_line = PixNotice {
        payment_id: PaymentId::of_settlement("AUT1").unwrap(),
        ..notice(&boleto, 7)
    };
    receive(&world.ports(), &by_line).unwrap();
    let no_pix = give(&world, &boleto, &all());
    assert!(matches!(no_pix, Err(Error::Refused(Refusal::NotPaidByPix))));
    let by_code = world.boleto(Environment::Sandbox);
    simulate(&world.ports(), by_code.owner, by_code.id).unwrap();
    assert_eq!(
        status(&world, &give(&world, &by_code, &of(100)).unwrap()),
        "PAID"
    );

    let charge = paid(&world);
    world.clock.advance(90 * DAY_MS);
    assert!(give(&world, &charge, &of(1)).is_ok());
    world.clock.advance(1);
    assert!(matches!(
        give(&world, &charge, &of(2)),
        Err(Error::Refused(Refusal::RefundWindowClosed))
    ));
    let stranger = Charge {
        owner: world.owner(Environment::Sandbox),
        ..charge
    };
    assert!(matches!(
        give(&world, &stranger, &of(2)),
        Err(Error::NotFound(Missing::Charge))
    ));
    let nobodys = story(&world.ports(), RefundId(crate::id::Ulid::nil()));
    assert!(matches!(nobodys, Err(Error::NotFound(Missing::Refund))));
}

#[test]
fn a_sandbox_refund_is_paid_at_once_and_moves_nothing() {
    let world = World::new();
    let charge = world.charge(Environment::Sandbox);
    simulate(&world.ports(), charge.owner, charge.id).unwrap();
    let before = balance(&world, Environment::Sandbox);
    world.bank.set_down(true);
    move_clock(&world.ports(), world.account.id, ClockMove::Advance(DAY_MS)).unwrap();
    let refund = give(&world, &charge, &of(2_000)).unwrap();
    assert_eq!(refund.created_at.millis(), crate::testing::START + DAY_MS);
    let PayoutStatus::Paid { at, authentication } = &refund.status else {
        panic!("{:?}", refund.status)
    };
    assert_eq!(*at, refund.created_at);
    assert!(ReturnId::parse(authentication).is_ok(), "{authentication}");
    assert!(told(&world, &refund).entries.is_empty());
    assert_eq!(give(&world, &charge, &all()).unwrap().amount.get(), 2_990);
    assert_eq!(settle_due(&world.ports(), 10).unwrap().taken, 0);
    assert_eq!(balance(&world, Environment::Sandbox), before);
    assert_sound(&world);
}

#[test]
fn a_refund_that_was_not_posted_as_its_state_says_is_found() {
    let world = World::new();
    let charge = paid(&world);
    let refund = give(&world, &charge, &of(1_000)).unwrap();
    let lie = Refund {
        status: PayoutStatus::Failed {
            at: refund.created_at,
            reason: "nobody knows".to_owned(),
        },
        step: refund.step.over(),
        ..refund.clone()
    };
    world.store.transact(|tx| tx.save_refund(&lie)).unwrap();
    // A row that came from nowhere, too.
    let forged = Refund {
        id: RefundId(crate::id::Ulid::from_parts(1, 1)),
        amount: Centavos::new(4_991),
        ..refund.clone()
    };
    world
        .store
        .transact(|tx| tx.insert_refund(&forged))
        .unwrap();
    let report = ledger::verify(&world.ports()).unwrap();
    let faults: Vec<_> = report
        .faults
        .iter()
        .map(|fault| (fault.row.clone(), fault.wrong.clone()))
        .collect();
    let more = format!("makes {} more refunded than was received", charge.id);
    let is =
        |state: &str, posted: &str| format!("is {state}, but what was posted for it is {posted}");
    assert_eq!(
        faults,
        [
            (forged.id.to_string(), is("PENDING of 4991", "nothing")),
            (forged.id.to_string(), more),
            (
                refund.id.to_string(),
                is(
                    "FAILED of 1000",
                    "refund_debited available -1000 outgoing 1000"
                )
            ),
        ]
    );
}

/// What may happen to the refunds of a charge.
#[derive(Clone, Debug)]
enum Act {
    Give { centavos: i64, key: u8 },
    Work,
    Fate(u8),
    Down(bool),
    Wait,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (1_i64..3_000, 0_u8..6).prop_map(|(centavos, key)| Act::Give { centavos, key }),
        3 => Just(Act::Work),
        1 => (0_u8..5).prop_map(Act::Fate),
        1 => any::<bool>().prop_map(Act::Down),
        2 => Just(Act::Wait),
    ]
}

const FATES: [Fate; 5] = [
    Fate::Settles,
    Fate::Fails,
    Fate::TimesOut,
    Fate::IsLost,
    Fate::IsRefused,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn never_more_is_given_back_than_was_received(acts in proptest::collection::vec(act(), 1..40)) {
        let world = World::new();
        fund(&world, 10_080);
        let charge = paid(&world);
        for one in acts {
            match one {
                Act::Give { centavos, key } => { let _ = keyed(&world, &charge, &of(centavos), &key.to_string()); }
                Act::Work => { settle_due(&world.ports(), 10).unwrap(); }
                Act::Fate(fate) => world.bank.set_fate(FATES[usize::from(fate)]),
                Act::Down(down) => world.bank.set_down(down),
                Act::Wait => world.clock.advance(70 * SECOND_MS),
            }
            assert_sound(&world);
            let told = world.bank.refunded.lock().unwrap();
            prop_assert!(told.values().all(|(_, times)| *times == 1), "the bank was told of a refund twice");
        }
        world.bank.set_down(false);
        for _ in 0..30 {
            world.clock.advance(HOUR_MS);
            settle_due(&world.ports(), 10).unwrap();
        }
        let story = charge::story(&world.ports(), charge.id).unwrap();
        let refunds: Vec<Refund> = story.refunds.iter().map(|told| told.refund.clone()).collect();
        prop_assert!(refunds.iter().all(|refund| refund.status != PayoutStatus::Pending));
        let given = refunded(&refunds).unwrap();
        prop_assert!(given <= charge.amount);
        let arrived = world.bank.refunded.lock().unwrap();
        let arrived = |refund: &&Refund| arrived.get(&refund.id).is_some_and(|(fate, _)| *fate != Fate::Fails);
        let by_bank: i64 = refunds.iter().filter(arrived).map(|refund| refund.amount.get()).sum();
        prop_assert_eq!(given.get(), by_bank);
        prop_assert_eq!(balance(&world, Environment::Live), 10_000 + 4_910 - by_bank);
        let outgoing: i64 = world.store.read(|read| read.entries(charge.owner, 0, 1_000)).unwrap()
            .iter().map(|entry| entry.postings.on(LedgerAccount::Outgoing).get()).sum();
        prop_assert_eq!(outgoing, 0);
    }
}
