//! Rows changed by hand, each found and named.

use super::busy::busy;
use super::verify;
use crate::account::Environment;
use crate::calendar::Time;
use crate::charge::{
    Charge, ChargeId, ChargeKind, Payment, PaymentId, Receipt, Return, ReturnState, Status,
};
use crate::event::{Event, EventKind};
use crate::id::Ulid;
use crate::ledger::{EntryId, EntryKind, Head, LedgerAccount, Movement, PostingSet};
use crate::memory::World as Rows;
use crate::money::Centavos;
use crate::payout::{Payout, PayoutStatus};
use crate::refund::Refund;
use crate::testing::World;

fn faults(world: &World) -> Vec<(String, String)> {
    let report = verify(&world.ports()).unwrap();
    let faults = report.faults.into_iter();
    faults.map(|fault| (fault.row, fault.wrong)).collect()
}

#[test]
fn a_merchant_with_everything_is_sound() {
    assert_eq!(faults(&busy()), []);
}

const LIVE: Environment = Environment::Live;
const SANDBOX: Environment = Environment::Sandbox;

/// Somebody's hand in the rows: says which row must be named, and with what words.
type Hand = fn(&mut Rows) -> (String, &'static str);

#[track_caller]
fn assert_found(cases: &[(&str, Hand)]) {
    for (what, hand) in cases {
        let world = busy();
        let (row, words) = world.store.by_hand(hand);
        let faults = faults(&world);
        let named = |(at, wrong): &(String, String)| *at == row && wrong.contains(words);
        assert!(
            faults.iter().any(named),
            "{what}: {row} … {words} … is not in {faults:#?}"
        );
    }
}

fn a_charge(rows: &mut Rows, of: Environment, is: fn(&Status) -> bool) -> &mut Charge {
    let wanted = |charge: &&mut Charge| {
        charge.owner.environment == of && charge.kind == ChargeKind::PixQrCode && is(&charge.status)
    };
    rows.charges.values_mut().find(wanted).unwrap()
}

fn paid(rows: &mut Rows) -> &mut Charge {
    a_charge(rows, LIVE, |status| matches!(status, Status::Paid(_)))
}

fn receipt(rows: &mut Rows, settled: bool) -> &mut Receipt {
    let wanted = |receipt: &&mut Receipt| {
        receipt.owner.environment == LIVE && receipt.returned.is_none() == settled
    };
    rows.receipts.iter_mut().find(wanted).unwrap()
}

fn a_return(rows: &mut Rows, is: fn(&ReturnState) -> bool) -> &mut Return {
    let wanted = |one: &&mut Return| one.owner.environment == LIVE && is(&one.state);
    rows.returns.values_mut().find(wanted).unwrap()
}

fn a_payout<'a>(rows: &'a mut Rows, of: Environment, kind: &str, is: &str) -> &'a mut Payout {
    let wanted = |payout: &&mut Payout| {
        payout.owner.environment == of
            && payout.purpose.kind() == kind
            && payout.status.as_str() == is
    };
    rows.payouts.values_mut().find(wanted).unwrap()
}

fn a_refund<'a>(rows: &'a mut Rows, is: &str) -> &'a mut Refund {
    let wanted = |refund: &&mut Refund| refund.status.as_str() == is;
    rows.refunds.values_mut().find(wanted).unwrap()
}

fn an_event(rows: &mut Rows, kind: EventKind) -> &mut Event {
    let wanted = |event: &&mut Event| event.kind == kind;
    rows.events.values_mut().find(wanted).unwrap()
}

fn is_paid(at: Time) -> PayoutStatus {
    PayoutStatus::Paid {
        at,
        authentication: "E00000000202609211413aaaaaaaaaaa".to_owned(),
    }
}

fn head(rows: &mut Rows, of: Environment) -> &mut Head {
    let mut heads = rows.heads.values_mut();
    heads.find(|head| head.owner.environment == of).unwrap()
}

fn plus(amount: Centavos, more: i64) -> Centavos {
    Centavos::new(amount.get() + more)
}

/// A whole new entry at the end of the live ledger, sealed as it should be.
fn forge(rows: &mut Rows, kind: EntryKind, reference: Ulid, postings: PostingSet) -> String {
    let id = EntryId(Ulid::from_parts(9, 9));
    let movement = Movement {
        id,
        kind,
        reference,
        postings,
        at: Time::from_millis(9),
    };
    let entry = head(rows, LIVE).post(movement).unwrap();
    rows.entries.insert((entry.owner, entry.sequence), entry);
    id.to_string()
}

