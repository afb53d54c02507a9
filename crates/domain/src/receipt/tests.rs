use super::*;
use crate::account::{AccountChange, Origin, Owner, change};
use crate::bill::{self, ExternalId};
use crate::calendar::SECOND_MS;
use crate::charge;
use crate::error::{Conflict, Error, Missing};
use crate::id::Ulid;
use crate::payout::{self, Payout};
use crate::pix_key::PixKey;
use crate::provider::KeyOwner;
use crate::refund::{self, NewRefund, Refund};
use crate::testing::{Fate, MockBank, START, World, fund, notice};
use crate::text::{Description, Name};
use crate::withdrawal::{self, NewWithdrawal, WithdrawalAmount};

fn to(key: &str) -> NewWithdrawal {
    NewWithdrawal {
        amount: WithdrawalAmount::parse(5_000).unwrap(),
        key: PixKey::infer(key).unwrap(),
        beneficiary_name: Name::parse("Bia").unwrap(),
        description: Description::parse("Março").unwrap(),
        recipient_document: None,
        pass_fee: true,
    }
}

fn withdraw(world: &World, environment: Environment, key: &str) -> Payout {
    let owner = world.owner(environment);
    let made = withdrawal::create(&world.ports(), owner, Origin::Api, &to(key), None);
    made.unwrap().object
}

/// A bill of the sandbox, on its way.
fn pay(world: &World, line: &str, name: &str) -> Payout {
    let owner = world.owner(Environment::Sandbox);
    let code = BillCode::parse(line).unwrap();
    let (quote, _) = bill::query(&world.ports(), owner, &code).unwrap();
    let name = ExternalId::parse(name).unwrap();
    let made = bill::pay(
        &world.ports(),
        owner,
        Origin::Api,
        Some(quote.id),
        &name,
        None,
    );
    made.unwrap().object
}

/// A part of a charge that was paid, on its way back.
fn give_back(world: &World, environment: Environment) -> (charge::Charge, Refund) {
    let charge = world.charge(environment);
    charge::receive(&world.ports(), &notice(&charge, 1)).unwrap();
    let new = NewRefund {
        amount: Some(Centavos::new(990)),
        reason: Description::parse("troca").unwrap(),
    };
    let made = refund::create(&world.ports(), charge.owner, charge.id, &new, None);
    (charge, made.unwrap().object)
}

fn work(world: &World) {
    for _ in 0..3 {
        payout::settle_due(&world.ports(), 100).unwrap();
        refund::settle_due(&world.ports(), 100).unwrap();
        world.clock.advance(2 * SECOND_MS);
    }
}

#[track_caller]
fn of_payout(world: &World, payout: &Payout) -> Receipt {
    receipt(&world.ports(), ReceiptOf::Payout(payout.id)).unwrap()
}

#[track_caller]
fn assert_none(world: &World, of: ReceiptOf, status: &str) {
    let error = receipt(&world.ports(), of).unwrap_err();
    assert!(
        matches!(&error, Error::Conflict(Conflict::NoReceipt(said)) if *said == status),
        "{error}"
    );
    assert!(error.to_string().contains(status), "{error}");
}

#[test]
fn a_withdrawal_tells_payer_recipient_and_money() {
    let world = World::new();
    fund(&world, 20_000);
    let account_change = AccountChange {
        document: Some(Document::parse("12ABC34501DE35").unwrap()),
        ..AccountChange::default()
    };
    change(&world.ports(), world.account.id, &account_change).unwrap();
    let payout = withdraw(&world, Environment::Live, "52998224725");
    work(&world);
    let receipt = of_payout(&world, &payout);
    assert_eq!(receipt.id, payout.public_id());
    assert_eq!(receipt.environment, Environment::Live);
    assert_eq!(receipt.payer, "Padaria São João");
    let document = receipt.payer_document.unwrap();
    assert_eq!(document.as_str(), "12ABC34501DE35");
    let money = [receipt.amount, receipt.fee, receipt.debited];
    assert_eq!(money.map(Centavos::get), [5_000, 100, 5_100]);
    assert!(receipt.paid_at.millis() > START);
    assert!(receipt.issued_at >= receipt.paid_at);
    assert_eq!(
        receipt.authentication,
        payout.authentication(START).unwrap()
    );
    let expected = SentPix {
        recipient: Party {
            name: None,
            document: Some("***.982.247-**".to_owned()),
            bank: None,
        },
        recipient_by_payer: Some("Bia".to_owned()),
        pix_key: "***.982.247-**".to_owned(),
        description: Some("Março".to_owned()),
    };
    assert_eq!(receipt.purpose, ReceiptPurpose::Withdrawal(expected));
}

