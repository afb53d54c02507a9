use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::account::Environment;
use crate::charge::{Outcome, ReturnReason, receive, simulate, story};
use crate::error::ProviderFailure;
use crate::ledger::verify;
use crate::testing::{MockBank, World, balance, notice};

fn canceled(world: &World, charge: &Charge) -> Result<Charge, Error> {
    cancel(&world.ports(), charge.owner, charge.id)
}

fn events(world: &World, charge: &Charge) -> Vec<Value> {
    let told = story(&world.ports(), charge.id).unwrap();
    let bodies = told.events.iter().map(|told| &told.event.body);
    bodies
        .map(|body| serde_json::from_str(body).unwrap())
        .collect()
}

fn status(world: &World, charge: &Charge) -> &'static str {
    let told = story(&world.ports(), charge.id).unwrap();
    told.charge.status_at(told.now).as_str()
}

#[test]
fn a_cancelled_charge_fails_by_its_merchant_and_is_told_once() {
    for environment in [Environment::Sandbox, Environment::Live] {
        let world = World::new();
        let charge = world.charge(environment);
        let first = canceled(&world, &charge).unwrap();
        let Status::Failed(failure) = &first.status else {
            panic!("{:?}", first.status)
        };
        assert_eq!(failure.by, FailedBy::Merchant);
        assert_eq!(canceled(&world, &charge).unwrap(), first, "a repeat");
        let [event] = &events(&world, &charge)[..] else {
            panic!("one event")
        };
        assert_eq!(event["event"], "pixQrCode.failed");
        assert_eq!(event["data"]["status"], "CANCELED");
        assert_eq!(event["data"]["failureReason"], "canceled by the merchant");
        assert_eq!(event["data"]["paidAt"], Value::Null);
    }
}

#[test]
fn only_an_open_charge_can_be_cancelled_and_the_error_names_the_state() {
    let world = World::new();
    let paid = world.charge(Environment::Sandbox);
    simulate(&world.ports(), paid.owner, paid.id).unwrap();
    let failed = world.charge(Environment::Live);
    remove(&world.ports(), failed.id, "no").unwrap();
    let expired = world.charge(Environment::Live);
    world.clock.set(expired.expires_at);
    for (charge, state) in [(&paid, "PAID"), (&failed, "FAILED"), (&expired, "EXPIRED")] {
        let told = events(&world, charge);
        let error = canceled(&world, charge).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the charge is {state}, not PENDING")
        );
        assert_eq!(status(&world, charge), state);
        assert_eq!(events(&world, charge), told);
    }
    let stranger = cancel(&world.ports(), world.owner(Environment::Sandbox), failed.id);
    assert!(matches!(stranger, Err(Error::NotFound(Missing::Charge))));
}

#[test]
fn a_bank_that_does_not_agree_leaves_everything_as_it_is() {
    for failure in [
        ProviderFailure::Down,
        ProviderFailure::Unknown,
        ProviderFailure::Rejected,
    ] {
        let world = World::new();
        let charge = world.charge(Environment::Live);
        let mut bank = MockBank::new();
        bank.expect_remove()
            .times(1)
            .returning(move |_| Err(failure.into()));
        let refused = cancel(&world.ports_with(&bank), charge.owner, charge.id);
        assert!(matches!(refused, Err(Error::Provider(said)) if said == failure));
        assert_eq!(status(&world, &charge), "PENDING");
        assert!(events(&world, &charge).is_empty());
        canceled(&world, &charge).unwrap();
        assert_eq!(status(&world, &charge), "FAILED");
    }
}

#[test]
fn a_payment_told_while_the_bank_is_asked_wins() {
    let world = Arc::new(World::new());
    let charge = world.charge(Environment::Live);
    let (told, arriving) = (Arc::clone(&world), notice(&charge, 1));
    let mut bank = MockBank::new();
    bank.expect_remove().returning(move |request| {
        assert_eq!(request.txid, arriving.txid);
        assert_eq!(receive(&told.ports(), &arriving).unwrap(), Outcome::Paid);
        Ok(())
    });
    let late = cancel(&world.ports_with(&bank), charge.owner, charge.id);
    assert!(matches!(
        late,
        Err(Error::Conflict(Conflict::ChargeNotPending("PAID")))
    ));
    let told = events(&world, &charge);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["event"], "pixQrCode.paid");
}

#[test]
fn a_payment_told_after_the_cancellation_goes_back() {
    let world = World::new();
    let charge = world.charge(Environment::Live);
    canceled(&world, &charge).unwrap();
    let outcome = receive(&world.ports(), &notice(&charge, 1)).unwrap();
    assert_eq!(outcome, Outcome::Returned(ReturnReason::ChargeEnded));
    let told = story(&world.ports(), charge.id).unwrap();
    assert_eq!((told.receipts.len(), told.returns.len()), (1, 1));
    assert_eq!(status(&world, &charge), "FAILED");
    assert_eq!(balance(&world, Environment::Live), 0);
    assert!(verify(&world.ports()).unwrap().faults.is_empty());
}

#[test]
fn a_boleto_is_written_off_without_an_event() {
    let world = World::new();
    let charge = world.boleto(Environment::Sandbox);
    let mut bank = MockBank::new();
    bank.expect_write_off().times(1).returning(|request| {
        assert_eq!(
            (request.wallet.as_str(), request.our_number.as_str()),
            ("17", "123")
        );
        Ok(())
    });
    cancel(&world.ports_with(&bank), charge.owner, charge.id).unwrap();
    assert_eq!(status(&world, &charge), "FAILED");
    assert!(events(&world, &charge).is_empty());
}