#[test]
fn a_changed_projection_is_found() {
    assert_found(&[
        ("available alone", |rows| {
            let head = head(rows, LIVE);
            head.available = plus(head.available, -1);
            ("head".to_owned(), "has available")
        }),
        ("both", |rows| {
            let head = head(rows, SANDBOX);
            head.available = plus(head.available, 1);
            head.balance = plus(head.balance, 1);
            ("head".to_owned(), "has balance")
        }),
        ("a ledger emptied", |rows| {
            rows.entries
                .retain(|(owner, _), _| owner.environment == LIVE);
            let head = head(rows, SANDBOX);
            *head = Head {
                event_sequence: head.event_sequence,
                ..Head::empty(head.owner)
            };
            (head.owner.account.to_string(), "without its play money")
        }),
    ]);
}

#[test]
fn a_changed_charge_is_found() {
    assert_found(&[
        ("open again", |rows| {
            let charge = paid(rows);
            charge.status = Status::Pending;
            (
                charge.public_id(),
                "is PENDING of 100000, net 99920, but what was posted for it is charge_paid",
            )
        }),
        ("open again, told", |rows| {
            let charge = paid(rows);
            charge.status = Status::Pending;
            (
                charge.public_id(),
                "is PENDING, but what was told of it is pixQrCode.paid",
            )
        }),
        ("open again, payment", |rows| {
            paid(rows).status = Status::Pending;
            (
                receipt(rows, true).end_to_end_id.to_string(),
                "but that is PENDING",
            )
        }),
        ("paid by nobody", |rows| {
            let Status::Paid(payment) = paid(rows).status.clone() else {
                unreachable!()
            };
            let charge = a_charge(rows, LIVE, |status| *status == Status::Pending);
            let end_to_end_id = PaymentId::restore("E1".to_owned());
            charge.status = Status::Paid(Payment {
                end_to_end_id,
                ..payment
            });
            (charge.public_id(), "but 0 payments are kept")
        }),
        ("amount", |rows| {
            let charge = paid(rows);
            charge.amount = plus(charge.amount, 1);
            (charge.public_id(), "is PAID of 100001, net 99920")
        }),
        ("net amount", |rows| {
            let charge = paid(rows);
            charge.net_amount = plus(charge.net_amount, -1);
            (charge.public_id(), "is PAID of 100000, net 99919")
        }),
        ("a sandbox's amount", |rows| {
            let charge = a_charge(rows, SANDBOX, |status| matches!(status, Status::Paid(_)));
            charge.amount = plus(charge.amount, 1);
            (charge.public_id(), "is PAID, but 0 payments are kept")
        }),
        ("payment", |rows| {
            let charge = paid(rows);
            if let Status::Paid(payment) = &mut charge.status {
                payment.end_to_end_id = PaymentId::restore("E1".to_owned());
            }
            (charge.public_id(), "is PAID, but 0 payments are kept")
        }),
        ("removed", |rows| {
            let id = paid(rows).id;
            rows.charges.remove(&id);
            let mut entries = rows.entries.values();
            let entry = entries.find(|entry| entry.reference == id.0).unwrap();
            (entry.id.to_string(), "is charge_paid for")
        }),
        ("reason of a failure", |rows| {
            let charge = a_charge(rows, LIVE, |status| matches!(status, Status::Failed(_)));
            if let Status::Failed(failure) = &mut charge.status {
                failure.reason.push('!');
            }
            let id = charge.id.0;
            let event = rows.events.values().find(|event| event.object == id);
            (
                event.unwrap().id.to_string(),
                "differs in data.failureReason",
            )
        }),
    ]);
}

