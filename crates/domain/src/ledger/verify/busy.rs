//! A merchant with everything, for verifications to find what is wrong with it.

use crate::account::{self, AccountChange, Environment, Origin};
use crate::bill::{self, BillCode, ExternalId};
use crate::boleto::{BankCode, FreeField, Title};
use crate::calendar::{Date, SECOND_MS};
use crate::charge::{self, Charge, ChargeId};
use crate::document::Document;
use crate::idempotency::IdempotencyKey;
use crate::money::Centavos;
use crate::payout::settle_due;
use crate::pix_key::{PixKey, PixKeyKind};
use crate::provider::PixNotice;
use crate::refund::{self, NewRefund};
use crate::testing::{Fate, World, fund, notice};
use crate::text::Name;
use crate::withdrawal::{self, NewWithdrawal, WithdrawalAmount};

fn work(world: &World) {
    for _ in 0..4 {
        settle_due(&world.ports(), 100).unwrap();
        refund::settle_due(&world.ports(), 100).unwrap();
        world.clock.advance(2 * SECOND_MS);
    }
}

fn withdraw(world: &World, environment: Environment) {
    let new = NewWithdrawal {
        amount: WithdrawalAmount::parse(1_000).unwrap(),
        key: PixKey::parse(PixKeyKind::Email, "bia@example.com").unwrap(),
        beneficiary_name: None,
        description: None,
        recipient_document: None,
        pass_fee: false,
    };
    let owner = world.owner(environment);
    withdrawal::create(&world.ports(), owner, Origin::Api, &new, None).unwrap();
}

fn pay_bill(world: &World, environment: Environment, nth: u8) {
    let title = Title {
        bank: BankCode::parse("001").unwrap(),
        free_field: FreeField::parse(&format!("{nth:025}")).unwrap(),
        amount: Some(Centavos::new(2_000)),
        due_date: Some(Date::from_parts(2026, 12, 1).unwrap()),
    };
    let code = BillCode::Boleto(title.barcode().unwrap());
    let owner = world.owner(environment);
    let (quote, _) = bill::query(&world.ports(), owner, &code).unwrap();
    let name = ExternalId::parse(&nth.to_string()).unwrap();
    bill::pay(
        &world.ports(),
        owner,
        Origin::Api,
        Some(quote.id),
        &name,
        None,
    )
    .unwrap();
}

fn give_back(world: &World, charge: ChargeId, nth: u8) {
    let new = NewRefund {
        amount: Some(Centavos::new(500)),
        reason: None,
    };
    let owner = world.owner(Environment::Live);
    let key = IdempotencyKey::parse(&nth.to_string()).unwrap();
    refund::create(&world.ports(), owner, charge, &new, Some(&key)).unwrap();
}

fn paid_twice(world: &World, charge: &Charge, payment: u8) {
    for payment in [payment, payment + 1] {
        charge::receive(&world.ports(), &notice(charge, payment)).unwrap();
    }
}

/// Charges nobody has paid: one that got a wrong amount, which has still to go back, and two that never can be paid.
fn open_and_ended(world: &World, environment: Environment, payment: u8) {
    let open = world.charge(environment);
    let wrong = PixNotice {
        amount: Centavos::new(7),
        ..notice(&open, payment)
    };
    charge::receive(&world.ports(), &wrong).unwrap();
    charge::remove(&world.ports(), world.charge(environment).id, "gone").unwrap();
    let boleto = world.boleto(environment);
    charge::cancel(&world.ports(), boleto.owner, boleto.id).unwrap();
}

/// A merchant with objects of every kind in every status.
pub(super) fn busy() -> World {
    let world = World::new();
    let full = AccountChange {
        document: Some(Document::parse("00000000191").unwrap()),
        address: Name::parse("Rua A, 1").unwrap(),
        ..AccountChange::default()
    };
    account::change(&world.ports(), world.account.id, &full).unwrap();
    fund(&world, 100_000);
    let both = [(Environment::Live, 1), (Environment::Sandbox, 11)];
    for (environment, payment) in both {
        paid_twice(&world, &world.charge(environment), payment);
        paid_twice(&world, &world.boleto(environment), payment + 2);
    }
    charge::give_back_due(&world.ports(), 100).unwrap();
    for (environment, payment) in both {
        open_and_ended(&world, environment, payment + 4);
    }
    let simulated = world.charge(Environment::Sandbox);
    charge::simulate(&world.ports(), simulated.owner, simulated.id).unwrap();
    let refunded = world.charge(Environment::Live);
    charge::receive(&world.ports(), &notice(&refunded, 20)).unwrap();
    withdraw(&world, Environment::Sandbox);
    for (nth, fate) in [(1, Fate::Fails), (2, Fate::Settles), (3, Fate::TimesOut)] {
        world.bank.set_fate(fate);
        withdraw(&world, Environment::Live);
        pay_bill(&world, Environment::Live, nth);
        pay_bill(&world, Environment::Sandbox, nth);
        give_back(&world, refunded.id, nth);
        if nth < 3 {
            work(&world);
        }
    }
    world
}
