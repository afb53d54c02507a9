use super::*;
use crate::account::{AccountChange, change};
use crate::charge::{
    Outcome, PaymentId, ReturnReason, StatusName, receive, remove, simulate, story,
};
use crate::provider::PixNotice;
use crate::testing::{World, new_boleto, notice};

fn complete(world: &World) {
    let full = AccountChange {
        document: Some(Document::parse("00000000191").unwrap()),
        address: Name::parse("Rua A, 1").unwrap(),
        ..AccountChange::default()
    };
    change(&world.ports(), world.account.id, &full).unwrap();
}

fn slip(charge: &Charge) -> &Slip {
    let ChargeKind::Boleto(slip) = &charge.kind else {
        panic!("a boleto")
    };
    slip
}

#[test]
fn a_due_date_on_a_weekend_stays_and_can_be_paid_on_monday() {
    let world = World::new();
    // 2026-11-18 is a Wednesday: three days later it is Saturday 21, and Friday 20 is a holiday.
    world
        .clock
        .set(Time::parse("2026-11-18T12:00:00Z").unwrap());
    let charge = world.boleto(Environment::Sandbox);
    assert_eq!(slip(&charge).due_date.to_string(), "2026-11-21");
    assert_eq!(charge.expires_at.to_string(), "2026-11-24T02:59:59.999Z");
    assert_eq!(
        (charge.amount.get(), charge.net_amount.get()),
        (10_000, 9_801)
    );
    assert!(charge.public_id().starts_with("bol_"));
    assert_eq!(slip(&charge).pdf_token.len(), 32);
}

#[test]
fn the_line_and_the_code_settle_the_same_charge_once() {
    let world = World::new();
    complete(&world);
    let charge = world.boleto(Environment::Live);
    let by_line = PixNotice {
        payment_id: PaymentId::of_settlement("AUT1").unwrap(),
        ..notice(&charge, 1)
    };
    assert_eq!(receive(&world.ports(), &by_line).unwrap(), Outcome::Paid);
    let by_code = receive(&world.ports(), &notice(&charge, 2)).unwrap();
    assert_eq!(by_code, Outcome::Returned(ReturnReason::SecondPayment));
    let told = story(&world.ports(), charge.id).unwrap();
    let bodies: Vec<serde_json::Value> = told
        .events
        .iter()
        .map(|told| serde_json::from_str(&told.event.body).unwrap())
        .collect();
    assert_eq!(bodies.len(), 1);
    assert_eq!(bodies[0]["event"], "boleto.paid");
    assert_eq!(bodies[0]["data"]["kind"], "boleto");
    assert_eq!(bodies[0]["data"]["endToEndId"], "AUT1");
    assert_eq!(bodies[0]["data"]["id"], charge.public_id());
}

#[test]
fn money_paid_on_the_last_day_and_cleared_the_next_still_settles() {
    let world = World::new();
    complete(&world);
    let (first, second) = (
        world.boleto(Environment::Live),
        world.boleto(Environment::Live),
    );
    let end = first.expires_at;
    assert_eq!(first.status_at(end), StatusName::Pending);
    assert_eq!(first.status_at(end.plus_millis(1)), StatusName::Expired);
    world.clock.set(end.plus_millis(crate::calendar::DAY_MS));
    // The end is the last moment of the last day: it belongs to it, and the next one does not.
    for (charge, number, paid_at, outcome) in [
        (
            &second,
            1,
            end.plus_millis(1),
            Outcome::Returned(ReturnReason::Late),
        ),
        (&first, 2, end, Outcome::Paid),
        (&second, 3, end.plus_millis(-1), Outcome::Paid),
    ] {
        let notice = PixNotice {
            paid_at,
            ..notice(charge, number)
        };
        assert_eq!(receive(&world.ports(), &notice).unwrap(), outcome);
    }
}

#[test]
fn a_live_boleto_needs_the_beneficiarys_document_and_address() {
    let world = World::new();
    let refused = create(
        &world.ports(),
        world.owner(Environment::Live),
        Origin::Api,
        &new_boleto(),
        None,
    );
    assert!(matches!(
        refused,
        Err(Error::Refused(Refusal::BeneficiaryIncomplete))
    ));
    assert!(
        create(
            &world.ports(),
            world.owner(Environment::Sandbox),
            Origin::Api,
            &new_boleto(),
            None
        )
        .is_ok()
    );
}

#[test]
fn a_rejected_boleto_fails_without_an_event() {
    let world = World::new();
    let charge = world.boleto(Environment::Sandbox);
    remove(&world.ports(), charge.id, "no").unwrap();
    let told = story(&world.ports(), charge.id).unwrap();
    assert_eq!(told.charge.status_at(told.now), StatusName::Failed);
    assert!(told.events.is_empty());
}

#[test]
fn a_boleto_is_found_by_its_token_and_by_its_barcode_and_can_be_simulated() {
    let world = World::new();
    let charge = world.boleto(Environment::Sandbox);
    simulate(&world.ports(), charge.owner, charge.id).unwrap();
    let (shown, account, now) = by_token(&world.ports(), &slip(&charge).pdf_token).unwrap();
    assert_eq!((shown.id, account.id), (charge.id, world.account.id));
    assert_eq!(shown.status_at(now), StatusName::Paid);
    assert_eq!(
        by_barcode(&world.ports(), &slip(&charge).barcode)
            .unwrap()
            .id,
        charge.id
    );
    for unknown in ["x", "", "\0", "00ff"] {
        assert!(matches!(
            by_token(&world.ports(), unknown),
            Err(Error::NotFound(Missing::Charge))
        ));
    }
}