#[test]
fn changed_payments_and_returns_are_found() {
    assert_found(&[
        ("payment removed", |rows| {
            let charge = paid(rows).clone();
            rows.receipts.retain(|receipt| receipt.charge != charge.id);
            (charge.public_id(), "but 0 payments are kept")
        }),
        ("payment of another amount", |rows| {
            let receipt = receipt(rows, true);
            receipt.amount = plus(receipt.amount, 1);
            (
                receipt.end_to_end_id.to_string(),
                "but that is PAID of 100000",
            )
        }),
        ("payment of nothing", |rows| {
            let receipt = receipt(rows, true);
            receipt.charge = ChargeId(Ulid::from_parts(1, 1));
            (receipt.end_to_end_id.to_string(), "which is no charge")
        }),
        ("payment that no more goes back", |rows| {
            let receipt = receipt(rows, false);
            receipt.returned = None;
            (
                receipt.end_to_end_id.to_string(),
                "is kept as the payment of",
            )
        }),
        ("return without its payment", |rows| {
            let payment = receipt(rows, false).end_to_end_id.clone();
            rows.receipts
                .retain(|receipt| receipt.end_to_end_id != payment);
            let mut returns = rows.returns.values();
            let returned = returns.find(|one| one.end_to_end_id == payment).unwrap();
            (returned.id.to_string(), "which was not kept for that")
        }),
        ("return removed", |rows| {
            let returned = a_return(rows, |_| true).clone();
            rows.returns.remove(&returned.id);
            (
                returned.end_to_end_id.to_string(),
                "not by exactly one such return",
            )
        }),
        ("return of another amount", |rows| {
            let returned = a_return(rows, |_| true);
            returned.amount = plus(returned.amount, 1);
            (returned.id.to_string(), "which was not kept for that")
        }),
        ("return open again", |rows| {
            let returned = a_return(rows, |state| *state != ReturnState::Open);
            returned.state = ReturnState::Open;
            let charge = returned.charge;
            (
                rows.charges[&charge].public_id(),
                "payment_returned clearing",
            )
        }),
        ("return done by nobody", |rows| {
            let returned = a_return(rows, |state| *state == ReturnState::Open);
            returned.state = ReturnState::Done {
                at: Time::from_millis(1),
                provider_id: "D1".to_owned(),
            };
            let charge = returned.charge;
            (rows.charges[&charge].public_id(), "is PENDING of 4990")
        }),
    ]);
}

#[test]
fn changed_money_on_its_way_out_is_found() {
    assert_found(&[
        ("withdrawal sent by nobody", |rows| {
            let payout = a_payout(rows, LIVE, "withdraw", "PENDING");
            payout.status = is_paid(payout.created_at);
            (
                payout.public_id(),
                "is PAID of 900, fee 100, but what was posted for it is payout_debited",
            )
        }),
        ("withdrawal under way again", |rows| {
            let payout = a_payout(rows, LIVE, "withdraw", "PAID");
            payout.status = PayoutStatus::Pending;
            (
                payout.public_id(),
                "but what was told of it is withdraw.done",
            )
        }),
        ("failed withdrawal that is paid", |rows| {
            let payout = a_payout(rows, LIVE, "withdraw", "FAILED");
            payout.status = is_paid(payout.created_at);
            (payout.public_id(), "payout_refunded")
        }),
        ("amount of a withdrawal", |rows| {
            let payout = a_payout(rows, LIVE, "withdraw", "PAID");
            payout.net_amount = plus(payout.net_amount, 1);
            (payout.public_id(), "is PAID of 901")
        }),
        ("fee of a bill", |rows| {
            let payout = a_payout(rows, LIVE, "boletoPayment", "PAID");
            payout.fee = plus(payout.fee, 1);
            (payout.public_id(), "fee 151")
        }),
        ("bill of a sandbox", |rows| {
            let payout = a_payout(rows, SANDBOX, "boletoPayment", "FAILED");
            payout.status = PayoutStatus::Pending;
            (payout.public_id(), "is PENDING of 2000, fee 150")
        }),
        ("withdrawal of a sandbox", |rows| {
            let payout = a_payout(rows, SANDBOX, "withdraw", "PAID");
            payout.amount = plus(payout.amount, 1);
            let id = payout.id.0;
            let mut events = rows.events.values();
            (
                events
                    .find(|event| event.object == id)
                    .unwrap()
                    .id
                    .to_string(),
                "differs in data.amount",
            )
        }),
        ("when a bill was paid", |rows| {
            let payout = a_payout(rows, LIVE, "boletoPayment", "PAID");
            payout.status = is_paid(payout.created_at);
            let id = payout.id.0;
            let mut events = rows.events.values();
            (
                events
                    .find(|event| event.object == id)
                    .unwrap()
                    .id
                    .to_string(),
                "differs in createdAt, data.endToEndId, data.paidAt",
            )
        }),
        ("bill removed", |rows| {
            let id = a_payout(rows, LIVE, "boletoPayment", "PENDING").id;
            rows.payouts.remove(&id);
            let mut entries = rows.entries.values();
            (
                entries
                    .find(|entry| entry.reference == id.0)
                    .unwrap()
                    .id
                    .to_string(),
                "is payout_debited for",
            )
        }),
    ]);
}