#[test]
fn whom_the_directory_named_stands_before_whom_the_payer_named() {
    let world = World::new();
    let mut bank = MockBank::new();
    bank.expect_key_owner().returning(|_| {
        Ok(Some(KeyOwner {
            document: Document::parse("00000000191").unwrap(),
            name: Some("Beatriz Conceição".to_owned()),
        }))
    });
    let owner = world.owner(Environment::Sandbox);
    let new = to("bia@example.com");
    let made = withdrawal::create(&world.ports_with(&bank), owner, Origin::Api, &new, None);
    let receipt = of_payout(&world, &made.unwrap().object);
    let ReceiptPurpose::Withdrawal(sent) = receipt.purpose else {
        panic!("{:?}", receipt.purpose)
    };
    assert_eq!(sent.recipient.name.as_deref(), Some("Beatriz Conceição"));
    assert_eq!(sent.recipient_by_payer, None);
    assert_eq!(sent.recipient.document.as_deref(), Some("***.000.001-**"));
    assert_eq!(sent.pix_key, "b***@example.com");
}

#[test]
fn a_bill_tells_its_line_and_what_it_was_made_up_of() {
    let world = World::new();
    let water = "846100000005246100291102005460339004695895061080";
    let water = pay(&world, water, "conta 7");
    let boleto = "23791234546789012345767890123457235780000010000";
    let boleto = pay(&world, boleto, "fatura 8");
    work(&world);
    let receipt = of_payout(&world, &water);
    let money = [receipt.amount, receipt.fee, receipt.debited];
    assert_eq!(money.map(Centavos::get), [2_461, 150, 2_611]);
    assert_eq!(receipt.authentication, water.id.0.to_string());
    let ReceiptPurpose::Bill(bill) = receipt.purpose else {
        panic!("{:?}", receipt.purpose)
    };
    assert!(matches!(bill.code, BillCode::Collection(_)));
    assert_eq!(bill.amounts.original.get(), 2_461);
    assert_eq!(bill.external_id, "conta 7");
    assert_eq!(bill.due_date, None, "nothing says when it was due");
    let ReceiptPurpose::Bill(bill) = of_payout(&world, &boleto).purpose else {
        panic!("a boleto is a bill")
    };
    assert!(matches!(bill.code, BillCode::Boleto(_)));
    assert!(bill.due_date.is_some());
}

#[test]
fn a_refund_tells_the_payment_it_gives_back() {
    let world = World::new();
    let (charge, refund) = give_back(&world, Environment::Live);
    work(&world);
    let receipt = receipt(&world.ports(), ReceiptOf::Refund(refund.id)).unwrap();
    assert_eq!(receipt.id, refund.id.to_string());
    let money = [receipt.amount, receipt.fee, receipt.debited];
    assert_eq!(money.map(Centavos::get), [990, 0, 990]);
    assert_eq!(receipt.authentication, refund.return_id(START).unwrap());
    let payer = charge::sandbox_payer();
    let expected = GivenBack {
        recipient: Party {
            name: payer.name,
            document: Some("***.000.001-**".to_owned()),
            bank: payer.bank,
        },
        charge: charge.public_id(),
        end_to_end_id: refund.payment_id.to_string(),
        paid: Centavos::new(4_990),
        paid_at: charge.created_at,
        reason: Some("troca".to_owned()),
    };
    assert_eq!(receipt.purpose, ReceiptPurpose::Refund(expected));
}

#[test]
fn only_what_is_paid_has_a_receipt() {
    let world = World::new();
    fund(&world, 20_000);
    world.bank.set_fate(Fate::Fails);
    let payout = withdraw(&world, Environment::Live, "bia@example.com");
    let (_, refund) = give_back(&world, Environment::Live);
    for status in ["PENDING", "FAILED"] {
        assert_none(&world, ReceiptOf::Payout(payout.id), status);
        assert_none(&world, ReceiptOf::Refund(refund.id), status);
        work(&world);
    }
    let ports = world.ports();
    let none = receipt(&ports, ReceiptOf::Payout(PayoutId(Ulid::nil())));
    assert!(matches!(none, Err(Error::NotFound(Missing::Payout))));
    let none = receipt(&ports, ReceiptOf::Refund(RefundId(Ulid::nil())));
    assert!(matches!(none, Err(Error::NotFound(Missing::Refund))));
}

#[test]
fn a_sandbox_goes_by_its_own_clock() {
    let world = World::new();
    let payout = withdraw(&world, Environment::Sandbox, "bia@example.com");
    let owner: Owner = world.owner(Environment::Sandbox);
    let ahead = crate::account::ClockMove::Advance(crate::calendar::DAY_MS);
    crate::account::move_clock(&world.ports(), owner.account, ahead).unwrap();
    let receipt = of_payout(&world, &payout);
    assert_eq!(receipt.environment, Environment::Sandbox);
    let since = receipt.issued_at.millis_since(receipt.paid_at);
    assert_eq!(since, crate::calendar::DAY_MS);
}

#[test]
fn ids_of_every_kind_are_read() {
    let ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for prefix in ["wd_", "bp_"] {
        let read = ReceiptOf::parse(&format!("{prefix}{ulid}")).unwrap();
        assert!(matches!(read, ReceiptOf::Payout(id) if id.0.to_string() == ulid));
    }
    let read = ReceiptOf::parse(&format!("rf_{ulid}")).unwrap();
    assert!(matches!(read, ReceiptOf::Refund(id) if id.0.to_string() == ulid));
    let error = ReceiptOf::parse(&format!("chg_{ulid}")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "must be wd_, bp_ or rf_ followed by a ULID"
    );
}