#[test]
fn a_changed_refund_is_found() {
    assert_found(&[
        ("refund of another amount", |rows| {
            let refund = a_refund(rows, "PAID");
            refund.amount = plus(refund.amount, 1);
            (refund.id.to_string(), "is PAID of 501")
        }),
        ("refund under way again", |rows| {
            let refund = a_refund(rows, "FAILED");
            refund.status = PayoutStatus::Pending;
            (refund.id.to_string(), "refund_reversed")
        }),
        ("refund removed", |rows| {
            let id = a_refund(rows, "PENDING").id;
            rows.refunds.remove(&id);
            let mut entries = rows.entries.values();
            (
                entries
                    .find(|entry| entry.reference == id.0)
                    .unwrap()
                    .id
                    .to_string(),
                "is refund_debited for",
            )
        }),
        ("refund of another payment", |rows| {
            let refund = a_refund(rows, "PAID");
            refund.payment_id = PaymentId::restore("E1".to_owned());
            (refund.id.to_string(), "gives E1 back, which is not how")
        }),
        ("refund of nothing", |rows| {
            let refund = a_refund(rows, "PAID");
            refund.charge = ChargeId(Ulid::from_parts(1, 1));
            (refund.id.to_string(), "which is no charge")
        }),
    ]);
}

#[test]
fn a_forged_entry_is_found_though_its_seal_is_right() {
    assert_found(&[
        ("twice", |rows| {
            let charge = paid(rows).clone();
            let postings = charge.entries_due(&[]).unwrap()[0].1;
            forge(rows, EntryKind::ChargePaid, charge.id.0, postings);
            let head = head(rows, LIVE);
            assert_eq!(head.available, head.balance);
            (
                charge.public_id(),
                "clearing -100000, charge_paid available 99920",
            )
        }),
        ("for nothing", |rows| {
            let postings = PostingSet::balanced(&[
                (LedgerAccount::Available, Centavos::new(1)),
                (LedgerAccount::PlayMoney, Centavos::new(-1)),
            ]);
            (
                forge(
                    rows,
                    EntryKind::ChargePaid,
                    Ulid::from_parts(1, 1),
                    postings.unwrap(),
                ),
                "which is not there",
            )
        }),
        ("for the account", |rows| {
            let account = head(rows, LIVE).owner.account;
            forge(rows, EntryKind::PlayMoney, account.0, PostingSet::default());
            (account.to_string(), "was opened with play_money")
        }),
    ]);
}

#[test]
fn a_changed_event_is_found() {
    fn paid_event(rows: &mut Rows) -> &mut Event {
        an_event(rows, EventKind::PixQrCodePaid)
    }
    fn edit(event: &mut Event, from: &str, to: &str) -> String {
        let edited = event.body.replacen(from, to, 1);
        assert_ne!(edited, event.body);
        event.body = edited;
        event.id.to_string()
    }
    assert_found(&[
        ("amount", |rows| {
            let event = paid_event(rows);
            (
                edit(event, r#""amount":"#, r#""amount":1"#),
                "differs in data.amount",
            )
        }),
        ("payer", |rows| {
            let event = paid_event(rows);
            (
                edit(event, "Sandbox Payer", "Somebody"),
                "differs in data.payer",
            )
        }),
        ("moment", |rows| {
            let event = paid_event(rows);
            (
                edit(event, r#""createdAt":"2"#, r#""createdAt":"3"#),
                "differs in createdAt",
            )
        }),
        ("sequence", |rows| {
            let event = paid_event(rows);
            (
                edit(event, r#""sequence":"#, r#""sequence":9"#),
                "differs in sequence",
            )
        }),
        ("more is said", |rows| {
            let event = paid_event(rows);
            (
                edit(event, "{", r#"{"more":1,"#),
                "differs in what is added",
            )
        }),
        ("white space", |rows| {
            let event = paid_event(rows);
            (edit(event, ":", ": "), "differs in how it is written")
        }),
        ("no event", |rows| {
            let event = an_event(rows, EventKind::WithdrawDone);
            event.body.clear();
            (event.id.to_string(), "its body is no event's")
        }),
        ("amount of a payout", |rows| {
            let event = an_event(rows, EventKind::WithdrawFailed);
            (
                edit(event, r#""amount":"#, r#""amount":1"#),
                "differs in data.amount",
            )
        }),
        ("kind", |rows| {
            let event = paid_event(rows);
            event.kind = EventKind::PixQrCodeFailed;
            let id = ChargeId(event.object);
            (
                rows.charges[&id].public_id(),
                "but what was told of it is pixQrCode.failed",
            )
        }),
        ("object", |rows| {
            let event = paid_event(rows);
            event.object = Ulid::from_parts(1, 1);
            (event.id.to_string(), "of which there is nothing to tell")
        }),
        ("removed", |rows| {
            let event = paid_event(rows).clone();
            rows.events.remove(&(event.owner, event.sequence));
            (
                rows.charges[&ChargeId(event.object)].public_id(),
                "but what was told of it is nothing",
            )
        }),
    ]);
}
